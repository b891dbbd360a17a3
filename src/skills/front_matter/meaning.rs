//! What the fields mean: whether the skill is usable, and what its author should know.

use super::findings::Remedy;
use super::reader::Reader;
use super::words::count;
use crate::limits::{
    GLOBS_PER_SKILL, SKILL_BODY_LINES, SKILL_DESCRIPTION_CHARACTERS, SKILL_NAME_CHARACTERS,
};
use crate::problem::{Position, Problem, Severity};
use crate::text::{is_hidden, lower, one_line};

/// A field of the top map and the node of its value.
#[derive(Clone, Copy)]
pub(super) struct Field<'k> {
    pub key: &'k str,
    pub value: usize,
}

/// A text and where its value stands.
type Placed<'t> = Option<(&'t str, (usize, usize))>;

/// True when the skill can be used. Notes why not, and what is merely worth knowing.
pub(super) fn check(
    reader: &mut Reader<'_>,
    (name, description): (Placed<'_>, Placed<'_>),
    [name_place, description_place]: [Option<(usize, usize)>; 2],
    folder_name: &str,
) -> bool {
    let named = check_name(reader, name, name_place, folder_name);
    check_description(reader, description, description_place) && named
}

/// True for a name that skills may have: lower-case letters, digits, and single hyphens between
/// them.
fn is_valid(name: &str) -> bool {
    let mut before = b'-';
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => {}
            b'-' if before != b'-' => {}
            _ => return false,
        }
        before = byte;
    }
    before != b'-' && name.len() <= SKILL_NAME_CHARACTERS
}

/// The valid name that is nearest to `text`.
fn valid_from(text: &str) -> Option<String> {
    let lower = lower(text);
    let words = lower.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit());
    let name = words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    is_valid(&name).then_some(name)
}

fn check_name(
    reader: &mut Reader<'_>,
    name: Placed<'_>,
    place: Option<(usize, usize)>,
    folder_name: &str,
) -> bool {
    let Some((name, place)) = name.filter(|(name, _)| !name.trim().is_empty()) else {
        let remedy = valid_from(folder_name).map_or(Remedy::None, |folder| {
            fill_field(reader, "Add the folder's name", "name", &folder, place)
        });
        reader.findings.add_meaning(
            "missing-name",
            Severity::Error,
            "The header has no name. Without one the skill cannot be used.".to_owned(),
            (0, 0),
            remedy,
        );
        return false;
    };
    if !is_valid(name) {
        let better = valid_from(name).or_else(|| valid_from(folder_name));
        let remedy = better.map_or(Remedy::None, |better| Remedy::Replace {
            title: "Correct the name",
            start: place.0,
            end: place.1,
            text: better,
        });
        reader.findings.add_meaning(
            "invalid-name",
            Severity::Error,
            format!("A name has 1 to {SKILL_NAME_CHARACTERS} lower-case letters and digits, with single hyphens between them. This skill cannot be used."),
            place,
            remedy,
        );
        return false;
    }
    if !folder_name.is_empty() && name != folder_name {
        reader.findings.add_meaning(
            "name-differs-from-folder",
            Severity::Warning,
            "The name differs from the name of the skill's folder. Other agents may not find it. Rename one of them.".to_owned(),
            place,
            Remedy::RenameFolder(name.to_owned()),
        );
    }
    true
}

fn check_description(
    reader: &mut Reader<'_>,
    description: Placed<'_>,
    place: Option<(usize, usize)>,
) -> bool {
    let Some((text, place)) = description.filter(|(text, _)| says_something(text)) else {
        let remedy = fill_field(
            reader,
            "Add a description to fill in",
            "description",
            DESCRIPTION_TO_FILL_IN,
            place,
        );
        let place = description.map_or((0, 0), |(_, place)| place);
        reader.findings.add_meaning(
            "missing-description",
            Severity::Error,
            "The header has no description. Without one no model could tell when to use the skill, so it is not used. Say what it does and when.".to_owned(),
            place,
            remedy,
        );
        return false;
    };
    // There are no more characters than bytes.
    if text.len() <= SKILL_DESCRIPTION_CHARACTERS {
        return true;
    }
    let characters = text.chars().count();
    if characters > SKILL_DESCRIPTION_CHARACTERS {
        reader.findings.add_meaning(
            "long-description",
            Severity::Warning,
            format!("The description has {characters} characters. Other agents take {SKILL_DESCRIPTION_CHARACTERS} at most, and the catalogue shows its beginning. Shorten it."),
            place,
            Remedy::None,
        );
    }
    true
}

/// True when there is a character that is seen.
fn says_something(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !is_hidden(c))
}

/// What stands where a description is missing, until its author says better.
const DESCRIPTION_TO_FILL_IN: &str = "Says what this skill does and when to use it.";

/// Writes `value` at `place`, where there is nothing to read, or as a field of its own.
fn fill_field(
    reader: &Reader<'_>,
    title: &'static str,
    key: &str,
    value: &str,
    place: Option<(usize, usize)>,
) -> Remedy {
    let (start, end) = place.unwrap_or((0, 0));
    let text = if place.is_none() {
        format!("{key}: {value}\n")
    } else if reader.slice(0, start).ends_with(':') {
        format!(" {value}")
    } else {
        value.to_owned()
    };
    Remedy::Replace {
        title,
        start,
        end,
        text,
    }
}

/// Notes keys that surely mean a field of the format: their nodes, and the fields.
pub(super) fn check_spelling(reader: &mut Reader<'_>, unknown: &[(usize, &'static str)]) {
    for (key, meant) in unknown {
        let place = reader.place(*key);
        let severity = match *meant {
            "name" | "description" => Severity::Warning,
            _ => Severity::Info,
        };
        reader.findings.add_meaning(
            "misspelled-field",
            severity,
            format!("Nothing reads a field of this name. Did you mean {meant}?"),
            (place.start, place.end),
            Remedy::Replace {
                title: "Correct the name of the field",
                start: place.start,
                end: place.end,
                text: (*meant).to_owned(),
            },
        );
    }
}

/// Notes globs that cannot be understood, of those that are used.
pub(super) fn check_globs(reader: &mut Reader<'_>, field: Field<'_>, globs: &[String]) {
    let place = reader.place(field.value);
    if globs.len() > GLOBS_PER_SKILL {
        reader.findings.add_meaning(
            "too-many-globs",
            Severity::Warning,
            format!(
                "There are {} globs in {}; those after the first {GLOBS_PER_SKILL} match nothing.",
                globs.len(),
                field.key
            ),
            (place.start, place.end),
            Remedy::None,
        );
    }
    for glob in globs.iter().take(GLOBS_PER_SKILL) {
        if let Some(why) = crate::skills::globs::problem(glob) {
            reader.findings.add_meaning(
                "unknown-glob",
                Severity::Warning,
                format!(
                    "The glob `{}` in {} is not understood: {why}. It matches nothing.",
                    one_line(glob),
                    field.key
                ),
                (place.start, place.end),
                Remedy::None,
            );
        }
    }
}

/// Notes a body that is too long to be read at once.
pub(super) fn check_body(body: &str, first_line: u32, problems: &mut Vec<Problem>) {
    if body.len() <= SKILL_BODY_LINES {
        return;
    }
    let feeds = count(body.as_bytes(), b'\n');
    let returns = count(body.as_bytes(), b'\r');
    if feeds + returns <= SKILL_BODY_LINES {
        return;
    }
    let lines = if returns == 0 {
        body.lines().count()
    } else {
        body.replace("\r\n", "\n")
            .replace('\r', "\n")
            .lines()
            .count()
    };
    if lines <= SKILL_BODY_LINES {
        return;
    }
    let over = u32::try_from(SKILL_BODY_LINES).unwrap_or(u32::MAX);
    let start = Position {
        line: first_line.saturating_add(over),
        column: 1,
    };
    problems.push(Problem {
        code: "long-body".to_owned(),
        severity: Severity::Warning,
        message: format!("The body has {lines} lines. A model reads a skill best in at most {SKILL_BODY_LINES}. Move details into files beside it."),
        start,
        end: start,
        fix: None,
    });
}
