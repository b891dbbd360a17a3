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

mod block;
mod envelope;
mod lex;

use crate::limits::NOISE_BYTES;
pub use envelope::Envelope;
use envelope::{Capture, Field};
use memchr::memchr;

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
        if found.is_none() {
            // What was dropped is not asked for again, even where bytes come after the end.
            self.unit_start = self.position;
            self.over = false;
        }
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
}
