//! Many skills as numbers and one text: the cheapest way out of WebAssembly. Made value by value, or
//! as JSON that JavaScript takes apart, they would cost more than reading them does.

use super::types::SkillFields;
use super::words::{is_ascii, utf16_length};
use super::{Read, read};
use crate::problem::{Fix, Position, Problem, Severity, TextEdit};
use std::borrow::Cow;
use std::ops::Range;

/// What was read, for `pkg/skills.mjs` to take apart. Lengths count UTF-16 code units.
///
/// Each skill has its own stretch of `text`. In `numbers` stand the bytes of `text`, and then of each
/// skill, one after the other:
/// - its flags, 1 usable, 2 disable-model-invocation, 4 user-invocable, 8 its text is ASCII, 16
///   its body is;
/// - the length of its text in bytes, and in code units;
/// - where its body begins in its bytes, plus 1; 0 when they are not UTF-8 and the body is a text;
/// - the line of its body;
/// - its texts, each as its length plus 1, or 0 when it is missing: header, name, version, license,
///   compatibility, author, argument hint, and body;
/// - how many problems it has, and of each its severity (its place in [`Severity`]), the lengths of
///   code and message, line and column of start and end, and its fix: 0 for none, or its place in
///   [`Fix`] from 1 on and the length of its title; then for edits how many, and of each its start, its
///   end and the length of its text; for a folder the length of its name;
/// - description and metadata, which may stand in the header: length plus 1, or 0; and where in
///   the header, plus 1, or 0 when it is a text of its own after the others;
/// - globs, tags and tools: how many, and the length of each.
#[derive(Debug, Default)]
pub struct Batch {
    /// See the type.
    pub numbers: Vec<u32>,
    /// See the type.
    pub text: String,
    /// The length of the text so far.
    units: usize,
}

/// Reads the skills that stand one after the other in `bytes`, each with its length and the name of
/// its folder.
///
/// Nothing when the lengths do not add up to `bytes`, or the names are not as many.
pub fn parse_batch(bytes: &[u8], lengths: &[u32], folder_names: &[&str]) -> Option<Batch> {
    if lengths.len() != folder_names.len() {
        return None;
    }
    let mut rest = bytes;
    let mut batch = Batch {
        numbers: Vec::with_capacity(lengths.len() * 32 + 1),
        text: String::with_capacity(bytes.len()),
        units: 0,
    };
    batch.numbers.push(0);
    for (length, folder_name) in std::iter::zip(lengths, folder_names) {
        let (own, after) = rest.split_at_checked(usize::try_from(*length).ok()?)?;
        rest = after;
        batch.add(&read(own, folder_name), own.len());
    }
    let whole = number(batch.text.len());
    if let Some(first) = batch.numbers.first_mut() {
        *first = whole;
    }
    rest.is_empty().then_some(batch)
}

impl Batch {
    fn add(&mut self, read: &Read<'_>, length: usize) {
        let skill = &read.skill;
        let fields = &skill.fields;
        let first = self.numbers.len();
        let start = self.text.len();
        let units = self.units;
        self.numbers.extend([0; 3]);
        let body_text = match &read.body {
            Cow::Borrowed(body) => {
                self.numbers.push(number(length - body.len() + 1));
                None
            }
            Cow::Owned(body) => {
                self.numbers.push(0);
                Some(body.as_str())
            }
        };
        self.numbers.push(skill.body_line);
        for text in [
            Some(skill.front_matter.as_str()),
            skill.name.as_deref(),
            skill.version.as_deref(),
            fields.license.as_deref(),
            fields.compatibility.as_deref(),
            fields.author.as_deref(),
            fields.argument_hint.as_deref(),
            body_text,
        ] {
            match text {
                Some(text) => self.add_text(text, 1),
                None => self.numbers.push(0),
            }
        }
        self.add_problems(&skill.problems);
        let header = skill.front_matter.as_str();
        self.add_part(skill.description.as_deref(), &read.description, header);
        self.add_part(fields.metadata.as_deref(), &read.metadata, header);
        for list in [&fields.auto_attach, &fields.tags, &fields.allowed_tools] {
            self.numbers.push(number(list.len()));
            for text in list {
                self.add_text(text, 0);
            }
        }
        let bytes = self.text.len() - start;
        let units = self.units - units;
        // Every other character has more bytes than units.
        let ascii = units == bytes;
        if let Some(slots) = self.numbers.get_mut(first..first + 3) {
            let body_ascii = is_ascii(read.body.as_bytes());
            let flags = flags_of(skill.usable, fields, ascii, body_ascii);
            slots.copy_from_slice(&[flags, number(bytes), number(units)]);
        }
    }

    fn add_problems(&mut self, problems: &[Problem]) {
        self.numbers.push(number(problems.len()));
        for problem in problems {
            self.numbers.push(match problem.severity {
                Severity::Error => 0,
                Severity::Warning => 1,
                Severity::Info => 2,
            });
            self.add_text(&problem.code, 0);
            self.add_text(&problem.message, 0);
            self.add_place(problem.start);
            self.add_place(problem.end);
            match &problem.fix {
                None => self.numbers.push(0),
                Some(Fix::Edit { title, edits }) => {
                    self.numbers.push(1);
                    self.add_text(title, 0);
                    self.numbers.push(number(edits.len()));
                    for TextEdit { start, end, text } in edits {
                        self.add_place(*start);
                        self.add_place(*end);
                        self.add_text(text, 0);
                    }
                }
                Some(Fix::RenameFolder { title, to }) => {
                    self.numbers.push(2);
                    self.add_text(title, 0);
                    self.add_text(to, 0);
                }
                Some(Fix::SaveAsUtf8 { title }) => {
                    self.numbers.push(3);
                    self.add_text(title, 0);
                }
            }
        }
    }

    fn add_place(&mut self, place: Position) {
        self.numbers.extend([place.line, place.column]);
    }

    fn add_text(&mut self, text: &str, plus: u32) {
        let units = utf16_length(text);
        self.units += units;
        self.numbers.push(number(units).saturating_add(plus));
        self.text.push_str(text);
    }

    /// Adds a text that may stand in the header, in the JSON at `place`.
    fn add_part(&mut self, text: Option<&str>, place: &Range<usize>, header: &str) {
        let Some(text) = text else {
            self.numbers.extend([0, 0]);
            return;
        };
        // JSON is the text itself when it is no string, or a string without escapes.
        let quote = usize::from(place.len() == text.len() + 2);
        let start = place.start + quote;
        if header.get(start..start + text.len()) == Some(text) {
            let before = header.get(..start).unwrap_or_default();
            let units = [text, before].map(|text| number(utf16_length(text)).saturating_add(1));
            self.numbers.extend(units);
        } else {
            self.add_text(text, 1);
            self.numbers.push(0);
        }
    }
}

fn flags_of(usable: bool, fields: &SkillFields, ascii: bool, body_ascii: bool) -> u32 {
    u32::from(usable)
        | u32::from(fields.disable_model_invocation) << 1
        | u32::from(fields.user_invocable) << 2
        | u32::from(ascii) << 3
        | u32::from(body_ascii) << 4
}

/// Memory of WebAssembly is addressed by 32 bits, so no length is cut.
fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
