//! A path inside a folder: what a model asked for, and where it really leads.
//!
//! In: the path a model wrote, or two paths the shell has already resolved. Out: the path in one
//! spelling, or a refusal with a code; whether one resolved path lies within another. Deliberately
//! not here: following links. The shell does that first, and asks here about what came out.

use crate::limits::RESOURCE_PATH_CHARACTERS;
use crate::text::{is_hidden, upper};
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// How paths are written on the machine that holds the files.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum PathStyle {
    /// `/` alone separates.
    Posix,
    /// `/` and `\` separate; a drive letter has no case.
    Windows,
}

/// Why a resource path is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum PathRefusal {
    /// Nothing is named.
    EmptyPath,
    /// Longer than [`RESOURCE_PATH_CHARACTERS`].
    PathTooLong,
    /// It holds NUL, another control character or one that is not drawn.
    HiddenCharacter,
    /// It begins at the root.
    AbsolutePath,
    /// It begins with a drive letter.
    DriveLetter,
    /// It climbs out by `..`, or by a spelling that Windows reads as `..`.
    ParentFolder,
    /// A segment that Windows takes for a device.
    DeviceName,
}

impl PathRefusal {
    /// The stable code, as it is serialised.
    pub fn code(self) -> &'static str {
        match self {
            Self::EmptyPath => "empty-path",
            Self::PathTooLong => "path-too-long",
            Self::HiddenCharacter => "hidden-character",
            Self::AbsolutePath => "absolute-path",
            Self::DriveLetter => "drive-letter",
            Self::ParentFolder => "parent-folder",
            Self::DeviceName => "device-name",
        }
    }

    /// The fact, without naming the path: it is somebody else's text.
    pub fn reason(self) -> &'static str {
        match self {
            Self::EmptyPath => "The resource names no file",
            Self::PathTooLong => "The resource's path is too long",
            Self::HiddenCharacter => "The resource's path holds a character that is not drawn",
            Self::AbsolutePath => "The resource's path begins at the root",
            Self::DriveLetter => "The resource's path begins with a drive letter",
            Self::ParentFolder => "The resource's path leaves the skill's folder by ..",
            Self::DeviceName => "The resource's path names a device",
        }
    }
}

/// The path of a resource as models write it, in one spelling: relative to the skill's folder, with
/// `/`, without `.` and empty segments. `.` alone is the folder itself and comes out empty.
///
/// ```
/// use gbs_agent_core::skills::containment::{resource_path, PathRefusal};
/// assert_eq!(resource_path(".\\references\\a.md").as_deref(), Ok("references/a.md"));
/// assert_eq!(resource_path("../a.md"), Err(PathRefusal::ParentFolder));
/// ```
pub fn resource_path(path: &str) -> Result<String, PathRefusal> {
    if path.trim().is_empty() {
        return Err(PathRefusal::EmptyPath);
    }
    if path.chars().nth(RESOURCE_PATH_CHARACTERS).is_some() {
        return Err(PathRefusal::PathTooLong);
    }
    if path.chars().any(|c| c.is_control() || is_hidden(c)) {
        return Err(PathRefusal::HiddenCharacter);
    }
    if path.starts_with(['/', '\\']) {
        return Err(PathRefusal::AbsolutePath);
    }
    let mut kept = Vec::new();
    for segment in path.split(['/', '\\']) {
        if segment.is_empty() || segment == "." {
            continue;
        }
        // Windows drops dots and blanks at the end of a segment, so `.. ` and `...` are no names.
        if segment.trim_end_matches(['.', ' ']).is_empty() {
            return Err(PathRefusal::ParentFolder);
        }
        if is_device(segment) {
            return Err(PathRefusal::DeviceName);
        }
        // `./C:/x` begins with a drive letter once it is in one spelling.
        if kept.is_empty() && has_drive(segment) {
            return Err(PathRefusal::DriveLetter);
        }
        kept.push(segment);
    }
    let path = kept.join("/");
    // Blanks alone are no name, also after `./`.
    if !path.is_empty() && path.trim().is_empty() {
        return Err(PathRefusal::EmptyPath);
    }
    Ok(path)
}

/// Does `target` lie in `folder`, or is it the folder? Both are absolute and resolved: links
/// followed, no `.`, `..` or empty segment left. A path that is not so is in nothing.
///
/// Beyond a Windows drive letter, case counts: resolved paths carry the case that is on disk, and a
/// folder may have been set to distinguish it.
///
/// ```
/// use gbs_agent_core::skills::containment::{is_within, PathStyle};
/// assert!(is_within("/s/a", "/s/a/ref/x.md", PathStyle::Posix));
/// assert!(!is_within("/s/a", "/s/ab/x.md", PathStyle::Posix));
/// ```
pub fn is_within(folder: &str, target: &str, style: PathStyle) -> bool {
    let (Some(folder), Some(target)) = (resolved(folder, style), resolved(target, style)) else {
        return false;
    };
    folder.root == target.root
        && folder.segments.len() <= target.segments.len()
        && folder
            .segments
            .iter()
            .zip(&target.segments)
            .all(|(a, b)| a == b)
}

/// An absolute path, taken apart.
struct Resolved<'a> {
    /// Empty, a drive with its colon in upper case, or `\\` for a share.
    root: String,
    segments: Vec<&'a str>,
}

fn resolved(path: &str, style: PathStyle) -> Option<Resolved<'_>> {
    if path.contains('\0') {
        return None;
    }
    let (root, rest) = match style {
        PathStyle::Posix => (String::new(), path.strip_prefix('/')?),
        PathStyle::Windows => windows_root(path)?,
    };
    let separators: &[char] = match style {
        PathStyle::Posix => &['/'],
        PathStyle::Windows => &['/', '\\'],
    };
    let rest = rest.strip_suffix(separators).unwrap_or(rest);
    if rest.is_empty() {
        let segments = Vec::new();
        return Some(Resolved { root, segments });
    }
    let segments: Vec<&str> = rest.split(separators).collect();
    // An empty segment: POSIX lets `//` at the start mean something else than `/`.
    let plain = segments.iter().all(|s| !matches!(*s, "" | "." | ".."));
    plain.then_some(Resolved { root, segments })
}

fn windows_root(path: &str) -> Option<(String, &str)> {
    if let Some(share) = path.strip_prefix(r"\\?\UNC\") {
        return Some((r"\\".to_owned(), share));
    }
    let path = path.strip_prefix(r"\\?\").unwrap_or(path);
    if let Some(share) = path.strip_prefix(r"\\") {
        return Some((r"\\".to_owned(), share));
    }
    if !has_drive(path) {
        return None;
    }
    let (drive, rest) = path.split_at_checked(2)?;
    let rest = rest.strip_prefix(['/', '\\'])?;
    Some((drive.to_ascii_uppercase(), rest))
}

fn has_drive(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next() == Some(b':')
}

/// A name that Windows opens as a device in any folder, whatever extension follows.
/// Source: "Naming Files, Paths, and Namespaces" of the Win32 documentation.
fn is_device(segment: &str) -> bool {
    let stem = segment.split(['.', ':']).next().unwrap_or(segment);
    let stem = upper(stem.trim_end_matches(' '));
    if matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$"
    ) {
        return true;
    }
    let port = stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"));
    port.is_some_and(|number| {
        let mut chars = number.chars();
        let digit = chars
            .next()
            .is_some_and(|c| c.is_ascii_digit() || matches!(c, '¹' | '²' | '³'));
        digit && chars.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Result<&str, PathRefusal>) {
        assert_eq!(resource_path(path), expected.map(str::to_owned), "{path:?}");
    }

    #[test]
    fn resource_paths() {
        check("references/a.md", Ok("references/a.md"));
        check("./references//a.md", Ok("references/a.md"));
        check("references\\a.md", Ok("references/a.md"));
        check("references/", Ok("references"));
        check(".", Ok(""));
        check("a..b/c..", Ok("a..b/c.."));
        check("über/日本.md", Ok("über/日本.md"));
        check("console.md", Ok("console.md"));
        check("com10.md", Ok("com10.md"));
        check("", Err(PathRefusal::EmptyPath));
        check("  ", Err(PathRefusal::EmptyPath));
        check(".\\\u{3000}", Err(PathRefusal::EmptyPath));
        check("a\0.md", Err(PathRefusal::HiddenCharacter));
        check("a\u{202e}.md", Err(PathRefusal::HiddenCharacter));
        check("a\n.md", Err(PathRefusal::HiddenCharacter));
        check("/etc/passwd", Err(PathRefusal::AbsolutePath));
        check("\\\\host\\share", Err(PathRefusal::AbsolutePath));
        check("C:\\a", Err(PathRefusal::DriveLetter));
        check("c:a", Err(PathRefusal::DriveLetter));
        check("./C:/a", Err(PathRefusal::DriveLetter));
        check(".\\\\c:a", Err(PathRefusal::DriveLetter));
        check("..", Err(PathRefusal::ParentFolder));
        check("a/../b", Err(PathRefusal::ParentFolder));
        check("a\\..\\..\\b", Err(PathRefusal::ParentFolder));
        check(".. /b", Err(PathRefusal::ParentFolder));
        check("... /b", Err(PathRefusal::ParentFolder));
        check("nul", Err(PathRefusal::DeviceName));
        check("a/Con.txt", Err(PathRefusal::DeviceName));
        check("a/COM1", Err(PathRefusal::DeviceName));
        check("lpt².md", Err(PathRefusal::DeviceName));
        check("aux .md", Err(PathRefusal::DeviceName));
        check(
            &"a".repeat(RESOURCE_PATH_CHARACTERS + 1),
            Err(PathRefusal::PathTooLong),
        );
        let longest = "a".repeat(RESOURCE_PATH_CHARACTERS);
        check(&longest, Ok(&longest));
    }

    fn within(folder: &str, target: &str, style: PathStyle, expected: bool) {
        assert_eq!(
            is_within(folder, target, style),
            expected,
            "{target} in {folder}"
        );
    }

    #[test]
    fn containment() {
        use PathStyle::{Posix, Windows};
        within("/s/a", "/s/a/x", Posix, true);
        within("/s/a/", "/s/a", Posix, true);
        within("/", "/s", Posix, true);
        within("/s/a", "/s/ab", Posix, false);
        within("/s/a", "/s", Posix, false);
        within("/s/a", "/s/A/x", Posix, false);
        within("/s/a", "/s/a/../b", Posix, false);
        within("/s/a", "s/a/x", Posix, false);
        within("/s/a", "/s/a\\..\\b", Posix, false);
        within("/s", "/s/a\0", Posix, false);
        within("/s/a", "//s/a/x", Posix, false);
        within("/s//a", "/s/a/x", Posix, false);
        within("/s/a", "/s/a//", Posix, false);
        within("C:\\s", "C:\\\\s\\x", Windows, false);
        within("C:\\", "C:\\s", Windows, true);
        within("C:\\s\\a", "c:\\s\\a\\x", Windows, true);
        within("C:\\s\\a", "\\\\?\\C:\\s\\a\\x", Windows, true);
        within("C:\\s\\a", "C:/s/a/x", Windows, true);
        within("C:\\s\\a", "D:\\s\\a\\x", Windows, false);
        within("C:\\s\\a", "C:\\s\\A\\x", Windows, false);
        within("C:\\s\\a", "C:\\s\\a\\..\\b", Windows, false);
        within("C:\\s", "C:s\\a", Windows, false);
        within("\\\\host\\d\\s", "\\\\?\\UNC\\host\\d\\s\\x", Windows, true);
        within("\\\\host\\d\\s", "\\\\other\\d\\s\\x", Windows, false);
        within("\\\\C:\\s", "C:\\s\\x", Windows, false);
    }
}
