//! Paths as texts: absolute or not, joined. Nothing here knows what exists.
//!
//! `..` stays in POSIX paths: behind a link it leads elsewhere than the text says, and what is shown
//! must be what is opened. Windows itself takes it away in the text, so here it goes too.

use crate::skills::containment::PathStyle;

/// How paths are written on a platform, as Node's `process.platform` names it.
pub fn style_of(platform: &str) -> PathStyle {
    if platform == "win32" {
        PathStyle::Windows
    } else {
        PathStyle::Posix
    }
}

/// True where the text says on its own where it leads, but for a drive.
pub fn is_absolute(path: &str, style: PathStyle) -> bool {
    match style {
        PathStyle::Posix => path.starts_with('/'),
        PathStyle::Windows => path.starts_with(['/', '\\']) || drive(path).is_some(),
    }
}

/// True for a path, false for a bare name that is looked up.
pub fn names_a_path(program: &str, style: PathStyle) -> bool {
    match style {
        PathStyle::Posix => program.contains('/'),
        PathStyle::Windows => program.contains(['/', '\\', ':']),
    }
}

/// `path`, seen from `base` unless it is absolute, without `.` and doubled separators.
///
/// ```
/// use gbs_agent_core::{config::paths::join, skills::containment::PathStyle::{Posix, Windows}};
/// assert_eq!(join("/work", "./a//b/../c", Posix), "/work/a/b/../c");
/// assert_eq!(join("C:\\work", "../a/b", Windows), "C:\\a\\b");
/// ```
pub fn join(base: &str, path: &str, style: PathStyle) -> String {
    match style {
        PathStyle::Posix if path.starts_with('/') => posix(path),
        PathStyle::Posix => posix(&format!("{base}/{path}")),
        PathStyle::Windows => {
            let (root, rest) = split_root(path);
            if !root.is_empty() {
                windows(&root, rest)
            } else if path.starts_with(['/', '\\']) {
                windows(&split_root(base).0, path)
            } else {
                let (root, folder) = split_root(base);
                windows(&root, &format!("{folder}\\{path}"))
            }
        }
    }
}

/// The path with one kind of slash, as cards show what lies in a folder of the workspace.
pub fn slashed(path: String, style: PathStyle) -> String {
    match style {
        PathStyle::Windows => path.replace('\\', "/"),
        PathStyle::Posix => path,
    }
}

/// The last part of a path: `npx.cmd` of `C:\node\npx.cmd`.
pub fn last_part(path: &str, style: PathStyle) -> &str {
    let separators: &[char] = match style {
        PathStyle::Posix => &['/'],
        PathStyle::Windows => &['/', '\\'],
    };
    path.rsplit(separators).next().unwrap_or(path)
}

/// The name of the program without folder and, on Windows, without extension, in lower case there:
/// what tells `npx` from `uvx`.
pub fn program_name(path: &str, style: PathStyle) -> String {
    let last = last_part(path, style);
    match style {
        PathStyle::Posix => last.to_owned(),
        PathStyle::Windows => {
            let lower = last.to_ascii_lowercase();
            let ending = [".exe", ".cmd", ".bat", ".com"]
                .iter()
                .find(|e| lower.ends_with(**e));
            ending
                .and_then(|e| lower.strip_suffix(*e))
                .unwrap_or(&lower)
                .to_owned()
        }
    }
}

fn posix(path: &str) -> String {
    let mut joined = String::with_capacity(path.len());
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        joined.push('/');
        joined.push_str(part);
    }
    if joined.is_empty() {
        "/".to_owned()
    } else {
        joined
    }
}

fn windows(root: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{root}\\{}", parts.join("\\"))
}

fn drive(path: &str) -> Option<&str> {
    let two = path.get(..2)?;
    let is_drive = two.starts_with(|c: char| c.is_ascii_alphabetic()) && two.ends_with(':');
    is_drive.then_some(two)
}

/// A drive, or the server and share of a network path, and what follows it.
fn split_root(path: &str) -> (String, &str) {
    if let Some(drive) = drive(path) {
        return (drive.to_owned(), path.get(2..).unwrap_or(""));
    }
    if !path.starts_with("\\\\") && !path.starts_with("//") {
        return (String::new(), path);
    }
    let mut parts = path.splitn(5, ['/', '\\']).skip(2);
    let (server, share) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    (format!("\\\\{server}\\{share}"), parts.next().unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use PathStyle::{Posix, Windows};

    fn check(base: &str, path: &str, style: PathStyle, expected: &str) {
        assert_eq!(join(base, path, style), expected, "{base} + {path}");
    }

    #[test]
    fn joined() {
        check("/w", "a/b", Posix, "/w/a/b");
        check("/w/", "./a/./b/", Posix, "/w/a/b");
        check("/w", "../a", Posix, "/w/../a");
        check("/w", "/a", Posix, "/a");
        check("/", "", Posix, "/");
        check("/w", "a\\b", Posix, "/w/a\\b");
        check("C:\\w", "a/b", Windows, "C:\\w\\a\\b");
        check("C:\\w", "..\\..\\a", Windows, "C:\\a");
        check("C:\\w", "d:/a", Windows, "d:\\a");
        check("C:\\w", "\\a", Windows, "C:\\a");
        check(
            "C:\\w",
            "\\\\host\\share\\a\\..\\b",
            Windows,
            "\\\\host\\share\\b",
        );
        check("\\\\host\\share\\w", "a", Windows, "\\\\host\\share\\w\\a");
        check("\\\\host\\share\\w", "\\a", Windows, "\\\\host\\share\\a");
    }

    #[test]
    fn named() {
        assert_eq!(program_name("/usr/bin/npx", Posix), "npx");
        assert_eq!(program_name("npx.cmd", Posix), "npx.cmd");
        assert_eq!(program_name("C:\\node\\NPX.CMD", Windows), "npx");
        assert_eq!(program_name("uvx", Windows), "uvx");
        assert!(names_a_path("./x", Posix) && !names_a_path("x\\y", Posix));
        assert!(names_a_path("x\\y", Windows) && !names_a_path("x.cmd", Windows));
        assert!(is_absolute("c:/x", Windows) && !is_absolute("c:/x", Posix));
    }
}
