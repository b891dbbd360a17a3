//! The list of tools: read whole after `ready`, and again when the server says that it changed.

use super::{Phase, Session};
use crate::mcp::effect::{Effect, Era, Level};
use crate::mcp::listing::Listing;
use crate::mcp::message;
use crate::mcp::tool::{page, words};

impl Session {
    /// Reads the list from its beginning; what was read of it so far is dropped.
    pub(super) fn list(&mut self) {
        if let Some((open, _)) = self.listing.take() {
            self.made.push(Effect::StopWaiting { id: open });
        }
        self.ask_page(None, Listing::default());
    }

    fn ask_page(&mut self, cursor: Option<&str>, listing: Listing) {
        let Phase::Ready(era) = self.phase else {
            return;
        };
        let id = self.fresh_id();
        let mut members = Vec::new();
        if let Some(cursor) = cursor {
            members.push(("cursor".to_owned(), message::quote(cursor)));
        }
        if era == Era::Modern {
            members.push(("_meta".to_owned(), self.modern_meta(&[])));
        }
        self.made.push(Effect::Send {
            line: message::request_line(id, "tools/list", &message::object(&members)),
        });
        let ms = self.numbers.call_ms;
        self.wait(id, ms, ms);
        self.listing = Some((id, listing));
    }

    pub(super) fn listed(&mut self, ok: bool, text: &str) {
        if !ok {
            let error = message::peer_error(text);
            let said = words(&error.message);
            return self.list_failed(&format!("The server did not list its tools: {said}."));
        }
        let Some(mut page) = page(text) else {
            return self.list_failed("The list of tools is not JSON.");
        };
        self.keep_mirrored(&mut page);
        let Some((id, mut listing)) = self.listing.take() else {
            return;
        };
        self.made.push(Effect::StopWaiting { id });
        if let Some(cursor) = listing.add(page) {
            self.ask_page(Some(&cursor), listing);
        } else {
            self.tools(listing);
            self.repeat_mismatched();
        }
    }

    /// The first list is what came before the failure; a later one that fails changes nothing.
    pub(super) fn list_failed(&mut self, why: &str) {
        if let Some((id, mut listing)) = self.listing.take() {
            self.made.push(Effect::StopWaiting { id });
            if self.listed_once {
                self.log(Level::Warn, format!("{why} Its tools stay as they were."));
            } else {
                listing.problem(why.to_owned());
                self.tools(listing);
            }
            self.repeat_mismatched();
        }
    }

    fn tools(&mut self, listing: Listing) {
        self.listed_once = true;
        let (tools, problems) = listing.finish();
        self.made.push(Effect::ToolsChanged { tools, problems });
    }

    /// The server says that its tools changed. A flood of this costs one list at a time.
    pub(super) fn tools_changed(&mut self) {
        if self.relist.is_none() && matches!(self.phase, Phase::Ready(_)) {
            let id = self.fresh_id();
            self.relist = Some(id);
            let ms = self.numbers.relist_ms;
            self.wait(id, ms, ms);
        }
    }

    /// Asks a modern server to tell when its tools change; the request stays open.
    pub(super) fn subscribe(&mut self) {
        let id = self.fresh_id();
        self.subscription = Some(id);
        let params = message::object(&[
            (
                "notifications".to_owned(),
                "{\"toolsListChanged\":true}".to_owned(),
            ),
            ("_meta".to_owned(), self.modern_meta(&[])),
        ]);
        self.made.push(Effect::Send {
            line: message::request_line(id, "subscriptions/listen", &params),
        });
    }
}
