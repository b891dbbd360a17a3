//! Where the header of a file begins and ends.
//!
//! A fence is a line that is exactly `---`, blanks after it allowed: the first line of the file, and
//! the next such line. Lines end as the file's own do: `\n`, `\r\n`, or a lone `\r`.

use super::encoding::end_of;
use super::words::either;
use crate::problem::{Fix, Position, Problem, Severity, TextEdit};

/// A file in its parts.
#[derive(Debug)]
pub(super) struct Parts<'t> {
    /// The lines between the fences, if there is a header. It begins on line 2.
    pub header: Option<&'t str>,
    /// What follows the header.
    pub body: &'t str,
    /// The line on which the body begins.
    pub body_line: u32,
    /// What is wrong with the fences.
    pub problem: Option<Problem>,
}

/// Takes a file apart.
pub(super) fn parts(text: &str) -> Parts<'_> {
    let Some((first, after)) = line(text, 0) else {
        return without(text);
    };
    if !is_fence(first) {
        return without(text);
    }
    let header = after;
    let mut at = header;
    let mut count: u32 = 2;
    while let Some((line, next)) = line(text, at) {
        if is_fence(line) {
            return Parts {
                header: text.get(header..at),
                body: text.get(next..).unwrap_or_default(),
                body_line: count.saturating_add(1),
                problem: None,
            };
        }
        at = next;
        count = count.saturating_add(1);
    }
    unclosed(text, header)
}

/// The line that begins at `at`, without its end, and where the next one begins.
fn line(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let bytes = rest.as_bytes();
    let Some(end) = either(bytes, b'\n', b'\r') else {
        return Some((rest, text.len()));
    };
    let feeds = if bytes.get(end..end + 2) == Some(b"\r\n") {
        2
    } else {
        1
    };
    Some((rest.get(..end)?, at + end + feeds))
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.trim_end_matches([' ', '\t']).is_empty())
}

/// A header whose closing fence is missing ends before the first blank line or heading, at a line of
/// dashes that is no fence, or with the file.
fn unclosed(text: &str, header: usize) -> Parts<'_> {
    let mut at = header;
    let mut count: u32 = 2;
    let mut body = text.len();
    let mut dashes = None;
    while let Some((line, next)) = line(text, at) {
        if line.len() > 1 && line.trim_end().bytes().all(|b| b == b'-') {
            dashes = Some(line.len());
            body = next;
            break;
        }
        if line.trim().is_empty() || line.starts_with('#') {
            body = at;
            break;
        }
        at = next;
        count = count.saturating_add(1);
    }
    let start = Position {
        line: count,
        column: 1,
    };
    let columns = u32::try_from(dashes.unwrap_or(0)).unwrap_or(u32::MAX);
    let end = Position {
        line: count,
        column: columns.saturating_add(1),
    };
    // At the end of a file without a last line feed, the fence needs one before it.
    let ends_open = at == text.len() && !text.ends_with(['\n', '\r']);
    let (place, text_before) = if ends_open {
        (end_of(text), "\n")
    } else {
        (start, "")
    };
    let fence = if dashes.is_some() { "---" } else { "---\n" };
    Parts {
        header: text.get(header..at),
        body: text.get(body..).unwrap_or_default(),
        body_line: if dashes.is_some() { count.saturating_add(1) } else { count },
        problem: Some(Problem {
            code: "unclosed-front-matter".to_owned(),
            severity: Severity::Warning,
            message: "The header is not closed: a line that is exactly --- is missing. It was taken to end here. Add the line.".to_owned(),
            start: place,
            end: if dashes.is_some() { end } else { place },
            fix: Some(Fix::Edit {
                title: "Close the header with ---".to_owned(),
                edits: vec![TextEdit {
                    start: place,
                    end: if dashes.is_some() { end } else { place },
                    text: format!("{text_before}{fence}"),
                }],
            }),
        }),
    }
}

/// A file that does not begin with a fence has no header.
fn without(text: &str) -> Parts<'_> {
    let blank = text.len() - text.trim_start().len();
    let first = text.get(blank..).and_then(|rest| line(rest, 0));
    let start = Position { line: 1, column: 1 };
    let (code, message, fix) = match first {
        Some((line, _)) if is_fence(line) => (
            "front-matter-not-first",
            "The header has to begin on the first line of the file. Nothing before it was expected. Remove the blank lines.",
            Some(Fix::Edit {
                title: "Remove what stands before the header".to_owned(),
                edits: vec![TextEdit {
                    start,
                    end: end_of(text.get(..blank).unwrap_or_default()),
                    text: String::new(),
                }],
            }),
        ),
        _ => (
            "no-front-matter",
            "The file has no header. It has to begin with a line that is exactly ---, then name and description, then --- again.",
            None,
        ),
    };
    Parts {
        header: None,
        body: text,
        body_line: 1,
        problem: Some(Problem {
            code: code.to_owned(),
            severity: Severity::Error,
            message: message.to_owned(),
            start,
            end: start,
            fix,
        }),
    }
}
