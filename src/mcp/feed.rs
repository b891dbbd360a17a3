//! A session that keeps its own bytes: the loop of `pkg/framing.mjs` in Rust.
//!
//! In: chunks of the server's stdout, cut anywhere. Out: effects. The bytes of a half message are
//! kept here, at most the limit and a chunk.

use crate::mcp::effect::{Effect, Outcome};
use crate::mcp::framing::{Cursor, Span};
use crate::mcp::session::{Session, Step};

/// A session and the bytes it may still ask for.
#[derive(Debug)]
pub struct Feed {
    /// The session.
    pub session: Session,
    kept: Vec<u8>,
    /// Where `kept` begins in the stream.
    base: u64,
}

impl Feed {
    /// Nothing was fed yet.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            kept: Vec::new(),
            base: 0,
        }
    }

    /// Bytes that are kept.
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Takes a chunk in.
    pub fn bytes(&mut self, chunk: &[u8]) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut cursor = Cursor::default();
        self.kept.extend_from_slice(chunk);
        while let Some(step) = self.session.step(chunk, &mut cursor) {
            self.carry_out(step, &mut effects);
        }
        let from = usize::try_from(self.session.kept_from() - self.base).unwrap_or(usize::MAX);
        self.kept.drain(..from.min(self.kept.len()));
        self.base = self.session.kept_from();
        effects
    }

    /// The output is over.
    pub fn end(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if let Some(step) = self.session.last_line() {
            self.carry_out(step, &mut effects);
        }
        effects.extend(self.session.end());
        effects
    }

    fn carry_out(&mut self, step: Step, effects: &mut Vec<Effect>) {
        match step {
            Step::Made => effects.extend(self.session.take()),
            Step::Answer { id, payload } => {
                let text = self.text(payload, effects);
                effects.push(Effect::Settled {
                    id,
                    outcome: Outcome::Result { text },
                });
            }
            Step::Notified { method, params } => {
                let params = self.text(params, effects);
                let method = self.session.method_name(method).to_owned();
                effects.push(Effect::Notification { method, params });
            }
            Step::Wanted { payload } => {
                let text = self.text(payload, effects);
                effects.extend(self.session.accept(&text));
            }
        }
    }

    fn text(&mut self, span: Span, effects: &mut Vec<Effect>) -> String {
        let at =
            |place: u64| usize::try_from(place.saturating_sub(self.base)).unwrap_or(usize::MAX);
        let bytes = self
            .kept
            .get(at(span.start)..at(span.end))
            .unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            let text = text.into_owned();
            effects.extend(self.session.replaced());
            return text;
        }
        text.into_owned()
    }
}
