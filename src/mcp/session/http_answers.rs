//! Over HTTP: what the head of a response means, a refusal, and the end of an exchange.

use super::handshake::MODERN_ERRORS;
use super::http::{Exchange, Purpose, words};
use super::{Phase, Session};
use crate::limits::{MAX_REDIRECTS, SESSION_ID_CHARACTERS};
use crate::mcp::effect::{Effect, Failure, Level, Outcome};
use crate::mcp::http::{HttpBody, HttpEnd, HttpPlace, HttpResponse, HttpTrouble};
use crate::mcp::message::{self, Fields};
use crate::text::one_line;

/// JSON-RPC's code with which servers refuse what belongs to no session of theirs.
const SERVER_ERROR: i64 = -32000;
/// JSON-RPC's code for headers that are not as the body has it.
const HEADER_MISMATCH: i64 = -32020;

impl Session {
    /// The head of a response is there.
    pub fn responded(&mut self, number: u32, response: &HttpResponse) -> Vec<Effect> {
        self.head(number, response);
        self.opened(number);
        self.take()
    }

    fn head(&mut self, number: u32, response: &HttpResponse) {
        let Some(http) = &mut self.http else {
            return;
        };
        let Some(exchange) = http.exchanges.get_mut(number) else {
            return self.read(number, HttpBody::Nothing);
        };
        exchange.status = response.status;
        let (purpose, lost) = (
            exchange.purpose,
            response.status == 404 && exchange.under.is_some() && !http.old,
        );
        match response.status {
            301 | 302 | 307 | 308 => self.redirected(number, response.location.as_ref()),
            200..=299 => self.welcomed(number, purpose, response),
            _ if lost && purpose != Purpose::Farewell => {
                self.read(number, HttpBody::Nothing);
                self.session_lost(number);
            }
            _ => self.turned_down(number, purpose, response.status),
        }
    }

    fn redirected(&mut self, number: u32, place: Option<&HttpPlace>) {
        self.read(number, HttpBody::Nothing);
        let Some(mut exchange) = self.close_exchange(number) else {
            return;
        };
        match place {
            Some(place) if place.same_origin && exchange.hops < MAX_REDIRECTS => {
                exchange.hops += 1;
                exchange.url = Some(place.href.clone());
                if let Some(http) = &mut self.http
                    && !http.old
                {
                    http.place = Some(place.href.clone());
                }
                self.open(exchange);
            }
            _ => {
                let to = place.map_or("", |place| &place.href);
                let to = one_line(to);
                self.impossible(&exchange, Failure::Redirected { to });
            }
        }
    }

    fn welcomed(&mut self, number: u32, purpose: Purpose, response: &HttpResponse) {
        let kind = response.content_type.to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let streams = kind == "text/event-stream";
        match purpose {
            Purpose::Request { id } => {
                self.note_session(id, response.session_id.as_deref());
                let json = kind == "application/json" || kind.ends_with("+json") || kind.is_empty();
                if streams {
                    self.stream(number);
                } else if self.by_old_stream() {
                    // The answer comes on the one stream.
                    self.read(number, HttpBody::Nothing);
                    self.close_exchange(number);
                } else if json && !matches!(response.status, 202 | 204) {
                    self.read(number, HttpBody::Message);
                } else {
                    self.read(number, HttpBody::Nothing);
                    if let Some(exchange) = self.close_exchange(number) {
                        let content_type = one_line(&response.content_type);
                        self.impossible(&exchange, Failure::NotMcp { content_type });
                    }
                }
            }
            Purpose::Listen | Purpose::Stream | Purpose::Told if streams => self.stream(number),
            Purpose::Stream => {
                self.read(number, HttpBody::Nothing);
                self.close_exchange(number);
                let content_type = one_line(&response.content_type);
                self.no_stream(Failure::NotMcp { content_type });
            }
            Purpose::Listen | Purpose::Told | Purpose::Greeting | Purpose::Farewell => {
                self.read(number, HttpBody::Nothing);
                self.close_exchange(number);
                if purpose == Purpose::Greeting {
                    self.greeted();
                }
            }
        }
    }

    fn stream(&mut self, number: u32) {
        let exchange = self
            .http
            .as_mut()
            .and_then(|http| http.exchanges.get_mut(number));
        if let Some(exchange) = exchange {
            exchange.streams = true;
        }
        self.read(number, HttpBody::Events);
    }

    /// The id that the server gives the session, in its answer to the handshake.
    fn note_session(&mut self, id: u32, session_id: Option<&str>) {
        let begins = match &self.phase {
            Phase::Starting(handshake) => handshake.initialize == Some(id),
            Phase::New | Phase::Ready(_) | Phase::Over => self.renewing() == Some(id),
        };
        let usable = |id: &&str| {
            !id.is_empty()
                && id.len() <= SESSION_ID_CHARACTERS
                && id.bytes().all(|b| b.is_ascii_graphic())
        };
        if let Some(http) = self.http.as_mut().filter(|_| begins) {
            http.session_id = session_id.filter(usable).map(str::to_owned);
        }
    }

    /// A status that says no.
    fn turned_down(&mut self, number: u32, purpose: Purpose, status: u16) {
        match purpose {
            Purpose::Request { .. } => return self.read(number, HttpBody::Refusal),
            Purpose::Stream => {
                self.read(number, HttpBody::Nothing);
                self.close_exchange(number);
                let text = String::new();
                return self.no_stream(Failure::Status { status, text });
            }
            Purpose::Listen if status == 405 => {}
            Purpose::Listen if status >= 500 || status == 429 => {
                self.read(number, HttpBody::Nothing);
                return self.rest(number, None);
            }
            Purpose::Listen => self.log(
                Level::Info,
                format!("The server does not open a stream of its own: status {status}."),
            ),
            Purpose::Told | Purpose::Greeting => self.log(
                Level::Warn,
                format!("The server refused a notification with status {status}."),
            ),
            Purpose::Farewell => {}
        }
        self.read(number, HttpBody::Nothing);
        self.close_exchange(number);
        if purpose == Purpose::Greeting {
            self.greeted();
        }
    }

    /// The beginning of what a server says with a status that says no.
    pub fn refused(&mut self, number: u32, text: &str) -> Vec<Effect> {
        if let Some(exchange) = self.close_exchange(number)
            && let Purpose::Request { id } = exchange.purpose
        {
            self.refusal(exchange, id, text);
        }
        self.take()
    }

    fn refusal(&mut self, mut exchange: Exchange, id: u32, text: &str) {
        let status = exchange.status;
        let error = serde_json::from_str::<Fields<'_>>(text).ok();
        let of_nobody = error
            .as_ref()
            .is_some_and(|f| matches!(f.get("id"), None | Some("null")));
        let error = error.and_then(|fields| fields.get("error").map(str::to_owned));
        let error = error.filter(|error| error.starts_with('{'));
        let code = error
            .as_deref()
            .map_or(0, |error| message::peer_error(error).code);
        let failure = Failure::Status {
            status,
            text: words(text),
        };
        if let Phase::Starting(handshake) = &self.phase {
            let (probe, begin) = (
                handshake.discover == Some(id),
                handshake.initialize == Some(id),
            );
            if (probe || begin) && matches!(status, 401 | 403) {
                return self.fail(failure);
            }
            let modern = MODERN_ERRORS.contains(&code);
            if probe {
                // Whatever else a server says to a probe, it may be of the older era.
                return match error.filter(|_| modern) {
                    Some(error) => self.discovered(false, &error),
                    None => self.discovered(false, "{}"),
                };
            }
            if begin {
                let no_such = matches!(status, 404 | 405) || status == 400 && error.is_none();
                return match error {
                    _ if no_such && !self.by_old_stream() => {
                        exchange.status = 0;
                        self.fall_back(exchange, status);
                    }
                    Some(error) => self.initialized(false, &error),
                    None => self.fail(failure),
                };
            }
        }
        // The call was taken; only its answer is not to be had.
        if exchange.last_event.is_some() {
            return self.impossible(&exchange, Failure::Dropped);
        }
        // Some servers say in this way that they know nothing of the session.
        if status == 400
            && code == SERVER_ERROR
            && of_nobody
            && exchange.under.is_some()
            && !exchange.again
        {
            return self.begin_anew(exchange);
        }
        if code == HEADER_MISMATCH {
            self.list_for_call();
            if !exchange.again && self.calls.contains(id) {
                return self.repeat_after_list(exchange);
            }
        }
        match error {
            Some(error) if self.calls.contains(id) => self.call_failed(id, &error),
            _ => self.impossible(&exchange, failure),
        }
    }

    /// An exchange is over: its body came to its end, or something kept it from that.
    pub fn ended(&mut self, number: u32, end: HttpEnd) -> Vec<Effect> {
        self.opened(number);
        let purpose = self.http.as_mut().and_then(|http| {
            let exchange = http.exchanges.get_mut(number)?;
            if end.last_event_id.is_some() && end.last_event_id != exchange.last_event {
                exchange.last_event.clone_from(&end.last_event_id);
                exchange.tries = 0;
            }
            Some(exchange.purpose)
        });
        match purpose {
            None => {}
            Some(Purpose::Request { id }) => {
                if self.is_open(id) {
                    self.unanswered(number, id, end);
                } else {
                    self.close_exchange(number);
                }
            }
            Some(Purpose::Listen) => self.rest(number, end.retry_ms),
            Some(Purpose::Stream) => {
                self.close_exchange(number);
                self.no_stream(failure_of(end));
            }
            Some(Purpose::Told | Purpose::Greeting) => {
                self.close_exchange(number);
                if end.trouble.is_some() {
                    self.log(
                        Level::Warn,
                        "A notification did not reach the server.".to_owned(),
                    );
                }
                if purpose == Some(Purpose::Greeting) {
                    self.greeted();
                }
            }
            Some(Purpose::Farewell) => {
                self.close_exchange(number);
            }
        }
        self.take()
    }

    /// An exchange ended, and its request is still open.
    fn unanswered(&mut self, number: u32, id: u32, end: HttpEnd) {
        if end.trouble == Some(HttpTrouble::TooLong) {
            let bytes = self.numbers.max_message_bytes;
            self.close_exchange(number);
            if self.calls.contains(id) {
                return self.settle(id, Outcome::TooLong { bytes });
            }
            if self.listing.as_ref().is_some_and(|(open, _)| *open == id) {
                return self.list_failed(&format!("The list of tools is over {bytes} bytes."));
            }
        } else if self.subscription == Some(id) {
            self.close_exchange(number);
            return self.subscribe_later(end.retry_ms);
        } else if self.takes_up(number) {
            return self.rest(number, end.retry_ms);
        }
        let Some(exchange) = self.close_exchange(number) else {
            return;
        };
        let streamed = exchange.streams;
        match end.trouble {
            None if self.calls.contains(id) && !streamed => self.settle(id, Outcome::Broken),
            None if !streamed => {
                let content_type = "JSON without an answer".to_owned();
                self.impossible(&exchange, Failure::NotMcp { content_type });
            }
            None | Some(_) if exchange.last_event.is_some() => {
                self.impossible(&exchange, Failure::Dropped);
            }
            None | Some(_) => self.impossible(&exchange, failure_of(end)),
        }
    }

    /// There will be no answer to the request of this exchange, because of `failure`.
    pub(super) fn impossible(&mut self, exchange: &Exchange, failure: Failure) {
        let Purpose::Request { id } = exchange.purpose else {
            if exchange.purpose == Purpose::Stream {
                self.no_stream(failure);
            } else if exchange.purpose == Purpose::Greeting {
                self.greeted();
            }
            return;
        };
        if let Phase::Starting(handshake) = &self.phase {
            if handshake.discover == Some(id) {
                // A server of the older era may close the connection at what it does not know.
                return match failure {
                    Failure::Unreached { .. } | Failure::Redirected { .. } => self.fail(failure),
                    _ => self.discovered(false, "{}"),
                };
            }
            if handshake.initialize == Some(id) {
                return self.fail(failure);
            }
        }
        if self.renewing() == Some(id) {
            return self.not_renewed(failure);
        }
        if self.listing.as_ref().is_some_and(|(open, _)| *open == id) {
            return self.list_failed(&format!(
                "The list of tools did not come: {}.",
                said(&failure)
            ));
        }
        if self.subscription == Some(id) {
            self.subscription = None;
            let text = "The server does not tell of changes.".to_owned();
            return self.log(Level::Info, text);
        }
        let outcome = match failure {
            Failure::Unreached { code } => Outcome::Unreached { code },
            Failure::Dropped => Outcome::Dropped,
            Failure::NotMcp { .. } => Outcome::Broken,
            failure => Outcome::Error {
                code: match failure {
                    Failure::Status { status, .. } => i64::from(status),
                    _ => 0,
                },
                message: said(&failure),
                data: None,
            },
        };
        self.settle(id, outcome);
    }

    /// Takes an exchange out, and its timer with it.
    pub(super) fn close_exchange(&mut self, number: u32) -> Option<Exchange> {
        let http = self.http.as_mut()?;
        let exchange = http.exchanges.remove(number)?;
        if http.greeting == Some(number) {
            http.greeting = None;
        }
        if matches!(exchange.purpose, Purpose::Told | Purpose::Greeting) {
            self.made.push(Effect::StopWaiting { id: number });
        }
        self.open_next();
        Some(exchange)
    }
}

/// An end as a failure.
pub(super) fn failure_of(end: HttpEnd) -> Failure {
    match end.trouble {
        Some(HttpTrouble::Unreached) => Failure::Unreached {
            code: one_line(&end.code),
        },
        Some(HttpTrouble::Dropped | HttpTrouble::TooLong) | None => Failure::Dropped,
    }
}

/// A failure in words, to go on from a colon.
fn said(failure: &Failure) -> String {
    match failure {
        Failure::Status { status, text } if text.is_empty() => {
            format!("the server answered with status {status}")
        }
        Failure::Status { status, text } => {
            format!("the server answered with status {status}: {text}")
        }
        Failure::Unreached { code } if code.is_empty() => "the server cannot be reached".to_owned(),
        Failure::Unreached { code } => format!("the server cannot be reached ({code})"),
        Failure::Redirected { to } => format!("the server points to {to}"),
        Failure::NotMcp { content_type } => format!("the server answered with {content_type}"),
        Failure::Dropped
        | Failure::Ended
        | Failure::StartTimedOut { .. }
        | Failure::Refused { .. }
        | Failure::UnknownVersion { .. }
        | Failure::BrokenHandshake
        | Failure::ContentLength => "the connection broke".to_owned(),
    }
}
