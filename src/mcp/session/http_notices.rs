//! Over HTTP: messages that want no answer, a bounded number of them at one time.
//!
//! Each is a request with a connection of its own, and a server that sends `ping` without an end would
//! make us open as many, until no file and no connection can be opened in the whole process.

use super::Session;
use super::http::{Exchange, Http, Purpose};
use crate::limits::{MAX_OPEN_NOTICES, MAX_WAITING_NOTICES};
use crate::mcp::effect::Level;

impl Http {
    /// How many messages that want no answer are under way.
    fn open_notices(&self) -> usize {
        let told = |(_, exchange): &(u32, &Exchange)| exchange.purpose == Purpose::Told;
        self.exchanges.iter().filter(told).count()
    }
}

impl Session {
    /// Begins an exchange, unless it wants no answer and too many of those are under way.
    pub(super) fn open_or_wait(&mut self, exchange: Exchange) {
        let Some(http) = &mut self.http else {
            return;
        };
        if exchange.purpose != Purpose::Told || http.open_notices() < MAX_OPEN_NOTICES {
            self.open(exchange);
        } else if http.behind.len() < MAX_WAITING_NOTICES {
            http.behind.push_back(exchange);
        } else if !std::mem::replace(&mut http.left_out, true) {
            let text = "The server asks more than it takes answers to; they are left out.";
            self.log(Level::Warn, text.to_owned());
        }
    }

    /// Begins what waited for one to end.
    pub(super) fn open_next(&mut self) {
        let next = self.http.as_mut().and_then(|http| {
            (http.open_notices() < MAX_OPEN_NOTICES).then(|| http.behind.pop_front())?
        });
        if let Some(exchange) = next {
            self.open(exchange);
        }
    }
}
