//! JSON as people write it into configuration files: with comments, trailing commas and a BOM.
//!
//! In: the text of a file. Out: a tree in which every key and value knows its place and every key
//! stands as often as it was written, and the first thing that is no JSON, if any. Reading goes on
//! after it, so that names which stand further down are still known; whoever runs something must
//! not take it from a broken document. Time is linear in the text and depth is bounded.
//! Deliberately not here: what the values mean.

mod scalars;

use crate::limits::MAX_JSON_DEPTH;
use crate::text::visible;

/// A stretch of the text, in bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Range {
    /// First byte.
    pub start: usize,
    /// First byte after it.
    pub end: usize,
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where.
    pub at: Range,
    /// What.
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string, its escapes resolved.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object; a key may stand more than once.
    Object(Vec<Member>),
    /// Something that is no JSON; the document is broken.
    Unreadable,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The key, its escapes resolved.
    pub key: String,
    /// Where the key stands.
    pub key_at: Range,
    /// Its value.
    pub value: Node,
}

/// The first thing that is no JSON.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SyntaxError {
    /// Where.
    pub at: Range,
    /// The fact, and what to do.
    pub message: String,
    /// A replacement that mends it, where there is a plain one.
    pub repair: Option<Repair>,
}

/// A replacement of a stretch of the text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Repair {
    /// What it does, for a button.
    pub title: &'static str,
    /// What is replaced.
    pub at: Range,
    /// What stands there afterwards.
    pub text: String,
}

/// What a text holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The value; none in a text of blanks and comments.
    pub root: Option<Node>,
    /// Why it must not be relied upon, if so.
    pub broken: Option<SyntaxError>,
}

/// Reads a text.
pub fn read(text: &str) -> Document {
    let mut reader = Reader {
        text,
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        broken: None,
    };
    reader.blanks();
    let mut root = (reader.at < text.len()).then(|| reader.value(0));
    reader.blanks();
    if reader.at < text.len() {
        reader.fail(
            reader.here(),
            "The file goes on after its end. Keep one { … } in it.",
        );
    }
    // With a brace too many, what follows still belongs to it.
    if let Some(Value::Object(members)) = root.as_mut().map(|root| &mut root.value) {
        while reader.at < text.len() {
            reader.members(0, members);
        }
    }
    Document {
        root,
        broken: reader.broken,
    }
}

/// What a value is, for a sentence: "a number".
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::Text(_) => "text",
        Value::List(_) => "a list",
        Value::Object(_) => "an object",
        Value::Unreadable => "something that is not JSON",
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    broken: Option<SyntaxError>,
}

impl Range {
    fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The character that stands here; an empty range at the end.
    fn here(&self) -> Range {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        Range::new(self.at, self.at + length)
    }

    fn since(&self, start: usize) -> Range {
        Range::new(start, self.at)
    }

    /// Notes the first error; later ones follow from it more often than not.
    fn fail(&mut self, at: Range, message: impl Into<String>) {
        self.fail_with(at, message, None);
    }

    fn fail_with(&mut self, at: Range, message: impl Into<String>, repair: Option<Repair>) {
        if self.broken.is_none() {
            self.broken = Some(SyntaxError {
                at,
                message: message.into(),
                repair,
            });
        }
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                if let Some(end) = rest.get(2..).and_then(|inner| inner.find("*/")) {
                    self.at += 2 + end + 2;
                } else {
                    let start = self.at;
                    self.at = self.text.len();
                    self.fail(
                        Range::new(start, start + 2),
                        "This comment does not end. Close it with */.",
                    );
                }
            } else if rest.starts_with([' ', '\t', '\n', '\r']) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// One value. Takes nothing where none can be read; the caller moves on.
    fn value(&mut self, depth: usize) -> Node {
        self.blanks();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_JSON_DEPTH => {
                self.fail(
                    self.here(),
                    format!("Nested deeper than {MAX_JSON_DEPTH} levels. Flatten it."),
                );
                self.skip_nested();
                Value::Unreadable
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Value::Text(self.string('"')),
            Some(b'\'') => Value::Text(self.single_quoted()),
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.number(),
            Some(c) if is_word(c) => self.word(),
            Some(_) => {
                self.fail(
                    self.here(),
                    format!("A value should stand here, not {}.", self.shown()),
                );
                Value::Unreadable
            }
            None => {
                self.fail(self.here(), "The file ends where a value should stand.");
                Value::Unreadable
            }
        };
        Node {
            at: self.since(start),
            value,
        }
    }

    /// Past an object or list with all that is in it, so that what stands after it is still known.
    fn skip_nested(&mut self) {
        let mut open = 0_usize;
        loop {
            self.blanks();
            match self.peek() {
                None => return,
                Some(b'"') => {
                    self.string('"');
                }
                Some(b'{' | b'[') => {
                    self.at += 1;
                    open += 1;
                }
                Some(b'}' | b']') => {
                    self.at += 1;
                    open -= 1;
                    if open == 0 {
                        return;
                    }
                }
                Some(_) => self.skip_character(),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let open = self.here();
        self.at += 1;
        let mut members = Vec::new();
        if !self.members(depth, &mut members) {
            self.fail(open, "This { is never closed. Add } at its end.");
        }
        Value::Object(members)
    }

    /// The members of an object, to its end or the file's: whether it was its own.
    fn members(&mut self, depth: usize, members: &mut Vec<Member>) -> bool {
        loop {
            self.blanks();
            let key_start = self.at;
            let key = match self.peek() {
                None => return false,
                Some(b'}') => {
                    self.at += 1;
                    return true;
                }
                Some(b',') => {
                    self.extra_comma();
                    continue;
                }
                Some(b'"') => self.string('"'),
                Some(b'\'') => self.single_quoted(),
                Some(c) if is_word(c) => self.bare_key(),
                Some(_) => {
                    self.fail(
                        self.here(),
                        format!(
                            "A name in double quotes should stand here, not {}.",
                            self.shown()
                        ),
                    );
                    self.skip_character();
                    continue;
                }
            };
            let key_at = self.since(key_start);
            self.blanks();
            if self.peek() == Some(b':') {
                self.at += 1;
            } else {
                self.missing(key_at.end, ":", "A colon is missing here.", "Add the colon");
            }
            let value = self.value(depth + 1);
            let end = value.at.end;
            members.push(Member { key, key_at, value });
            self.separator(b'}', end);
        }
    }

    fn list(&mut self, depth: usize) -> Value {
        let open = self.here();
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None => {
                    self.fail(open, "This [ is never closed. Add ] at its end.");
                    break;
                }
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => self.extra_comma(),
                Some(_) => {
                    let start = self.at;
                    let item = self.value(depth + 1);
                    if self.at == start {
                        self.skip_character();
                    }
                    let end = item.at.end;
                    items.push(item);
                    self.separator(b']', end);
                }
            }
        }
        Value::List(items)
    }

    /// Between two members or items, or before the end.
    fn separator(&mut self, close: u8, end_of_value: usize) {
        self.blanks();
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(c) if c == close => {}
            Some(_) => self.missing(
                end_of_value,
                ",",
                "A comma is missing here.",
                "Add the comma",
            ),
            None => {}
        }
    }

    fn missing(&mut self, at: usize, text: &str, message: &str, title: &'static str) {
        let at = Range::new(at, at);
        self.fail_with(
            at,
            message,
            Some(Repair {
                title,
                at,
                text: text.to_owned(),
            }),
        );
    }

    fn extra_comma(&mut self) {
        let at = self.here();
        self.fail_with(
            at,
            "There is a comma too many. Remove it.",
            Some(Repair {
                title: "Remove the comma",
                at,
                text: String::new(),
            }),
        );
        self.at += 1;
    }

    fn skip_character(&mut self) {
        self.at = self.here().end;
    }

    fn shown(&self) -> String {
        self.rest()
            .chars()
            .next()
            .map_or_else(String::new, |c| visible(&c.to_string()))
    }
}

/// ASCII letters, digits, `_`, `$`.
fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$')
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
