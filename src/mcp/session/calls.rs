//! Calls: from `request` to `settled`.

use super::input::{Gathering, Needed};
use super::{Phase, Session};
use crate::error::CoreError;
use crate::mcp::effect::{Effect, Era, Level, Outcome};
use crate::mcp::message::{self, Fields};
use crate::mcp::tool::words;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// A call that waits for its answer. The open calls are found by the id on the wire.
#[derive(Debug)]
pub(super) struct Call {
    /// The id that the caller knows; the first one on the wire.
    pub(super) caller: u32,
    /// What was asked, to ask again when a modern server wants more input first.
    pub(super) asked: Option<Asked>,
    /// It failed, and the user is asked to do what it needs.
    pub(super) needed: Option<Needed>,
}

#[derive(Debug)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) params: String,
    pub(super) rounds: usize,
    /// What it wants first, while that is being gathered.
    pub(super) gathering: Option<Gathering>,
}

/// Whether the time of calls stands still from now on, or goes on.
#[derive(Clone, Copy)]
pub(super) enum Pause {
    Begin,
    End,
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
            gathering: None,
        });
        let call = Call {
            caller: id,
            asked,
            needed: None,
        };
        self.calls.insert(id, call);
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
            // One that waits for the user is no request of the server's any more.
            if !self.gathers(wire) {
                self.tell_cancelled(wire, "cancelled by the user");
            }
            self.settle(wire, Outcome::Cancelled);
        }
        self.take()
    }

    /// The id on the wire of the open call that the caller knows as `id`.
    pub(super) fn wire(&self, id: u32) -> Option<u32> {
        let same = self.calls.get(id).filter(|call| call.caller == id);
        if same.is_some() {
            return Some(id);
        }
        let found = self.calls.iter().find(|(_, call)| call.caller == id);
        found.map(|(wire, _)| wire)
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
        if let Some(Call { caller: id, .. }) = self.calls.remove(wire) {
            self.made.push(Effect::Settled { id, outcome });
            self.call_ended(wire);
        }
    }

    /// Stops the time of the open calls while the user is asked, and begins it anew after that.
    pub(super) fn pause(&mut self, pause: Pause) {
        let [ms, at_most_ms] = self.call_limits();
        let callers: Vec<u32> = self.calls.iter().map(|(_, call)| call.caller).collect();
        for id in callers {
            match pause {
                Pause::Begin => self.made.push(Effect::StopWaiting { id }),
                Pause::End => self.wait(id, ms, at_most_ms),
            }
        }
    }

    /// Ends every open call.
    pub(super) fn settle_all(&mut self, outcome: &Outcome) {
        for wire in self.calls.ids() {
            self.settle(wire, outcome.clone());
        }
    }

    /// Over HTTP a server of the modern era is told by the end of the connection.
    pub(super) fn tell_cancelled(&mut self, id: u32, reason: &str) {
        self.abandon(id);
        if self.http.is_some() && matches!(self.phase, Phase::Ready(Era::Modern)) {
            return;
        }
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
        if self.needs_addresses(id, &error) {
            return;
        }
        self.settle(
            id,
            Outcome::Error {
                code: error.code,
                message: error.message,
                data: error.data,
            },
        );
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
        if self.asks.is_empty() {
            let limits = self.numbers;
            self.wait(id, limits.call_ms, limits.call_at_most_ms);
        }
        let number = |key| serde_json::from_str::<f64>(fields.get(key)?).ok();
        let said = serde_json::from_str::<String>(fields.get("message").unwrap_or_default());
        self.made.push(Effect::Progress {
            id,
            progress: number("progress").unwrap_or(0.0),
            total: number("total"),
            message: words(&said.unwrap_or_default()),
        });
    }
}
