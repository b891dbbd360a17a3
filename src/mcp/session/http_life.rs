//! Over HTTP: streams that are taken up again, sessions that got lost, the older transport, the end.

use super::handshake::text_of;
use super::http::{Exchange, Opening, Purpose};
use super::{LEGACY_VERSIONS, Phase, Session};
use crate::limits::{
    EVENT_ID_CHARACTERS, LISTEN_MS, MAX_RESUMES, RESUME_AT_MOST_MS, RESUME_LEAST_MS, RESUME_MS,
};
use crate::mcp::by_id::ById;
use crate::mcp::effect::{Effect, Era, Failure, Level, Outcome};
use crate::mcp::http::HttpPlace;
use crate::mcp::message::{self, Fields};

impl Session {
    /// The server took `initialized`, or did not: what waited goes out, and its own stream is opened.
    pub(super) fn greeted(&mut self) {
        let listens = matches!(self.phase, Phase::Ready(Era::Legacy)) && !self.by_old_stream();
        if let Some(http) = &mut self.http {
            http.greeting = None;
            if listens {
                http.opening = Opening::Next;
            }
        }
        self.release();
        if listens {
            self.open(Exchange::new(Purpose::Listen, String::new()));
        }
        if let Some(Opening::Asked(id)) = self.http.as_ref().map(|http| http.opening) {
            self.wait(id, LISTEN_MS, LISTEN_MS);
        }
    }

    /// The server's own stream is open, or it opens none: calls go out.
    pub(super) fn opened(&mut self, number: u32) {
        let Some(http) = &mut self.http else {
            return;
        };
        if http.opening == Opening::Asked(number) {
            http.opening = Opening::Done;
            self.made.push(Effect::StopWaiting { id: number });
            self.release();
        }
    }

    /// Sends what was held.
    fn release(&mut self) {
        let held = self
            .http
            .as_mut()
            .map(|http| std::mem::take(&mut http.held));
        for exchange in held.unwrap_or_default() {
            let begins = exchange.line.contains("\"method\":\"initialize\"");
            self.send_or_hold(exchange, begins);
        }
    }

    /// Can the stream of this exchange be taken up where it ended?
    pub(super) fn takes_up(&self, number: u32) -> bool {
        let found = self
            .http
            .as_ref()
            .and_then(|http| http.exchanges.get(number));
        let modern = matches!(self.phase, Phase::Ready(Era::Modern));
        found.is_some_and(|exchange| {
            let id = exchange.last_event.as_ref();
            id.is_some_and(|id| is_event_id(id)) && exchange.tries < MAX_RESUMES && !modern
        })
    }

    /// Takes a stream up again after a while.
    pub(super) fn rest(&mut self, number: u32, retry_ms: Option<u32>) {
        let Some(mut exchange) = self.close_exchange(number) else {
            return;
        };
        if !matches!(self.phase, Phase::Ready(_) | Phase::Starting(_)) {
            return;
        }
        if exchange
            .last_event
            .as_ref()
            .is_some_and(|id| !is_event_id(id))
        {
            exchange.last_event = None;
        }
        let ms = pause(retry_ms, exchange.tries);
        exchange.tries += 1;
        let timer = self.fresh_id();
        if let Some(http) = &mut self.http {
            http.resting.insert(timer, exchange);
        }
        self.wait(timer, ms, ms);
    }

    /// The subscription ended, and is asked for again after a while.
    pub(super) fn subscribe_later(&mut self, retry_ms: Option<u32>) {
        self.subscription = None;
        let timer = self.fresh_id();
        let Some(http) = &mut self.http else {
            return;
        };
        let ms = pause(retry_ms, http.subscribed);
        http.subscribed += 1;
        http.subscribe_again = Some(timer);
        self.wait(timer, ms, ms);
    }

    /// A timer of the transport's fired; false where it is none.
    pub(super) fn http_expired(&mut self, timer: u32) -> bool {
        let Some(http) = &mut self.http else {
            return false;
        };
        if http.opening == Opening::Asked(timer) {
            self.opened(timer);
        } else if let Some(exchange) = http.resting.remove(timer) {
            let wanted = match exchange.purpose {
                Purpose::Request { id } => self.is_open(id),
                _ => true,
            };
            if wanted {
                self.open(exchange);
            }
        } else if http.subscribe_again == Some(timer) {
            http.subscribe_again = None;
            self.subscribe();
            self.list_after_silence();
        } else if http.exchanges.contains(timer) {
            self.made.push(Effect::Abort { exchange: timer });
            let greets = http.greeting == Some(timer);
            self.close_exchange(timer);
            if greets {
                self.greeted();
            }
        } else if http.renewing == Some(timer) {
            let ms = self.numbers.start_ms;
            self.abandon(timer);
            self.not_renewed(Failure::StartTimedOut { ms });
        } else {
            return false;
        }
        true
    }

    /// The server no longer knows the session that this exchange was sent in.
    pub(super) fn session_lost(&mut self, number: u32) {
        let Some(exchange) = self.close_exchange(number) else {
            return;
        };
        match exchange.purpose {
            Purpose::Listen => self.renew(exchange.under.as_deref()),
            // The call was taken in the session that is no more.
            Purpose::Request { .. } if exchange.last_event.is_some() => {
                self.renew(exchange.under.as_deref());
                self.impossible(&exchange, Failure::Dropped);
            }
            Purpose::Request { .. } | Purpose::Told if !exchange.again => self.begin_anew(exchange),
            _ => {
                let (status, text) = (404, String::new());
                self.impossible(&exchange, Failure::Status { status, text });
            }
        }
    }

    /// Nothing was done of what this exchange asked for: it is sent once more, in a new session.
    pub(super) fn begin_anew(&mut self, mut exchange: Exchange) {
        let under = exchange.under.take();
        exchange.again = true;
        self.renew(under.as_deref());
        self.send_or_hold(exchange, false);
    }

    /// Nothing was done of a call whose headers the server refused: its schema may be another by now.
    pub(super) fn repeat_after_list(&mut self, mut exchange: Exchange) {
        exchange.again = true;
        if let Some(http) = &mut self.http {
            http.mismatched.push(exchange);
        }
    }

    /// The list came, or did not: calls whose headers were refused go out once more.
    pub(super) fn repeat_mismatched(&mut self) {
        let again = self
            .http
            .as_mut()
            .map(|http| std::mem::take(&mut http.mismatched));
        for exchange in again.unwrap_or_default() {
            self.send_or_hold(exchange, false);
        }
    }

    /// Begins a new session, unless the lost one was replaced already.
    fn renew(&mut self, under: Option<&str>) {
        let Some(http) = &mut self.http else {
            return;
        };
        if http.renewing.is_some() || http.session_id.as_deref() != under {
            return;
        }
        http.session_id = None;
        if let Opening::Asked(id) = std::mem::take(&mut http.opening) {
            self.made.push(Effect::StopWaiting { id });
        }
        let listens = |(_, exchange): &(u32, &Exchange)| exchange.purpose == Purpose::Listen;
        let open: Vec<u32> = http
            .exchanges
            .iter()
            .filter(listens)
            .map(|(n, _)| n)
            .collect();
        let resting: Vec<u32> = http
            .resting
            .iter()
            .filter(listens)
            .map(|(n, _)| n)
            .collect();
        for timer in resting {
            http.resting.remove(timer);
        }
        for exchange in open {
            http.exchanges.remove(exchange);
            self.made.push(Effect::Abort { exchange });
        }
        let text = "The server no longer knows this session; a new one is begun.";
        self.log(Level::Info, text.to_owned());
        let id = self.fresh_id();
        if let Some(http) = &mut self.http {
            http.renewing = Some(id);
        }
        let line = self.initialize_line(id);
        self.made.push(Effect::Send { line });
        let ms = self.numbers.start_ms;
        self.wait(id, ms, ms);
    }

    /// The new session's handshake was answered.
    pub(super) fn renewed(&mut self, ok: bool, text: &str) {
        let id = self.http.as_mut().and_then(|http| http.renewing.take());
        if let Some(id) = id {
            self.made.push(Effect::StopWaiting { id });
        }
        if !ok {
            let error = message::peer_error(text);
            let (code, message) = (error.code, crate::text::one_line(&error.message));
            return self.not_renewed(Failure::Refused { code, message });
        }
        let fields: Fields<'_> = serde_json::from_str(text).unwrap_or(Fields(Vec::new()));
        let version = text_of(&fields, "protocolVersion");
        if !LEGACY_VERSIONS.contains(&version.as_str()) {
            return self.not_renewed(Failure::UnknownVersion { version });
        }
        self.agreed(version);
        let greeting = message::notification_line("notifications/initialized", "");
        self.send_or_hold(Exchange::new(Purpose::Greeting, greeting), false);
        // It may be another program by now.
        self.list_after_silence();
    }

    /// There is no new session: this one is over.
    pub(super) fn not_renewed(&mut self, failure: Failure) {
        if let Some(http) = &mut self.http
            && let Some(id) = http.renewing.take()
        {
            self.made.push(Effect::StopWaiting { id });
        }
        self.over(failure);
    }

    fn over(&mut self, failure: Failure) {
        self.phase = Phase::Over;
        // What is held was not carried out by anybody.
        let held = self
            .http
            .as_mut()
            .map(|http| std::mem::take(&mut http.held));
        for exchange in held.unwrap_or_default() {
            if let Purpose::Request { id } = exchange.purpose {
                let code = String::new();
                self.settle(id, Outcome::Unreached { code });
            }
        }
        self.settle_all(&Outcome::Dropped);
        self.made.push(Effect::Failed { failure });
    }

    /// The newer transport is not there: perhaps the older one is.
    pub(super) fn fall_back(&mut self, handshake: Exchange, status: u16) {
        if let Some(http) = &mut self.http {
            http.old = true;
            http.fell_back = Some(status);
            http.place = None;
        }
        self.send_or_hold(
            Exchange {
                url: None,
                ..handshake
            },
            true,
        );
    }

    /// The older transport says where messages go.
    pub fn endpoint(&mut self, number: u32, place: &HttpPlace) -> Vec<Effect> {
        let streams = self.http.as_ref().is_some_and(|http| {
            let found = http.exchanges.get(number);
            found.is_some_and(|exchange| exchange.purpose == Purpose::Stream)
        });
        if streams && !place.same_origin {
            self.made.push(Effect::Abort { exchange: number });
            self.close_exchange(number);
            let to = crate::text::one_line(&place.href);
            self.no_stream(Failure::Redirected { to });
        } else if streams && let Some(http) = &mut self.http {
            http.place = Some(place.href.clone());
            http.has_endpoint = true;
            self.release();
        }
        self.take()
    }

    /// The stream of the older transport is not there, or no more.
    pub(super) fn no_stream(&mut self, failure: Failure) {
        // Of a server that was only tried in this way, what it said first is what it says.
        let first = self
            .http
            .as_ref()
            .and_then(|http| http.fell_back.filter(|_| !http.has_endpoint));
        let failure = match (first, failure) {
            (Some(status), Failure::Status { .. } | Failure::NotMcp { .. }) => {
                let text = String::new();
                Failure::Status { status, text }
            }
            (_, failure) => failure,
        };
        match self.phase {
            Phase::Starting(_) => self.fail(failure),
            Phase::Ready(_) => self.over(failure),
            Phase::New | Phase::Over => {}
        }
    }

    /// Takes leave of the server: what is open is closed, and a session is ended. `end` comes next,
    /// when that is done or nobody waits for it.
    pub fn close(&mut self) -> Vec<Effect> {
        let Some(http) = &mut self.http else {
            return Vec::new();
        };
        let open = std::mem::take(&mut http.exchanges).ids();
        http.held.clear();
        http.behind.clear();
        http.resting = ById::default();
        http.greeting = None;
        http.opening = Opening::Done;
        let known = http.session_id.is_some() && !http.old;
        for exchange in open {
            self.made.push(Effect::Abort { exchange });
        }
        if known {
            self.open(Exchange::new(Purpose::Farewell, String::new()));
        }
        self.take()
    }
}

/// What can be sent back as a header.
fn is_event_id(id: &str) -> bool {
    let fits = id.len() <= EVENT_ID_CHARACTERS && id.trim() == id;
    !id.is_empty() && fits && id.bytes().all(|b| (0x20..0x7f).contains(&b))
}

fn pause(retry_ms: Option<u32>, tries: u32) -> u32 {
    let doubled = RESUME_MS.saturating_mul(1 << tries.min(16));
    retry_ms
        .unwrap_or(doubled)
        .max(if tries > 0 {
            RESUME_MS
        } else {
            RESUME_LEAST_MS
        })
        .min(RESUME_AT_MOST_MS)
}
