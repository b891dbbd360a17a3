//! Strings and their escapes, numbers, words.

use super::{Range, Reader, Repair, Value, is_word};

impl Reader<'_> {
    /// A string that begins here with `quote`; ends at its closing one, at the line's end or
    /// at the text's.
    pub(super) fn string(&mut self, quote: char) -> String {
        let open = self.here();
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest
                .find(|c: char| c == quote || c == '\\' || c < ' ')
                .unwrap_or(rest.len());
            text.push_str(rest.get(..plain).unwrap_or(""));
            self.at += plain;
            match self.peek() {
                None | Some(b'\n' | b'\r') => {
                    self.fail(
                        Range::new(open.start, self.at),
                        "This text has no closing quote on its line.",
                    );
                    return text;
                }
                Some(b'\\') => self.escape(&mut text),
                Some(b'\t') => {
                    text.push('\t');
                    self.at += 1;
                }
                Some(c) if c < b' ' => {
                    self.fail(
                        self.here(),
                        format!("A control character stands in the text; write \\u{c:04x}."),
                    );
                    text.push(char::from(c));
                    self.at += 1;
                }
                Some(_) => {
                    self.at += 1;
                    return text;
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        let start = self.at;
        self.at += 1;
        let simple = match self.peek() {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start, text);
            }
            _ => {
                text.push('\\');
                return self.lone_backslash(start);
            }
        };
        text.push(simple);
        self.at += 1;
    }

    /// After `\u`. Two escapes that form a pair are one character.
    fn unicode_escape(&mut self, start: usize, text: &mut String) {
        let Some(first) = self.four_hex_digits() else {
            text.push_str("\\u");
            return self.lone_backslash(start);
        };
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            match self.four_hex_digits() {
                Some(second) if (0xdc00..0xe000).contains(&second) => units.push(second),
                _ => self.at = before,
            }
        }
        let halved = |_| char::REPLACEMENT_CHARACTER;
        let mut whole = true;
        for decoded in char::decode_utf16(units) {
            whole &= decoded.is_ok();
            text.push(decoded.unwrap_or_else(halved));
        }
        if !whole {
            self.fail(
                self.since(start),
                "This is half of a character; both halves must stand side by side.",
            );
        }
    }

    fn four_hex_digits(&mut self) -> Option<u16> {
        let digits = self.rest().get(..4)?;
        if !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
            return None;
        }
        let unit = u16::from_str_radix(digits, 16).ok();
        self.at += 4;
        unit
    }

    fn lone_backslash(&mut self, start: usize) {
        let at = Range::new(start, start + 1);
        self.fail_with(
            at,
            "A backslash is written twice in JSON, as in \"C:\\\\tools\".",
            Some(Repair {
                title: "Write the backslash twice",
                at,
                text: "\\\\".to_owned(),
            }),
        );
    }

    /// The letters that stand here, `-` and `.` included, as in an unquoted key.
    fn take_word(&mut self) -> String {
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|c| !is_word(c) && c != b'-' && c != b'.')
            .unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or("").to_owned();
        self.at += length;
        word
    }

    pub(super) fn bare_key(&mut self) -> String {
        let start = self.at;
        let key = self.take_word();
        self.quote_it(start, &key, "A name stands in double quotes.");
        key
    }

    pub(super) fn single_quoted(&mut self) -> String {
        let start = self.at;
        let text = self.string('\'');
        self.quote_it(start, &text, "Text stands in double quotes in JSON.");
        text
    }

    fn quote_it(&mut self, start: usize, text: &str, message: &str) {
        let at = self.since(start);
        self.fail_with(
            at,
            message,
            Some(Repair {
                title: "Use double quotes",
                at,
                text: serde_json::Value::from(text).to_string(),
            }),
        );
    }

    pub(super) fn word(&mut self) -> Value {
        let start = self.at;
        let word = self.take_word();
        match word.as_str() {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => {
                self.quote_it(start, &word, "Text stands in double quotes in JSON.");
                Value::Unreadable
            }
        }
    }

    pub(super) fn number(&mut self) -> Value {
        let start = self.at;
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|c| !is_word(c) && !matches!(c, b'-' | b'+' | b'.'))
            .unwrap_or(rest.len());
        let number = rest.get(..length).unwrap_or("").to_owned();
        self.at += length;
        if serde_json::from_str::<serde_json::Number>(&number).is_ok() {
            Value::Number(number)
        } else {
            self.fail(
                self.since(start),
                "This is not a number that JSON knows. Put text into double quotes.",
            );
            Value::Unreadable
        }
    }
}
