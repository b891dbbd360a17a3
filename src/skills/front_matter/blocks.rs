//! Block structure: maps and lists, decided by lines and their indentation.

use super::findings::{Code, Remedy};
use super::reader::{Line, Reader, is_space_or_end};
use super::repairs::KeyLike;
use super::scalars::Stop;
use super::tape::{Kind, Style};
use super::values::{Place, Properties};
use crate::limits::{FRONT_MATTER_DEPTH, FRONT_MATTER_KEY};

/// A key with its colon, found at the start of a line and not yet read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    form: Form,
    start: usize,
    end: usize,
    /// The place after the colon.
    pub after: usize,
    properties: Option<Properties>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Form {
    Plain,
    Quoted,
    Alias,
}

impl Key {
    /// A plain key that stands from `start` to `end`.
    pub fn plain(start: usize, end: usize, after: usize) -> Self {
        Self {
            form: Form::Plain,
            start,
            end,
            after,
            properties: None,
        }
    }

    /// A quoted key that stands from `start` to `end`, on one line.
    pub fn quoted(start: usize, end: usize, after: usize) -> Self {
        Self {
            form: Form::Quoted,
            ..Self::plain(start, end, after)
        }
    }
}

impl Reader<'_> {
    /// Reads the whole header. The root is a map, whatever stands there.
    pub fn root(&mut self) {
        self.next_line(0);
        self.root_properties();
        if !self.line.end && self.byte(self.line.at) == b'{' && self.root_flow() {
            return;
        }
        self.map(self.line.column, 0, true, None);
    }

    /// Goes over a tag or an anchor that stands alone before the root map.
    fn root_properties(&mut self) {
        let at = self.line.at;
        if matches!(self.byte(at), b'&' | b'!')
            && let Ok((_, after)) = self.properties(at, false)
            && self.at_line_end(after)
        {
            self.line_after(after);
        }
    }

    /// Reads a root that is a map in braces, with nothing behind it.
    fn root_flow(&mut self) -> bool {
        let mark = self.mark();
        let line = self.line;
        let rules = super::flows::FlowRules {
            floor: 0,
            may_end: true,
            depth: 0,
        };
        if let Ok(end) = self.outer_flow(line.at, rules) {
            let rest = self.skip_blanks(end);
            if self.at_line_end(rest) {
                self.line_after(rest);
                if self.line.end {
                    return true;
                }
            }
        }
        self.back_to(mark);
        self.line = line;
        false
    }

    /// Reads what begins at the current line, which is indented by `floor` or more. Where it is the
    /// value of a key, a list below its anchor or tag may stand at the key's column.
    pub fn block(&mut self, floor: usize, list_at_column: bool) {
        if self.depth >= FRONT_MATTER_DEPTH {
            self.too_deep(floor);
            return;
        }
        self.depth += 1;
        let line = self.line;
        if self.is_item(line.at) {
            self.list(line.column, floor);
        } else if self.indicates(line.at, b'?') {
            self.map(line.column, floor, false, None);
        } else if let Some(key) = self.key(line.at) {
            self.map(line.column, floor, false, Some(key));
        } else {
            if line.tabs {
                self.note_tabs(line.start, line.at, floor);
            }
            let place = Place {
                column: floor - 1,
                list_at_column,
                text: false,
            };
            self.value(line.at, place);
        }
        self.depth -= 1;
    }

    /// Reads the entries of a map at `column`. Lines indented by less than `floor` are not its own.
    fn map(&mut self, column: usize, floor: usize, root: bool, mut first: Option<Key>) {
        let index = self.open(Kind::Map, Style::Block, self.line.at);
        let mut last_key = None;
        loop {
            let line = self.line;
            if line.end || line.column < floor {
                break;
            }
            let key_line = if line.column > column {
                // Only a field of the format is believed to be an entry that slipped to the right.
                root && self.key_like(line.at) == KeyLike::Known
            } else {
                true
            };
            if key_line && self.indicates(line.at, b'?') {
                self.check_indentation(column);
                last_key = Some(self.tape.len());
                self.explicit_entry(column);
            } else if key_line
                && let Some(key) = first
                    .take()
                    .or_else(|| self.key(line.at))
                    .or_else(|| self.careless_key(line.at, root))
            {
                self.check_indentation(column);
                last_key = Some(self.tape.len());
                self.entry(key, column, root);
            } else if let Some(list) = self.list_above(last_key) {
                self.check_indentation(self.column_of(list));
                self.after_indicator(column, false);
                let end = self.last_end();
                self.close(list, end);
            } else {
                self.stray_line(last_key, root);
            }
        }
        let end = self.last_end();
        self.close(index, end);
        self.mark_duplicates(index);
    }

    /// Notes an indentation other than the siblings', or with tabs.
    fn check_indentation(&mut self, column: usize) {
        let line = self.line;
        if line.tabs {
            self.note_tabs(line.start, line.at, usize::MAX);
        } else if line.column != column {
            let end = self.line_end(line.at);
            let remedy = Remedy::Replace {
                title: "Indent like the lines beside it",
                start: line.at - line.column.min(line.at),
                end: line.at,
                text: " ".repeat(column),
            };
            self.note(Code::UnevenIndentation, line.at, end, remedy);
        }
    }

    /// Reads an entry whose key was found.
    fn entry(&mut self, key: Key, column: usize, root: bool) {
        let index = self.tape.len();
        match key.form {
            Form::Plain => self.add_slice(
                Kind::Plain,
                Style::Flow,
                key.start,
                key.end,
                key.start,
                key.end,
            ),
            // Both were looked at before they were taken for a key, so neither fails here.
            Form::Quoted => drop(self.quoted(key.start, 0, true)),
            Form::Alias => drop(self.alias(key.start, true)),
        }
        if self.tape.len() == index {
            self.add_slice(
                Kind::Text,
                Style::Flow,
                key.start,
                key.end,
                key.start,
                key.end,
            );
        }
        if let Some(properties) = key.properties {
            self.apply(properties, index);
        }
        let place = Place {
            column,
            list_at_column: true,
            text: root && self.is_text_field(key.start, key.end),
        };
        let at = self.skip_blanks(key.after);
        if self.at_line_end(at) {
            self.line_after(at);
            self.value_below(key.after, place);
        } else {
            self.value(at, place);
        }
    }

    /// Reads `? key` and the `: value` that may follow it.
    fn explicit_entry(&mut self, column: usize) {
        let index = self.tape.len();
        self.after_indicator(column, true);
        if let Some(node) = self.tape.get(index).copied()
            && matches!(node.kind, Kind::Map | Kind::Seq)
        {
            // JSON has no such key.
            self.tape.nodes.truncate(index);
            self.add_slice(
                Kind::Text,
                Style::Flow,
                node.from,
                node.to,
                node.from,
                node.to,
            );
            self.note(Code::CollectionKey, node.from, node.to, Remedy::None);
        }
        let line = self.line;
        if !line.end && line.column >= column && self.indicates(line.at, b':') {
            self.check_indentation(column);
            self.after_indicator(column, true);
        } else {
            let at = self.last_end();
            self.add_null(Style::Block, at);
        }
    }

    /// Reads what follows the `-`, `?` or `:` at the start of the current line.
    fn after_indicator(&mut self, column: usize, list_at_column: bool) {
        let line = self.line;
        let at = self.skip_blanks(line.at + 1);
        if self.at_line_end(at) {
            let place = Place {
                column,
                list_at_column,
                text: false,
            };
            self.line_after(at);
            self.value_below(line.at + 1, place);
        } else {
            let gap = self.slice(line.at + 1, at);
            let tabs = gap.contains('\t');
            if tabs && (self.is_item(at) || self.indicates(at, b'?') || self.key(at).is_some()) {
                let remedy = Remedy::Replace {
                    title: "Use a blank",
                    start: line.at + 1,
                    end: at,
                    text: " ".repeat(gap.len()),
                };
                self.note(Code::TabIndentation, line.at + 1, at, remedy);
            }
            self.line = Line {
                at,
                column: line.column + (at - line.at),
                tabs: false,
                ..line
            };
            self.block(column + 1, list_at_column);
        }
    }

    /// Reads the items of a list whose dashes are at `column`. Lines indented by less than `floor`
    /// are not its own.
    pub fn list(&mut self, column: usize, floor: usize) {
        let index = self.open(Kind::Seq, Style::Block, self.line.at);
        loop {
            let line = self.line;
            if line.end || line.column < floor {
                break;
            }
            if self.is_item(line.at) {
                self.check_indentation(column);
                if self.byte(line.at) == b'*' {
                    let remedy = Remedy::Replace {
                        title: "Use - for this item",
                        start: line.at,
                        end: line.at + 1,
                        text: "-".to_owned(),
                    };
                    self.note(Code::MarkdownBullet, line.at, line.at + 1, remedy);
                }
                self.after_indicator(column, false);
            } else if line.column == column && floor == column {
                // The next key of the map whose value this list is.
                break;
            } else {
                self.stray_line(None, false);
            }
        }
        let end = self.last_end();
        self.close(index, end);
    }

    /// The column at which the node at `index` begins; blanks before it are spaces.
    fn column_of(&self, index: usize) -> usize {
        let from = self.tape.get(index).map_or(0, |node| node.from);
        let before = self.header.get(..from).unwrap_or_default();
        let column = from - before.rfind('\n').map_or(0, |feed| feed + 1);
        self.count(column);
        column
    }

    /// The list that the item at the current line would go on, though it is not indented like it:
    /// the value of the last key.
    fn list_above(&self, last_key: Option<usize>) -> Option<usize> {
        let index = last_key? + 1;
        let node = self.tape.get(index)?;
        let open = node.kind == Kind::Seq && node.style == Style::Block;
        (open && node.next == self.tape.len() && self.is_item(self.line.at)).then_some(index)
    }

    /// The key at `at`, if the line begins with one.
    fn key(&mut self, at: usize) -> Option<Key> {
        let mut at = at;
        let mut properties = None;
        if matches!(self.byte(at), b'&' | b'!') {
            let (found, after) = self.properties(at, false).ok()?;
            properties = Some(found);
            at = after;
        }
        let (form, end, colon) = match self.byte(at) {
            b'"' | b'\'' => {
                let end = self.closing_quote(at)? + 1;
                (Form::Quoted, end, self.skip_blanks(end))
            }
            b'*' => {
                let end = at + 1 + self.anchor_name(at + 1);
                let target = self.anchored(self.slice(at + 1, end))?;
                let kind = self.tape.resolved(target)?.kind;
                if matches!(kind, Kind::Map | Kind::Seq) {
                    return None;
                }
                (Form::Alias, end, self.skip_blanks(end))
            }
            b':' if is_space_or_end(self.byte(at + 1)) => (Form::Plain, at, at),
            _ if self.plain_can_begin(at, false) => match self.plain_line(at, false) {
                (end, Stop::Colon(colon)) => (Form::Plain, end, colon),
                (_, Stop::Line | Stop::Comment | Stop::Flow) => return None,
            },
            _ => return None,
        };
        if !self.indicates(colon, b':') {
            return None;
        }
        // As YAML has it; a longer one is prose with a colon in it.
        let long = colon - at > FRONT_MATTER_KEY
            && self.slice(at, colon).chars().count() > FRONT_MATTER_KEY;
        (!long).then_some(Key {
            form,
            start: at,
            end,
            after: colon + 1,
            properties,
        })
    }
}
