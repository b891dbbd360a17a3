//! The words in which a session and its shell speak of HTTP.
//!
//! A session over HTTP asks for exchanges ([`Effect::Open`](crate::mcp::effect::Effect::Open)), each
//! with a number, and is told what became of them: the head of the response, the text of a refusal,
//! messages, the end. It decides what is sent, what a status means and what comes next; who carries
//! it out knows addresses, sockets and streams. Headers of the server's entry and of a sign-in are
//! added there: the session never sees a secret.

use crate::mcp::effect::or_default;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// That a server is reached over HTTP, and how.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct HttpOptions {
    /// Its entry says that it speaks the older transport: one stream, and an address to post to.
    #[serde(default, deserialize_with = "or_default")]
    #[tsify(optional)]
    pub sse: bool,
}

/// What is done with an address.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// Opens a stream.
    Get,
    /// Sends a message.
    Post,
    /// Ends the session.
    Delete,
}

/// A header of the protocol.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct HttpHeader {
    /// Its name.
    pub name: String,
    /// Its value, which holds nothing but what may stand in a header.
    pub value: String,
}

/// What to do with the body of a response.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum HttpBody {
    /// It is one message: give it to `message`, then `ended`.
    Message,
    /// It is a stream of events: give the data of each to `message`, that of one called `endpoint` to
    /// `endpoint`; at its end `ended`.
    Events,
    /// It says why the request is refused: give its beginning to `refused`.
    Refusal,
    /// Nobody wants it: drop it, then nothing.
    Nothing,
}

/// Where a server points to, made whole.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct HttpPlace {
    /// The whole address.
    pub href: String,
    /// Scheme, host and port are those of the address that the request went to.
    pub same_origin: bool,
}

/// The head of a response.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct HttpResponse {
    /// Its status.
    pub status: u16,
    /// The header `Content-Type`; empty where it is missing.
    #[serde(default, deserialize_with = "or_default")]
    #[tsify(optional)]
    pub content_type: String,
    /// The header `Mcp-Session-Id`.
    #[serde(default)]
    #[tsify(optional)]
    pub session_id: Option<String>,
    /// The header `Location`.
    #[serde(default)]
    #[tsify(optional)]
    pub location: Option<HttpPlace>,
}

/// What kept an exchange from coming to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum HttpTrouble {
    /// There was no connection: nothing was sent.
    Unreached,
    /// The connection broke.
    Dropped,
    /// The body, or an event, is over the limit of a message.
    TooLong,
}

/// The end of an exchange.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct HttpEnd {
    /// What went wrong; nothing where the body came to its end.
    #[serde(default)]
    #[tsify(optional)]
    pub trouble: Option<HttpTrouble>,
    /// The system's word for it, such as `ECONNREFUSED`; may be empty.
    #[serde(default, deserialize_with = "or_default")]
    #[tsify(optional)]
    pub code: String,
    /// The id of the last event that had one.
    #[serde(default)]
    #[tsify(optional)]
    pub last_event_id: Option<String>,
    /// Milliseconds that the server wants to be left alone.
    #[serde(default)]
    #[tsify(optional)]
    pub retry_ms: Option<u32>,
}
