//! Block scalars: the text below `|` or `>`.

use super::findings::{Code, Remedy};
use super::reader::{Reader, Trouble};
use super::tape::{Kind, Style};

/// What the line feeds at the end become.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Chomp {
    /// One stays.
    Clip,
    /// None stays.
    Strip,
    /// All stay.
    Keep,
}

/// The line with the `|` or `>`.
struct Header {
    folded: bool,
    chomp: Chomp,
    /// The indentation it asks for, counted from the parent's.
    indent: Option<usize>,
}

impl Reader<'_> {
    /// Reads a block scalar whose `|` or `>` is at `at`, and goes to the line after it. Its lines
    /// are indented by `floor` or more.
    pub fn literal(&mut self, at: usize, floor: usize) -> Result<(), Trouble> {
        let header = self.literal_header(at)?;
        let first = self.line_end(at).saturating_add(1).min(self.header.len());
        let indent = match header.indent {
            Some(more) => (floor + more).saturating_sub(1),
            None => self.literal_indent(first, floor),
        };
        let start = self.tape.made.len();
        let (to, next) = self.literal_lines(&header, first, indent, at);
        self.add_made(Kind::Text, Style::Literal, start, at, to);
        self.next_line(next);
        Ok(())
    }

    fn literal_header(&self, at: usize) -> Result<Header, Trouble> {
        let mut header = Header {
            folded: self.byte(at) == b'>',
            chomp: Chomp::Clip,
            indent: None,
        };
        let mut here = at + 1;
        loop {
            match self.byte(here) {
                b'-' if header.chomp == Chomp::Clip => header.chomp = Chomp::Strip,
                b'+' if header.chomp == Chomp::Clip => header.chomp = Chomp::Keep,
                digit @ b'1'..=b'9' if header.indent.is_none() => {
                    header.indent = Some(usize::from(digit - b'0'));
                }
                _ => break,
            }
            here += 1;
        }
        if self.at_line_end(self.skip_blanks(here)) {
            return Ok(header);
        }
        Err(Trouble::new(Code::BlockHeader, at))
    }

    /// The indentation of the first line with text; `floor` when there is none that belongs here.
    fn literal_indent(&mut self, first: usize, floor: usize) -> usize {
        let mut start = first;
        let mut deepest_blank = (0, start);
        loop {
            let spaces = self.spaces(start);
            let at = start + spaces;
            match self.byte(at) {
                b'\n' => {
                    if spaces > deepest_blank.0 {
                        deepest_blank = (spaces, start);
                    }
                    start = at + 1;
                }
                0 => return deepest_blank.0.max(floor),
                // It has no line with text; what is here belongs to something else.
                _ if spaces < floor => return deepest_blank.0.max(floor),
                _ => {
                    if deepest_blank.0 > spaces {
                        let (deep, start) = deepest_blank;
                        self.note(
                            Code::UnevenIndentation,
                            start + spaces,
                            start + deep,
                            Remedy::Replace {
                                title: "Remove the blanks of this line",
                                start,
                                end: start + deep,
                                text: String::new(),
                            },
                        );
                    }
                    return spaces;
                }
            }
        }
    }

    fn spaces(&self, at: usize) -> usize {
        let rest = self.header.as_bytes().get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|b| **b == b' ').count();
        self.count(length);
        length
    }

    /// Makes the text of the lines from `first` on. Gives where it ends, and the next line.
    fn literal_lines(
        &mut self,
        header: &Header,
        first: usize,
        indent: usize,
        at: usize,
    ) -> (usize, usize) {
        let length = self.header.len();
        let mut start = first;
        let mut to = self.line_end(at);
        let mut feeds = 0;
        let mut any = false;
        let mut was_deeper = false;
        while start < length {
            let spaces = self.spaces(start);
            let end = self.line_end(start + spaces);
            let empty = end == start + spaces;
            if spaces < indent && !empty {
                break;
            }
            if empty && spaces <= indent {
                feeds += 1;
            } else {
                let text = self.slice(start + indent, end);
                let deeper = text.starts_with([' ', '\t']);
                let fold = header.folded && any && !deeper && !was_deeper;
                if fold && feeds == 0 {
                    self.tape.made.push(' ');
                } else {
                    let feeds = feeds + usize::from(any && !fold);
                    self.add_feeds(feeds);
                }
                self.tape.made.push_str(text);
                any = true;
                was_deeper = deeper;
                feeds = 0;
                to = end;
            }
            start = (end + 1).min(length);
        }
        match header.chomp {
            Chomp::Strip => {}
            Chomp::Clip => self.add_feeds(usize::from(any)),
            Chomp::Keep => self.add_feeds(feeds + usize::from(any)),
        }
        (to, start)
    }

    fn add_feeds(&mut self, count: usize) {
        for _ in 0..count {
            self.tape.made.push('\n');
        }
    }
}
