//! From one byte to the next: JSON as far as the envelope needs it.
//!
//! Values are skipped, not checked: strings for their end, objects and lists for their depth.

use super::block::Inside;
use super::envelope::Field;
use super::{At, Scanner, Span};
use memchr::memchr2;

impl Scanner {
    /// Goes through `bytes` until they are used up, a message ends, or what comes is not JSON. How
    /// many bytes were used, and whether a message ended.
    pub(super) fn lex(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut i = 0;
        while let Some((&byte, _)) = bytes.get(i..).and_then(<[u8]>::split_first) {
            let rest = bytes.get(i..).unwrap_or_default();
            let place = self.position + i as u64;
            i += match self.at {
                At::Noise | At::Broken | At::Dropped => return (bytes.len(), false),
                At::Nested | At::NestedText | At::NestedEscape => self.nested(rest, place),
                At::KeyText => self.key_text(rest),
                At::Text => self.text(rest, place),
                At::KeyOrEnd | At::Key if byte == b'"' => self.key(rest),
                At::Scalar => {
                    let used = self.scalar(rest, place);
                    if self.at == At::Broken {
                        return (i + used, false);
                    }
                    used
                }
                _ => match self.outer(byte, place) {
                    Outer::Used => 1,
                    Outer::Ended => return (i + 1, true),
                    Outer::Fault => return (i, false),
                },
            };
        }
        (bytes.len(), false)
    }

    /// Goes to the end of an object or list that is a value, or as far as there are bytes. Nearly all
    /// time is spent here. How many bytes were used.
    fn nested(&mut self, bytes: &[u8], place: u64) -> usize {
        let mut inside = Inside {
            depth: self.depth,
            text: self.at != At::Nested,
            escape: self.at == At::NestedEscape,
        };
        let closed = inside.advance(bytes);
        self.depth = inside.depth;
        if let Some(used) = closed {
            self.end_value(place + used as u64);
            return used;
        }
        self.at = match (inside.text, inside.escape) {
            (false, _) => At::Nested,
            (true, false) => At::NestedText,
            (true, true) => At::NestedEscape,
        };
        bytes.len()
    }

    /// A key that begins: the frequent ones at once, with what follows them, when all of it is there.
    fn key(&mut self, bytes: &[u8]) -> usize {
        let (used, field) = match bytes {
            [
                b'"',
                b'j',
                b's',
                b'o',
                b'n',
                b'r',
                b'p',
                b'c',
                b'"',
                b':',
                b'"',
                b'2',
                b'.',
                b'0',
                b'"',
                ..,
            ] => {
                self.field = Field::Other;
                self.at = At::Next;
                return 15;
            }
            [b'"', b'i', b'd', b'"', b':', ..] => (5, Field::Id),
            [b'"', b'r', b'e', b's', b'u', b'l', b't', b'"', b':', ..] => (9, Field::Result),
            [b'"', b'm', b'e', b't', b'h', b'o', b'd', b'"', b':', ..] => (9, Field::Method),
            [b'"', b'p', b'a', b'r', b'a', b'm', b's', b'"', b':', ..] => (9, Field::Params),
            _ => (1, Field::Other),
        };
        if used == 1 {
            self.key.begin();
            self.at = At::KeyText;
            return 1;
        }
        self.field = field;
        self.at = At::Value;
        let value = bytes.get(used..).unwrap_or_default();
        used + self.short_value(value).unwrap_or(0)
    }

    /// An id of digits or a method, when all of it and what ends it is there: the same as by single
    /// steps, in one. How many bytes were used.
    fn short_value(&mut self, bytes: &[u8]) -> Option<usize> {
        let length = match (self.field, bytes) {
            (Field::Id, [b'0'..=b'9', ..]) => {
                let length = bytes.iter().position(|byte| !byte.is_ascii_digit())?;
                matches!(bytes.get(length), Some(b',' | b'}')).then_some(length)?
            }
            (Field::Method, [b'"', text @ ..]) => match string_end(text)? {
                (length, b'"') => length + 2,
                _ => return None,
            },
            _ => return None,
        };
        let text = bytes.get(..length)?;
        self.envelope.capture(self.field)?.set(text);
        self.at = At::Next;
        Some(length)
    }

    /// Goes on in a key, to its end at most. How many bytes were used.
    fn key_text(&mut self, bytes: &[u8]) -> usize {
        if let Some((n, byte)) = string_end(bytes) {
            self.key.add(bytes.get(..n).unwrap_or_default());
            self.key_end(byte);
            n + 1
        } else {
            self.key.add(bytes);
            bytes.len()
        }
    }

    /// Goes on in a string that is a value, to its end at most. How many bytes were used.
    fn text(&mut self, bytes: &[u8], place: u64) -> usize {
        let end = string_end(bytes);
        let used = end.map_or(bytes.len(), |(n, _)| n + 1);
        if let Some(capture) = self.envelope.capture(self.field) {
            capture.add(bytes.get(..used).unwrap_or_default());
        }
        match end {
            Some((_, b'"')) => self.end_value(place + used as u64),
            Some(_) => self.at = At::TextEscape,
            None => {}
        }
        used
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
            At::KeyEscape => {
                self.key.add(&[byte]);
                self.go(At::KeyText)
            }
            At::Colon if byte == b':' => self.go(At::Value),
            At::Value => self.begin_value(byte, place),
            At::TextEscape => {
                if let Some(capture) = self.envelope.capture(self.field) {
                    capture.add(&[byte]);
                }
                self.go(At::Text)
            }
            At::Next if byte == b',' => self.go(At::Key),
            At::KeyOrEnd | At::Key | At::Colon | At::Next => self.fault(),
            At::KeyText
            | At::Text
            | At::Scalar
            | At::Nested
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

    /// A key ends, or goes on after a backslash.
    fn key_end(&mut self, byte: u8) {
        if byte == b'\\' {
            self.key.add(b"\\");
            self.at = At::KeyEscape;
            return;
        }
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

    /// Goes on in a scalar. How many bytes were used; what comes then ends it.
    fn scalar(&mut self, bytes: &[u8], place: u64) -> usize {
        let length = bytes.iter().take_while(|byte| is_scalar(**byte)).count();
        if let Some(capture) = self.envelope.capture(self.field) {
            capture.add(bytes.get(..length).unwrap_or_default());
        }
        match bytes.get(length) {
            None => length,
            Some(b',' | b'}' | b' ' | b'\t' | b'\r') => {
                self.end_value(place + length as u64);
                length
            }
            Some(_) => {
                self.at = At::Broken;
                length
            }
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

fn is_scalar(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'E' | b'+' | b'-' | b'.')
}

/// What became of a byte.
enum Outer {
    /// It was read.
    Used,
    /// It ended a message.
    Ended,
    /// It cannot stand there.
    Fault,
}

/// Bytes that are looked at one by one before the wide search begins: most strings are short.
const SHORT: usize = 16;

/// Where in a string its end, or a backslash, is, and which of them.
fn string_end(bytes: &[u8]) -> Option<(usize, u8)> {
    let (short, long) = bytes.split_at(bytes.len().min(SHORT));
    let near = short.iter().position(|byte| matches!(byte, b'"' | b'\\'));
    let n = match near {
        Some(n) => n,
        None => SHORT + memchr2(b'"', b'\\', long)?,
    };
    bytes.get(n).map(|byte| (n, *byte))
}
