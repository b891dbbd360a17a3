//! The list of tools: read whole after `ready`, and again when the server says that it changed.

use super::{Phase, Session};
use crate::limits::{RELIST_CALM_MS, RELIST_MOST_MS, RELIST_RESTLESS};
use crate::mcp::effect::{Effect, Era, Level};
use crate::mcp::listing::Listing;
use crate::mcp::message;
use crate::mcp::tool::{page, words};

/// When the tools are listed again. Some servers say that their tools changed whenever they list them:
/// each change that follows soon upon a list waits twice as long as the one before.
#[derive(Debug, Default)]
pub(super) struct Relist {
    timer: Option<Timer>,
    /// Lists in a row that were not at rest before the next change.
    restless: u32,
    /// It was said that lists are now far apart.
    said: bool,
}

#[derive(Clone, Copy, Debug)]
enum Timer {
    /// Until the next list, which waits for so many milliseconds in all.
    Due { id: u32, ms: u32 },
    /// Until the last list counts as at rest.
    Calm { id: u32 },
}

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

    /// The server says that its tools changed. A flood of this costs one list at a time, and one that
    /// does not end costs lists that are farther and farther apart.
    pub(super) fn tools_changed(&mut self) {
        if !matches!(self.phase, Phase::Ready(_)) {
            return;
        }
        match self.relist.timer {
            Some(Timer::Due { .. }) => return,
            Some(Timer::Calm { .. }) => {
                self.relist.restless = self.relist.restless.saturating_add(1);
            }
            None => {}
        }
        let first = self.numbers.relist_ms;
        let most = RELIST_MOST_MS.max(first);
        let factor = 1_u32.checked_shl(self.relist.restless).unwrap_or(u32::MAX);
        // No pause at all would never grow.
        let step = if self.relist.restless == 0 {
            first
        } else {
            first.max(1)
        };
        let ms = step.saturating_mul(factor).min(most);
        if self.relist.restless >= RELIST_RESTLESS && ms == most && !self.relist.said {
            self.relist.said = true;
            let seconds = most.div_ceil(1_000);
            self.log(
                Level::Warn,
                format!(
                    "The server keeps saying that its tools changed. While it does, they are listed once in {seconds} s at most."
                ),
            );
        }
        self.list_in(ms);
    }

    /// Nobody told what changed while nobody was told; that is no unrest of the server's.
    pub(super) fn list_after_silence(&mut self) {
        let due = matches!(self.relist.timer, Some(Timer::Due { .. }));
        if !due && matches!(self.phase, Phase::Ready(_)) {
            self.list_in(self.numbers.relist_ms);
        }
    }

    /// A call waits for the list, and each call does so once: no unrest makes it wait for longer.
    pub(super) fn list_for_call(&mut self) {
        let first = self.numbers.relist_ms;
        let soon = matches!(self.relist.timer, Some(Timer::Due { ms, .. }) if ms <= first);
        if !soon && matches!(self.phase, Phase::Ready(_)) {
            self.list_in(first);
        }
    }

    fn list_in(&mut self, ms: u32) {
        self.stop_relisting();
        let id = self.fresh_id();
        self.relist.timer = Some(Timer::Due { id, ms });
        self.wait(id, ms, ms);
    }

    /// True for the timer of this.
    pub(super) fn relist_expired(&mut self, fired: u32) -> bool {
        match self.relist.timer {
            Some(Timer::Due { id, .. }) if id == fired => {
                self.relist.timer = Some(Timer::Calm { id });
                self.list();
                self.wait(id, RELIST_CALM_MS, RELIST_CALM_MS);
                true
            }
            Some(Timer::Calm { id }) if id == fired => {
                self.relist.timer = None;
                self.relist.restless = 0;
                true
            }
            Some(_) | None => false,
        }
    }

    pub(super) fn stop_relisting(&mut self) {
        if let Some(Timer::Due { id, .. } | Timer::Calm { id }) = self.relist.timer.take() {
            self.made.push(Effect::StopWaiting { id });
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
