//! What can be known of a command line without running it.
//!
//! In: the line and its shell. Out: whether it is on the exact list of harmless ones, and what to
//! point out. Nothing here makes a command safe: what is not on the list asks.

use super::CommandCall;
use super::paths::{self, Protected};
use crate::order::sort;
use crate::text::{is_hidden, lower};

/// What to point out about a command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reading {
    /// A shell would do more with it than split it at blanks.
    pub metacharacters: bool,
    /// It holds characters that are not seen.
    pub hidden: bool,
    /// What it does, where we know the programs.
    pub risks: Vec<Risk>,
    /// Protected paths it names.
    pub protected: Vec<Protected>,
    /// Credential-looking files it names.
    pub credentials: Vec<String>,
}

/// Something a known program does.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub enum Risk {
    /// Downloaded data goes to another program.
    FeedsDownload,
    /// Data comes from the network, or goes there.
    Network,
    /// Packages are downloaded; their scripts may run.
    Packages,
    /// Files are deleted.
    Deletes,
    /// It runs with more rights than the user's own.
    Administrator,
    /// Git, in a repository whose own settings name programs that it starts.
    RepositoryPrograms,
}

/// Git with what keeps a reading command from starting a program that the repository names: no file
/// system monitor, no hook (a refreshed index calls one), no pager. And only a repository that has a
/// `.git`: a checked-out folder can look like a bare one, whose settings then came with the checkout.
/// Submodules have settings of their own, so no command looks into them.
macro_rules! git {
    ($rest:literal) => {
        concat!(
            "git -c core.fsmonitor=false -c core.hooksPath=/dev/null ",
            "-c safe.bareRepository=explicit -c status.submoduleSummary=false ",
            "--no-optional-locks --no-pager ",
            $rest
        )
    };
}

/// The line to run for a command on the list of harmless ones; none for every other. The list is
/// exact: a metacharacter, a hidden character or an argument more, and it is not on it. Git is also
/// told not to start an external diff or a signature check, which a format of the repository's own
/// could ask for, since its settings can name programs for them.
pub fn harmless(line: &str) -> Option<&'static str> {
    Some(match line.trim_matches(' ') {
        "pwd" => "pwd",
        "ls" => "ls",
        "ls -l" => "ls -l",
        "ls -a" => "ls -a",
        "ls -la" => "ls -la",
        "git status" => git!("status --ignore-submodules=dirty"),
        "git status --short" => git!("status --ignore-submodules=dirty --short"),
        "git status -s" => git!("status --ignore-submodules=dirty -s"),
        "git diff" => git!("diff --ignore-submodules=dirty --no-ext-diff --no-textconv"),
        "git diff --stat" => {
            git!("diff --ignore-submodules=dirty --no-ext-diff --no-textconv --stat")
        }
        "git diff --staged" => {
            git!("diff --ignore-submodules=dirty --no-ext-diff --no-textconv --staged")
        }
        "git diff --cached" => {
            git!("diff --ignore-submodules=dirty --no-ext-diff --no-textconv --cached")
        }
        "git log" => git!("log --no-show-signature --pretty=medium -n 50"),
        "git log --oneline" => git!("log --no-show-signature --oneline -n 200"),
        "git branch" => git!("branch"),
        "git branch --show-current" => git!("branch --show-current"),
        "git rev-parse HEAD" => git!("rev-parse HEAD"),
        _ => return None,
    })
}

/// Reads a command line.
pub fn read(command: &CommandCall) -> Reading {
    let line = command.line.as_str();
    let words: Vec<&str> = line
        .split(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\''
                        | '`'
                        | '='
                        | ','
                        | ';'
                        | '|'
                        | '&'
                        | '<'
                        | '>'
                        | '('
                        | ')'
                        | '{'
                        | '}'
                )
        })
        .filter(|w| !w.is_empty())
        .collect();
    let mut protected: Vec<Protected> = Vec::new();
    let mut credentials: Vec<String> = Vec::new();
    for word in words {
        if let Some(found) = paths::protected(word)
            && !protected.contains(&found)
        {
            protected.push(found);
        }
        if paths::credentials(word) && !credentials.iter().any(|c| c == word) {
            credentials.push(word.to_owned());
        }
    }
    Reading {
        metacharacters: line.contains(metacharacter),
        hidden: line.chars().any(unseen),
        risks: risks(command),
        protected,
        credentials,
    }
}

/// Characters that make a shell of any kind do more than run one program with these words.
fn metacharacter(c: char) -> bool {
    matches!(
        c,
        ';' | '&'
            | '|'
            | '<'
            | '>'
            | '$'
            | '`'
            | '('
            | ')'
            | '{'
            | '}'
            | '['
            | ']'
            | '*'
            | '?'
            | '~'
            | '!'
            | '#'
            | '%'
            | '^'
            | '\\'
            | '\n'
            | '\r'
            | '\t'
    )
}

/// Hidden, or a blank that is not the ordinary one.
fn unseen(c: char) -> bool {
    is_hidden(c) || (c.is_whitespace() && !matches!(c, ' ' | '\t' | '\n'))
}

/// The programs a line runs, each with its words, and whether the one before feeds it.
fn programs(line: &str) -> Vec<(bool, Vec<String>)> {
    let mut found = Vec::new();
    let mut piped = false;
    let mut rest = line;
    loop {
        let end = rest
            .find([';', '&', '|', '\n', '(', ')', '`'])
            .unwrap_or(rest.len());
        let (segment, after) = rest.split_at(end);
        let words = words(segment);
        if !words.is_empty() {
            found.push((piped, words));
        }
        let Some(mark) = after.chars().next() else {
            return found;
        };
        // `||` is not a pipe; what stands in `$(…)`, `<(…)` or back quotes feeds the command around it.
        let doubled = after.starts_with("||");
        piped = (mark == '|' && !doubled) || matches!(mark, '(' | '`');
        rest = after.get(if doubled { 2 } else { 1 }..).unwrap_or_default();
    }
}

/// The words of a simple command from its program on: assignments and wrappers are left out, the
/// program is a bare lower-case name.
fn words(segment: &str) -> Vec<String> {
    let mut words: Vec<String> = segment
        .split_whitespace()
        .map(|w| {
            w.trim_matches(['"', '\'', '$', '<', '>', '{', '}'])
                .to_owned()
        })
        .filter(|w| !w.is_empty())
        .skip_while(|w| w.contains('=') || WRAPPERS.contains(&lower(w).as_str()))
        .collect();
    if let Some(first) = words.first_mut() {
        let name = first.clone();
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = lower(name);
        let bare = [".exe", ".cmd", ".bat", ".ps1"]
            .iter()
            .find_map(|e| name.strip_suffix(e))
            .unwrap_or(&name);
        bare.clone_into(first);
    }
    words
}

const WRAPPERS: [&str; 9] = [
    "env", "time", "nohup", "exec", "command", "xargs", "nice", "then", "do",
];

fn risks(command: &CommandCall) -> Vec<Risk> {
    let programs = programs(&command.line);
    let mut risks = Vec::new();
    let mut downloaded = false;
    if command.repository_programs {
        risks.push(Risk::RepositoryPrograms);
    }
    for (piped, words) in &programs {
        let mut words: &[String] = words;
        if let Some((first, rest)) = words.split_first()
            && matches!(first.as_str(), "sudo" | "doas" | "runas" | "su" | "pkexec")
        {
            risks.push(Risk::Administrator);
            words = rest;
        }
        let Some((program, rest)) = words.split_first() else {
            continue;
        };
        let risk = known(program, rest);
        if *piped && (downloaded || matches!(risk, Some(Risk::Network))) && programs.len() > 1 {
            risks.push(Risk::FeedsDownload);
        }
        downloaded |= matches!(risk, Some(Risk::Network));
        risks.extend(risk);
    }
    sort(&mut risks);
    risks.dedup();
    if risks.contains(&Risk::FeedsDownload) {
        risks.retain(|r| *r != Risk::Network);
    }
    risks
}

/// What a program does that is worth pointing out.
fn known(program: &str, rest: &[String]) -> Option<Risk> {
    let first = rest
        .iter()
        .find(|w| !w.starts_with('-'))
        .map_or("", String::as_str);
    let has = |flag: &str| rest.iter().any(|w| w == flag);
    match program {
        "curl" | "wget" | "aria2c" | "iwr" | "irm" | "invoke-webrequest" | "invoke-restmethod"
        | "start-bitstransfer" | "bitsadmin" | "certutil" | "scp" | "sftp" | "ftp" | "rsync"
        | "ssh" | "nc" | "ncat" | "socat" | "telnet" => Some(Risk::Network),
        "git" => match first {
            "clone" | "fetch" | "pull" | "push" | "submodule" => Some(Risk::Network),
            "clean" | "checkout" | "restore" => Some(Risk::Deletes),
            "reset" if has("--hard") => Some(Risk::Deletes),
            _ => None,
        },
        "npx" | "bunx" | "uvx" | "pipx" | "brew" | "apt" | "apt-get" | "dnf" | "yum" | "pacman"
        | "apk" | "winget" | "choco" | "scoop" => Some(Risk::Packages),
        "npm" | "pnpm" | "yarn" | "bun" | "pip" | "pip3" | "uv" | "cargo" | "go" | "gem"
        | "bundle" | "composer" | "dotnet" | "poetry" | "conda" => matches!(
            first,
            "install"
                | "i"
                | "ci"
                | "add"
                | "get"
                | "dlx"
                | "exec"
                | "x"
                | "create"
                | "init"
                | "update"
                | "upgrade"
                | "require"
                | "tool"
                | "sync"
                | "pip"
        )
        .then_some(Risk::Packages),
        "python" | "python3" | "py" => {
            (has("-m") && has("pip") && has("install")).then_some(Risk::Packages)
        }
        "rm" | "rmdir" | "del" | "erase" | "rd" | "remove-item" | "shred" | "unlink"
        | "truncate" | "mkfs" | "dd" => Some(Risk::Deletes),
        "find" => has("-delete").then_some(Risk::Deletes),
        _ => None,
    }
}
