//! Paths that matter: inside a folder or not, protected, credential-looking.
//!
//! In: absolute paths after links were followed, of any platform. Both `/` and `\` separate here:
//! on a system where `\` may stand in a name, that errs on the side of asking. Names are compared
//! as case-insensitive file systems do, and without what Windows and macOS ignore in a name.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::text::{is_hidden, lower, upper};

/// Paths, absolute or relative.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
pub struct PathList(pub Vec<String>);

/// Those of `paths` that look like they hold credentials, in order.
pub fn credential_paths(paths: PathList) -> PathList {
    PathList(paths.0.into_iter().filter(|p| credentials(p)).collect())
}

/// A path as it stands to the workspace.
pub struct Relative<'a> {
    /// The path below the outermost workspace folder that holds it; else the whole path.
    pub inner: &'a str,
    /// The folder's own name, when there are several folders.
    root: Option<&'a str>,
}

impl Relative<'_> {
    /// How people see it: with `/`, `.` for the folder itself, led by the folder's name where there
    /// are several.
    pub fn shown(&self) -> String {
        let inner = if self.inner.is_empty() {
            "."
        } else {
            self.inner
        };
        let slashed = inner.replace('\\', "/");
        match self.root {
            Some(root) => format!("{root}/{slashed}"),
            None => slashed,
        }
    }
}

fn separator(c: char) -> bool {
    matches!(c, '/' | '\\')
}

fn without_end(folder: &str) -> &str {
    folder.trim_end_matches(separator)
}

/// True when `path` is `folder` or below it. Both are absolute and resolved; a `..` that is left is
/// outside.
pub fn inside(path: &str, folder: &str) -> bool {
    !path.split(separator).any(|part| part == "..") && below(path, folder).is_some()
}

fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let folder = without_end(folder);
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() || rest.starts_with(separator) {
        Some(rest.trim_start_matches(separator))
    } else {
        None
    }
}

/// `path` below the outermost of `folders` that holds it, so that a folder inside another hides no
/// part of the path.
pub fn relative<'a>(path: &'a str, folders: &'a [String]) -> Relative<'a> {
    let outermost = folders
        .iter()
        .filter_map(|f| below(path, f).map(|inner| (f, inner)))
        .max_by_key(|(_, inner)| inner.len());
    match outermost {
        Some((folder, inner)) => Relative {
            inner,
            root: (folders.len() > 1)
                .then(|| without_end(folder).rsplit(separator).next())
                .flatten(),
        },
        None => Relative {
            inner: path,
            root: None,
        },
    }
}

/// A name as file systems compare it: without case, without characters that macOS ignores, without
/// the trailing dots, blanks and stream names that Windows ignores.
fn folded(name: &str) -> String {
    let seen: String = name.chars().filter(|c| !is_hidden(*c)).collect();
    let stem = seen.split(':').next().unwrap_or_default();
    // Upper case first: it joins letters such as the long s to the one they are equal to.
    lower(&upper(stem.trim_end_matches(['.', ' '])))
}

/// A protected path, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Protected {
    /// The part of the path that is protected, as written.
    pub name: String,
    /// What writing there does, in our words, to follow the name.
    pub does: &'static str,
}

const AGENTS: &str = " decides what agents start and follow.";
const HOOKS: &str = " holds hooks and settings that Git runs.";
const EDITOR: &str = " can start programs when the folder is opened.";
const SHELL: &str = " is run when somebody enters this folder.";
const WORKFLOWS: &str = " holds workflows that run with the repository's secrets.";
const PACKAGES: &str = " decides where packages come from, and what runs with them.";

/// What starts programs, or decides for agents, without anybody asking: names of files and folders,
/// folded.
const PROTECTED: &[(&[&str], &str)] = &[
    (
        &[
            ".git",
            "git~1",
            ".husky",
            ".gitmodules",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            ".lefthook.yml",
        ],
        HOOKS,
    ),
    (
        &[
            ".mcp.json",
            ".gbs",
            ".claude",
            ".agents",
            ".cursor",
            ".codex",
            ".gemini",
            ".opencode",
            ".roo",
            ".windsurf",
        ],
        AGENTS,
    ),
    (
        &[
            ".github",
            ".gitlab-ci.yml",
            ".circleci",
            ".travis.yml",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            "jenkinsfile",
        ],
        WORKFLOWS,
    ),
    (
        &[".vscode", ".idea", ".zed", ".fleet", ".exrc", ".nvim.lua"],
        EDITOR,
    ),
    (
        &[".devcontainer"],
        " runs commands when the container is built.",
    ),
    (
        &[
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".yarn",
            ".pnpmfile.cjs",
            ".cargo",
        ],
        PACKAGES,
    ),
    (&[".envrc", ".mise.toml", "mise.toml", ".mise"], SHELL),
];

/// The protected part of `path`, if any.
pub fn protected(path: &str) -> Option<Protected> {
    path.split(separator).find_map(|name| {
        let folded = folded(name);
        let does = if folded.ends_with(".code-workspace") {
            EDITOR
        } else {
            let listed = |(names, _): &&(&[&str], _)| names.contains(&folded.as_str());
            PROTECTED.iter().find(listed)?.1
        };
        Some(Protected {
            name: name.to_owned(),
            does,
        })
    })
}

/// True when the path looks like it holds credentials.
pub fn credentials(path: &str) -> bool {
    let mut parts = path.split(separator).map(folded).rev();
    let Some(name) = parts.next() else {
        return false;
    };
    credential_name(&name)
        || parts.any(|folder| {
            matches!(
                folder.as_str(),
                ".ssh" | ".aws" | ".gnupg" | ".kube" | ".azure" | ".docker"
            )
        })
}

fn credential_name(name: &str) -> bool {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    if matches!(
        extension,
        "example" | "sample" | "template" | "dist" | "pub" | "md"
    ) {
        return false;
    }
    matches!(
        name,
        ".env"
            | ".envrc"
            | ".netrc"
            | "_netrc"
            | ".pgpass"
            | ".my.cnf"
            | ".git-credentials"
            | ".npmrc"
            | ".yarnrc.yml"
            | ".pypirc"
            | ".htpasswd"
            | ".dockercfg"
            | ".dockerconfigjson"
            | ".vault-token"
            | "credentials"
            | "kubeconfig"
            | "service-account.json"
            | "serviceaccount.json"
            | "terraform.tfstate"
    ) || name.starts_with(".env.")
        || (name.starts_with("id_")
            && matches!(name, "id_rsa" | "id_dsa" | "id_ecdsa" | "id_ed25519"))
        || name.starts_with("client_secret")
        || matches!(
            extension,
            "env"
                | "pem"
                | "key"
                | "p12"
                | "pfx"
                | "jks"
                | "keystore"
                | "kdbx"
                | "ppk"
                | "ovpn"
                | "tfvars"
        )
        || (matches!(
            stem,
            "secret"
                | "secrets"
                | "credential"
                | "credentials"
                | ".credentials"
                | "token"
                | "tokens"
        ) && matches!(
            extension,
            "json" | "yml" | "yaml" | "toml" | "ini" | "txt" | "xml" | "properties"
        ))
}
