//! From one byte to the next: JSON as far as the envelope needs it.
//!
//! Values are skipped, not checked: strings for their end, objects and lists for their depth.

use super::envelope::Field;
use super::{At, Scanner, Span};
use memchr::memchr2;

impl Scanner {
    /// Goes through `bytes` until they are used up, a message ends, or what comes is not JSON. How
    /// many bytes were used, and whether a message ended.
    pub(super) fn lex(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut i = 0;
        while let Some(&byte) = bytes.get(i) {
            match self.at {
                At::Noise | At::Broken | At::Dropped => return (bytes.len(), false),
                At::Nested => match byte {
                    b'"' => self.at = At::NestedText,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.depth -= 1;
                        if self.depth == 0 {
                            self.end_value(self.position + i as u64 + 1);
                        }
                    }
                    _ => {}
                },
                At::NestedText => {
                    let rest = bytes.get(i..).unwrap_or_default();
                    match memchr2(b'"', b'\\', rest) {
                        Some(n) => {
                            i += n;
                            self.at = if rest.get(n) == Some(&b'"') {
                                At::Nested
                            } else {
                                At::NestedEscape
                            };
                        }
                        None => return (bytes.len(), false),
                    }
                }
                At::NestedEscape => self.at = At::NestedText,
                _ => match self.outer(byte, self.position + i as u64) {
                    Outer::Used => {}
                    Outer::Again => continue,
                    Outer::Ended => return (i + 1, true),
                    Outer::Fault => return (i, false),
                },
            }
            i += 1;
        }
        (bytes.len(), false)
    }

    /// One byte outside of nested values, which stands at `place` of the stream.
    fn outer(&mut self, byte: u8, place: u64) -> Outer {
        let blank = matches!(byte, b' ' | b'\t' | b'\r');
        match self.at {
            // A byte order mark counts as blank, as some shells write one.
            At::Start if blank || matches!(byte, 0xef | 0xbb | 0xbf) => Outer::Used,
            At::Start if byte == b'[' => {
                self.batch = true;
                self.go(At::Item)
            }
            At::Start | At::Item if byte == b'{' => {
                self.envelope.clear();
                self.go(At::KeyOrEnd)
            }
            At::Item | At::ItemNext if byte == b']' => {
                self.batch = false;
                self.go(At::Start)
            }
            At::ItemNext if byte == b',' => self.go(At::Item),
            At::KeyOrEnd | At::Key | At::Colon | At::Value | At::Next | At::Item | At::ItemNext
                if blank =>
            {
                Outer::Used
            }
            At::Start | At::Item | At::ItemNext => {
                self.at = At::Noise;
                Outer::Fault
            }
            At::KeyOrEnd | At::Next if byte == b'}' => {
                self.at = if self.batch { At::ItemNext } else { At::Start };
                Outer::Ended
            }
            At::KeyOrEnd | At::Key if byte == b'"' => {
                self.key.begin();
                self.go(At::KeyText)
            }
            At::KeyText => self.key_byte(byte),
            At::KeyEscape => {
                self.key.add(&[byte]);
                self.go(At::KeyText)
            }
            At::Colon if byte == b':' => self.go(At::Value),
            At::Value => self.begin_value(byte, place),
            At::Text | At::TextEscape => self.text_byte(byte, place),
            At::Scalar => self.scalar_byte(byte, place),
            At::Next if byte == b',' => self.go(At::Key),
            At::KeyOrEnd | At::Key | At::Colon | At::Next => self.fault(),
            At::Nested
            | At::NestedText
            | At::NestedEscape
            | At::Broken
            | At::Noise
            | At::Dropped => Outer::Used,
        }
    }

    fn go(&mut self, at: At) -> Outer {
        self.at = at;
        Outer::Used
    }

    fn fault(&mut self) -> Outer {
        self.at = At::Broken;
        Outer::Fault
    }

    fn key_byte(&mut self, byte: u8) -> Outer {
        match byte {
            b'"' => {
                self.field = self.key.get().map_or(Field::Other, |key| {
                    if key.contains(&b'\\') {
                        let quoted = [b"\"", key, b"\""].concat();
                        let plain = serde_json::from_slice::<String>(&quoted);
                        plain.map_or(Field::Other, |plain| Field::of(plain.as_bytes()))
                    } else {
                        Field::of(key)
                    }
                });
                self.at = At::Colon;
            }
            b'\\' => {
                self.key.add(b"\\");
                self.at = At::KeyEscape;
            }
            _ => self.key.add(&[byte]),
        }
        Outer::Used
    }

    fn begin_value(&mut self, byte: u8, place: u64) -> Outer {
        self.value_start = place;
        if matches!(self.field, Field::Result | Field::Error) {
            self.envelope.answers = true;
        }
        let capture = self.envelope.capture(self.field);
        match byte {
            b'"' => {
                if let Some(capture) = capture {
                    capture.begin();
                    capture.add(b"\"");
                }
                self.go(At::Text)
            }
            b'{' | b'[' => {
                if let Some(capture) = capture {
                    capture.unusable();
                }
                self.depth = 1;
                self.go(At::Nested)
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                if let Some(capture) = capture {
                    capture.begin();
                    capture.add(&[byte]);
                }
                self.go(At::Scalar)
            }
            _ => self.fault(),
        }
    }

    fn text_byte(&mut self, byte: u8, place: u64) -> Outer {
        if let Some(capture) = self.envelope.capture(self.field) {
            capture.add(&[byte]);
        }
        match (self.at, byte) {
            (At::TextEscape, _) => self.at = At::Text,
            (_, b'\\') => self.at = At::TextEscape,
            (_, b'"') => self.end_value(place + 1),
            _ => {}
        }
        Outer::Used
    }

    fn scalar_byte(&mut self, byte: u8, place: u64) -> Outer {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'E' | b'+' | b'-' | b'.' => {
                if let Some(capture) = self.envelope.capture(self.field) {
                    capture.add(&[byte]);
                }
                Outer::Used
            }
            b',' | b'}' | b' ' | b'\t' | b'\r' => {
                self.end_value(place);
                Outer::Again
            }
            _ => self.fault(),
        }
    }

    fn end_value(&mut self, end: u64) {
        let span = Some(Span {
            start: self.value_start,
            end,
        });
        // Some servers send `"error": null` beside a result, and no scalar is an error.
        let scalar = self.at == At::Scalar;
        match self.field {
            Field::Result => self.envelope.result = span,
            Field::Error => self.envelope.error = if scalar { None } else { span },
            Field::Params => self.envelope.params = span,
            Field::Id | Field::Method | Field::Other => {}
        }
        self.at = At::Next;
    }
}

/// What became of a byte.
enum Outer {
    /// It was read.
    Used,
    /// It ended something and is still to be read.
    Again,
    /// It ended a message.
    Ended,
    /// It cannot stand there.
    Fault,
}
