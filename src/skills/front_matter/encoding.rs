//! The bytes of a file as text: UTF-8, or UTF-16 that says so by its byte order mark.

use crate::places::Places;
use crate::problem::{Fix, Position, Problem, Severity};
use std::borrow::Cow;

/// Decodes a file. What is not text becomes U+FFFD, with a problem.
pub(super) fn decode(bytes: &[u8]) -> (Cow<'_, str>, Vec<Problem>) {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => {
            let (text, mut problems) = utf8(rest);
            let message = "The file begins with a byte order mark, which hides the first line from other readers. Save it as UTF-8 without one.";
            problems.insert(0, about_file("byte-order-mark", Severity::Info, message));
            (text, problems)
        }
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> (Cow<'_, str>, Vec<Problem>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Vec::new()),
        Err(error) => {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let problem = not_text(&String::from_utf8_lossy(before));
            (String::from_utf8_lossy(bytes), vec![problem])
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (Cow<'_, str>, Vec<Problem>) {
    let message = "The file is UTF-16. Other readers expect UTF-8. Save it as UTF-8.";
    let mut problems = vec![about_file("utf-16", Severity::Warning, message)];
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        let Ok(c) = decoded else {
            if problems.len() == 1 {
                problems.push(not_text(&text));
            }
            text.push(char::REPLACEMENT_CHARACTER);
            continue;
        };
        text.push(c);
    }
    if !odd.is_empty() {
        if problems.len() == 1 {
            problems.push(not_text(&text));
        }
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (Cow::Owned(text), problems)
}

fn about_file(code: &str, severity: Severity, message: &str) -> Problem {
    let start = Position { line: 1, column: 1 };
    Problem {
        code: code.to_owned(),
        severity,
        message: message.to_owned(),
        start,
        end: start,
        fix: Some(Fix::SaveAsUtf8 {
            title: "Save as UTF-8".to_owned(),
        }),
    }
}

/// The first bytes that are no text stand after `before`.
fn not_text(before: &str) -> Problem {
    let start = end_of(before);
    Problem {
        code: "invalid-encoding".to_owned(),
        severity: Severity::Warning,
        message: "Bytes here are not text in the file's encoding. They were replaced by U+FFFD. Save the file as UTF-8.".to_owned(),
        start,
        end: Position {
            column: start.column.saturating_add(1),
            ..start
        },
        fix: None,
    }
}

/// Where a text ends.
pub(super) fn end_of(text: &str) -> Position {
    Places::new(text).position(text.len())
}
