//! Questions of a server to the user, in both eras: from `asked` to the answer that is sent.
//!
//! Up to 2025-11-25 a question is a request of the server's own; from 2026-07-28 it is part of the
//! answer to a call, which is then repeated with what was answered. Either way a server asks only
//! while it works for us, the time of calls stands still meanwhile, and a question whose call is over
//! is withdrawn.

use super::calls::Pause;
use super::{Phase, Session};
use crate::error::CoreError;
use crate::limits::{MAX_ASKS_PER_CALL, MAX_OPEN_ASKS};
use crate::mcp::effect::{AskAction, Effect, Era, Level};
use crate::mcp::elicitation::{self, Elicitation};
use crate::mcp::message::{self, Fields};
use crate::text::one_line;
use serde_json::Value;

/// The method of a question.
pub(super) const ELICIT: &str = "elicitation/create";

/// JSON-RPC's code for parameters that cannot be used.
const INVALID_PARAMS: i64 = -32602;

/// What a server gets when nobody decided.
const PUT_AWAY: &str = "{\"action\":\"cancel\"}";

/// An open question.
#[derive(Debug)]
pub(super) struct Ask {
    id: u32,
    origin: Origin,
}

/// What waits for its answer.
#[derive(Debug)]
enum Origin {
    /// A request of the server, by its id as JSON text.
    Request(String),
    /// The call with this id on the wire, which wants it under this key.
    Call { wire: u32, key: String },
    /// The call with this id on the wire, which failed because this has to be done first.
    Needed { wire: u32 },
}

impl Session {
    /// A question of the older era may be read: where it is declared, from a server that is ready.
    pub(super) fn takes_asks(&self) -> bool {
        self.options.elicitation && matches!(self.phase, Phase::Ready(Era::Legacy))
    }

    /// The server asks by a request of its own.
    pub(super) fn asked(&mut self, request: String, params: &str) {
        if self.calls.is_empty() {
            return self.put_away(&request, "while nothing was asked of it");
        }
        if let Some(why) = self.too_many() {
            return self.put_away(&request, why);
        }
        match elicitation::read(params) {
            Ok(elicitation) => self.open_ask(Origin::Request(request), elicitation),
            Err(why) => {
                self.log_refused(&why);
                let line = message::error_line(&request, INVALID_PARAMS, &why);
                self.made.push(Effect::Send { line });
            }
        }
    }

    /// Opens a question that is part of the answer to a call; or says why it is put away.
    pub(super) fn asked_by_call(
        &mut self,
        wire: u32,
        key: &str,
        elicitation: Elicitation,
    ) -> Result<(), &'static str> {
        if let Some(why) = self.too_many() {
            return Err(why);
        }
        let key = key.to_owned();
        self.open_ask(Origin::Call { wire, key }, elicitation);
        Ok(())
    }

    /// Opens a question that a call needs answered before it can be made at all.
    pub(super) fn asked_first(&mut self, wire: u32, elicitation: Elicitation) -> bool {
        let opens = self.too_many().is_none();
        if opens {
            self.open_ask(Origin::Needed { wire }, elicitation);
        }
        opens
    }

    fn too_many(&self) -> Option<&'static str> {
        if self.asks_of_calls >= MAX_ASKS_PER_CALL {
            Some("too often")
        } else if self.asks.len() >= MAX_OPEN_ASKS {
            Some("too much at once")
        } else {
            None
        }
    }

    pub(super) fn log_refused(&mut self, why: &str) {
        let text = format!("Refused a question to the user: {}", one_line(why));
        self.log(Level::Warn, text);
    }

    /// Says in the log that nobody was asked.
    pub(super) fn log_put_away(&mut self, why: &str) {
        let text = format!("Put a question to the user away: the server asked {why}.");
        self.log(Level::Warn, text);
    }

    fn put_away(&mut self, request: &str, why: &str) {
        self.log_put_away(why);
        let line = message::result_line(request, PUT_AWAY);
        self.made.push(Effect::Send { line });
    }

    fn open_ask(&mut self, origin: Origin, elicitation: Elicitation) {
        self.asks_of_calls += 1;
        if self.asks.is_empty() {
            self.pause(Pause::Begin);
        }
        let id = self.fresh_id();
        let call = match &origin {
            Origin::Request(_) => None,
            Origin::Call { wire, .. } | Origin::Needed { wire } => self.caller(*wire),
        };
        self.asks.push(Ask { id, origin });
        self.made.push(Effect::Asked {
            ask: id,
            call,
            elicitation,
        });
    }

    /// Answers a question. `content` is the JSON text of an object, for a form that was accepted;
    /// empty for none. Nothing happens when the question is no longer open.
    pub fn answer(
        &mut self,
        ask: u32,
        action: AskAction,
        content: &str,
    ) -> Result<Vec<Effect>, CoreError> {
        let sent = answer_text(action, content)?;
        if let Some(at) = self.asks.iter().position(|open| open.id == ask) {
            let Ask { origin, .. } = self.asks.remove(at);
            match origin {
                Origin::Request(id) => self.made.push(Effect::Send {
                    line: message::result_line(&id, &sent),
                }),
                Origin::Call { wire, key } => self.input_given(wire, &key, sent),
                Origin::Needed { wire } => self.done_first(wire, action),
            }
            self.asked_less();
        }
        Ok(self.take())
    }

    /// The time of calls goes on when no question is open.
    fn asked_less(&mut self) {
        if self.asks.is_empty() {
            self.pause(Pause::End);
        }
    }

    /// The server no longer waits for one of its requests.
    pub(super) fn server_cancelled(&mut self, text: &str) {
        let Ok(fields) = serde_json::from_str::<Fields<'_>>(text) else {
            return;
        };
        let value = |json: &str| serde_json::from_str::<Value>(json).ok();
        let Some(cancelled) = fields.get("requestId").and_then(value) else {
            return;
        };
        let is = |ask: &Ask| match &ask.origin {
            Origin::Request(id) => value(id).as_ref() == Some(&cancelled),
            Origin::Call { .. } | Origin::Needed { .. } => false,
        };
        if let Some(at) = self.asks.iter().position(is) {
            let Ask { id, .. } = self.asks.remove(at);
            self.made.push(Effect::Withdrawn { ask: id });
            self.asked_less();
        }
    }

    /// Withdraws the questions that a call which ended had asked; with the last call all of them.
    pub(super) fn call_ended(&mut self, wire: u32) {
        let over = self.calls.is_empty();
        if over {
            self.asks_of_calls = 0;
        }
        if self.asks.is_empty() {
            return;
        }
        let (ended, open): (Vec<Ask>, Vec<Ask>) = std::mem::take(&mut self.asks)
            .into_iter()
            .partition(|ask| match ask.origin {
                Origin::Request(_) => over,
                Origin::Call { wire: its, .. } | Origin::Needed { wire: its } => its == wire,
            });
        self.asks = open;
        if ended.is_empty() {
            return;
        }
        let alive = !matches!(self.phase, Phase::Over);
        for Ask { id, origin } in ended {
            self.made.push(Effect::Withdrawn { ask: id });
            if let (Origin::Request(request), true) = (origin, alive) {
                let line = message::result_line(&request, PUT_AWAY);
                self.made.push(Effect::Send { line });
            }
        }
        self.asked_less();
    }
}

/// The answer to a question as JSON text.
fn answer_text(action: AskAction, content: &str) -> Result<String, CoreError> {
    let action = match action {
        AskAction::Accept if content.is_empty() => "accept",
        AskAction::Accept => {
            serde_json::from_str::<Fields<'_>>(content)
                .map_err(|e| CoreError::invalid_argument("contentJson", e))?;
            return Ok(format!("{{\"action\":\"accept\",\"content\":{content}}}"));
        }
        AskAction::Decline => "decline",
        AskAction::Cancel => "cancel",
    };
    Ok(format!("{{\"action\":\"{action}\"}}"))
}
