//! The reader's state: the header, the current line, and what was read so far.
//!
//! The parts of the grammar are in the modules beside this one, each an `impl Reader`: [`blocks`]
//! decides by lines and indentation, [`values`] reads one value behind a key or dash, [`scalars`],
//! [`literals`] and [`flows`] read the forms a value has, [`repairs`] saves what they refuse.
//!
//! Every byte is looked at a bounded number of times: a form that fails has gone no further than the
//! lines of its own entry, and the repair that follows reads these once more and never fails.
//!
//! [`blocks`]: super::blocks
//! [`values`]: super::values
//! [`scalars`]: super::scalars
//! [`literals`]: super::literals
//! [`flows`]: super::flows
//! [`repairs`]: super::repairs

use super::findings::{Code, Findings, Remedy};
use super::tape::{Kind, Node, Span, Style, Tape};
use std::collections::BTreeMap;

/// The line the reader stands at: the next one that is neither blank nor a comment. After `- ` or
/// `? ` the rest of the line counts as a line of its own, as YAML's compact form has it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    /// Offset of its first character.
    pub start: usize,
    /// Offset of its first character that is no blank.
    pub at: usize,
    /// Columns before that one, from 0; a tab goes to the next multiple of four.
    pub column: usize,
    /// There is a tab in the indentation.
    pub tabs: bool,
    /// There is no such line: the header ends.
    pub end: bool,
}

/// Why a form could not be read, and where it showed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trouble {
    pub code: Code,
    pub at: usize,
}

impl Trouble {
    pub fn new(code: Code, at: usize) -> Self {
        Self { code, at }
    }
}

/// How far the reader had come, to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    nodes: usize,
    made: usize,
    kept: usize,
    more: usize,
}

/// Reads one header. See the module.
pub(super) struct Reader<'h> {
    /// The header: line ends are `\n`, and there is no NUL, which stands for the end below.
    pub header: &'h str,
    pub tape: Tape,
    pub findings: Findings,
    pub line: Line,
    /// Containers around the current place.
    pub depth: usize,
    /// The brackets that a flow collection lacks at its end.
    pub missing: String,
    /// Bytes looked at, counted for the tests of linear time.
    #[cfg(test)]
    pub steps: std::cell::Cell<usize>,
    /// Anchor names, with the node and the offset of the name.
    anchors: BTreeMap<&'h str, (usize, usize)>,
}

impl<'h> Reader<'h> {
    pub fn new(header: &'h str) -> Self {
        Self {
            header,
            tape: Tape::for_header(header.len()),
            findings: Findings::default(),
            line: Line::default(),
            depth: 0,
            missing: String::new(),
            #[cfg(test)]
            steps: std::cell::Cell::new(0),
            anchors: BTreeMap::new(),
        }
    }

    /// Counts `bytes` that are looked at.
    #[inline]
    #[cfg_attr(not(test), allow(clippy::unused_self, unused_variables))]
    pub fn count(&self, bytes: usize) {
        #[cfg(test)]
        self.steps.set(self.steps.get() + bytes);
    }

    /// The byte at `at`, 0 past the end.
    #[inline]
    pub fn byte(&self, at: usize) -> u8 {
        self.count(1);
        self.header.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The text from `start` to `end`.
    pub fn slice(&self, start: usize, end: usize) -> &'h str {
        self.count(end.saturating_sub(start));
        self.header.get(start..end).unwrap_or_default()
    }

    /// The first place at or after `at` that holds no blank.
    #[inline]
    pub fn skip_blanks(&self, mut at: usize) -> usize {
        while is_blank(self.byte(at)) {
            at += 1;
        }
        at
    }

    /// The line feed at or after `at`, or the end.
    pub fn line_end(&self, at: usize) -> usize {
        let rest = self.header.as_bytes().get(at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.count(length);
        at + length
    }

    /// True where nothing more stands on the line: its end, or a comment (which needs a blank
    /// before it).
    #[inline]
    pub fn at_line_end(&self, at: usize) -> bool {
        match self.byte(at) {
            b'\n' | 0 => true,
            b'#' => at == 0 || is_space(self.byte(at - 1)),
            _ => false,
        }
    }

    /// True when `mark` at `at` is an indicator: a blank or the line's end follows.
    #[inline]
    pub fn indicates(&self, at: usize, mark: u8) -> bool {
        self.byte(at) == mark && is_space_or_end(self.byte(at + 1))
    }

    /// True for the dash of an item, and for Markdown's `*`, which means one (an alias has a name).
    pub fn is_item(&self, at: usize) -> bool {
        self.indicates(at, b'-') || (self.byte(at) == b'*' && is_blank(self.byte(at + 1)))
    }

    /// Goes to the first line at or after `start` that is neither blank nor a comment.
    pub fn next_line(&mut self, mut start: usize) {
        loop {
            let mut at = start;
            let mut column = 0;
            let mut tabs = false;
            loop {
                match self.byte(at) {
                    b' ' => column += 1,
                    b'\t' => {
                        tabs = true;
                        column = column / 4 * 4 + 4;
                    }
                    _ => break,
                }
                at += 1;
            }
            match self.byte(at) {
                b'\n' => start = at + 1,
                b'#' => {
                    let end = self.line_end(at);
                    start = if end < self.header.len() {
                        end + 1
                    } else {
                        end
                    };
                }
                byte => {
                    self.line = Line {
                        start,
                        at,
                        column,
                        tabs,
                        end: byte == 0,
                    };
                    return;
                }
            }
        }
    }

    /// Goes to the line after the one that holds `at`.
    pub fn line_after(&mut self, at: usize) {
        let end = self.line_end(at);
        self.next_line(end.saturating_add(1).min(self.header.len()));
    }

    /// Adds a scalar whose text is the part of the header from `start` to `end`.
    pub fn add_slice(
        &mut self,
        kind: Kind,
        style: Style,
        start: usize,
        end: usize,
        from: usize,
        to: usize,
    ) {
        let text = Span {
            start,
            end,
            made: false,
        };
        self.add(kind, style, text, from, to);
    }

    /// Adds a scalar whose text was made, from `start` to here.
    pub fn add_made(&mut self, kind: Kind, style: Style, start: usize, from: usize, to: usize) {
        let text = Span {
            start,
            end: self.tape.made.len(),
            made: true,
        };
        self.add(kind, style, text, from, to);
    }

    /// Adds an empty value at `at`, which is null.
    pub fn add_null(&mut self, style: Style, at: usize) {
        self.add_slice(Kind::Plain, style, at, at, at, at);
    }

    /// Adds a node and gives its index. A container is closed by [`Reader::close`].
    pub fn add(&mut self, kind: Kind, style: Style, text: Span, from: usize, to: usize) -> usize {
        let index = self.tape.len();
        self.tape.nodes.push(Node {
            kind,
            style,
            text,
            from,
            to,
            next: index + 1,
            anchor: 0,
            dropped: false,
        });
        index
    }

    /// Opens a container that begins at `from`.
    pub fn open(&mut self, kind: Kind, style: Style, from: usize) -> usize {
        let text = Span {
            start: from,
            end: from,
            made: false,
        };
        self.add(kind, style, text, from, from)
    }

    /// Closes the container at `index`, which ends at `to`.
    pub fn close(&mut self, index: usize, to: usize) {
        let next = self.tape.len();
        if let Some(node) = self.tape.get_mut(index) {
            node.next = next;
            node.to = to;
        }
    }

    /// The end of the last node, for a container that ends with it.
    pub fn last_end(&self) -> usize {
        self.tape.nodes.last().map_or(0, |node| node.to)
    }

    pub fn mark(&self) -> Mark {
        Mark {
            nodes: self.tape.nodes.len(),
            made: self.tape.made.len(),
            kept: self.findings.kept.len(),
            more: self.findings.more,
        }
    }

    /// Forgets what was read since `mark`.
    pub fn back_to(&mut self, mark: Mark) {
        self.tape.nodes.truncate(mark.nodes);
        self.tape.made.truncate(mark.made);
        self.findings.kept.truncate(mark.kept);
        self.findings.more = mark.more;
    }

    /// Gives the node at `index` the anchor whose name stands from `start` to `end`.
    pub fn set_anchor(&mut self, index: usize, start: usize, end: usize) {
        let name = self.slice(start, end);
        if let Some(node) = self.tape.get_mut(index) {
            node.anchor = start;
            self.anchors.insert(name, (index, start));
        }
    }

    /// The node that `name` stands for. An anchor that a repair took back is none.
    pub fn anchored(&self, name: &str) -> Option<usize> {
        let (index, start) = *self.anchors.get(name)?;
        let node = self.tape.get(index)?;
        (node.anchor == start).then_some(index)
    }

    /// Notes something about the header from `start` to `end`.
    pub fn note(&mut self, code: Code, start: usize, end: usize, remedy: Remedy) {
        self.findings.add(code, start, end, remedy);
    }
}

/// A blank: a space or a tab.
#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A blank or a line feed.
#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// A blank, a line feed, or the end.
#[inline]
pub(super) fn is_space_or_end(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0)
}

/// What separates and closes in a flow collection.
#[inline]
pub(super) fn is_flow_mark(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}
