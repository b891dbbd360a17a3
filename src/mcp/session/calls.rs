//! Calls: from `request` to `settled`.

use super::{METHOD_NOT_FOUND, Phase, Session};
use crate::error::CoreError;
use crate::limits::MAX_INPUT_ROUNDS;
use crate::mcp::effect::{Effect, Era, Level, Outcome};
use crate::mcp::message::{self, Fields};
use crate::mcp::tool::short;
use crate::text::one_line;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// A call that waits for its answer. The open calls are found by the id on the wire.
#[derive(Debug)]
pub(super) struct Call {
    /// The id that the caller knows; the first one on the wire.
    caller: u32,
    /// What was asked, to ask again when a modern server wants more input first.
    asked: Option<Asked>,
}

#[derive(Debug)]
struct Asked {
    method: String,
    params: String,
    rounds: usize,
}

/// A call that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Requested {
    /// Its id, which `settled` and `progress` will name.
    pub id: u32,
    /// What to do.
    pub effects: Vec<Effect>,
}

impl Session {
    /// Sends a request. `params` is the JSON text of an object; empty text counts as `{}`. Its
    /// progress is asked for.
    pub fn request(&mut self, method: &str, params: &str) -> Result<Requested, CoreError> {
        let (id, line) = self.ask(method, params)?;
        self.made.push(Effect::Send { line });
        let [ms, at_most_ms] = self.call_limits();
        self.wait(id, ms, at_most_ms);
        let effects = self.take();
        Ok(Requested { id, effects })
    }

    /// The hot half of [`Self::request`]: the id of a request that is open from now on, and its line,
    /// to be sent. Who calls this keeps time by [`Self::call_limits`].
    pub fn ask(&mut self, method: &str, params: &str) -> Result<(u32, String), CoreError> {
        let era = self.era()?;
        let id = self.next_id;
        let params = match (era, message::with_token(params, id)) {
            (Era::Legacy, Some(params)) => params,
            (Era::Legacy, None) | (Era::Modern, _) => self.with_meta(era, params, Some(id))?,
        };
        self.fresh_id();
        let line = message::request_line(id, method, &params);
        let asked = (era == Era::Modern).then(|| Asked {
            method: method.to_owned(),
            params,
            rounds: 0,
        });
        self.calls.insert(id, Call { caller: id, asked });
        Ok((id, line))
    }

    /// Milliseconds that a call may take, and those that progress may extend it to.
    pub fn call_limits(&self) -> [u32; 2] {
        [self.numbers.call_ms, self.numbers.call_at_most_ms]
    }

    /// Sends a notification. `params` is the JSON text of an object, or empty.
    pub fn notify(&mut self, method: &str, params: &str) -> Result<Vec<Effect>, CoreError> {
        let era = self.era()?;
        let params = if params.trim().is_empty() && era == Era::Legacy {
            String::new()
        } else {
            self.with_meta(era, params, None)?
        };
        self.made.push(Effect::Send {
            line: message::notification_line(method, &params),
        });
        Ok(self.take())
    }

    /// Gives up a call; the server is told. Nothing happens when it is over already.
    pub fn cancel(&mut self, id: u32) -> Vec<Effect> {
        if let Some(wire) = self.wire(id) {
            self.tell_cancelled(wire, "cancelled by the user");
            self.settle(wire, Outcome::Cancelled);
        }
        self.take()
    }

    /// The id on the wire of the open call that the caller knows as `id`.
    pub(super) fn wire(&self, id: u32) -> Option<u32> {
        let same = self.calls.get(&id).filter(|call| call.caller == id);
        if same.is_some() {
            return Some(id);
        }
        let found = self.calls.iter().find(|(_, call)| call.caller == id);
        found.map(|(wire, _)| *wire)
    }

    fn era(&self) -> Result<Era, CoreError> {
        match self.phase {
            Phase::Ready(era) => Ok(era),
            Phase::New | Phase::Starting(_) => Err(CoreError::new(
                "NOT_READY",
                "the server is not ready: wait for the effect \"ready\"",
            )),
            Phase::Over => Err(CoreError::new("SESSION_OVER", "the session is over")),
        }
    }

    /// `params` with what `_meta` must hold: the token by which progress is told, and in the modern
    /// era who asks.
    pub(super) fn with_meta(
        &self,
        era: Era,
        params: &str,
        token: Option<u32>,
    ) -> Result<String, CoreError> {
        let mut failed = None;
        let text = message::with_members(params, |members| {
            let given = members.iter().rposition(|(key, _)| key == "_meta");
            let given = given.map(|at| members.remove(at).1);
            let mut own = Vec::new();
            let parsed = message::with_members(given.as_deref().unwrap_or(""), |meta| {
                own.clone_from(meta);
            });
            if let Err(error) = parsed {
                failed = Some(error);
            }
            own.retain(|(key, _)| key != "progressToken");
            if let Some(id) = token {
                own.push(("progressToken".to_owned(), id.to_string()));
            }
            let meta = match era {
                Era::Modern => self.modern_meta(&own),
                Era::Legacy => message::object(&own),
            };
            if era == Era::Modern || !own.is_empty() {
                members.push(("_meta".to_owned(), meta));
            }
        })?;
        failed.map_or(Ok(text), Err)
    }

    /// Ends the call whose id on the wire is `wire`.
    pub(super) fn settle(&mut self, wire: u32, outcome: Outcome) {
        if let Some(Call { caller: id, .. }) = self.calls.remove(&wire) {
            self.made.push(Effect::Settled { id, outcome });
        }
    }

    /// Ends every open call.
    pub(super) fn settle_all(&mut self, outcome: &Outcome) {
        let open: Vec<u32> = self.calls.keys().copied().collect();
        for wire in open {
            self.settle(wire, outcome.clone());
        }
    }

    pub(super) fn tell_cancelled(&mut self, id: u32, reason: &str) {
        let params = message::object(&[
            ("requestId".to_owned(), id.to_string()),
            ("reason".to_owned(), message::quote(reason)),
        ]);
        self.made.push(Effect::Send {
            line: message::notification_line("notifications/cancelled", &params),
        });
    }

    pub(super) fn call_expired(&mut self, wire: u32) {
        let ms = self.numbers.call_ms;
        self.tell_cancelled(wire, "timed out");
        self.settle(wire, Outcome::TimedOut { ms });
    }

    pub(super) fn call_failed(&mut self, id: u32, text: &str) {
        let error = message::peer_error(text);
        self.settle(
            id,
            Outcome::Error {
                code: error.code,
                message: error.message,
                data: error.data,
            },
        );
    }

    /// A modern server answered: with its result, or with what it wants to know first.
    pub(super) fn call_answered(&mut self, wire: u32, text: &str) {
        let fields = serde_json::from_str::<Fields<'_>>(text).unwrap_or(Fields(Vec::new()));
        if fields.get("resultType") != Some("\"input_required\"") {
            let text = text.to_owned();
            return self.settle(wire, Outcome::Result { text });
        }
        match self.input(wire, &fields) {
            Ok((method, params)) => {
                let id = self.fresh_id();
                if let Some(call) = self.calls.remove(&wire) {
                    self.calls.insert(id, call);
                }
                self.made.push(Effect::Send {
                    line: message::request_line(id, &method, &params),
                });
            }
            Err(message) => self.settle(
                wire,
                Outcome::Error {
                    code: METHOD_NOT_FOUND,
                    message,
                    data: None,
                },
            ),
        }
    }

    /// The request again, with what the server wants to know; or why that cannot be given.
    fn input(&mut self, wire: u32, fields: &Fields<'_>) -> Result<(String, String), String> {
        let roots = (!self.options.roots.is_empty()).then(|| self.roots_result());
        let asked = self.calls.get_mut(&wire).and_then(|c| c.asked.as_mut());
        let asked = asked.ok_or("The server asked for input to a call that is over.")?;
        asked.rounds += 1;
        if asked.rounds > MAX_INPUT_ROUNDS {
            return Err(format!(
                "The server asked for input more than {MAX_INPUT_ROUNDS} times."
            ));
        }
        let requests = fields.get("inputRequests").unwrap_or("{}");
        let requests: Fields<'_> =
            serde_json::from_str(requests).map_err(|_| "The server's wish for input is broken.")?;
        let mut responses = Vec::new();
        for (key, request) in requests.0 {
            let request: Fields<'_> = serde_json::from_str(request.get())
                .map_err(|_| "The server's wish for input is broken.")?;
            let method: String = request
                .get("method")
                .and_then(|json| serde_json::from_str(json).ok())
                .unwrap_or_default();
            match &roots {
                Some(roots) if method == "roots/list" => responses.push((key, roots.clone())),
                _ => {
                    return Err(format!(
                        "The server asked for {} first, which this client does not offer.",
                        short(&method)
                    ));
                }
            }
        }
        let params = message::with_members(&asked.params, |members| {
            members.retain(|(key, _)| key != "inputResponses" && key != "requestState");
            members.push(("inputResponses".to_owned(), message::object(&responses)));
            if let Some(state) = fields.get("requestState") {
                members.push(("requestState".to_owned(), state.to_owned()));
            }
        });
        let params = params.map_err(|e| e.to_string())?;
        Ok((asked.method.clone(), params))
    }

    pub(super) fn progressed(&mut self, text: &str) {
        let Ok(fields) = serde_json::from_str::<Fields<'_>>(text) else {
            return self.log(Level::Warn, "Ignored progress that is not JSON.".to_owned());
        };
        let token = fields.get("progressToken").unwrap_or_default();
        let Ok(id) = token.trim_matches('"').parse::<u32>() else {
            return;
        };
        if self.wire(id).is_none() {
            return;
        }
        let limits = self.numbers;
        self.wait(id, limits.call_ms, limits.call_at_most_ms);
        let number = |key| serde_json::from_str::<f64>(fields.get(key)?).ok();
        let words = serde_json::from_str::<String>(fields.get("message").unwrap_or_default());
        self.made.push(Effect::Progress {
            id,
            progress: number("progress").unwrap_or(0.0),
            total: number("total"),
            message: one_line(&words.unwrap_or_default()),
        });
    }
}
