//! What the reader noticed in a header, and how it becomes problems.
//!
//! In: offsets of the header. Out: problems with lines, columns and fixes.

use super::tape::Tape;
use super::words::odd_in_quotes;
use crate::limits::FRONT_MATTER_PROBLEMS;
use crate::order::sort_by;
use crate::places::Places;
use crate::problem::{Fix, Position, Problem, Severity, TextEdit};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What can be wrong with a header. Each was repaired as its message says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Code {
    UnquotedColon,
    TextAfterValue,
    UnknownAlias,
    ReservedStart,
    UnclosedQuote,
    UnclosedBracket,
    BrokenBrackets,
    CollectionKey,
    OutdentedLine,
    UnevenIndentation,
    TabIndentation,
    DuplicateKey,
    StrayLine,
    MissingSpace,
    BadEscape,
    BlockHeader,
    MarkdownBullet,
    UnknownTag,
    BadAnchor,
    TooDeep,
    AliasBound,
    ControlCharacter,
}

impl Code {
    /// The stable code and what is said to the author.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::UnquotedColon => (
                "unquoted-colon",
                "A colon and a blank inside a value that has no quotes: YAML takes it for another key. It was read as text. Put the value in quotes.",
            ),
            Self::TextAfterValue => (
                "text-after-value",
                "Text follows a value that had already ended. All of it was read as text. Put the whole value in quotes.",
            ),
            Self::UnknownAlias => (
                "unknown-alias",
                "A value that begins with * is an alias in YAML, and nothing has this name. It was read as text. Put the value in quotes.",
            ),
            Self::ReservedStart => (
                "reserved-start",
                "In YAML a value without quotes cannot begin with this character. It was read as text. Put the value in quotes.",
            ),
            Self::UnclosedQuote => (
                "unclosed-quote",
                "This quote is never closed. The value was read as text up to the next key. Close the quote.",
            ),
            Self::UnclosedBracket => (
                "unclosed-bracket",
                "This bracket is never closed. What stands up to the next key was read. Close the bracket.",
            ),
            Self::BrokenBrackets => (
                "broken-brackets",
                "The brackets, commas or colons do not fit here. The value was read as text. Correct it, or put it in quotes.",
            ),
            Self::CollectionKey => (
                "collection-key",
                "A list or map stands where a key has to be. It was read as text. Put it in quotes.",
            ),
            Self::OutdentedLine => (
                "outdented-line",
                "This line belongs to the value above but is not indented. It was added to that value. Indent it, or put the value in quotes.",
            ),
            Self::UnevenIndentation => (
                "uneven-indentation",
                "This line is indented differently from its siblings. It was read as one of them. Give it the same indentation.",
            ),
            Self::TabIndentation => (
                "tab-indentation",
                "A tab cannot indent in YAML. It was read as an indentation all the same. Use spaces.",
            ),
            Self::DuplicateKey => (
                "duplicate-key",
                "This key is here twice. The first one counts. Remove one of them.",
            ),
            Self::StrayLine => (
                "stray-line",
                "This is neither a key with a value nor part of the value above. It was left out. Remove it, or move it below the header.",
            ),
            Self::MissingSpace => (
                "missing-space",
                "A colon after a key needs a blank behind it. It was read as a key. Add the blank.",
            ),
            Self::BadEscape => (
                "bad-escape",
                "YAML does not know this escape. It was read as it stands. Write \\\\ for a backslash.",
            ),
            Self::BlockHeader => (
                "block-header",
                "After | or > the text begins on the next line. It was read as text. Move it to the next line and indent it.",
            ),
            Self::MarkdownBullet => (
                "markdown-bullet",
                "A list in YAML uses - where Markdown also takes *. It was read as a list. Use -.",
            ),
            Self::UnknownTag => (
                "unknown-tag",
                "A value that begins with ! is a tag in YAML, and this one means nothing here. It was read as text. Put the value in quotes.",
            ),
            Self::BadAnchor => (
                "bad-anchor",
                "A value that begins with & has an anchor in YAML, and this is none, or a second one. Put the value in quotes, or remove it.",
            ),
            Self::TooDeep => (
                "too-deep",
                "The value is nested too deeply. It was left out.",
            ),
            Self::AliasBound => (
                "alias-bound",
                "Aliases repeat more than a header may hold. This one was left out. Write the value out.",
            ),
            Self::ControlCharacter => (
                "control-character",
                "A NUL character, which no text file should hold, was replaced. Remove it.",
            ),
        }
    }
}

/// What would make a finding go away.
#[derive(Clone, Debug)]
pub(super) enum Remedy {
    None,
    /// Write the text of this node in quotes.
    Quote(usize),
    /// Give the skill's folder this name.
    RenameFolder(String),
    /// Put `text` in the place of a part of the header.
    Replace {
        title: &'static str,
        start: usize,
        end: usize,
        text: String,
    },
}

/// Something noticed between two offsets of the header.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// What is wrong with the header; nothing when it is about a field's meaning.
    pub code: Option<Code>,
    words: (&'static str, Severity, Cow<'static, str>),
    pub start: usize,
    pub end: usize,
    pub remedy: Remedy,
}

/// The findings of one header. The first [`FRONT_MATTER_PROBLEMS`] are kept, the rest is counted.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub kept: Vec<Finding>,
    pub more: usize,
}

impl Findings {
    /// True when further ones are only counted.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= FRONT_MATTER_PROBLEMS
    }

    pub fn add(&mut self, code: Code, start: usize, end: usize, remedy: Remedy) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        let (stable, message) = code.words();
        self.kept.push(Finding {
            code: Some(code),
            words: (stable, Severity::Warning, Cow::Borrowed(message)),
            start,
            end,
            remedy,
        });
    }

    /// Adds a finding about what a field means. These are few, and always kept.
    pub fn add_meaning(
        &mut self,
        code: &'static str,
        severity: Severity,
        message: String,
        (start, end): (usize, usize),
        remedy: Remedy,
    ) {
        self.kept.push(Finding {
            code: None,
            words: (code, severity, Cow::Owned(message)),
            start,
            end,
            remedy,
        });
    }

    /// All as problems, in the order of the header.
    pub fn problems(mut self, header: &str, tape: &Tape) -> Vec<Problem> {
        if self.kept.is_empty() {
            return Vec::new();
        }
        sort_by(&mut self.kept, &|one, other| one.start.cmp(&other.start));
        let mut quoted = BTreeSet::new();
        let changes: Vec<Change> = self
            .kept
            .iter()
            .map(|finding| match &finding.remedy {
                // One fix mends all that is wrong with a value.
                Remedy::Quote(index) if quoted.insert(*index) => quote(header, tape, *index),
                Remedy::None | Remedy::Quote(_) => Change::None,
                Remedy::RenameFolder(to) => Change::Folder(to.clone()),
                Remedy::Replace {
                    title,
                    start,
                    end,
                    text,
                } => Change::Edit(title, *start, *end, text.clone()),
            })
            .collect();
        // What comes after the last place need not be looked at.
        let last = self.kept.iter().map(|finding| finding.end);
        let last = last.chain(changes.iter().filter_map(Change::end)).max();
        let looked_at = last.map_or("", |last| header.get(..last).unwrap_or(header));
        let places = HeaderPlaces(Places::new(looked_at));
        let mut problems: Vec<Problem> = std::iter::zip(self.kept, changes)
            .map(|(finding, change)| {
                let (code, severity, message) = finding.words;
                Problem {
                    code: code.to_owned(),
                    severity,
                    message: message.into_owned(),
                    start: places.at(finding.start),
                    end: places.at(finding.end),
                    fix: change.fix(&places),
                }
            })
            .collect();
        if self.more > 0
            && let Some(last) = problems.last()
        {
            let place = last.start;
            problems.push(Problem {
                code: "more-problems".to_owned(),
                severity: Severity::Warning,
                message: format!("{} more problems in this header are not listed.", self.more),
                start: place,
                end: place,
                fix: None,
            });
        }
        problems
    }
}

/// Places in a header, which begins on the second line of its file.
struct HeaderPlaces<'h>(Places<'h>);

impl HeaderPlaces<'_> {
    fn at(&self, offset: usize) -> Position {
        let place = self.0.position(offset);
        Position {
            line: place.line.saturating_add(1),
            ..place
        }
    }
}

/// A remedy with what it writes.
enum Change {
    None,
    Folder(String),
    Edit(&'static str, usize, usize, String),
}

impl Change {
    /// The last offset it speaks of.
    fn end(&self) -> Option<usize> {
        match self {
            Self::None | Self::Folder(_) => None,
            Self::Edit(_, _, end, _) => Some(*end),
        }
    }

    fn fix(self, places: &HeaderPlaces<'_>) -> Option<Fix> {
        match self {
            Self::None => None,
            Self::Folder(to) => Some(Fix::RenameFolder {
                title: "Rename the folder to the skill's name".to_owned(),
                to,
            }),
            Self::Edit(title, start, end, text) => Some(Fix::Edit {
                title: title.to_owned(),
                edits: vec![TextEdit {
                    start: places.at(start),
                    end: places.at(end),
                    text,
                }],
            }),
        }
    }
}

/// Writes the text of the node at `index` in quotes.
fn quote(header: &str, tape: &Tape, index: usize) -> Change {
    let Some(node) = tape.get(index) else {
        return Change::None;
    };
    let mut text = in_quotes(tape.text(node.text, header));
    // A value that began below its key or tag now follows it.
    let before = header.get(..node.from).unwrap_or_default();
    if before.ends_with(|c: char| !c.is_whitespace() && !"[{,".contains(c)) {
        text.insert(0, ' ');
    }
    Change::Edit("Put this value in quotes", node.from, node.to, text)
}

/// `text` as a YAML scalar in quotes, on one line.
pub(super) fn in_quotes(text: &str) -> String {
    if !odd_in_quotes(text.as_bytes()) {
        return ["\"", text, "\""].concat();
    }
    let plain = !text.chars().any(char::is_control);
    if plain && text.contains(['"', '\\']) && !text.contains('\'') {
        return format!("'{text}'");
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\') || c.is_control()) {
        let (before, after) = rest.split_at(at);
        quoted.push_str(before);
        let mut after = after.chars();
        match after.next() {
            Some('"') => quoted.push_str("\\\""),
            Some('\\') => quoted.push_str("\\\\"),
            Some('\n') => quoted.push_str("\\n"),
            Some('\t') => quoted.push_str("\\t"),
            // Writing to a string cannot fail.
            Some(c) => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            None => {}
        }
        rest = after.as_str();
    }
    quoted.push_str(rest);
    quoted.push('"');
    quoted
}
