//! Offsets in a text → lines and columns, as editors count them.
//!
//! In: a text, once, and byte offsets in it, many. Out: [`Position`]s. Made in time linear in the
//! text; each question is answered without reading a line from its start, so that a file of one
//! endless line with ten thousand problems stays cheap.

use crate::limits::PLACE_MARK_BYTES;
use crate::problem::Position;

/// What is known at one offset.
#[derive(Clone, Copy, Debug)]
struct Mark {
    offset: usize,
    position: Position,
}

/// A text with marks to count from.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    text: &'a str,
    marks: Vec<Mark>,
}

impl<'a> Places<'a> {
    /// Lines end at LF, CRLF or a lone CR; a BOM at the start counts as no column.
    pub fn new(text: &'a str) -> Self {
        let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut marks = Vec::new();
        let mut line = 1_u32;
        loop {
            let position = Position { line, column: 1 };
            marks.push(Mark {
                offset: at,
                position,
            });
            let rest = text.get(at..).unwrap_or_default();
            let (length, ended) = line_length(rest.as_bytes());
            if length > PLACE_MARK_BYTES {
                mark_within(at, rest.get(..length).unwrap_or_default(), line, &mut marks);
            }
            if !ended {
                return Self { text, marks };
            }
            at += length;
            line = line.saturating_add(1);
        }
    }

    /// Where `offset` stands. Beyond the end counts as the end, within a character as before it.
    pub fn position(&self, offset: usize) -> Position {
        let after = self.marks.partition_point(|mark| mark.offset <= offset);
        let Some(mark) = self.marks.get(after.saturating_sub(1)) else {
            return Position { line: 1, column: 1 };
        };
        let mut position = mark.position;
        for (at, c) in self.text.get(mark.offset..).unwrap_or("").char_indices() {
            if mark.offset + at + c.len_utf8() > offset {
                break;
            }
            position.column = position.column.saturating_add(units(c));
        }
        position
    }
}

/// Bytes of the first line, its end included, and whether it has one.
fn line_length(text: &[u8]) -> (usize, bool) {
    // Byte by byte: lines are short, and a search by blocks is nine kilobytes more of WebAssembly.
    match text.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        None => (text.len(), false),
        Some(at) if text.get(at..at + 2) == Some(b"\r\n") => (at + 2, true),
        Some(at) => (at + 1, true),
    }
}

/// Marks within a long line, which begins at `start`.
fn mark_within(start: usize, line: &str, number: u32, marks: &mut Vec<Mark>) {
    let mut column = 1_u32;
    let mut since = 0;
    for (offset, c) in line.char_indices() {
        if since >= PLACE_MARK_BYTES {
            marks.push(Mark {
                offset: start + offset,
                position: Position {
                    line: number,
                    column,
                },
            });
            since = 0;
        }
        since += c.len_utf8();
        column = column.saturating_add(units(c));
    }
}

/// UTF-16 code units of a character: 1 or 2.
fn units(c: char) -> u32 {
    if c.len_utf16() == 2 { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: `line:column` of every character's offset, and of the end.
    fn check(text: &str, expected: &str) {
        let places = Places::new(text);
        let offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let found: Vec<String> = offsets
            .map(|offset| places.position(offset))
            .map(|p| format!("{}:{}", p.line, p.column))
            .collect();
        assert_eq!(found.join(" "), expected, "{text:?}");
    }

    #[test]
    fn places_are_those_of_an_editor() {
        check("", "1:1");
        check("ab\nc", "1:1 1:2 1:3 2:1 2:2");
        check("a\r\nb", "1:1 1:2 1:3 2:1 2:2");
        check("a\rb", "1:1 1:2 2:1 2:2");
        check("\u{feff}a", "1:1 1:1 1:2");
        check("é🙂x", "1:1 1:2 1:4 1:5");
        check("\n\n", "1:1 2:1 3:1");
    }

    #[test]
    fn long_lines_are_counted_from_a_mark_near_by() {
        let text = "🙂".repeat(PLACE_MARK_BYTES);
        let places = Places::new(&text);
        let column = |offset| places.position(offset).column as usize;
        assert_eq!(column(text.len()), 2 * PLACE_MARK_BYTES + 1);
        assert_eq!(column(4 * 100), 2 * 100 + 1);
        assert_eq!(column(4 * 100 + 1), 2 * 100 + 1, "within a character");
        assert_eq!(column(usize::MAX), 2 * PLACE_MARK_BYTES + 1);
    }
}
