//! What a session is made of and what it asks of the world.
//!
//! In: [`SessionOptions`]. Out of every input: a list of [`Effect`]s, to be carried out in their
//! order. Deliberately not here: how; a shell moves bytes and keeps time, and nothing more.

use crate::limits::{
    CALL_AT_MOST_MS, CALL_MS, MAX_MESSAGE_BYTES, PROBE_SILENCE_MS, RELIST_MS, START_MS,
};
use crate::mcp::elicitation::Elicitation;
use crate::mcp::http::{HttpBody, HttpHeader, HttpMethod, HttpOptions};
use crate::mcp::tool::ToolDefinition;
use serde::{Deserialize, Deserializer, Serialize};
use tsify::Tsify;

/// Who we say we are.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ClientInfo {
    /// Our name, such as `gbs-agent`.
    pub name: String,
    /// Our version.
    pub version: String,
}

/// The two shapes of the protocol.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Era {
    /// Up to 2025-11-25: a handshake by `initialize`.
    Legacy,
    /// From 2026-07-28: no handshake, every request says what it is.
    Modern,
}

/// A folder that a server is told of when it asks.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Root {
    /// A `file:` URI.
    pub uri: String,
    /// A name for people.
    pub name: String,
}

/// The folders that a server is told of when it asks.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct Roots(pub Vec<Root>);

/// A session's numbers; each has a default, which stands in `src/limits.rs`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionLimits {
    /// Bytes that one message of the server may have; a longer one is dropped. 64 MiB by default.
    #[tsify(optional)]
    pub max_message_bytes: Option<u32>,
    /// Milliseconds from the start to the end of the handshake. 30 s by default.
    #[tsify(optional)]
    pub start_ms: Option<u32>,
    /// Milliseconds that a call may take; the server's progress begins them anew. 60 s by default.
    #[tsify(optional)]
    pub call_ms: Option<u32>,
    /// Milliseconds that a call may take whatever its progress. 10 min by default.
    #[tsify(optional)]
    pub call_at_most_ms: Option<u32>,
    /// Milliseconds of silence after which a server that was probed is asked in the older way too. 5 s
    /// by default.
    #[tsify(optional)]
    pub probe_ms: Option<u32>,
    /// Milliseconds that are waited after a server said that its tools changed. 200 by default; doubled,
    /// up to 30 s, each time that it says so again within 10 s of the list.
    #[tsify(optional)]
    pub relist_ms: Option<u32>,
}

/// The same, each known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub max_message_bytes: u32,
    pub start_ms: u32,
    pub call_ms: u32,
    pub call_at_most_ms: u32,
    pub probe_ms: u32,
    pub relist_ms: u32,
}

impl From<SessionLimits> for Numbers {
    fn from(given: SessionLimits) -> Self {
        let call_ms = given.call_ms.unwrap_or(CALL_MS);
        Self {
            max_message_bytes: given.max_message_bytes.unwrap_or(MAX_MESSAGE_BYTES),
            start_ms: given.start_ms.unwrap_or(START_MS),
            call_ms,
            call_at_most_ms: given
                .call_at_most_ms
                .unwrap_or(CALL_AT_MOST_MS)
                .max(call_ms),
            probe_ms: given.probe_ms.unwrap_or(PROBE_SILENCE_MS),
            relist_ms: given.relist_ms.unwrap_or(RELIST_MS),
        }
    }
}

/// A property that is there and `undefined` or `null` counts as one that is not.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// How a session is made.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct SessionOptions {
    /// Who we say we are.
    pub client_info: ClientInfo,
    /// What we say we can do: a JSON object as text; empty for nothing. Roots and elicitation join it
    /// by themselves.
    #[serde(default, deserialize_with = "or_default")]
    #[tsify(optional)]
    pub capabilities: String,
    /// Its numbers; each has a default.
    #[serde(default, deserialize_with = "or_default")]
    #[tsify(optional)]
    pub limits: SessionLimits,
    /// Folders to tell the server of; with none, roots are not declared.
    #[serde(default, deserialize_with = "or_default")]
    #[tsify(optional)]
    pub roots: Vec<Root>,
    /// The user can be asked on behalf of the server; `asked` then wants `answer`.
    #[serde(default, deserialize_with = "or_default")]
    #[tsify(optional)]
    pub elicitation: bool,
    /// What this server was found to speak before; unknown when missing.
    #[serde(default)]
    #[tsify(optional)]
    pub era: Option<Era>,
    /// The server is reached over HTTP; without it, by a pipe.
    #[serde(default)]
    #[tsify(optional)]
    pub http: Option<HttpOptions>,
}

/// What is known of a server once it answered.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Peer {
    /// The shape of the protocol it speaks.
    pub era: Era,
    /// The version agreed on, such as `2025-11-25`.
    pub protocol_version: String,
    /// The name it gives itself; may be empty.
    pub name: String,
    /// The version it gives itself; may be empty.
    pub version: String,
    /// What it tells the model about its use, without hidden characters; may be empty.
    pub instructions: String,
    /// What it can do, as JSON text.
    pub capabilities: String,
    /// It says that it tells when its tools change.
    pub tells_changes: bool,
}

/// How a call ended.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub enum Outcome {
    /// The server's result.
    Result {
        /// JSON text as the server wrote it; not known to be valid inside.
        text: String,
    },
    /// The server's refusal.
    Error {
        /// JSON-RPC's code.
        code: i64,
        /// The server's words.
        message: String,
        /// More of it as JSON text, where there is more.
        data: Option<String>,
    },
    /// No answer within the call's time; the server was told.
    TimedOut {
        /// The time it had without progress, in milliseconds.
        ms: u32,
    },
    /// Cancelled by us; the server was told.
    Cancelled,
    /// The answer was longer than the limit and was dropped.
    TooLong {
        /// The limit in bytes.
        bytes: u32,
    },
    /// The answer is not JSON, or holds neither a result nor an error.
    Broken,
    /// The server's output ended first. The call may have taken effect.
    Ended,
    /// The connection broke first. The call may have taken effect.
    Dropped,
    /// There was no connection to the server: the call was not made.
    Unreached {
        /// The system's word for it, such as `ECONNREFUSED`; may be empty.
        code: String,
    },
}

/// Why a session could not go on.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Failure {
    /// No answer to the handshake in time.
    StartTimedOut {
        /// The time it had, in milliseconds.
        ms: u32,
    },
    /// The server refused the handshake.
    Refused {
        /// JSON-RPC's code.
        code: i64,
        /// The server's words.
        message: String,
    },
    /// The server speaks only versions that we do not.
    UnknownVersion {
        /// The version it named.
        version: String,
    },
    /// The server's answer to the handshake cannot be read.
    BrokenHandshake,
    /// The server's output ended before it was ready.
    Ended,
    /// It frames its messages with `Content-Length` headers, which is not how MCP works over stdio.
    ContentLength,
    /// There is no connection to its address.
    Unreached {
        /// The system's word for it, such as `ECONNREFUSED`; may be empty.
        code: String,
    },
    /// It closes the connection without an answer.
    Dropped,
    /// It answers with a status that says no.
    #[serde(rename_all = "camelCase")]
    Status {
        /// The status.
        status: u16,
        /// Its words on one line; may be empty.
        text: String,
    },
    /// What it answers is nothing of the protocol.
    #[serde(rename_all = "camelCase")]
    NotMcp {
        /// What it says its answer is; may be empty.
        content_type: String,
    },
    /// It points to another place, where nothing is sent unasked.
    Redirected {
        /// The whole address.
        to: String,
    },
}

/// How much a line of log matters.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// For whoever looks.
    Info,
    /// Not as the protocol has it.
    Warn,
    /// Something is lost.
    Error,
}

/// Who wrote a line of log.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Speaker {
    /// The server, on stdout, outside of the protocol.
    Stdout,
    /// The server, by the protocol's logging.
    Server,
    /// The session.
    Session,
}

/// What became of a question to the user.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum AskAction {
    /// Yes.
    Accept,
    /// No.
    Decline,
    /// Neither: it was put away.
    Cancel,
}

/// What is to be done, or what is to be known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub enum Effect {
    /// Write this to the server's stdin.
    Send {
        /// A line with its end.
        line: String,
    },
    /// Begin an exchange over HTTP, and tell `responded` of the response's head; where there is none,
    /// `ended`.
    Open {
        /// Its number.
        exchange: u32,
        /// What is done.
        method: HttpMethod,
        /// The whole address; none for the one that the server's entry has.
        url: Option<String>,
        /// The protocol's headers; they win over those of the entry.
        headers: Vec<HttpHeader>,
        /// What is sent; may be empty.
        body: String,
    },
    /// Deal with the body of an exchange so.
    Read {
        /// The exchange.
        exchange: u32,
        /// How.
        body: HttpBody,
    },
    /// Close the connection of an exchange. Nothing more is told of it.
    Abort {
        /// The exchange.
        exchange: u32,
    },
    /// Give `expire(id)` when `ms` have passed without another `wait` of this id, and no later than
    /// `atMostMs` after the first. With that the timer is over; a later `wait` of the id is a first one.
    #[serde(rename_all = "camelCase")]
    Wait {
        /// The timer.
        id: u32,
        /// Milliseconds.
        ms: u32,
        /// Milliseconds.
        at_most_ms: u32,
    },
    /// Forget this timer.
    StopWaiting {
        /// The timer.
        id: u32,
    },
    /// The handshake is done. The tools follow.
    Ready {
        /// What is known of the server.
        peer: Peer,
    },
    /// The server's tools: after `ready`, and whenever they changed.
    ToolsChanged {
        /// All of them, in the server's order.
        tools: Vec<ToolDefinition>,
        /// What is wrong with the list, for people.
        problems: Vec<String>,
    },
    /// A call is over, and its timer with it.
    Settled {
        /// What `request` gave.
        id: u32,
        /// How it ended.
        outcome: Outcome,
    },
    /// A call goes on.
    Progress {
        /// What `request` gave.
        id: u32,
        /// How far it is, in the server's own measure.
        progress: f64,
        /// Where it ends, where the server says so.
        total: Option<f64>,
        /// The server's words on one line; may be empty.
        message: String,
    },
    /// The server asks the user: give `answer` with this `ask`. The time of calls stands still until
    /// then.
    Asked {
        /// The question, for `answer`.
        ask: u32,
        /// The call that waits for it, as `request` named it; none where the server does not say.
        call: Option<u32>,
        /// What it wants to know.
        elicitation: Elicitation,
    },
    /// Nobody waits for the answer to this question any more.
    Withdrawn {
        /// The question.
        ask: u32,
    },
    /// Another notification of the server.
    Notification {
        /// Its method.
        method: String,
        /// Its parameters as JSON text.
        params: String,
    },
    /// A line for the server's log.
    Log {
        /// How much it matters.
        level: Level,
        /// Who wrote it.
        speaker: Speaker,
        /// One line, without hidden characters.
        text: String,
    },
    /// The session is over: stop the process.
    Failed {
        /// Why.
        failure: Failure,
    },
}

/// What is to be done, in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct Effects(pub Vec<Effect>);
