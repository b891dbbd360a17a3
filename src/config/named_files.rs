//! Which files a command line and an environment may name.
//!
//! In: the program, its arguments and the variables that an entry sets. Out: every path that one of
//! them may mean, seen from the folders that they may be seen from. The shell looks which of these
//! exist inside the workspace; their contents then belong to what is approved. A path too many costs
//! one look, a path too few lets a script change unseen. Deliberately not here: what a script loads
//! by itself.

#[cfg(test)]
mod tests;

use super::paths::{join, names_a_path, program_name};
use crate::limits::{MAX_NAMED_FILES, MAX_PATH_CHARACTERS};
use crate::skills::containment::PathStyle;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use tsify::Tsify;

/// A path that an entry may name.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct NamedFile {
    /// Absolute; `..` in it is not resolved.
    pub path: String,
    /// The field that names it, such as `args[2]` or `env.NODE_OPTIONS`.
    pub field: String,
    /// True where a value of the environment is part of the path, so that it must not be kept.
    pub secret: bool,
}

/// A text that may name files.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// The field it stands in.
    pub field: &'a str,
    /// The text, expanded.
    pub text: &'a str,
    /// True where a value of the environment is part of it.
    pub secret: bool,
}

/// What is started, and how.
#[derive(Clone, Debug)]
pub struct Start<'a> {
    /// The program.
    pub command: Naming<'a>,
    /// Its arguments.
    pub args: &'a [Naming<'a>],
    /// Values of the environment that the entry sets.
    pub env: &'a [Naming<'a>],
    /// Its working folder.
    pub cwd: &'a str,
    /// The workspace folder, from where some programs look as well.
    pub workspace_folder: &'a str,
    /// How paths are written.
    pub style: PathStyle,
}

/// The files, each path once; none where there would be more than [`MAX_NAMED_FILES`].
pub fn named_files(start: &Start<'_>) -> Option<Vec<NamedFile>> {
    let program = program_name(start.command.text, start.style);
    let mut files = Files {
        bases: bases(start),
        endings: endings(&program),
        style: start.style,
        found: Vec::new(),
        seen: HashSet::new(),
        taken: HashSet::new(),
    };
    if names_a_path(start.command.text, start.style) {
        // A path is seen from the working folder alone.
        let path = join(start.cwd, start.command.text, start.style);
        files.add(path, &start.command);
    }
    for (index, arg) in start.args.iter().enumerate() {
        files.fragments_of(arg);
        let before = index
            .checked_sub(1)
            .and_then(|before| start.args.get(before));
        if before.is_some_and(|before| before.text == "-m") {
            files.python_module(arg);
        }
    }
    for value in start.env {
        files.fragments_of(value);
    }
    let words: Vec<&str> = start.args.iter().map(|arg| arg.text).collect();
    for name in project_files(&program, &words) {
        for base in files.bases.clone() {
            files.add(join(&base, name, start.style), &start.command);
        }
    }
    (files.found.len() <= MAX_NAMED_FILES).then_some(files.found)
}

/// Folders that paths are seen from: the working folder, the workspace folder, and those that
/// options such as `--directory` name.
fn bases(start: &Start<'_>) -> Vec<String> {
    const OPTIONS: [&str; 9] = [
        "--directory",
        "--project",
        "--prefix",
        "--cwd",
        "--dir",
        "-C",
        "--root",
        "--chdir",
        "--workdir",
    ];
    let mut bases = vec![start.cwd.to_owned()];
    if !start.workspace_folder.is_empty() {
        bases.push(start.workspace_folder.to_owned());
    }
    let mut values = start.args.iter().map(|arg| arg.text).peekable();
    while let Some(arg) = values.next() {
        let folder = match arg.split_once('=') {
            Some((option, folder)) if OPTIONS.contains(&option) => Some(folder),
            None if OPTIONS.contains(&arg) => values.peek().copied(),
            _ => None,
        };
        if let Some(folder) = folder.filter(|_| bases.len() < 8) {
            bases.push(join(start.cwd, folder, start.style));
        }
    }
    let mut seen = HashSet::new();
    bases.retain(|base| seen.insert(base.clone()));
    bases
}

/// What a program adds to a name to find the file it means.
fn endings(program: &str) -> &'static [&'static str] {
    match program {
        "node" | "nodejs" | "bun" | "tsx" | "ts-node" | "electron" | "nodemon" => &[
            "",
            ".js",
            ".cjs",
            ".mjs",
            ".ts",
            ".json",
            "/package.json",
            "/index.js",
            "/index.cjs",
            "/index.mjs",
            "/index.ts",
        ],
        "npx" | "npm" | "pnpm" | "yarn" | "bunx" => &["", "/package.json", "/index.js"],
        "deno" => &["", "/deno.json", "/deno.jsonc"],
        name if is_python(name) => &["", "/__main__.py", "/pyproject.toml"],
        "uv" | "uvx" | "pipx" | "poetry" | "pdm" | "hatch" => {
            &["", "/pyproject.toml", "/setup.py", "/__main__.py"]
        }
        _ => &[""],
    }
}

fn is_python(program: &str) -> bool {
    program
        .strip_prefix("python")
        .is_some_and(|version| version.bytes().all(|c| c.is_ascii_digit() || c == b'.'))
        || program == "pypy"
        || program == "pypy3"
}

/// Files that a program reads to know what to run, though nobody names them.
fn project_files(program: &str, words: &[&str]) -> &'static [&'static str] {
    let first = words.iter().find(|word| !word.starts_with('-')).copied();
    match (program, first) {
        ("npm" | "pnpm" | "yarn" | "bun", Some("exec" | "x" | "dlx" | "create")) => &[],
        ("npm" | "pnpm" | "yarn" | "bun", _) => &["package.json"],
        ("deno", Some("task")) => &["deno.json", "deno.jsonc", "package.json"],
        ("uv" | "poetry" | "pdm" | "hatch" | "pixi" | "rye", Some("run")) => &["pyproject.toml"],
        ("docker" | "podman", Some("compose")) | ("docker-compose" | "podman-compose", _) => &[
            "compose.yaml",
            "compose.yml",
            "docker-compose.yaml",
            "docker-compose.yml",
        ],
        ("make" | "gmake", _) => &["GNUmakefile", "makefile", "Makefile"],
        ("just", _) => &["justfile", "Justfile", ".justfile"],
        ("task", _) => &["Taskfile.yml", "Taskfile.yaml"],
        ("mise" | "direnv", _) => &["mise.toml", ".mise.toml", ".envrc"],
        ("cargo", _) => &["Cargo.toml", ".cargo/config.toml"],
        ("dotnet", _) => &["global.json"],
        ("bundle", _) => &["Gemfile"],
        ("composer", _) => &["composer.json"],
        _ => &[],
    }
}

struct Files {
    bases: Vec<String>,
    endings: &'static [&'static str],
    style: PathStyle,
    found: Vec<NamedFile>,
    /// Paths found.
    seen: HashSet<String>,
    /// Texts already taken for paths.
    taken: HashSet<String>,
}

impl Files {
    /// Every stretch of a text that may be a path: the whole, and what stands between the marks that
    /// separate paths from options and from each other.
    fn fragments_of(&mut self, naming: &Naming<'_>) {
        self.path(naming.text, naming);
        let separators: &[char] = match self.style {
            PathStyle::Posix => &[
                '=', ':', ';', ',', '"', '\'', '(', ')', '`', '&', '|', '<', '>',
            ],
            // A colon there follows a drive letter.
            PathStyle::Windows => &['=', ';', ',', '"', '\'', '(', ')', '`', '&', '|', '<', '>'],
        };
        for word in naming.text.split_whitespace() {
            self.path(word, naming);
            for part in word.split(separators) {
                self.path(part, naming);
            }
            if let Some((_, value)) = word.split_once('=') {
                self.path(value, naming);
            }
        }
    }

    fn path(&mut self, text: &str, naming: &Naming<'_>) {
        if self.found.len() > MAX_NAMED_FILES {
            return;
        }
        let mut path = text.trim_matches(['"', '\'']);
        path = path
            .strip_prefix("file://")
            .or_else(|| path.strip_prefix("file:"))
            .unwrap_or(path);
        path = path.trim_start_matches('@');
        // `-r./hook.js`: the value of a short option may stand right behind it.
        if path.starts_with('-') && !path.starts_with("--") {
            path = path.get(2..).unwrap_or("");
        }
        let short = path.len() <= MAX_PATH_CHARACTERS;
        if path.is_empty() || !short || path.starts_with('-') || path.contains(['\n', '\r', '\0']) {
            return;
        }
        if !self.taken.insert(path.to_owned()) {
            return;
        }
        for base in self.bases.clone() {
            let whole = join(&base, path, self.style);
            for ending in self.endings {
                let file = match ending.strip_prefix('/') {
                    Some(inner) => join(&whole, inner, self.style),
                    None => format!("{whole}{ending}"),
                };
                self.add(file, naming);
            }
        }
    }

    /// `-m package.module`.
    fn python_module(&mut self, naming: &Naming<'_>) {
        let path = naming.text.replace('.', "/");
        for base in self.bases.clone() {
            for folder in ["", "src/"] {
                for ending in [".py", "/__main__.py", "/__init__.py"] {
                    self.add(
                        join(&base, &format!("{folder}{path}{ending}"), self.style),
                        naming,
                    );
                }
            }
        }
    }

    fn add(&mut self, path: String, naming: &Naming<'_>) {
        if self.found.len() <= MAX_NAMED_FILES && self.seen.insert(path.clone()) {
            self.found.push(NamedFile {
                path,
                field: naming.field.to_owned(),
                secret: naming.secret,
            });
        }
    }
}
