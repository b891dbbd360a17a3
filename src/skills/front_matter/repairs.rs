//! What saves a field that is broken: as text, as a part of the value above, or not at all.
//!
//! Nothing here fails. Each repair is noted with its place and, where there is one, a fix.

use super::blocks::Key;
use super::fields::{OTHER_FIELDS, TEXT_FIELDS};
use super::findings::{Code, Remedy};
use super::reader::{Reader, Trouble, is_blank, is_space_or_end};
use super::tape::{Kind, Span, Style};
use super::values::Place;

/// How much the start of a line looks like a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum KeyLike {
    /// A field of the format, with its colon.
    Known,
    /// One word, with its colon.
    Word,
    /// Anything else.
    No,
}

impl Reader<'_> {
    /// How much the line whose text begins at `at` looks like a key.
    pub fn key_like(&self, at: usize) -> KeyLike {
        let end = at + self.word(at);
        if end == at || !self.indicates(end, b':') {
            KeyLike::No
        } else if self.is_field(at, end) {
            KeyLike::Known
        } else {
            KeyLike::Word
        }
    }

    /// The length of the identifier at `at`.
    fn word(&self, at: usize) -> usize {
        let rest = self.header.as_bytes().get(at..).unwrap_or_default();
        if !rest
            .first()
            .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        {
            return 0;
        }
        let length = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
            .count();
        self.count(length);
        length
    }

    fn is_field(&self, start: usize, end: usize) -> bool {
        OTHER_FIELDS.contains(&self.slice(start, end)) || self.is_text_field(start, end)
    }

    /// True when the key is a field of the format that is text.
    pub fn is_text_field(&self, start: usize, end: usize) -> bool {
        TEXT_FIELDS.contains(&self.slice(start, end))
    }

    /// A key whose colon lacks its blank, or is the wide one of East Asian keyboards.
    pub fn careless_key(&mut self, at: usize, root: bool) -> Option<Key> {
        if matches!(self.byte(at), b'"' | b'\'') {
            let end = self.closing_quote(at)? + 1;
            let after = self.note_careless(end, end + 1, self.byte(end) == b':')?;
            return Some(Key::quoted(at, end, after));
        }
        let end = at + self.word(at);
        let wide = root && self.is_field(at, end) && self.slice(end, end + 3) == "\u{ff1a}";
        let narrow = end > at
            && self.byte(end) == b':'
            && !matches!(self.byte(end + 1), b'/' | b'\\' | b':');
        let after = if wide { end + 3 } else { end + 1 };
        let after = self.note_careless(end, after, wide || narrow)?;
        Some(Key::plain(at, end, after))
    }

    /// Notes a colon from `colon` to `after` that is not as it should be, if it is one.
    fn note_careless(&mut self, colon: usize, after: usize, is_colon: bool) -> Option<usize> {
        if !is_colon {
            return None;
        }
        let remedy = Remedy::Replace {
            title: "Write a colon and a blank",
            start: colon,
            end: after,
            text: ": ".to_owned(),
        };
        self.note(Code::MissingSpace, colon, after, remedy);
        Some(after)
    }

    /// Makes text of the value at `at`, which is `trouble`, with all lines below that are indented
    /// deeper than the map or list it is in.
    pub fn repair(&mut self, at: usize, place: Place, trouble: Trouble) {
        let floor = place.column + 1;
        if trouble.code == Code::TooDeep {
            let index = self.tape.len();
            self.line_after(at);
            self.skip_below(floor);
            self.add_null(Style::Block, at);
            let end = self.line_end(at);
            self.note(Code::TooDeep, at, end, Remedy::None);
            debug_assert_eq!(self.tape.len(), index + 1);
            return;
        }
        let text_at = match trouble.code {
            Code::BlockHeader => {
                let rest = self.slice(at, self.line_end(at));
                let text = rest.trim_start_matches(['|', '>', '+', '-']);
                self.skip_blanks(at + rest.len() - text.len())
            }
            Code::UnclosedQuote if self.byte(at) == self.byte(trouble.at) => at + 1,
            _ => at,
        };
        let start = self.tape.made.len();
        let mut to = self.add_prose(text_at);
        self.line_after(to);
        while !self.line.end
            && self.line.column >= floor
            && !(floor == 1 && self.key_like(self.line.at) == KeyLike::Known)
        {
            self.add_prose_break(start, to);
            to = self.add_prose(self.line.at);
            self.line_after(to);
        }
        let index = self.tape.len();
        self.add_made(Kind::Text, Style::Repaired, start, at, to);
        let line_end = self.line_end(trouble.at).min(to.max(trouble.at));
        self.note(trouble.code, trouble.at, line_end, Remedy::Quote(index));
    }

    /// Adds the text of one line of prose, without a comment at its end. Gives where it ends.
    fn add_prose(&mut self, at: usize) -> usize {
        let line = self.slice(at, self.line_end(at));
        // `#5` in a sentence is no comment; YAML would cut it, but this text is being saved.
        let mut text = line;
        let mut from = 0;
        while let Some(found) = line.get(from..).and_then(|rest| rest.find('#')) {
            let hash = from + found;
            if hash > 0
                && is_blank(self.byte(at + hash - 1))
                && is_space_or_end(self.byte(at + hash + 1))
            {
                text = line.get(..hash).unwrap_or_default();
                break;
            }
            from = hash + 1;
        }
        let text = text.trim_end_matches([' ', '\t']);
        self.tape.made.push_str(text);
        at + text.len()
    }

    /// Adds what separates the current line from text that ended at `to` and began at `start` of
    /// what was made: a blank, or a line feed where lines were left out between them.
    fn add_prose_break(&mut self, start: usize, to: usize) {
        if self.tape.made.len() > start {
            let next = self.line_end(to) + 1;
            self.tape
                .made
                .push(if self.line.start > next { '\n' } else { ' ' });
        }
    }

    /// Leaves out what is nested too deeply from the current line on.
    pub fn too_deep(&mut self, floor: usize) {
        let line = self.line;
        self.add_null(Style::Block, line.at);
        let end = self.line_end(line.at);
        self.note(Code::TooDeep, line.at, end, Remedy::None);
        self.line_after(line.at);
        self.skip_below(floor);
    }

    fn skip_below(&mut self, floor: usize) {
        while !self.line.end && self.line.column >= floor {
            self.line_after(self.line.at);
        }
    }

    /// The current line is neither a key nor part of a well-formed value. It is added to the text
    /// above, if that is prose, and left out otherwise.
    pub fn stray_line(&mut self, last_key: Option<usize>, root: bool) {
        let line = self.line;
        let end = self.line_end(line.at);
        if let Some(index) = self.prose_above(last_key, root) {
            let new = self.extend_above(index);
            if new {
                let code = if line.tabs {
                    Code::TabIndentation
                } else {
                    Code::OutdentedLine
                };
                self.note(code, line.at, end, Remedy::Quote(index));
            }
        } else {
            self.note_stray(line.at, end);
        }
        self.line_after(line.at);
    }

    /// Notes a line that is left out; a run of them is one finding.
    fn note_stray(&mut self, at: usize, end: usize) {
        let between = |last: usize| self.slice(last, at).trim().is_empty();
        // The last one that is kept stands right before only while all are.
        let follows = !self.findings.is_full()
            && self
                .findings
                .kept
                .last()
                .is_some_and(|last| last.code == Some(Code::StrayLine) && between(last.end));
        if let (true, Some(last)) = (follows, self.findings.kept.last_mut()) {
            last.end = end;
        } else {
            self.note(Code::StrayLine, at, end, Remedy::None);
        }
    }

    /// The text above that a stray line can belong to.
    fn prose_above(&self, last_key: Option<usize>, root: bool) -> Option<usize> {
        let index = self.tape.len().checked_sub(1)?;
        let node = self.tape.get(index)?;
        if node.style == Style::Flow || matches!(node.kind, Kind::Alias(_) | Kind::Map | Kind::Seq)
        {
            return None;
        }
        let key = last_key.filter(|key| root && key + 1 == index);
        let key = key.and_then(|key| self.tape.get(key));
        let field = key.map_or("", |key| self.tape.text(key.text, self.header));
        if field == "description" {
            return Some(index);
        }
        let prose = match node.style {
            Style::Literal | Style::Repaired | Style::RepairedLiteral => true,
            Style::Block | Style::Flow => {
                self.count(node.text.end - node.text.start);
                self.tape.text(node.text, self.header).contains([' ', '\n'])
            }
        };
        (prose && !matches!(field, "name" | "version")).then_some(index)
    }

    /// Adds the current line to the text of the node at `index`. True when it is the first such line.
    fn extend_above(&mut self, index: usize) -> bool {
        let Some(node) = self.tape.get(index).copied() else {
            return false;
        };
        let made = self.tape.made.len();
        let start = if node.text.made && node.text.end == made {
            node.text.start
        } else {
            let text = self.tape.text(node.text, self.header).to_owned();
            self.count(text.len());
            self.tape.made.push_str(&text);
            made
        };
        let new = !matches!(node.style, Style::Repaired | Style::RepairedLiteral);
        let literal = matches!(node.style, Style::Literal | Style::RepairedLiteral);
        if new && literal {
            let text = self.tape.made.get(start..).unwrap_or_default();
            let length = start + text.trim_end_matches('\n').len();
            self.tape.made.truncate(length);
        }
        if literal && self.tape.made.len() > start {
            self.tape.made.push('\n');
        } else {
            self.add_prose_break(start, node.to);
        }
        let to = self.add_prose(self.line.at);
        let text = Span {
            start,
            end: self.tape.made.len(),
            made: true,
        };
        if let Some(node) = self.tape.get_mut(index) {
            node.kind = Kind::Text;
            node.style = if literal {
                Style::RepairedLiteral
            } else {
                Style::Repaired
            };
            node.text = text;
            node.to = to;
        }
        new
    }
}
