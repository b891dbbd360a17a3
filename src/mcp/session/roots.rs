//! The folders that a server is told of: declared at the start, answered when it asks, told when they change.

use super::{Phase, Session};
use crate::error::CoreError;
use crate::mcp::effect::{Effect, Era, Root, SessionOptions};
use crate::mcp::message;

/// What a server was told of roots.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum RootsDeclared {
    /// Nothing: it may not ask for them.
    No,
    /// That it may ask, in the words of whoever made the session.
    ByCaller,
    /// The same in ours, so that one of the older era is told when they change.
    ByUs,
}

/// Puts what the options say of roots and of questions to the user among the capabilities.
pub(super) fn declare(options: &mut SessionOptions) -> Result<RootsDeclared, CoreError> {
    let mut declared = RootsDeclared::No;
    let roots = !options.roots.is_empty();
    options.capabilities = message::with_members(&options.capabilities, |members| {
        if roots {
            declared = RootsDeclared::ByCaller;
            if members.iter().all(|(key, _)| key != "roots") {
                declared = RootsDeclared::ByUs;
                members.push(("roots".to_owned(), "{}".to_owned()));
            }
        }
        if options.elicitation && members.iter().all(|(key, _)| key != "elicitation") {
            let modes = "{\"form\":{},\"url\":{}}";
            members.push(("elicitation".to_owned(), modes.to_owned()));
        }
    })
    .map_err(|e| CoreError::invalid_argument("capabilities", e))?;
    Ok(declared)
}

impl Session {
    /// The folders are these from now on. A server of the older era is told so, as that era has it, and
    /// asks for them; in the modern one each wish for roots is answered with those of its time.
    pub fn set_roots(&mut self, roots: Vec<Root>) -> Vec<Effect> {
        let changed = self.options.roots != roots;
        self.options.roots = roots;
        let told = self.declared == RootsDeclared::ByUs;
        if changed && told && matches!(self.phase, Phase::Ready(Era::Legacy)) {
            self.made.push(Effect::Send {
                line: message::notification_line("notifications/roots/list_changed", ""),
            });
        }
        self.take()
    }

    pub(super) fn roots_result(&self) -> String {
        let roots: Vec<String> = self
            .options
            .roots
            .iter()
            .map(|root| {
                message::object(&[
                    ("uri".to_owned(), message::quote(&root.uri)),
                    ("name".to_owned(), message::quote(&root.name)),
                ])
            })
            .collect();
        format!("{{\"roots\":[{}]}}", roots.join(","))
    }
}
