//! What was read, as a flat list in the order of the file: a container stands before its children
//! and knows where they end. So a repair can take back what it replaces by cutting the list, and
//! nothing needs a recursion to be dropped.

/// Where the text of a scalar stands: in the header itself, or in [`Tape::made`] when it had to be
/// put together (folded lines, escapes, repairs).
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub made: bool,
}

/// What a node is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// Children are keys and values by turns; every key is a scalar or an alias.
    Map,
    /// Children are items.
    Seq,
    /// The node at this index, once more.
    Alias(usize),
    /// A scalar whose type its text decides, by the rules of the core schema.
    Plain,
    /// A scalar that is text whatever it says.
    Text,
}

/// How a scalar came to be; a repair asks for it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Style {
    /// In a flow collection: nothing is ever added to it.
    Flow,
    /// Plain or quoted, in a block.
    Block,
    /// After `|` or `>`.
    Literal,
    /// Put together by a repair.
    Repaired,
    /// After `|` or `>`, with lines that a repair added.
    RepairedLiteral,
}

/// A node of the tape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub style: Style,
    /// The text of a scalar.
    pub text: Span,
    /// Where it stands in the header, quotes and brackets included.
    pub from: usize,
    pub to: usize,
    /// The index after this node and its children.
    pub next: usize,
    /// Where the name of its anchor stands in the header, 0 for none (no name can stand there).
    pub anchor: usize,
    /// A key whose entry does not count, because an earlier one has the same name.
    pub dropped: bool,
}

/// The nodes and the text made for them.
#[derive(Debug, Default)]
pub(super) struct Tape {
    pub nodes: Vec<Node>,
    pub made: String,
}

impl Tape {
    /// With room for what a usual header of this many bytes holds.
    pub fn for_header(length: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(length / 16 + 8),
            made: String::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub fn get(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }

    pub fn get_mut(&mut self, index: usize) -> Option<&mut Node> {
        self.nodes.get_mut(index)
    }

    /// The text at `span`, in `header` or in what was made.
    #[inline]
    pub fn text<'t>(&'t self, span: Span, header: &'t str) -> &'t str {
        let text = if span.made { &self.made } else { header };
        text.get(span.start..span.end).unwrap_or_default()
    }

    /// Follows an alias to what it stands for.
    pub fn resolved(&self, index: usize) -> Option<&Node> {
        // An alias stands for what is before it, so this ends.
        let mut index = index;
        loop {
            let node = self.get(index)?;
            match node.kind {
                Kind::Alias(target) if target < index => index = target,
                Kind::Alias(_) => return None,
                Kind::Map | Kind::Seq | Kind::Plain | Kind::Text => return Some(node),
            }
        }
    }

    /// The indexes of the children of the container at `index`.
    pub fn children(&self, index: usize) -> Children<'_> {
        let end = self.get(index).map_or(0, |node| node.next);
        Children {
            tape: self,
            at: index + 1,
            end,
        }
    }
}

/// See [`Tape::children`].
pub(super) struct Children<'t> {
    tape: &'t Tape,
    at: usize,
    end: usize,
}

impl Iterator for Children<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.at >= self.end {
            return None;
        }
        let index = self.at;
        self.at = self.tape.get(index)?.next;
        Some(index)
    }
}
