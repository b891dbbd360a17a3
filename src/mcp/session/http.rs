//! Over HTTP: what is sent becomes an exchange.
//!
//! A message of ours is a POST of its own. What may not go out yet is held: everything until
//! `initialized` was taken, while a session that got lost is begun anew, and while the older
//! transport has not said where to post; calls also until the server's own stream is open.

use super::{MODERN_VERSION, Phase, Session};
use crate::limits::{NOTICE_MS, REFUSAL_CHARACTERS};
use crate::mcp::by_id::ById;
use crate::mcp::effect::{Effect, Era};
use crate::mcp::http::{HttpBody, HttpHeader, HttpMethod, HttpOptions};
use crate::mcp::message::{self, Fields};
use crate::mcp::mirror::{self, Mirrored, header_value};
use crate::mcp::tool::{Page, short};
use crate::text::one_line;
use std::collections::{BTreeMap, VecDeque};

/// What is known of a server over HTTP.
#[derive(Debug, Default)]
pub(super) struct Http {
    /// The older transport: one stream for all that the server says.
    pub(super) old: bool,
    /// The older transport is tried because the server refused the newer one, so.
    pub(super) fell_back: Option<u16>,
    /// Where it said that messages go, or moved to.
    pub(super) place: Option<String>,
    /// The older transport said where messages go.
    pub(super) has_endpoint: bool,
    /// Its name for this session.
    pub(super) session_id: Option<String>,
    /// The version agreed on by a handshake.
    pub(super) version: Option<String>,
    pub(super) exchanges: ById<Exchange>,
    /// What waits to be sent, in its order.
    pub(super) held: Vec<Exchange>,
    /// What wants no answer and waits until fewer of its kind are under way, in its order.
    pub(super) behind: VecDeque<Exchange>,
    /// Something was left out there, and the log says so.
    pub(super) left_out: bool,
    /// The exchange of `initialized`, until it was taken.
    pub(super) greeting: Option<u32>,
    /// The server's own stream, until it is open or is known not to be.
    pub(super) opening: Opening,
    /// The `initialize` that begins a lost session anew.
    pub(super) renewing: Option<u32>,
    /// Streams to be opened again when their timer fires.
    pub(super) resting: ById<Exchange>,
    /// Times in a row that the subscription ended; its next one waits for this timer.
    pub(super) subscribe_again: Option<u32>,
    pub(super) subscribed: u32,
    /// Calls whose headers were not what the server wants, until the list says what it wants now.
    pub(super) mismatched: Vec<Exchange>,
    /// Arguments that go into headers too, by tool.
    mirrored: BTreeMap<String, Vec<Mirrored>>,
}

impl Http {
    pub(super) fn new(options: HttpOptions) -> Self {
        Self {
            old: options.sse,
            ..Self::default()
        }
    }
}

/// The number under which something open asks for the answer to `id`.
fn asking(open: &ById<Exchange>, id: u32) -> Option<u32> {
    let asks = |exchange: &Exchange| exchange.purpose == Purpose::Request { id };
    let found = open.iter().find(|(_, exchange)| asks(exchange));
    found.map(|(number, _)| number)
}

/// How the server's own stream stands, of a server that has one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Opening {
    /// Calls wait for none.
    #[default]
    Done,
    /// It is asked for next.
    Next,
    /// This exchange asks for it.
    Asked(u32),
}

/// What an exchange is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Purpose {
    /// A message that wants an answer.
    Request { id: u32 },
    /// A message that wants none.
    Told,
    /// The one that ends the handshake.
    Greeting,
    /// The stream on which a server of the older era speaks of its own accord.
    Listen,
    /// The stream of the older transport.
    Stream,
    /// The end of the session.
    Farewell,
}

#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub(super) purpose: Purpose,
    /// What is sent; empty for a stream.
    pub(super) line: String,
    /// Where it went, where that is not the server's own address.
    pub(super) url: Option<String>,
    /// The session it was sent in.
    pub(super) under: Option<String>,
    /// The status of its response.
    pub(super) status: u16,
    /// Its body is a stream of events.
    pub(super) streams: bool,
    /// Redirections it followed.
    pub(super) hops: u32,
    /// It was sent again after the session was lost.
    pub(super) again: bool,
    /// The last event that had an id.
    pub(super) last_event: Option<String>,
    /// Times in a row that it was taken up without an event.
    pub(super) tries: u32,
}

impl Exchange {
    pub(super) fn new(purpose: Purpose, line: String) -> Self {
        Self {
            purpose,
            line,
            url: None,
            under: None,
            status: 0,
            streams: false,
            hops: 0,
            again: false,
            last_event: None,
            tries: 0,
        }
    }
}

/// What of a line of ours decides how it is sent.
struct Sent<'a> {
    id: Option<u32>,
    method: String,
    params: &'a str,
}

impl<'a> Sent<'a> {
    fn read(line: &'a str) -> Self {
        let fields: Fields<'a> = serde_json::from_str(line).unwrap_or(Fields(Vec::new()));
        let text = |key: &str| {
            let (_, value) = fields.0.iter().rev().find(|(name, _)| name == key)?;
            Some(value.get())
        };
        let method = text("method").and_then(|json| serde_json::from_str(json).ok());
        Self {
            // An answer has an id as well, but no method.
            id: method
                .as_ref()
                .and(text("id"))
                .and_then(|id| id.parse().ok()),
            method: method.unwrap_or_default(),
            params: text("params").unwrap_or("{}"),
        }
    }
}

impl Session {
    /// It is spoken to over HTTP.
    pub fn over_http(&self) -> bool {
        self.http.is_some()
    }

    pub(super) fn renewing(&self) -> Option<u32> {
        self.http.as_ref().and_then(|http| http.renewing)
    }

    pub(super) fn by_old_stream(&self) -> bool {
        self.http.as_ref().is_some_and(|http| http.old)
    }

    pub(super) fn modern_over_http(&self) -> bool {
        self.http.is_some() && matches!(self.phase, Phase::Ready(Era::Modern))
    }

    /// Sends a line of ours, or holds it.
    pub(super) fn post(&mut self, line: String) {
        let sent = Sent::read(&line);
        let purpose = match sent.id {
            Some(id) => Purpose::Request { id },
            None if sent.method == "notifications/initialized" => Purpose::Greeting,
            None => Purpose::Told,
        };
        let begins = matches!(sent.method.as_str(), "initialize" | "server/discover");
        self.send_or_hold(Exchange::new(purpose, line), begins);
    }

    pub(super) fn send_or_hold(&mut self, exchange: Exchange, begins: bool) {
        let Some(http) = &mut self.http else {
            return;
        };
        let greets = exchange.purpose == Purpose::Greeting;
        let waits = http.greeting.is_some() || http.renewing.is_some();
        let asks_early = http.opening != Opening::Done
            && matches!(exchange.purpose, Purpose::Request { id } if self.calls.contains(id));
        if http.old && !http.has_endpoint {
            http.held.push(exchange);
            let streams = |(_, exchange): (u32, &Exchange)| exchange.purpose == Purpose::Stream;
            if !http.exchanges.iter().any(streams) {
                self.open(Exchange::new(Purpose::Stream, String::new()));
            }
        } else if waits && !begins && !greets || asks_early {
            http.held.push(exchange);
        } else {
            self.open_or_wait(exchange);
        }
    }

    /// Begins an exchange.
    pub(super) fn open(&mut self, mut exchange: Exchange) {
        let number = self.fresh_id();
        let headers = self.headers(&exchange);
        let Some(http) = &mut self.http else {
            return;
        };
        exchange.under.clone_from(&http.session_id);
        exchange.streams = false;
        let method = match exchange.purpose {
            Purpose::Request { .. } if exchange.last_event.is_some() => HttpMethod::Get,
            Purpose::Listen | Purpose::Stream => HttpMethod::Get,
            Purpose::Farewell => HttpMethod::Delete,
            Purpose::Request { .. } | Purpose::Told | Purpose::Greeting => HttpMethod::Post,
        };
        if exchange.url.is_none() && exchange.purpose != Purpose::Stream {
            exchange.url.clone_from(&http.place);
        }
        let body = match method {
            HttpMethod::Post => exchange.line.trim_end().to_owned(),
            HttpMethod::Get | HttpMethod::Delete => String::new(),
        };
        let url = exchange.url.clone();
        match exchange.purpose {
            Purpose::Greeting => http.greeting = Some(number),
            Purpose::Listen if http.opening == Opening::Next => {
                http.opening = Opening::Asked(number);
            }
            _ => {}
        }
        let timed = matches!(exchange.purpose, Purpose::Greeting | Purpose::Told);
        http.exchanges.insert(number, exchange);
        self.made.push(Effect::Open {
            exchange: number,
            method,
            url,
            headers,
            body,
        });
        if timed {
            self.wait(number, NOTICE_MS, NOTICE_MS);
        }
    }

    fn headers(&self, exchange: &Exchange) -> Vec<HttpHeader> {
        let mut headers = Vec::new();
        let mut add = |name: &str, value: &str| {
            headers.push(HttpHeader {
                name: name.to_owned(),
                value: value.to_owned(),
            });
        };
        let Some(http) = &self.http else {
            return headers;
        };
        let resumes = exchange.last_event.is_some();
        match exchange.purpose {
            Purpose::Request { .. } | Purpose::Told | Purpose::Greeting if !resumes => {
                add("Content-Type", "application/json");
                add("Accept", "application/json, text/event-stream");
            }
            Purpose::Farewell => {}
            _ => add("Accept", "text/event-stream"),
        }
        let sent = Sent::read(&exchange.line);
        let modern = matches!(self.phase, Phase::Ready(Era::Modern));
        if modern || sent.method == "server/discover" {
            add("MCP-Protocol-Version", MODERN_VERSION);
            if sent.method.is_empty() {
                return headers;
            }
            add("Mcp-Method", &header_value(&sent.method));
            headers.extend(self.named(&sent));
            return headers;
        }
        if sent.method == "initialize" {
            return headers;
        }
        if let Some(version) = &http.version {
            add("MCP-Protocol-Version", version);
        }
        if let Some(id) = &http.session_id {
            add("Mcp-Session-Id", id);
        }
        if let Some(id) = &exchange.last_event {
            add("Last-Event-ID", id);
        }
        headers
    }

    /// What a request of the modern era is about, and the arguments that are mirrored.
    fn named(&self, sent: &Sent<'_>) -> Vec<HttpHeader> {
        let key = match sent.method.as_str() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
            _ => return Vec::new(),
        };
        let Ok(params) = serde_json::from_str::<Fields<'_>>(sent.params) else {
            return Vec::new();
        };
        let name = params
            .get(key)
            .and_then(|json| serde_json::from_str::<String>(json).ok());
        let Some(name) = name else {
            return Vec::new();
        };
        let mut headers = vec![HttpHeader {
            name: "Mcp-Name".to_owned(),
            value: header_value(&name),
        }];
        let mirrored = self.http.as_ref().and_then(|http| http.mirrored.get(&name));
        if let Some(mirrored) = mirrored.filter(|_| sent.method == "tools/call") {
            let arguments = params.get("arguments").unwrap_or("{}");
            headers.extend(mirror::headers(mirrored, arguments));
        }
        headers
    }

    /// Notes which arguments of a page's tools are mirrored, and leaves out tools that cannot be called.
    pub(super) fn keep_mirrored(&mut self, page: &mut Page) {
        if !self.modern_over_http() {
            return;
        }
        let Some(http) = &mut self.http else {
            return;
        };
        let Page {
            tools, problems, ..
        } = page;
        tools.retain(|tool| match mirror::mirrored(&tool.input_schema) {
            Ok(mirrored) => {
                http.mirrored.insert(tool.name.clone(), mirrored);
                true
            }
            Err(what) => {
                let name = short(&tool.name);
                problems.push(format!(
                    "The tool {name} is left out: its input schema {what}."
                ));
                false
            }
        });
    }

    /// Gives up the exchange that asks for the answer to `id`.
    pub(super) fn abandon(&mut self, id: u32) {
        let Some(http) = &mut self.http else {
            return;
        };
        let asks = |exchange: &Exchange| exchange.purpose == Purpose::Request { id };
        http.held.retain(|exchange| !asks(exchange));
        http.mismatched.retain(|exchange| !asks(exchange));
        if let Some(timer) = asking(&http.resting, id) {
            http.resting.remove(timer);
            self.made.push(Effect::StopWaiting { id: timer });
        }
        if let Some(number) = asking(&http.exchanges, id) {
            http.exchanges.remove(number);
            self.made.push(Effect::Abort { exchange: number });
        }
    }

    /// The request of this exchange has its answer, or it asked for none.
    pub fn has_answer(&self, exchange: u32) -> bool {
        let Some(http) = &self.http else {
            return true;
        };
        match http
            .exchanges
            .get(exchange)
            .map(|exchange| exchange.purpose)
        {
            Some(Purpose::Request { id }) => !self.is_open(id),
            Some(Purpose::Listen | Purpose::Stream) => false,
            Some(Purpose::Told | Purpose::Greeting | Purpose::Farewell) | None => true,
        }
    }

    /// Does anybody wait for the answer to this request?
    pub(super) fn is_open(&self, id: u32) -> bool {
        let starts = match &self.phase {
            Phase::Starting(handshake) => {
                [handshake.discover, handshake.initialize].contains(&Some(id))
            }
            Phase::New | Phase::Ready(_) | Phase::Over => false,
        };
        starts
            // One for which the user is asked had its answer, and is asked anew later.
            || self.calls.contains(id) && !self.gathers(id)
            || self.listing.as_ref().is_some_and(|(open, _)| *open == id)
            || self.subscription == Some(id)
            || self.renewing() == Some(id)
    }

    pub(super) fn read(&mut self, exchange: u32, body: HttpBody) {
        self.made.push(Effect::Read { exchange, body });
    }

    /// The version that a handshake came to.
    pub(super) fn agreed(&mut self, version: String) {
        if let Some(http) = &mut self.http {
            http.version = Some(version);
        }
    }
}

/// A server's words about a refusal: the message of an error, the beginning of a text, nothing of a
/// page.
pub(super) fn words(text: &str) -> String {
    let said = match serde_json::from_str::<Fields<'_>>(text) {
        Ok(fields) => {
            let inner = fields.get("error").unwrap_or(text);
            let error = message::peer_error(inner);
            let plain = |key| serde_json::from_str::<String>(fields.get(key)?).ok();
            if error.message.is_empty() {
                plain("error_description")
                    .or_else(|| plain("detail"))
                    .unwrap_or_default()
            } else {
                error.message
            }
        }
        Err(_) if text.trim_start().starts_with('<') => String::new(),
        Err(_) => text.to_owned(),
    };
    one_line(&said).chars().take(REFUSAL_CHARACTERS).collect()
}
