//! The few fields of a message that are kept while it is scanned.

use super::Span;
use crate::limits::CAPTURED_BYTES;

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

    pub(super) fn clear(&mut self) {
        self.id.clear();
        self.method.clear();
        self.result = None;
        self.error = None;
        self.params = None;
        self.answers = false;
    }

    /// The short text of a field, where it is one.
    pub(super) fn capture(&mut self, field: Field) -> Option<&mut Capture> {
        match field {
            Field::Id => Some(&mut self.id),
            Field::Method => Some(&mut self.method),
            Field::Result | Field::Error | Field::Params | Field::Other => None,
        }
    }
}

/// Short text taken out of the stream; its memory is used again for the next.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Capture {
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

    /// All of a text at once.
    pub(super) fn set(&mut self, bytes: &[u8]) {
        self.begin();
        self.add(bytes);
    }

    pub(super) fn begin(&mut self) {
        self.bytes.clear();
        self.state = Captured::Whole;
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        if self.bytes.len() + bytes.len() > CAPTURED_BYTES {
            self.state = Captured::Unusable;
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// An object or list stands where short text was expected.
    pub(super) fn unusable(&mut self) {
        self.state = Captured::Unusable;
    }

    pub(super) fn get(&self) -> Option<&[u8]> {
        (self.state == Captured::Whole).then_some(self.bytes.as_slice())
    }
}

/// A key of the envelope that counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Field {
    Id,
    Method,
    Result,
    Error,
    Params,
    Other,
}

impl Field {
    pub(super) fn of(key: &[u8]) -> Self {
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
