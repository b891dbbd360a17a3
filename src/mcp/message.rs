//! JSON-RPC messages: what an envelope means, and the lines we write.
//!
//! In: an [`Envelope`]; parts of a message to send. Out: [`Message`]; a line that ends in a line
//! feed and holds no other. Payloads stay text: what a server or a caller wrote is passed on byte for
//! byte, so no number loses a digit and no key its place.
//!
//! Deliberately not here: which ids are open, and what a method means.

use crate::error::CoreError;
use crate::mcp::framing::{Envelope, Span};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// What a peer sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Message {
    /// The answer to a request of ours.
    Answer {
        /// Our id.
        id: u32,
        /// Where the payload stands.
        body: Body,
    },
    /// A request that wants an answer.
    Request {
        /// Its id as JSON text, to be sent back as it is.
        id: String,
        /// Its method.
        method: String,
        /// Where its parameters stand.
        params: Option<Span>,
    },
    /// A message that wants none.
    Notification {
        /// Its method.
        method: String,
        /// Where its parameters stand.
        params: Option<Span>,
    },
    /// JSON, but no message of the protocol.
    Other,
}

/// The payload of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Body {
    /// It went well.
    Result(Span),
    /// It did not.
    Error(Span),
    /// Neither is there.
    Nothing,
}

/// What an envelope means.
pub fn message(envelope: &Envelope) -> Message {
    let method = envelope
        .method()
        .and_then(|text| serde_json::from_slice::<String>(text).ok());
    match (method, envelope.has_id()) {
        (Some(method), true) => match envelope.id().and_then(peer_id) {
            Some(id) => Message::Request {
                id,
                method,
                params: envelope.params,
            },
            None => Message::Other,
        },
        (Some(method), false) => Message::Notification {
            method,
            params: envelope.params,
        },
        (None, _) => match answered_id(envelope) {
            Some(id) => Message::Answer {
                id,
                body: match (envelope.error, envelope.result) {
                    (Some(error), _) => Body::Error(error),
                    (None, Some(result)) => Body::Result(result),
                    (None, None) => Body::Nothing,
                },
            },
            None => Message::Other,
        },
    }
}

/// The request of ours that an envelope answers, even one that broke off. Ids are small integers
/// here; a server that sends them back as text, or as `1.0`, is understood.
pub fn answered_id(envelope: &Envelope) -> Option<u32> {
    if !envelope.answers || envelope.method().is_some() {
        return None;
    }
    let bytes = envelope.id()?;
    if bytes.len() < 10 && bytes.iter().all(u8::is_ascii_digit) {
        // What nearly every server sends.
        let digits = bytes.iter().map(|byte| u32::from(byte - b'0'));
        return Some(digits.fold(0, |id, digit| id * 10 + digit));
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let bare = text
        .strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'))
        .unwrap_or(text);
    let whole = match bare.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|b| b == b'0') => whole,
        Some(_) => return None,
        None => bare,
    };
    whole.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    whole.parse().ok()
}

/// An id of the peer's, checked to be a JSON string or number, since it is sent back as it stands.
fn peer_id(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    (value.is_string() || value.is_number()).then(|| text.to_owned())
}

/// The error object of an answer. A server may send text where an object is expected.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PeerError {
    /// JSON-RPC's code; 0 when there is none.
    pub code: i64,
    /// What the server says.
    pub message: String,
    /// JSON text, when there is more.
    pub data: Option<String>,
}

/// Reads an error object as far as it can be read.
pub fn peer_error(text: &str) -> PeerError {
    let mut error = PeerError {
        code: 0,
        message: String::new(),
        data: None,
    };
    match serde_json::from_str::<Fields>(text) {
        Ok(fields) => {
            for (key, value) in fields.0 {
                match key.as_str() {
                    "code" => error.code = serde_json::from_str(value.get()).unwrap_or(0),
                    "message" => error.message = text_or_json(value.get()),
                    "data" => error.data = Some(value.get().to_owned()),
                    _ => {}
                }
            }
        }
        Err(_) => error.message = text_or_json(text),
    }
    error
}

fn text_or_json(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}

/// The members of a JSON object in their order, values as they stand.
#[derive(Debug)]
pub struct Fields<'a>(pub Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// The value of `key`; of several the last.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        let found = self.0.iter().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| value.get())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Fields(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// `json` with what `change` makes of its members. An object without members comes of empty text.
pub fn with_members(
    json: &str,
    change: impl FnOnce(&mut Vec<(String, String)>),
) -> Result<String, CoreError> {
    let text = if json.trim().is_empty() { "{}" } else { json };
    let fields: Fields<'_> =
        serde_json::from_str(text).map_err(|e| CoreError::invalid_argument("paramsJson", e))?;
    let mut members: Vec<(String, String)> = fields
        .0
        .into_iter()
        .map(|(key, value)| (key, value.get().to_owned()))
        .collect();
    change(&mut members);
    Ok(object(&members))
}

/// `json`, an object, with the token by which progress of request `id` is told; quickly, where it is
/// plain at a glance that it says nothing of `_meta` itself. None where it takes a closer look.
pub fn with_token(json: &str, id: u32) -> Option<String> {
    let inner = json.strip_prefix('{')?.strip_suffix('}')?;
    // Keys can be written with escapes, too.
    if inner.contains("_meta") || inner.contains("\\u") || !is_json(json) {
        return None;
    }
    let comma = if inner.trim().is_empty() { "" } else { "," };
    Some(format!(
        "{{{inner}{comma}\"_meta\":{{\"progressToken\":{id}}}}}"
    ))
}

/// A JSON object of members whose values are JSON text.
pub fn object(members: &[(String, String)]) -> String {
    let inner: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{}:{value}", quote(key)))
        .collect();
    format!("{{{}}}", inner.join(","))
}

/// A string as JSON text.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Is it one JSON value?
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// A request, as a line.
pub fn request_line(id: u32, method: &str, params: &str) -> String {
    line(&format!(
        "\"id\":{id},\"method\":{},\"params\":{params}",
        quote(method)
    ))
}

/// A notification, as a line; empty `params` are left out.
pub fn notification_line(method: &str, params: &str) -> String {
    let method = quote(method);
    if params.is_empty() {
        line(&format!("\"method\":{method}"))
    } else {
        line(&format!("\"method\":{method},\"params\":{params}"))
    }
}

/// The answer to a peer's request, as a line. `id` and `result` are JSON text.
pub fn result_line(id: &str, result: &str) -> String {
    line(&format!("\"id\":{id},\"result\":{result}"))
}

/// The refusal of a peer's request, as a line. `id` is JSON text.
pub fn error_line(id: &str, code: i64, message: &str) -> String {
    let message = quote(message);
    line(&format!(
        "\"id\":{id},\"error\":{{\"code\":{code},\"message\":{message}}}"
    ))
}

/// A raw line end can stand only between the tokens of valid JSON, where a blank means the same.
fn line(members: &str) -> String {
    let mut text = format!("{{\"jsonrpc\":\"2.0\",{members}}}");
    if text.contains(['\n', '\r']) {
        text = text.replace(['\n', '\r'], " ");
    }
    text.push('\n');
    text
}
