//! SKILL.md bytes → fields and body.
//!
//! In: the bytes of a file and the name of its folder. Out: a [`ParsedSkill`]. A header that YAML
//! 1.2 reads (core schema) comes out as YAML reads it; a broken one is repaired field by field, and
//! each repair is a problem with its place. Time and memory are linear in the bytes, whatever they
//! are; nesting is bounded, and so is what aliases repeat.
//!
//! Deliberately not here: files and folders, merging many skills, whether globs match.
//!
//! In reading order: [`encoding`] bytes → text · [`fences`] text → header and body · [`reader`] and
//! its parts, header → [`tape`] · [`json`] tape → JSON text · [`fields`] tape → fields, and whether
//! the skill is usable · [`findings`] what was noticed → problems · [`wire`] many
//! skills in one text.

mod blocks;
mod core_schema;
mod encoding;
mod fences;
mod fields;
mod findings;
mod flows;
mod json;
mod literals;
mod meaning;
mod reader;
mod repairs;
mod scalars;
mod spelling;
mod tape;
mod types;
mod values;
mod wire;
mod words;

#[cfg(test)]
mod linear_tests;

pub use types::{ParsedSkill, SkillFields};
pub use wire::{Batch, parse_batch};

use crate::order::sort_by;
use findings::{Code, Remedy};
use reader::Reader;
use std::borrow::Cow;
use std::ops::Range;

/// Reads one SKILL.md.
///
/// ```
/// use gbs_agent_core::skills::front_matter::parse_skill;
/// let skill = parse_skill(b"---\nname: a-b\ndescription: Does: this\n---\nBody", "a-b");
/// assert!(skill.usable);
/// assert_eq!(skill.description.as_deref(), Some("Does: this"));
/// assert_eq!(skill.problems[0].code, "unquoted-colon");
/// ```
pub fn parse_skill(bytes: &[u8], folder_name: &str) -> ParsedSkill {
    let Read {
        mut skill, body, ..
    } = read(bytes, folder_name);
    skill.body = body.into_owned();
    skill
}

/// One SKILL.md, read.
struct Read<'b> {
    /// Its body is not in it yet.
    skill: ParsedSkill,
    /// The body: a part of the bytes where they are UTF-8.
    body: Cow<'b, str>,
    /// Where the description and the metadata stand in the JSON of the header.
    description: Range<usize>,
    metadata: Range<usize>,
}

fn read<'b>(bytes: &'b [u8], folder_name: &str) -> Read<'b> {
    let (text, mut problems) = encoding::decode(bytes);
    let parts = fences::parts(&text);
    problems.extend(parts.problem);
    let (header, nul) = normalised(parts.header.unwrap_or_default());
    let mut reader = Reader::new(&header);
    if let Some(at) = nul {
        reader.note(Code::ControlCharacter, at, at + 3, Remedy::None);
    }
    reader.root();
    let found = fields::skill(&mut reader, folder_name, parts.header.is_some());
    let mut skill = found.skill;
    meaning::check_body(parts.body, parts.body_line, &mut skill.problems);
    problems.append(&mut skill.problems);
    sort_by(&mut problems, &|one, other| one.start.cmp(&other.start));
    skill.problems = problems;
    skill.body_line = parts.body_line;
    let body = match &text {
        // The body is the end of the text, and so of the bytes.
        Cow::Borrowed(text) => Cow::Borrowed(
            text.get(text.len() - parts.body.len()..)
                .unwrap_or_default(),
        ),
        Cow::Owned(_) => Cow::Owned(parts.body.to_owned()),
    };
    Read {
        skill,
        body,
        description: found.description,
        metadata: found.metadata,
    }
}

/// A header as the reader wants it: lines end with `\n`, and a NUL, which no YAML holds, is replaced.
/// Also where the first NUL stood.
fn normalised(header: &str) -> (Cow<'_, str>, Option<usize>) {
    if words::either(header.as_bytes(), b'\r', 0).is_none() {
        return (Cow::Borrowed(header), None);
    }
    let header = header.replace("\r\n", "\n").replace('\r', "\n");
    let nul = header.find('\0');
    (Cow::Owned(header.replace('\0', "\u{fffd}")), nul)
}
