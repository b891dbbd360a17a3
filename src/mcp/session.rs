//! The protocol as a state machine: inputs → effects.
//!
//! In: bytes of the server's stdout, calls, timers that fired, the end of the output. Out of each:
//! [`Effect`]s to be carried out in order. A session has no clock and no pipe; the same inputs give
//! the same effects, however the bytes are cut.
//!
//! The bytes themselves stay with whoever feeds the session. [`Session::step`] goes through a chunk
//! and stops at each thing that matters ([`Step`]): an answer to a call, whose payload nobody here
//! looks into; a payload that the session must read, to be given to [`Session::accept`]; or effects
//! that are ready. [`feed`](crate::mcp::feed) is that loop in Rust, `pkg/framing.mjs` in JavaScript.
//!
//! In reading order: this file, `handshake`, `calls`, `tools`, `peer`, `roots`, `asks`; then `http`, where what is sent
//! becomes an exchange, `http_answers` and `http_life`.

mod asks;
mod calls;
mod handshake;
mod http;
mod http_answers;
mod http_life;
mod http_notices;
#[cfg(test)]
mod http_tests;
mod input;
mod peer;
mod roots;
mod tools;

use crate::error::CoreError;
use crate::mcp::by_id::ById;
use crate::mcp::effect::{Effect, Era, Failure, Level, Numbers, Outcome, SessionOptions};
use crate::mcp::framing::{Cursor, Found, Scanner, Span};
use crate::mcp::listing::Listing;
use crate::mcp::message::{self, Body, Message};
use asks::Ask;
use calls::Call;
pub use calls::Requested;
use handshake::Handshake;
use http::Http;
use roots::RootsDeclared;
use tools::Relist;

/// The newest version of the protocol with a handshake.
pub const LEGACY_VERSION: &str = "2025-11-25";

/// The versions with a handshake that a server may answer with.
pub const LEGACY_VERSIONS: [&str; 4] = [LEGACY_VERSION, "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version of the protocol without a handshake.
pub const MODERN_VERSION: &str = "2026-07-28";

/// JSON-RPC's code for a method that is not there.
const METHOD_NOT_FOUND: i64 = -32601;

/// What a chunk came to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    /// A call is over, and this is its result.
    Answer {
        /// The call.
        id: u32,
        /// Where the result stands.
        payload: Span,
    },
    /// The session must read this: give its text to [`Session::accept`] before the next step.
    Wanted {
        /// Where it stands.
        payload: Span,
    },
    /// A notification that is nothing to the session. Its method is [`Session::method_name`].
    Notified {
        /// The number of its method.
        method: u32,
        /// Where its parameters stand.
        params: Span,
    },
    /// Effects are ready: [`Session::take`].
    Made,
}

/// What a payload was asked for.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Want {
    /// A line for the log.
    Noise,
    Discovered {
        ok: bool,
    },
    Initialized {
        ok: bool,
    },
    Renewed {
        ok: bool,
    },
    Tools {
        ok: bool,
    },
    CallError {
        id: u32,
    },
    CallResult {
        id: u32,
    },
    Progress,
    ServerLog,
    /// A question of the server to the user, by the id of its request.
    Ask {
        request: String,
    },
    ServerCancelled,
    Notification {
        method: String,
    },
}

/// Where a session stands.
#[derive(Debug)]
enum Phase {
    New,
    Starting(Handshake),
    Ready(Era),
    Over,
}

/// A conversation with one server.
#[derive(Debug)]
pub struct Session {
    options: SessionOptions,
    numbers: Numbers,
    /// What the server was told of roots; there may be none by now.
    declared: RootsDeclared,
    scanner: Scanner,
    phase: Phase,
    next_id: u32,
    calls: ById<Call>,
    /// Questions to the user that are open, oldest first.
    asks: Vec<Ask>,
    /// Questions that were asked since calls are open.
    asks_of_calls: usize,
    /// The list that is being read, and its request that is open.
    listing: Option<(u32, Listing)>,
    /// A list was read whole, or as far as it could be.
    listed_once: bool,
    /// When the tools are listed again.
    relist: Relist,
    /// The subscription to changes, which stays open.
    subscription: Option<u32>,
    /// Methods of notifications that came before, at most
    /// [`MAX_METHODS`](crate::limits::MAX_METHODS).
    methods: Vec<String>,
    want: Option<Want>,
    made: Vec<Effect>,
    /// The server wrote a `Content-Length` header.
    content_length: bool,
    /// How it is reached, where that is HTTP.
    http: Option<Box<Http>>,
}

impl Session {
    /// A session that has not begun.
    pub fn new(mut options: SessionOptions) -> Result<Self, CoreError> {
        let declared = roots::declare(&mut options)?;
        let numbers = Numbers::from(options.limits);
        let http = options.http.map(|over| Box::new(Http::new(over)));
        Ok(Self {
            declared,
            http,
            scanner: Scanner::new(u64::from(numbers.max_message_bytes)),
            numbers,
            options,
            phase: Phase::New,
            next_id: 1,
            calls: ById::default(),
            asks: Vec::new(),
            asks_of_calls: 0,
            listing: None,
            listed_once: false,
            relist: Relist::default(),
            subscription: None,
            methods: Vec::new(),
            want: None,
            made: Vec::new(),
            content_length: false,
        })
    }

    /// Goes on in `chunk` from `cursor` to the next thing that matters; `None` at its end.
    pub fn step(&mut self, chunk: &[u8], cursor: &mut Cursor) -> Option<Step> {
        loop {
            let found = self.scanner.next(chunk, cursor)?;
            if let Some(step) = self.route(found) {
                return Some(step);
            }
        }
    }

    /// The output is over: what stands in its last line. [`Session::end`] comes next.
    pub fn last_line(&mut self) -> Option<Step> {
        let found = self.scanner.end_line()?;
        match found {
            // Half a message answers nothing: `end` says that the output ended.
            Found::Broken | Found::Noise => self.noise(),
            Found::Message | Found::TooLong => self.route(found),
        }
    }

    /// The effects that are ready.
    pub fn take(&mut self) -> Vec<Effect> {
        let made = std::mem::take(&mut self.made);
        if self.http.is_none() {
            return made;
        }
        for effect in made {
            match effect {
                Effect::Send { line } => self.post(line),
                other => self.made.push(other),
            }
        }
        std::mem::take(&mut self.made)
    }

    /// The method of a notification, by its number.
    pub fn method_name(&self, number: u32) -> &str {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        self.methods.get(at).map_or("", String::as_str)
    }

    /// The first byte of the stream that may still be asked for.
    pub fn kept_from(&self) -> u64 {
        self.scanner.kept_from()
    }

    /// Bytes of the stream read so far.
    pub fn position(&self) -> u64 {
        self.scanner.position()
    }

    fn route(&mut self, found: Found) -> Option<Step> {
        if matches!(self.phase, Phase::Over) {
            return None;
        }
        match found {
            Found::Noise => self.noise(),
            Found::Broken => match message::answered_id(self.scanner.envelope()) {
                Some(id) if self.calls.contains(id) => {
                    self.settle(id, Outcome::Broken);
                    Some(Step::Made)
                }
                _ => self.noise(),
            },
            Found::TooLong => {
                self.too_long();
                Some(Step::Made)
            }
            Found::Message => self.message(),
        }
    }

    fn message(&mut self) -> Option<Step> {
        if let Some(step) = self.known_notification() {
            return Some(step);
        }
        match message::message(self.scanner.envelope()) {
            Message::Answer { id, body } => self.answered(id, body),
            Message::Request {
                id,
                method,
                params: Some(params),
            } if method == asks::ELICIT && self.takes_asks() => {
                self.wanted(Want::Ask { request: id }, params)
            }
            Message::Request { id, method, .. } => {
                self.peer_request(&id, &method);
                Some(Step::Made)
            }
            Message::Notification { method, params } => self.notified(method, params),
            Message::Other => self.noise(),
        }
    }

    fn noise(&mut self) -> Option<Step> {
        self.wanted(Want::Noise, self.scanner.found_at())
    }

    /// A payload that the session must read. All return types here are options, so that routing
    /// reads as a table.
    #[allow(clippy::unnecessary_wraps)]
    fn wanted(&mut self, want: Want, payload: Span) -> Option<Step> {
        self.want = Some(want);
        Some(Step::Wanted { payload })
    }

    fn answered(&mut self, id: u32, body: Body) -> Option<Step> {
        let ok = matches!(body, Body::Result(_));
        let span = match body {
            Body::Result(span) | Body::Error(span) => span,
            Body::Nothing => Span::default(),
        };
        if let Phase::Starting(handshake) = &self.phase {
            if handshake.discover == Some(id) {
                return self.wanted(Want::Discovered { ok }, span);
            }
            if handshake.initialize == Some(id) {
                return self.wanted(Want::Initialized { ok }, span);
            }
        }
        if self.renewing() == Some(id) {
            return self.wanted(Want::Renewed { ok }, span);
        }
        if self.listing.as_ref().is_some_and(|(open, _)| *open == id) {
            return self.wanted(Want::Tools { ok }, span);
        }
        if self.subscription == Some(id) {
            self.subscription = None;
            self.log(
                Level::Info,
                "The server no longer tells of changes.".to_owned(),
            );
            return Some(Step::Made);
        }
        if !self.calls.contains(id) {
            self.log_repeated(id);
            return Some(Step::Made);
        }
        match body {
            Body::Error(span) => self.wanted(Want::CallError { id }, span),
            // Of a call that asked the user, what is open besides has to be looked at.
            Body::Result(span)
                if matches!(self.phase, Phase::Ready(Era::Modern)) || self.asks_of_calls > 0 =>
            {
                self.wanted(Want::CallResult { id }, span)
            }
            Body::Result(payload) => {
                self.calls.remove(id);
                Some(Step::Answer { id, payload })
            }
            Body::Nothing => {
                self.settle(id, Outcome::Broken);
                Some(Step::Made)
            }
        }
    }

    fn log_repeated(&mut self, id: u32) {
        let known = id > 0 && id < self.next_id;
        let what = if known { "late or repeated" } else { "unasked" };
        self.log(
            Level::Info,
            format!("Ignored a {what} answer with the id {id}."),
        );
    }

    /// Takes the payload that the last step wanted.
    pub fn accept(&mut self, text: &str) -> Vec<Effect> {
        match self.want.take() {
            None => {}
            Some(Want::Noise) => self.log_noise(text),
            Some(Want::Discovered { ok }) => self.discovered(ok, text),
            Some(Want::Initialized { ok }) => self.initialized(ok, text),
            Some(Want::Renewed { ok }) => self.renewed(ok, text),
            Some(Want::Tools { ok }) => self.listed(ok, text),
            Some(Want::CallError { id }) => self.call_failed(id, text),
            Some(Want::CallResult { id }) => self.call_answered(id, text),
            Some(Want::Progress) => self.progressed(text),
            Some(Want::ServerLog) => self.server_log(text),
            Some(Want::Ask { request }) => self.asked(request, text),
            Some(Want::ServerCancelled) => self.server_cancelled(text),
            Some(Want::Notification { method }) => {
                let params = text.to_owned();
                self.made.push(Effect::Notification { method, params });
            }
        }
        self.take()
    }

    /// Says that bytes of the last payload were not UTF-8 and were replaced.
    pub fn replaced(&mut self) -> Vec<Effect> {
        let text = "The server sent bytes that are not UTF-8; they were replaced.";
        self.log(Level::Warn, text.to_owned());
        self.take()
    }

    /// A timer fired.
    pub fn expire(&mut self, id: u32) -> Vec<Effect> {
        if self.http_expired(id) || self.relist_expired(id) {
            return self.take();
        }
        if self.listing.as_ref().is_some_and(|(open, _)| *open == id) {
            self.tell_cancelled(id, "timed out");
            self.list_failed("The list of tools did not come in time.");
        } else if let Some(wire) = self.wire(id) {
            self.call_expired(wire);
        } else {
            self.start_expired(id);
        }
        self.take()
    }

    /// The server's output is over; nothing will be answered any more.
    pub fn end(&mut self) -> Vec<Effect> {
        let over = std::mem::replace(&mut self.phase, Phase::Over);
        self.settle_all(&Outcome::Ended);
        if let Some((id, _)) = self.listing.take() {
            self.made.push(Effect::StopWaiting { id });
        }
        self.stop_relisting();
        match over {
            Phase::New => self.made.push(Effect::Failed {
                failure: Failure::Ended,
            }),
            Phase::Starting(handshake) => {
                self.stop_handshake(&handshake);
                self.made.push(Effect::Failed {
                    failure: if self.content_length {
                        Failure::ContentLength
                    } else {
                        Failure::Ended
                    },
                });
            }
            Phase::Ready(_) | Phase::Over => {}
        }
        self.take()
    }

    fn fresh_id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1).max(1);
        id
    }

    fn wait(&mut self, id: u32, ms: u32, at_most_ms: u32) {
        self.made.push(Effect::Wait { id, ms, at_most_ms });
    }
}
