//! What a server asks and tells of its own accord.

use super::roots::RootsDeclared;
use super::{METHOD_NOT_FOUND, Phase, Session, Step, Want};
use crate::limits::MAX_METHODS;
use crate::mcp::effect::{Effect, Era, Level, Outcome, Speaker};
use crate::mcp::framing::Span;
use crate::mcp::message::{self, Fields};
use crate::mcp::tool::words;

impl Session {
    /// Answers the server's own requests: `ping`, `roots/list` when roots were declared, and no
    /// others.
    pub(super) fn peer_request(&mut self, id: &str, method: &str) {
        if matches!(self.phase, Phase::Ready(Era::Modern)) {
            self.log(
                Level::Warn,
                format!("Ignored a request of the server: {}.", words(method)),
            );
            return;
        }
        let line = match method {
            "ping" => message::result_line(id, "{}"),
            "roots/list" if self.declared != RootsDeclared::No => {
                message::result_line(id, &self.roots_result())
            }
            _ => {
                self.log(
                    Level::Info,
                    format!("Declined the server's request {}.", words(method)),
                );
                let text = format!("Method not found: {method}");
                message::error_line(id, METHOD_NOT_FOUND, &text)
            }
        };
        self.made.push(Effect::Send { line });
    }

    /// A notification whose method came before and is nothing to the session: what a busy server
    /// sends by the thousand.
    pub(super) fn known_notification(&self) -> Option<Step> {
        let envelope = self.scanner.envelope();
        let params = envelope.params.filter(|_| !envelope.has_id())?;
        let [b'"', method @ .., b'"'] = envelope.method()? else {
            return None;
        };
        // A known name has no backslash, so these bytes are not another name, escaped.
        let known = |name: &String| name.as_bytes() == method;
        let method = u32::try_from(self.methods.iter().position(known)?).ok()?;
        Some(Step::Notified { method, params })
    }

    pub(super) fn notified(&mut self, method: String, params: Option<Span>) -> Option<Step> {
        match (method.as_str(), params) {
            ("notifications/tools/list_changed", _) => {
                self.tools_changed();
                (!self.made.is_empty()).then_some(Step::Made)
            }
            ("notifications/progress", Some(params)) => self.wanted(Want::Progress, params),
            ("notifications/message", Some(params)) => self.wanted(Want::ServerLog, params),
            // About a request of the server's; all but questions are answered at once.
            ("notifications/cancelled", Some(params)) if !self.asks.is_empty() => {
                self.wanted(Want::ServerCancelled, params)
            }
            ("notifications/cancelled", _) => None,
            (_, Some(params)) => match self.method_number(&method) {
                Some(method) => Some(Step::Notified { method, params }),
                None => self.wanted(Want::Notification { method }, params),
            },
            (_, None) => {
                let params = "{}".to_owned();
                self.made.push(Effect::Notification { method, params });
                Some(Step::Made)
            }
        }
    }

    /// The number of a method, while there are not too many of them.
    fn method_number(&mut self, method: &str) -> Option<u32> {
        let known = self.methods.iter().position(|known| known == method);
        let room = self.methods.len() < MAX_METHODS && !method.contains('\\');
        let at = known.or_else(|| {
            room.then(|| {
                self.methods.push(method.to_owned());
                self.methods.len() - 1
            })
        })?;
        u32::try_from(at).ok()
    }

    pub(super) fn log_noise(&mut self, text: &str) {
        let line = words(text);
        if line.to_ascii_lowercase().starts_with("content-length:") {
            self.content_length = true;
        }
        if !line.is_empty() {
            self.made.push(Effect::Log {
                level: Level::Info,
                speaker: Speaker::Stdout,
                text: line,
            });
        }
    }

    pub(super) fn server_log(&mut self, text: &str) {
        let Ok(fields) = serde_json::from_str::<Fields<'_>>(text) else {
            return self.log_noise(text);
        };
        let level = match fields.get("level") {
            Some("\"warning\"") => Level::Warn,
            Some("\"error\"" | "\"critical\"" | "\"alert\"" | "\"emergency\"") => Level::Error,
            _ => Level::Info,
        };
        let data = fields.get("data").unwrap_or_default();
        let data = serde_json::from_str::<String>(data).unwrap_or_else(|_| data.to_owned());
        self.made.push(Effect::Log {
            level,
            speaker: Speaker::Server,
            text: words(&data),
        });
    }

    /// What the server sent is over the limit, and was dropped.
    pub(super) fn too_long(&mut self) {
        let bytes = self.numbers.max_message_bytes;
        match message::answered_id(self.scanner.envelope()) {
            Some(id) if self.calls.contains(id) => {
                self.settle(id, Outcome::TooLong { bytes });
            }
            Some(id) if self.listing.as_ref().is_some_and(|(open, _)| *open == id) => {
                self.list_failed(&format!("The list of tools is over {bytes} bytes."));
            }
            _ => self.log(
                Level::Error,
                format!("A message over {bytes} bytes was dropped."),
            ),
        }
    }

    pub(super) fn log(&mut self, level: Level, text: String) {
        self.made.push(Effect::Log {
            level,
            speaker: Speaker::Session,
            text: words(&text),
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::mcp::effect::{Effect, Era, Level, SessionOptions};
    use crate::mcp::feed::Feed;
    use crate::mcp::session::Session;

    #[test]
    fn a_servers_log_has_its_level() {
        let options = SessionOptions {
            client_info: serde_json::from_str(r#"{"name":"c","version":"1"}"#).unwrap(),
            capabilities: String::new(),
            limits: serde_json::from_str("{}").unwrap(),
            roots: Vec::new(),
            elicitation: false,
            era: Some(Era::Legacy),
            http: None,
        };
        let mut feed = Feed::new(Session::new(options).unwrap());
        feed.session.start().unwrap();
        let mut check = |written: &str, expected: Level| {
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"level\":\"{written}\",\"data\":\"x\"}}}}\n"
            );
            let levels: Vec<Level> = feed
                .bytes(line.as_bytes())
                .into_iter()
                .filter_map(|effect| match effect {
                    Effect::Log { level, .. } => Some(level),
                    _ => None,
                })
                .collect();
            assert_eq!(levels, [expected], "{written}");
        };
        for level in ["debug", "info", "notice", "other"] {
            check(level, Level::Info);
        }
        check("warning", Level::Warn);
        for level in ["error", "critical", "alert", "emergency"] {
            check(level, Level::Error);
        }
    }
}
