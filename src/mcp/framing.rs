//! Bytes of a server's stdout → one record a message, without holding a byte.
//!
//! In: chunks, cut anywhere. Out: what comes next ([`Found`]), where it stands and, for a JSON-RPC
//! message, its [`Envelope`]: the id, the method, and where `result`, `error` and `params` stand in
//! the stream. The scanner keeps its place in the half line, never the line: whoever feeds it keeps
//! the bytes from [`Scanner::kept_from`] on. So its memory is a few hundred bytes, its time is
//! linear, and nesting is a number, not a stack.
//!
//! A message ends with its brace: a batch is taken apart as it comes, two messages on one line are
//! two, and what follows the last brace is noise. Every limit is met at the same byte however the
//! stream is cut.
//!
//! Deliberately not here: whether a payload is valid JSON inside (its reader says so), UTF-8, and
//! what a message means.

use crate::limits::{CAPTURED_BYTES, NOISE_BYTES};
use memchr::{memchr, memchr2};

/// A stretch of the stream, in bytes from its beginning.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Span {
    /// The first byte.
    pub start: u64,
    /// The first byte after it.
    pub end: u64,
}

/// What the scanner came to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Found {
    /// A JSON object: a whole line, or an element of a batch. Its parts are in the envelope.
    Message,
    /// Something that begins as a message and is not JSON. The envelope has what came before the
    /// fault; the rest of the line is dropped.
    Broken,
    /// A line that is not JSON.
    Noise,
    /// A message over the limit. The envelope has what is known of it; its spans mean nothing.
    TooLong,
}

/// The outer part of a JSON-RPC message. A key that stands twice counts the last time, as in
/// JavaScript.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Envelope {
    id: Capture,
    method: Capture,
    /// The value of `result`.
    pub result: Option<Span>,
    /// The value of `error`, unless it is a scalar such as `null`.
    pub error: Option<Span>,
    /// The value of `params`.
    pub params: Option<Span>,
    /// The key `result` or `error` was seen, though perhaps not yet the end of its value.
    pub answers: bool,
}

impl Envelope {
    /// The id as it stands in the message, JSON text: a string, or a scalar. `None` when there is
    /// none, or none that can be used.
    pub fn id(&self) -> Option<&[u8]> {
        self.id.get()
    }

    /// There is an id, usable or not.
    pub fn has_id(&self) -> bool {
        self.id.state != Captured::Nothing
    }

    /// The method as it stands in the message, JSON text with its quotes.
    pub fn method(&self) -> Option<&[u8]> {
        self.method.get().filter(|text| text.first() == Some(&b'"'))
    }

    fn clear(&mut self) {
        self.id.clear();
        self.method.clear();
        self.result = None;
        self.error = None;
        self.params = None;
        self.answers = false;
    }

    /// The short text of a field, where it is one.
    fn capture(&mut self, field: Field) -> Option<&mut Capture> {
        match field {
            Field::Id => Some(&mut self.id),
            Field::Method => Some(&mut self.method),
            Field::Result | Field::Error | Field::Params | Field::Other => None,
        }
    }
}

/// Short text taken out of the stream; its memory is used again for the next.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Capture {
    bytes: Vec<u8>,
    state: Captured,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Captured {
    #[default]
    Nothing,
    Whole,
    /// Longer than [`CAPTURED_BYTES`], or an object or list.
    Unusable,
}

impl Capture {
    fn clear(&mut self) {
        self.bytes.clear();
        self.state = Captured::Nothing;
    }

    fn begin(&mut self) {
        self.bytes.clear();
        self.state = Captured::Whole;
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = CAPTURED_BYTES.saturating_sub(self.bytes.len());
        if bytes.len() > room {
            self.state = Captured::Unusable;
        }
        self.bytes.extend(bytes.iter().take(room));
    }

    fn get(&self) -> Option<&[u8]> {
        (self.state == Captured::Whole).then_some(self.bytes.as_slice())
    }
}

/// A key of the envelope that counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Field {
    Id,
    Method,
    Result,
    Error,
    Params,
    Other,
}

impl Field {
    fn of(key: &[u8]) -> Self {
        match key {
            b"id" => Self::Id,
            b"method" => Self::Method,
            b"result" => Self::Result,
            b"error" => Self::Error,
            b"params" => Self::Params,
            _ => Self::Other,
        }
    }
}

/// Where in a line the scanner stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum At {
    /// Where a message may begin.
    Start,
    /// In a batch, where an element may stand.
    Item,
    /// In a batch, after an element.
    ItemNext,
    /// After `{`.
    KeyOrEnd,
    /// After `,`.
    Key,
    /// In a key.
    KeyText,
    /// After `\` there.
    KeyEscape,
    /// After a key.
    Colon,
    /// Before a value.
    Value,
    /// In a string that is a value.
    Text,
    /// After `\` there.
    TextEscape,
    /// In a number, `true`, `false` or `null` that is a value.
    Scalar,
    /// In an object or list that is a value.
    Nested,
    /// In a string there.
    NestedText,
    /// After `\` there.
    NestedEscape,
    /// After a value.
    Next,
    /// Began as a message and is not JSON; its report waits for the line's end.
    Broken,
    /// Not JSON; its report waits for the line's end.
    Noise,
    /// Reported; dropped to the line's end.
    Dropped,
}

/// A place in a chunk; a new one for each chunk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    at: usize,
    /// Where the current line ends in this chunk, and whether by a line feed; once looked for.
    end: Option<(usize, bool)>,
}

/// Reads messages as they come.
#[derive(Debug)]
pub struct Scanner {
    max_message: u64,
    /// Bytes of the stream before the cursor.
    position: u64,
    /// Where the current line, or what follows a message on it, began.
    unit_start: u64,
    at: At,
    batch: bool,
    depth: u64,
    key: Capture,
    field: Field,
    value_start: u64,
    envelope: Envelope,
    /// What is read now is over the limit: its beginning is no longer kept.
    over: bool,
    /// What was found last was handed out, and its parts are no longer wanted.
    spent: bool,
    found_at: Span,
}

impl Scanner {
    /// `max_message`: bytes that a message may have, with the blanks before it.
    pub fn new(max_message: u64) -> Self {
        Self {
            max_message,
            position: 0,
            unit_start: 0,
            at: At::Start,
            batch: false,
            depth: 0,
            key: Capture::default(),
            field: Field::Other,
            value_start: 0,
            envelope: Envelope::default(),
            over: false,
            spent: false,
            found_at: Span::default(),
        }
    }

    /// The envelope of what was found last.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Where what was found last stands, at most its first [`NOISE_BYTES`]: enough to show it.
    pub fn found_at(&self) -> Span {
        self.found_at
    }

    /// Bytes of the stream read so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The first byte that may still be asked for: whoever feeds the scanner keeps the stream from
    /// here on, at most `max_message` bytes and a chunk.
    pub fn kept_from(&self) -> u64 {
        if self.over || self.at == At::Dropped {
            self.position
        } else {
            self.unit_start
        }
    }

    fn length(&self) -> u64 {
        self.position - self.unit_start
    }

    /// The next thing in `chunk` from `cursor` on; `None` when the chunk is used up.
    pub fn next(&mut self, chunk: &[u8], cursor: &mut Cursor) -> Option<Found> {
        loop {
            let rest = chunk.get(cursor.at..)?;
            let (end, newline) = *cursor.end.get_or_insert_with(|| match memchr(b'\n', rest) {
                Some(n) => (cursor.at + n, true),
                None => (chunk.len(), false),
            });
            let segment = chunk.get(cursor.at..end)?;
            if !segment.is_empty() {
                let (used, found) = self.advance(segment);
                cursor.at += used;
                if found.is_some() {
                    return found;
                }
            } else if newline {
                cursor.at = end + 1;
                cursor.end = None;
                let found = self.end_line();
                self.position += 1;
                self.unit_start = self.position;
                self.over = false;
                if found.is_some() {
                    return found;
                }
            } else {
                return None;
            }
        }
    }

    /// The line is over, or the stream. What is not complete now never will be.
    pub fn end_line(&mut self) -> Option<Found> {
        self.forget_spent();
        let found = match self.at {
            At::Start | At::Dropped => None,
            _ if self.over => Some(Found::TooLong),
            At::Item | At::ItemNext | At::Noise => Some(Found::Noise),
            _ => Some(Found::Broken),
        };
        self.at = At::Start;
        self.batch = false;
        found.map(|found| self.report(found))
    }

    /// Reads as much of `segment`, in which no line ends, as belongs together.
    fn advance(&mut self, segment: &[u8]) -> (usize, Option<Found>) {
        self.forget_spent();
        let length = self.length();
        let limit = match self.at {
            At::Dropped => u64::MAX,
            At::Noise | At::Broken => NOISE_BYTES,
            _ if self.over => u64::MAX,
            _ => self.max_message.saturating_add(1),
        };
        let room = usize::try_from(limit.saturating_sub(length)).unwrap_or(usize::MAX);
        let piece = segment.get(..room).unwrap_or(segment);
        let (used, ended) = self.lex(piece);
        self.position += used as u64;
        let met = self.length() >= limit;
        let found = if met { self.limit_met(ended) } else { None };
        let found = found.or(ended.then_some(if self.over {
            Found::TooLong
        } else {
            Found::Message
        }));
        (used, found.map(|found| self.report(found)))
    }

    /// A limit was just met: report at once what can be said, and drop the rest.
    fn limit_met(&mut self, ended: bool) -> Option<Found> {
        let found = match self.at {
            At::Dropped => return None,
            At::Noise | At::Broken if self.over => Found::TooLong,
            At::Noise => Found::Noise,
            At::Broken => Found::Broken,
            _ => {
                self.over = true;
                // The call that waits for this fails now. When its id is not known yet, it may still
                // come before the line's end.
                let known = self.envelope.answers && self.envelope.id().is_some();
                if ended || !known {
                    return None;
                }
                Found::TooLong
            }
        };
        self.at = At::Dropped;
        Some(found)
    }

    fn report(&mut self, found: Found) -> Found {
        self.found_at = Span {
            start: self.unit_start,
            end: self.position.min(self.unit_start + NOISE_BYTES),
        };
        self.unit_start = self.position;
        self.over = false;
        self.spent = true;
        found
    }

    fn forget_spent(&mut self) {
        if self.spent {
            self.spent = false;
            self.envelope.clear();
        }
    }

    /// Goes through `bytes` until they are used up, a message ends, or what comes is not JSON. How
    /// many bytes were used, and whether a message ended.
    fn lex(&mut self, bytes: &[u8]) -> (usize, bool) {
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
                    capture.state = Captured::Unusable;
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
