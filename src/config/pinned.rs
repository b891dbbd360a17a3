//! Does a command line that fetches a package say which version of it?
//!
//! In: a program's name and its arguments. Out: every package whose version is left open. Knows the
//! runners of npm, Python, Deno, Go and containers, also behind `cmd /c`, `sh -c` and `env`.
//! Deliberately not here: what a pinned package fetches in turn.

#[cfg(test)]
mod tests;

use super::paths::program_name;
use crate::skills::containment::PathStyle;

/// A package that may be another one tomorrow.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unpinned {
    /// What fetches it, such as `npx`.
    pub runner: String,
    /// The package as the command names it; empty where none was recognised.
    pub package: String,
}

/// The packages whose version is left open; empty where nothing is fetched or all is pinned.
pub fn unpinned(command: &str, args: &[String], style: PathStyle) -> Vec<Unpinned> {
    let mut words: Vec<String> = vec![command.to_owned()];
    words.extend(args.iter().cloned());
    // A wrapper in a wrapper in a wrapper is the most that anybody writes.
    for _ in 0..4 {
        match unwrapped(&words, style) {
            Some(inner) => words = inner,
            None => break,
        }
    }
    let Some((command, rest)) = words.split_first() else {
        return Vec::new();
    };
    let program = program_name(command, style);
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    fetched(&program, &rest)
}

/// The command that a wrapper starts.
fn unwrapped(words: &[String], style: PathStyle) -> Option<Vec<String>> {
    let (command, rest) = words.split_first()?;
    match program_name(command, style).as_str() {
        "cmd" => {
            let at = rest.iter().position(|word| {
                word.eq_ignore_ascii_case("/c") || word.eq_ignore_ascii_case("/k")
            })?;
            Some(split(rest.get(at + 1..)?))
        }
        "sh" | "bash" | "zsh" | "dash" | "fish" | "ksh" | "powershell" | "pwsh" => {
            let at = rest.iter().position(|word| {
                matches!(
                    word.as_str(),
                    "-c" | "-lc" | "-ic" | "-Command" | "-command"
                )
            })?;
            Some(split(rest.get(at + 1..)?))
        }
        "env" => {
            let at = rest
                .iter()
                .position(|word| !word.contains('=') && !word.starts_with('-'))?;
            Some(rest.get(at..)?.to_vec())
        }
        "corepack" | "sudo" | "nice" | "nohup" | "exec" => Some(rest.to_vec()),
        "mise" | "volta" | "fnm" | "direnv" | "dotenvx" => {
            let at = rest.iter().position(|word| word == "--")?;
            Some(rest.get(at + 1..)?.to_vec())
        }
        _ => None,
    }
}

/// Words of a line for a shell, well enough to find a runner in it.
fn split(words: &[String]) -> Vec<String> {
    words
        .iter()
        .flat_map(|word| word.split_whitespace())
        .map(|word| word.trim_matches(['"', '\'']).to_owned())
        .collect()
}

fn fetched(program: &str, rest: &[&str]) -> Vec<Unpinned> {
    let (first, after) = match rest.iter().position(|word| !word.starts_with('-')) {
        Some(at) => (
            rest.get(at).copied().unwrap_or(""),
            rest.get(at + 1..).unwrap_or(&[]),
        ),
        None => ("", [].as_slice()),
    };
    let second = after.first().copied().unwrap_or("");
    match (program, first) {
        ("npx" | "bunx" | "pnpx", _) => npm(program, rest),
        ("npm", "exec" | "x") | ("pnpm" | "yarn", "dlx") | ("bun", "x") => {
            npm(&format!("{program} {first}"), after)
        }
        ("uvx", _) => python(program, rest),
        ("pipx", "run") => python("pipx run", after),
        ("uv", "tool") if second == "run" => python("uv tool run", after.get(1..).unwrap_or(&[])),
        ("uv", "run") => python_extras("uv run", after),
        ("deno", "run" | "x") => deno(after),
        ("go", "run") => go(after),
        ("docker" | "podman" | "nerdctl", "run") => container(&format!("{program} run"), after),
        ("docker" | "podman", "container") if second == "run" => {
            container(&format!("{program} run"), after.get(1..).unwrap_or(&[]))
        }
        _ => Vec::new(),
    }
}

/// Options and the word after the options. `with_value`: options that take the next word.
struct Options<'w> {
    /// Values of the options that were asked for.
    asked: Vec<&'w str>,
    /// The first word that is no option.
    word: Option<&'w str>,
}

fn options<'w>(words: &[&'w str], with_value: &[&str], asked_for: &[&str]) -> Options<'w> {
    let mut found = Options {
        asked: Vec::new(),
        word: None,
    };
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if word == "--" {
            found.word = words.next();
            break;
        }
        if !word.starts_with('-') {
            found.word = Some(word);
            break;
        }
        match word.split_once('=') {
            Some((option, value)) if asked_for.contains(&option) => found.asked.push(value),
            None if asked_for.contains(&word) => found.asked.extend(words.next()),
            None if with_value.contains(&word) => {
                words.next();
            }
            Some(_) | None => {}
        }
    }
    found
}

/// The packages that are not pinned; where none was found, something unknown is fetched.
fn open(runner: &str, packages: &[&str], pinned: impl Fn(&str) -> bool) -> Vec<Unpinned> {
    let unpinned = |package: &str| Unpinned {
        runner: runner.to_owned(),
        package: package.to_owned(),
    };
    if packages.is_empty() {
        return vec![unpinned("")];
    }
    packages
        .iter()
        .filter(|package| !is_local(package) && !pinned(package))
        .map(|package| unpinned(package))
        .collect()
}

fn npm(runner: &str, words: &[&str]) -> Vec<Unpinned> {
    const VALUE: [&str; 12] = [
        "-c",
        "--call",
        "--registry",
        "--userconfig",
        "--prefix",
        "--cache",
        "-w",
        "--workspace",
        "--node-arg",
        "--node-options",
        "--shell",
        "--loglevel",
    ];
    let found = options(words, &VALUE, &["-p", "--package"]);
    let packages = if found.asked.is_empty() {
        found.word.into_iter().collect()
    } else {
        found.asked
    };
    open(runner, &packages, npm_is_pinned)
}

/// `name@1.2.3`, or a repository at a commit.
fn npm_is_pinned(package: &str) -> bool {
    if package.contains("://") || package.contains(':') && !package.contains("@npm:") {
        return package
            .rsplit_once('#')
            .is_some_and(|(_, commit)| is_commit(commit));
    }
    if let Some((_, commit)) = package.rsplit_once('#') {
        return is_commit(commit);
    }
    match package.rfind('@') {
        Some(at) if at > 0 => is_version(package.get(at + 1..).unwrap_or("")),
        _ => false,
    }
}

const PYTHON_VALUE: [&str; 22] = [
    "-p",
    "--python",
    "--index",
    "--index-url",
    "-i",
    "--default-index",
    "--extra-index-url",
    "--find-links",
    "-f",
    "--directory",
    "--project",
    "--cache-dir",
    "--config-file",
    "--prerelease",
    "--resolution",
    "--index-strategy",
    "--keyring-provider",
    "--link-mode",
    "--exclude-newer",
    "-c",
    "--with-editable",
    "--env-file",
];

fn python(runner: &str, words: &[&str]) -> Vec<Unpinned> {
    let from = options(
        words,
        &with(&PYTHON_VALUE, &["--with", "-w"]),
        &["--from", "--spec"],
    );
    let extras = options(
        words,
        &with(&PYTHON_VALUE, &["--from", "--spec"]),
        &["--with", "-w"],
    );
    let mut packages: Vec<&str> = if from.asked.is_empty() {
        from.word.into_iter().collect()
    } else {
        from.asked
    };
    packages.extend(extras.asked.iter().flat_map(|list| list.split(',')));
    open(runner, &packages, python_is_pinned)
}

/// `uv run` runs a file of the project; only what `--with` adds is fetched by name.
fn python_extras(runner: &str, words: &[&str]) -> Vec<Unpinned> {
    let extras = options(words, &PYTHON_VALUE, &["--with", "-w"]).asked;
    let packages: Vec<&str> = extras.iter().flat_map(|list| list.split(',')).collect();
    if packages.is_empty() {
        return Vec::new();
    }
    open(runner, &packages, python_is_pinned)
}

/// `name==1.2.3`, `name@1.2.3`, or a repository at a commit.
fn python_is_pinned(package: &str) -> bool {
    if let Some((_, address)) = package.split_once("://") {
        return address
            .rsplit_once('@')
            .is_some_and(|(_, commit)| is_commit(commit));
    }
    let version = package
        .split_once("==")
        .or_else(|| package.rsplit_once('@'));
    // Both marks ask for exactly that version, however few numbers it has, unless it holds a star.
    version.is_some_and(|(_, version)| {
        let version = version.trim().trim_start_matches('=');
        version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(['*', ',', '|'])
    })
}

fn deno(words: &[&str]) -> Vec<Unpinned> {
    let script = options(words, &["-c", "--config", "--import-map", "--lock"], &[]).word;
    match script {
        Some(script) if script.starts_with("npm:") || script.starts_with("jsr:") => {
            open("deno run", &[script.get(4..).unwrap_or("")], |package| {
                let package = package.trim_start_matches('/');
                // After the version a path may follow; a scope has a slash of its own.
                let skip = usize::from(package.starts_with('@'));
                let version = package.get(skip..).and_then(|rest| rest.split_once('@'));
                version.is_some_and(|(_, rest)| is_version(rest.split('/').next().unwrap_or("")))
            })
        }
        Some(script) if script.starts_with("http://") || script.starts_with("https://") => {
            open("deno run", &[script], |address| {
                address
                    .split('@')
                    .skip(1)
                    .any(|rest| is_version(rest.split('/').next().unwrap_or("")))
            })
        }
        _ => Vec::new(),
    }
}

fn go(words: &[&str]) -> Vec<Unpinned> {
    let package = options(words, &["-C", "-exec", "-tags", "-mod", "-modfile"], &[]).word;
    match package {
        Some(package) if package.contains('@') => open("go run", &[package], |package| {
            package
                .rsplit_once('@')
                .is_some_and(|(_, version)| is_version(version))
        }),
        _ => Vec::new(),
    }
}

fn container(runner: &str, words: &[&str]) -> Vec<Unpinned> {
    // Nearly every option takes a value; these do not.
    const ALONE: [&str; 14] = [
        "--rm",
        "--init",
        "--interactive",
        "--tty",
        "--detach",
        "--privileged",
        "--read-only",
        "--publish-all",
        "--quiet",
        "--no-healthcheck",
        "--oom-kill-disable",
        "--sig-proxy",
        "--disable-content-trust",
        "--replace",
    ];
    let mut words = words.iter().copied();
    let image = loop {
        let Some(word) = words.next() else {
            break None;
        };
        if !word.starts_with('-') {
            break Some(word);
        }
        let letters = word.get(1..).unwrap_or("");
        let cluster = !letters.is_empty() && letters.chars().all(|c| "itdPq".contains(c));
        if !ALONE.contains(&word) && !cluster && !word.contains('=') {
            words.next();
        }
    };
    let images: Vec<&str> = image.into_iter().collect();
    open(runner, &images, |image| {
        let tag = image
            .rsplit('/')
            .next()
            .and_then(|last| last.split_once(':'));
        image.contains("@sha256:")
            || tag.is_some_and(|(_, tag)| tag.contains(|c: char| c.is_ascii_digit()))
    })
}

fn with<'a>(list: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    list.iter().chain(more).copied().collect()
}

/// A file or folder of this machine: its contents are covered as files are.
fn is_local(package: &str) -> bool {
    package.starts_with(['.', '/', '~', '\\'])
        || package.starts_with("file:")
        || package
            .get(1..3)
            .is_some_and(|two| two == ":\\" || two == ":/")
}

/// An exact version: at least two numbers with points between, perhaps with more after them.
fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, more) = text.split_at(end);
    let parts: Vec<&str> = numbers.split('.').collect();
    parts.len() >= 3
        && parts.iter().all(|part| {
            part.starts_with(|c: char| c.is_ascii_digit())
                && part.chars().all(|c| c.is_ascii_alphanumeric())
        })
        && !parts.iter().any(|part| matches!(*part, "x" | "X" | "*"))
        && more
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'))
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.chars().all(|c| c.is_ascii_hexdigit())
}
