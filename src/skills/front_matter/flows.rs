//! Flow collections: lists and maps in brackets, JSON among them.
//!
//! One that does not fit is refused as a whole, and the repair makes text of it. One that is merely
//! not closed keeps what was in it.

use super::findings::{Code, Remedy};
use super::reader::{Reader, Trouble, is_blank, is_flow_mark, is_space, is_space_or_end};
use super::repairs::KeyLike;
use super::tape::{Kind, Style};
use crate::limits::{FRONT_MATTER_DEPTH, FRONT_MATTER_OUTDENTED_DEPTH};

/// What holds for a whole flow collection and those inside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowRules {
    /// The indentation its lines need.
    pub floor: usize,
    /// An end that is missing is taken to be where the entry ends.
    pub may_end: bool,
    /// Containers around it.
    pub depth: usize,
}

impl Reader<'_> {
    /// Reads the collection whose bracket is at `at`, with all that is in it, and gives the place
    /// after its end.
    pub fn outer_flow(&mut self, at: usize, rules: FlowRules) -> Result<usize, Trouble> {
        self.missing.clear();
        let end = self.flow(at, rules)?;
        if !self.missing.is_empty() {
            let text = std::mem::take(&mut self.missing);
            let remedy = Remedy::Replace {
                title: "Close this bracket",
                start: end,
                end,
                text,
            };
            self.note(Code::UnclosedBracket, at, at + 1, remedy);
        }
        Ok(end)
    }

    fn flow(&mut self, at: usize, rules: FlowRules) -> Result<usize, Trouble> {
        if self.depth >= FRONT_MATTER_DEPTH {
            return Err(Trouble::new(Code::TooDeep, at));
        }
        self.depth += 1;
        let result = self.flow_entries(at, rules);
        self.depth -= 1;
        result
    }

    fn flow_entries(&mut self, at: usize, rules: FlowRules) -> Result<usize, Trouble> {
        let is_map = self.byte(at) == b'{';
        let (kind, close) = if is_map {
            (Kind::Map, b'}')
        } else {
            (Kind::Seq, b']')
        };
        let index = self.open(kind, Style::Flow, at);
        let mut here = at + 1;
        // The place after the last thing in it, before blanks and comments.
        let mut last = here;
        let end = loop {
            here = match self.gap(here, rules) {
                Ok(next) => next,
                Err(trouble) => break self.end_early(trouble, at, last, rules)?,
            };
            match self.byte(here) {
                0 => {
                    break self.end_early(
                        Trouble::new(Code::UnclosedBracket, here),
                        at,
                        last,
                        rules,
                    )?;
                }
                byte if byte == close => break here + 1,
                b',' | b']' | b'}' => return Err(Trouble::new(Code::BrokenBrackets, here)),
                _ => {}
            }
            here = if is_map {
                self.flow_pair(here, rules)?
            } else {
                self.flow_item(here, rules)?
            };
            last = here;
            here = match self.gap(here, rules) {
                Ok(next) => next,
                Err(trouble) => break self.end_early(trouble, at, last, rules)?,
            };
            match self.byte(here) {
                b',' => {
                    here += 1;
                    last = here;
                }
                byte if byte == close => break here + 1,
                0 => {}
                _ => return Err(Trouble::new(Code::BrokenBrackets, here)),
            }
        };
        self.close(index, end);
        if is_map {
            self.mark_duplicates(index);
        }
        Ok(end)
    }

    /// Ends a collection that is not closed after the `last` thing in it, if that may be.
    fn end_early(
        &mut self,
        trouble: Trouble,
        at: usize,
        last: usize,
        rules: FlowRules,
    ) -> Result<usize, Trouble> {
        if trouble.code != Code::UnclosedBracket || !rules.may_end {
            return Err(Trouble { at, ..trouble });
        }
        let close = if self.byte(at) == b'{' { '}' } else { ']' };
        self.missing.push(close);
        Ok(last)
    }

    /// Goes over blanks, comments and line ends. A line that belongs to the next key is trouble.
    fn gap(&mut self, mut here: usize, rules: FlowRules) -> Result<usize, Trouble> {
        loop {
            match self.byte(here) {
                b' ' | b'\t' => here += 1,
                b'#' if here > 0 && is_space(self.byte(here - 1)) => here = self.line_end(here),
                b'\n' => here = self.flow_line(here + 1, rules)?,
                _ => return Ok(here),
            }
        }
    }

    /// Looks at the line that begins at `start`, inside a collection, and gives its first character.
    fn flow_line(&mut self, start: usize, rules: FlowRules) -> Result<usize, Trouble> {
        let at = self.skip_blanks(start);
        let byte = self.byte(at);
        let column = at - start;
        if matches!(byte, b'\n' | b'#' | 0) || column >= rules.floor {
            return Ok(at);
        }
        // As others read it, the last bracket may stand below the key.
        if matches!(byte, b']' | b'}') && column + 1 == rules.floor {
            return Ok(at);
        }
        let deep = self.depth > rules.depth + FRONT_MATTER_OUTDENTED_DEPTH;
        if deep || self.key_like(at) != KeyLike::No || self.is_item(at) {
            return Err(Trouble::new(Code::UnclosedBracket, start));
        }
        let end = self.line_end(at);
        self.note_outdented(start, at, end, rules.floor);
        Ok(at)
    }

    /// Notes a line of a collection that is not indented; a run of them is one finding.
    fn note_outdented(&mut self, start: usize, at: usize, end: usize, floor: usize) {
        if let Some(last) = self.findings.kept.last_mut()
            && last.code == Some(Code::OutdentedLine)
            && last.start < start
            && matches!(last.remedy, Remedy::Replace { .. })
        {
            return;
        }
        self.note(
            Code::OutdentedLine,
            at,
            end,
            Remedy::Replace {
                title: "Indent this line",
                start,
                end: start,
                text: " ".repeat(floor + 1),
            },
        );
    }

    /// Reads an item of a list: a value, or one key with its value.
    fn flow_item(&mut self, at: usize, rules: FlowRules) -> Result<usize, Trouble> {
        if self.explicit_in_flow(at) {
            let pair = self.open(Kind::Map, Style::Flow, at);
            let end = self.flow_pair(at, rules)?;
            self.close(pair, end);
            return Ok(end);
        }
        let index = self.tape.len();
        let end = if self.colon_in_flow(at) {
            self.add_null(Style::Flow, at);
            at
        } else {
            self.flow_value(at, rules)?
        };
        let colon = self.skip_blanks(end);
        if !self.separates(colon, index) {
            return Ok(end);
        }
        let Some(key) = self.tape.get(index).copied() else {
            return Ok(end);
        };
        if matches!(key.kind, Kind::Map | Kind::Seq) {
            return Err(Trouble::new(Code::CollectionKey, at));
        }
        if self.slice(key.from, key.to).contains('\n') {
            return Err(Trouble::new(Code::UnquotedColon, colon));
        }
        // The key becomes the child of a map of its own.
        self.tape.nodes.truncate(index);
        let pair = self.open(Kind::Map, Style::Flow, at);
        let moved = self.add(key.kind, key.style, key.text, key.from, key.to);
        if key.anchor > 0 {
            let name = key.anchor + self.anchor_name(key.anchor);
            self.set_anchor(moved, key.anchor, name);
        }
        let end = self.flow_after_colon(colon + 1, rules)?;
        self.close(pair, end);
        Ok(end)
    }

    /// Reads one entry of a map. A key without a colon has no value, which is null.
    fn flow_pair(&mut self, at: usize, rules: FlowRules) -> Result<usize, Trouble> {
        let mut here = at;
        if self.explicit_in_flow(at) {
            here = self.gap(at + 1, rules)?;
        }
        let index = self.tape.len();
        if self.colon_in_flow(here) || matches!(self.byte(here), b',' | b'}' | b']') {
            self.add_null(Style::Flow, here);
        } else {
            here = self.flow_value(here, rules)?;
            let kind = self.tape.get(index).map(|node| node.kind);
            if matches!(kind, Some(Kind::Map | Kind::Seq)) {
                return Err(Trouble::new(Code::CollectionKey, at));
            }
        }
        if let Ok(colon) = self.gap(here, rules)
            && self.separates(colon, index)
        {
            return self.flow_after_colon(colon + 1, rules);
        }
        self.add_null(Style::Flow, here);
        Ok(here)
    }

    /// Reads the value behind a colon, which may be missing.
    fn flow_after_colon(&mut self, at: usize, rules: FlowRules) -> Result<usize, Trouble> {
        match self.gap(at, rules) {
            Ok(here) if !matches!(self.byte(here), b',' | b']' | b'}' | 0) => {
                self.flow_value(here, rules)
            }
            // What is wrong behind it, its caller sees at the same place.
            Ok(_) | Err(_) => {
                self.add_null(Style::Flow, at);
                Ok(at)
            }
        }
    }

    fn explicit_in_flow(&self, at: usize) -> bool {
        let next = self.byte(at + 1);
        self.byte(at) == b'?' && (is_space_or_end(next) || is_flow_mark(next))
    }

    /// True when the colon at `colon` ends the key at `index`: behind a quoted key it needs no blank
    /// after it.
    fn separates(&self, colon: usize, index: usize) -> bool {
        if self.byte(colon) != b':' {
            return false;
        }
        let json = self.tape.get(index).is_some_and(|node| {
            matches!(node.kind, Kind::Map | Kind::Seq)
                || matches!(self.byte(node.to.saturating_sub(1)), b'"' | b'\'')
                    && node.kind == Kind::Text
        });
        json || self.colon_in_flow(colon)
    }

    /// Reads one value in a flow collection.
    fn flow_value(&mut self, at: usize, rules: FlowRules) -> Result<usize, Trouble> {
        let index = self.tape.len();
        let (properties, mut here) = self.properties(at, true)?;
        if here > at {
            here = self.gap(here, rules)?;
        }
        let end = match self.byte(here) {
            b'"' | b'\'' => self.quoted(here, rules.floor, true)?,
            b'[' | b'{' => self.flow(here, rules)?,
            b'*' => match self.alias(here, true) {
                Ok(end) => end,
                Err(trouble) => self.flow_text(here, rules, trouble.code)?,
            },
            b'@' | b'`' | b'%' => self.flow_text(here, rules, Code::ReservedStart)?,
            b',' | b']' | b'}' | 0 if here > at => {
                self.add_null(Style::Flow, here);
                here
            }
            _ if here > at && self.colon_in_flow(here) => {
                self.add_null(Style::Flow, here);
                here
            }
            _ if self.plain_can_begin(here, true) => self.plain(here, rules.floor, true)?,
            _ => return Err(Trouble::new(Code::BrokenBrackets, here)),
        };
        self.apply(properties, index);
        // `"a"b` is no value.
        let next = self.byte(end);
        if matches!(self.byte(here), b'"' | b'\'')
            && !(is_space_or_end(next) || is_blank(next) || is_flow_mark(next) || next == b':')
        {
            return Err(Trouble::new(Code::TextAfterValue, end));
        }
        Ok(end)
    }

    /// Reads a value that no plain scalar may begin like as if it were one.
    fn flow_text(&mut self, at: usize, rules: FlowRules, code: Code) -> Result<usize, Trouble> {
        let index = self.tape.len();
        let end = self.plain(at, rules.floor, true)?;
        if let Some(node) = self.tape.get_mut(index) {
            node.kind = Kind::Text;
        }
        self.note(code, at, end, Remedy::Quote(index));
        Ok(end)
    }
}
