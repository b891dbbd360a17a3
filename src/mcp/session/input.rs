//! What a modern server wants to know before it answers a call: gathered, then the call is repeated.

use super::asks::ELICIT;
use super::roots::RootsDeclared;
use super::{METHOD_NOT_FOUND, Session};
use crate::limits::MAX_INPUT_ROUNDS;
use crate::mcp::effect::{AskAction, Effect, Outcome};
use crate::mcp::elicitation::{self, Elicitation, Wish};
use crate::mcp::message::{self, Fields, PeerError};
use crate::mcp::tool::short;
use serde_json::value::RawValue;

/// Input that is being gathered for one call.
#[derive(Debug)]
pub(super) struct Gathering {
    /// In the server's order; none where the user was not heard yet. Values are JSON text.
    responses: Vec<(String, Option<String>)>,
    /// Sent back as it came, where it came.
    state: Option<String>,
}

/// JSON-RPC's code for a call that cannot be made before the user was at an address.
const ADDRESS_REQUIRED: i64 = -32042;

/// A call of the older era that failed with what the user has to do first.
#[derive(Debug)]
pub(super) struct Needed {
    /// Questions that are not answered yet.
    open: usize,
    /// The user did not want to.
    declined: bool,
    error: PeerError,
}

/// One thing that a server wants first.
enum Input {
    /// Known at once, as JSON text.
    Known(String),
    /// The user must be asked.
    Question(Elicitation),
}

impl Session {
    /// A modern server answered: with its result, or with what it wants to know first. Of a server of
    /// the older era it is always its result.
    pub(super) fn call_answered(&mut self, wire: u32, text: &str) {
        if self.gathers(wire) {
            return self.log_repeated(wire);
        }
        let fields = serde_json::from_str::<Fields<'_>>(text).unwrap_or(Fields(Vec::new()));
        let repeats = self.calls.get(wire).is_some_and(|c| c.asked.is_some());
        if !repeats || fields.get("resultType") != Some("\"input_required\"") {
            let text = text.to_owned();
            return self.settle(wire, Outcome::Result { text });
        }
        match self.inputs(wire, &fields) {
            Ok(inputs) => self.gather(wire, inputs, fields.get("requestState")),
            Err(message) => self.input_refused(wire, message),
        }
    }

    /// The user is being asked for this call, so it is not open on the wire.
    pub(super) fn gathers(&self, wire: u32) -> bool {
        self.calls.get(wire).is_some_and(|call| {
            let asked = call.asked.as_ref();
            call.needed.is_some() || asked.is_some_and(|asked| asked.gathering.is_some())
        })
    }

    /// Asks the user to go to the addresses that a failed call needs. False where it names none.
    pub(super) fn needs_addresses(&mut self, wire: u32, error: &PeerError) -> bool {
        if error.code != ADDRESS_REQUIRED || !self.takes_asks() || !self.calls.contains(wire) {
            return false;
        }
        let data = error.data.as_deref().unwrap_or("{}");
        let fields: Fields<'_> = serde_json::from_str(data).unwrap_or(Fields(Vec::new()));
        let listed = fields.get("elicitations").unwrap_or("[]");
        let listed: Vec<&RawValue> = serde_json::from_str(listed).unwrap_or_default();
        let mut open = 0;
        for params in listed {
            match elicitation::read(params.get()) {
                Ok(elicitation) if matches!(elicitation.wish, Wish::Address { .. }) => {
                    open += usize::from(self.asked_first(wire, elicitation));
                }
                Ok(_) => self.log_refused("only an address can be needed first."),
                Err(why) => self.log_refused(&why),
            }
        }
        if let Some(call) = self.calls.get_mut(wire).filter(|_| open > 0) {
            let (declined, error) = (false, error.clone());
            call.needed = Some(Needed {
                open,
                declined,
                error,
            });
        }
        open > 0
    }

    /// The user went to an address that a failed call needs, or did not. With the last one the call
    /// ends: what happens at the address does not pass through us, so it is not made again by itself.
    pub(super) fn done_first(&mut self, wire: u32, action: AskAction) {
        let needed = self.calls.get_mut(wire).and_then(|c| c.needed.as_mut());
        let Some(needed) = needed else {
            return;
        };
        needed.open -= 1;
        needed.declined |= action != AskAction::Accept;
        if needed.open > 0 {
            return;
        }
        let then = if needed.declined {
            "The user did not open what the server named."
        } else {
            "The user opened what the server named. Call it again when that is done."
        };
        let PeerError {
            code,
            message,
            data,
        } = needed.error.clone();
        let message = format!("{message} ({then})");
        let outcome = Outcome::Error {
            code,
            message,
            data,
        };
        self.settle(wire, outcome);
    }

    pub(super) fn caller(&self, wire: u32) -> Option<u32> {
        self.calls.get(wire).map(|call| call.caller)
    }

    fn input_refused(&mut self, wire: u32, message: String) {
        let outcome = Outcome::Error {
            code: METHOD_NOT_FOUND,
            message,
            data: None,
        };
        self.settle(wire, outcome);
    }

    /// What the server wants, by its keys; or why it cannot be had.
    fn inputs(&mut self, wire: u32, fields: &Fields<'_>) -> Result<Vec<(String, Input)>, String> {
        let asked = self.calls.get_mut(wire).and_then(|c| c.asked.as_mut());
        let asked = asked.ok_or("The server asked for input to a call that is over.")?;
        asked.rounds += 1;
        if asked.rounds > MAX_INPUT_ROUNDS {
            return Err(format!(
                "The server asked for input more than {MAX_INPUT_ROUNDS} times."
            ));
        }
        let broken = || "The server's wish for input is broken.".to_owned();
        let requests = fields.get("inputRequests").unwrap_or("{}");
        let requests: Fields<'_> = serde_json::from_str(requests).map_err(|_| broken())?;
        let mut inputs = Vec::new();
        for (key, request) in requests.0 {
            let request: Fields<'_> = serde_json::from_str(request.get()).map_err(|_| broken())?;
            let method: String = request
                .get("method")
                .and_then(|json| serde_json::from_str(json).ok())
                .unwrap_or_default();
            let input = match method.as_str() {
                "roots/list" if self.declared != RootsDeclared::No => {
                    Input::Known(self.roots_result())
                }
                ELICIT if self.options.elicitation => {
                    let params = request.get("params").unwrap_or("{}");
                    Input::Question(elicitation::read(params).inspect_err(|why| {
                        self.log_refused(why);
                    })?)
                }
                _ => {
                    return Err(format!(
                        "The server asked for {} first, which this client does not offer.",
                        short(&method)
                    ));
                }
            };
            inputs.push((key, input));
        }
        Ok(inputs)
    }

    fn gather(&mut self, wire: u32, inputs: Vec<(String, Input)>, state: Option<&str>) {
        let responses = inputs
            .iter()
            .map(|(key, input)| match input {
                Input::Known(json) => (key.clone(), Some(json.clone())),
                Input::Question(_) => (key.clone(), None),
            })
            .collect();
        if let Some(asked) = self.calls.get_mut(wire).and_then(|c| c.asked.as_mut()) {
            asked.gathering = Some(Gathering {
                responses,
                state: state.map(str::to_owned),
            });
        }
        let mut put_away = Vec::new();
        for (key, input) in inputs {
            let Input::Question(elicitation) = input else {
                continue;
            };
            if let Err(why) = self.asked_by_call(wire, &key, elicitation) {
                self.log_put_away(why);
                put_away.push(key);
            }
        }
        for key in put_away {
            self.given(wire, &key, "{\"action\":\"cancel\"}".to_owned());
        }
        self.repeat_when_gathered(wire);
    }

    /// The user answered what a call wants under this key.
    pub(super) fn input_given(&mut self, wire: u32, key: &str, response: String) {
        self.given(wire, key, response);
        self.repeat_when_gathered(wire);
    }

    fn given(&mut self, wire: u32, key: &str, response: String) {
        let asked = self.calls.get_mut(wire).and_then(|c| c.asked.as_mut());
        let gathering = asked.and_then(|asked| asked.gathering.as_mut());
        let slot = gathering.and_then(|gathering| {
            let open = gathering.responses.iter_mut();
            open.into_iter().find(|(k, r)| k == key && r.is_none())
        });
        if let Some((_, slot)) = slot {
            *slot = Some(response);
        }
    }

    /// Sends the request again, with what the server wanted to know, once all of it is there.
    fn repeat_when_gathered(&mut self, wire: u32) {
        let Some(asked) = self.calls.get_mut(wire).and_then(|c| c.asked.as_mut()) else {
            return;
        };
        let Some(gathering) = &asked.gathering else {
            return;
        };
        let responses: Option<Vec<(String, String)>> = gathering
            .responses
            .iter()
            .map(|(key, response)| Some((key.clone(), response.clone()?)))
            .collect();
        let Some(responses) = responses else {
            return;
        };
        let params = message::with_members(&asked.params, |members| {
            members.retain(|(key, _)| key != "inputResponses" && key != "requestState");
            members.push(("inputResponses".to_owned(), message::object(&responses)));
            if let Some(state) = &gathering.state {
                members.push(("requestState".to_owned(), state.clone()));
            }
        });
        asked.gathering = None;
        let method = asked.method.clone();
        match params {
            Ok(params) => {
                let id = self.fresh_id();
                if let Some(call) = self.calls.remove(wire) {
                    self.calls.insert(id, call);
                }
                self.made.push(Effect::Send {
                    line: message::request_line(id, &method, &params),
                });
            }
            Err(error) => self.input_refused(wire, error.to_string()),
        }
    }
}
