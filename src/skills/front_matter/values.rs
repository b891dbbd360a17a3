//! One value behind a key or a dash, with its anchor and tag.

use super::findings::{Code, Remedy};
use super::flows::FlowRules;
use super::reader::{Reader, Trouble, is_flow_mark, is_space_or_end};
use super::tape::{Kind, Style};

/// What a tag says about a scalar. Tags of collections say nothing that JSON could.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Tag {
    /// There is none: the form decides.
    None,
    /// It is text: `!!str`, `!`, and every tag that the core schema does not have.
    Text,
    /// Its text decides: `!!int`, `!!float`, `!!bool`, `!!null`.
    Core,
}

/// The anchor and the tag before a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Properties {
    tag: Tag,
    /// Where the anchor's name begins and ends.
    anchor: Option<(usize, usize)>,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The column of the map or list it is in. Its further lines are indented deeper.
    pub column: usize,
    /// A list below it may stand at that column too: it is the value of a key.
    pub list_at_column: bool,
    /// It is meant to be text, whatever it begins with.
    pub text: bool,
}

impl Reader<'_> {
    /// Reads the value at `at`, repairs it if need be, and goes to the line after it.
    pub fn value(&mut self, at: usize, place: Place) {
        let mark = self.mark();
        if let Err(trouble) = self.well_formed_value(at, place) {
            self.back_to(mark);
            self.repair(at, place, trouble);
        }
    }

    fn well_formed_value(&mut self, at: usize, place: Place) -> Result<(), Trouble> {
        let index = self.tape.len();
        let before = self.findings.kept.len();
        let floor = place.column + 1;
        let (properties, here) = self.properties(at, false)?;
        if here > at && self.at_line_end(here) {
            self.line_after(here);
            self.value_below(here, place);
            self.apply(properties, index);
            return Ok(());
        }
        let end = match self.byte(here) {
            b'|' | b'>' => {
                self.literal(here, floor)?;
                self.apply(properties, index);
                return Ok(());
            }
            b'"' | b'\'' => self.quoted(here, floor, false)?,
            b'[' | b'{' => {
                let rules = FlowRules {
                    floor,
                    may_end: !place.text,
                    depth: self.depth,
                };
                self.outer_flow(here, rules)?
            }
            b'*' => self.alias(here, false)?,
            _ if self.plain_can_begin(here, false) => self.plain(here, floor, false)?,
            b'&' => return Err(Trouble::new(Code::BadAnchor, here)),
            b'!' => return Err(Trouble::new(Code::UnknownTag, here)),
            _ => return Err(Trouble::new(Code::ReservedStart, here)),
        };
        let rest = self.skip_blanks(end);
        if !self.at_line_end(rest) {
            let mut since = self.findings.kept.iter().skip(before);
            let outdented = since.any(|found| found.code == Some(Code::OutdentedLine));
            // A quote that closes nothing below is one of another value.
            let quoted = matches!(self.byte(here), b'"' | b'\'');
            return Err(if quoted && outdented {
                Trouble::new(Code::UnclosedQuote, here)
            } else {
                Trouble::new(Code::TextAfterValue, rest)
            });
        }
        self.apply(properties, index);
        self.line_after(rest);
        Ok(())
    }

    /// Reads the value that stands on the lines below its key or dash, of which `at` is the end.
    /// There may be none, which is null.
    pub fn value_below(&mut self, at: usize, place: Place) {
        let line = self.line;
        if !line.end && line.column > place.column {
            self.block(place.column + 1, place.list_at_column);
        } else if place.list_at_column
            && !line.end
            && line.column == place.column
            && self.is_item(line.at)
        {
            self.list(place.column, place.column);
        } else {
            self.add_null(Style::Block, at);
        }
    }

    /// Reads the anchor and the tag at `at`, if any, and gives the place after them and the blanks
    /// that follow.
    pub fn properties(&mut self, at: usize, flow: bool) -> Result<(Properties, usize), Trouble> {
        let mut found = Properties {
            tag: Tag::None,
            anchor: None,
        };
        let mut here = at;
        loop {
            let end = match self.byte(here) {
                b'&' if found.anchor.is_none() => {
                    let end = here + 1 + self.anchor_name(here + 1);
                    if end == here + 1 || self.byte(end - 1) == b':' {
                        return Err(Trouble::new(Code::BadAnchor, here));
                    }
                    found.anchor = Some((here + 1, end));
                    end
                }
                b'!' if found.tag == Tag::None => {
                    let (tag, end) = self.tag(here)?;
                    found.tag = tag;
                    end
                }
                _ => return Ok((found, here)),
            };
            let next = self.byte(end);
            if !(is_space_or_end(next) || (flow && is_flow_mark(next))) {
                let code = if self.byte(here) == b'!' {
                    Code::UnknownTag
                } else {
                    Code::BadAnchor
                };
                return Err(Trouble::new(code, here));
            }
            here = self.skip_blanks(end);
        }
    }

    /// The length of the anchor name at `at`.
    pub fn anchor_name(&self, at: usize) -> usize {
        let rest = self.header.as_bytes().get(at..).unwrap_or_default();
        let length = rest
            .iter()
            .take_while(|b| !(is_space_or_end(**b) || is_flow_mark(**b)))
            .count();
        self.count(length);
        length
    }

    fn tag(&self, at: usize) -> Result<(Tag, usize), Trouble> {
        let rest = self.header.as_bytes().get(at + 1..).unwrap_or_default();
        if rest.first() == Some(&b'<') {
            let length = rest
                .iter()
                .take_while(|b| !matches!(b, b'>' | b'\n'))
                .count();
            self.count(length);
            let end = at + 1 + length;
            if self.byte(end) != b'>' {
                return Err(Trouble::new(Code::UnknownTag, at));
            }
            let name = self.slice(at + 2, end);
            let tag = name
                .strip_prefix("tag:yaml.org,2002:")
                .map_or(Tag::Text, core_tag);
            return Ok((tag, end + 1));
        }
        let length = rest.iter().take_while(|b| is_tag_byte(**b)).count();
        self.count(length);
        let end = at + 1 + length;
        let name = self.slice(at + 1, end);
        match name.strip_prefix('!') {
            Some(core) if !core.is_empty() => Ok((core_tag(core), end)),
            None if !name.contains('!') => Ok((Tag::Text, end)),
            // A handle that no directive has defined.
            Some(_) | None => Err(Trouble::new(Code::UnknownTag, at)),
        }
    }

    /// Gives the node at `index` its anchor and type.
    pub fn apply(&mut self, properties: Properties, index: usize) {
        if let Some(node) = self.tape.get_mut(index)
            && matches!(node.kind, Kind::Plain | Kind::Text)
        {
            match properties.tag {
                Tag::None => {}
                Tag::Text => node.kind = Kind::Text,
                Tag::Core => node.kind = Kind::Plain,
            }
        }
        if let Some((start, end)) = properties.anchor {
            if self.tape.get(index).is_some_and(|node| node.anchor > 0) {
                self.note(Code::BadAnchor, start - 1, end, Remedy::None);
            }
            self.set_anchor(index, start, end);
        }
    }

    /// Reads the alias at `at` and gives the place after it.
    pub fn alias(&mut self, at: usize, flow: bool) -> Result<usize, Trouble> {
        let end = at + 1 + self.anchor_name(at + 1);
        let Some(target) = self.anchored(self.slice(at + 1, end)) else {
            return Err(Trouble::new(Code::UnknownAlias, at));
        };
        let style = if flow { Style::Flow } else { Style::Block };
        self.add_slice(Kind::Alias(target), style, at, end, at, end);
        Ok(end)
    }
}

fn core_tag(name: &str) -> Tag {
    match name {
        "int" | "float" | "bool" | "null" => Tag::Core,
        _ => Tag::Text,
    }
}

fn is_tag_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-#;/?:@&=+$_.!~*'()".contains(&byte)
}
