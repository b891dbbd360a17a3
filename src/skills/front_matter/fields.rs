//! The tape → the fields of the format, in their types.

use super::core_schema::{self, Scalar};
use super::findings::Remedy;
use super::meaning::{self, Field};
use super::reader::Reader;
use super::spelling;
use super::tape::{Kind, Node, Style};
use super::types::{ParsedSkill, SkillFields};
use crate::limits::FRONT_MATTER_PROBLEMS;
use crate::problem::Severity;
use std::ops::Range;

/// A skill without its body, and where some of its texts stand in its JSON.
pub(super) struct Made {
    pub skill: ParsedSkill,
    pub description: Range<usize>,
    pub metadata: Range<usize>,
}

/// Makes the skill of a header that was read.
pub(super) fn skill(reader: &mut Reader<'_>, folder_name: &str, has_header: bool) -> Made {
    let (json, ranges) = reader.json();
    let mut found = Found::default();
    let mut description = 0..0;
    let mut metadata = 0..0;
    let mut unknown = Vec::new();
    let mut present = Vec::with_capacity(TEXT_FIELDS.len() + OTHER_FIELDS.len());
    for (value, range) in ranges {
        // A key stands right before its value.
        let key = reader.key_text(value - 1);
        let mut fields = TEXT_FIELDS.iter().chain(&OTHER_FIELDS);
        // Most keys differ in their first byte, which costs less than a comparison of texts.
        let first = key.as_bytes().first();
        let same = |field: &&&str| field.as_bytes().first() == first && **field == key;
        let Some(field) = fields.find(same) else {
            if unknown.len() < FRONT_MATTER_PROBLEMS {
                unknown.extend(spelling::meant(&key).map(|meant| (value - 1, meant)));
            }
            continue;
        };
        present.push(*field);
        found.take(
            reader,
            field,
            value,
            json.get(range.clone()).unwrap_or_default(),
        );
        match *field {
            "description" => description = range,
            "metadata" => metadata = range,
            _ => {}
        }
    }
    unknown.retain(|(_, meant)| !present.contains(meant));
    meaning::check_spelling(reader, &unknown);
    let mut usable = false;
    if has_header {
        let name = found
            .name
            .as_ref()
            .map(|(text, place)| (text.as_str(), *place));
        let text = found
            .description
            .as_ref()
            .map(|(text, place)| (text.as_str(), *place));
        usable = meaning::check(reader, (name, text), found.places, folder_name);
    }
    let findings = std::mem::take(&mut reader.findings);
    let skill = ParsedSkill {
        usable,
        name: found.name.map(|(text, _)| text),
        description: found.description.map(|(text, _)| text),
        version: found.version,
        front_matter: json,
        fields: found.fields,
        body: String::new(),
        body_line: 1,
        problems: findings.problems(reader.header, &reader.tape),
    };
    Made {
        skill,
        description,
        metadata,
    }
}

/// The fields of the format that are text.
pub(super) const TEXT_FIELDS: [&str; 7] = [
    "name",
    "description",
    "version",
    "license",
    "compatibility",
    "author",
    "argument-hint",
];

/// The other fields of the format.
pub(super) const OTHER_FIELDS: [&str; 10] = [
    "metadata",
    "tags",
    "allowed-tools",
    "autoAttach",
    "auto_attach",
    "paths",
    "globs",
    "disable-model-invocation",
    "user-invocable",
    "user-invokable",
];

/// A place in the header.
type Place = (usize, usize);

#[derive(Default)]
struct Found {
    name: Option<(String, Place)>,
    description: Option<(String, Place)>,
    version: Option<String>,
    fields: SkillFields,
    user_invocable: bool,
    /// Where the values of name and description stand, or belong where they are null.
    places: [Option<Place>; 2],
}

impl Found {
    fn take(&mut self, reader: &mut Reader<'_>, key: &str, value: usize, json: &str) {
        let place = reader
            .tape
            .get(value)
            .map_or((0, 0), |node| (node.from, node.to));
        match key {
            "name" => {
                self.places[0] = Some(place);
                self.name = reader.text_field(key, value).map(|text| (text, place));
            }
            "description" => {
                self.places[1] = Some(place);
                self.description = reader.text_field(key, value).map(|text| (text, place));
            }
            "version" => self.version = reader.text_field(key, value),
            "license" => self.fields.license = reader.text_field(key, value),
            "compatibility" => self.fields.compatibility = reader.text_field(key, value),
            "author" => self.fields.author = reader.text_field(key, value),
            "argument-hint" => self.fields.argument_hint = reader.text_field(key, value),
            "metadata" => self.fields.metadata = Some(json.to_owned()),
            "tags" => self.fields.tags = reader.list_field(key, value, commas),
            "allowed-tools" => self.fields.allowed_tools = reader.list_field(key, value, tools),
            "autoAttach" | "auto_attach" | "paths" | "globs" => {
                let globs = reader.list_field(key, value, globs);
                meaning::check_globs(reader, Field { key, value }, &globs);
                for glob in globs {
                    if !self.fields.auto_attach.contains(&glob) {
                        self.fields.auto_attach.push(glob);
                    }
                }
            }
            "disable-model-invocation" => {
                let flag = reader.flag_field(key, value);
                self.fields.disable_model_invocation = flag.unwrap_or(false);
            }
            "user-invocable" | "user-invokable" if !self.user_invocable => {
                self.user_invocable = true;
                self.fields.user_invocable = reader.flag_field(key, value).unwrap_or(true);
            }
            _ => {}
        }
    }
}

impl Reader<'_> {
    /// The text of a scalar as it stood there, nothing for null.
    fn scalar_text(&self, node: &Node) -> Option<String> {
        let text = self.tape.text(node.text, self.header);
        let null = node.kind == Kind::Plain && core_schema::scalar(text) == Scalar::Null;
        (!null).then(|| text.to_owned())
    }

    fn text_field(&mut self, key: &str, value: usize) -> Option<String> {
        let node = *self.tape.resolved(value)?;
        match node.kind {
            Kind::Plain | Kind::Text | Kind::Alias(_) => self.scalar_text(&node),
            Kind::Map | Kind::Seq if node.style == Style::Flow => {
                let text = self.slice(node.from, node.to);
                // A hint in brackets is how hints are written.
                if key != "argument-hint" {
                    self.wrong_type(
                        Field { key, value },
                        "text",
                        Remedy::Replace {
                            title: "Put this value in quotes",
                            start: node.from,
                            end: node.to,
                            text: super::findings::in_quotes(text),
                        },
                    );
                }
                Some(text.to_owned())
            }
            Kind::Seq => {
                self.wrong_type(Field { key, value }, "text", Remedy::None);
                let items = self.items(value);
                (!items.is_empty()).then(|| items.join(" "))
            }
            Kind::Map => {
                self.wrong_type(Field { key, value }, "text", Remedy::None);
                None
            }
        }
    }

    /// The texts of a list's scalars.
    fn items(&self, list: usize) -> Vec<String> {
        let index = match self.tape.get(list).map(|node| node.kind) {
            Some(Kind::Alias(target)) => target,
            _ => list,
        };
        self.tape
            .children(index)
            .filter_map(|item| {
                let node = self.tape.resolved(item)?;
                match node.kind {
                    Kind::Plain | Kind::Text | Kind::Alias(_) => self.scalar_text(node),
                    Kind::Map | Kind::Seq => None,
                }
            })
            .filter(|text| !text.trim().is_empty())
            .collect()
    }

    /// A list of texts, or one text that `split` takes apart.
    fn list_field(
        &mut self,
        key: &str,
        value: usize,
        split: fn(&str) -> Vec<String>,
    ) -> Vec<String> {
        let Some(node) = self.tape.resolved(value).copied() else {
            return Vec::new();
        };
        match node.kind {
            Kind::Seq => self.items(value),
            Kind::Map => {
                self.wrong_type(Field { key, value }, "a list", Remedy::None);
                Vec::new()
            }
            Kind::Plain | Kind::Text | Kind::Alias(_) => match self.scalar_text(&node) {
                Some(text) => split(&text),
                None => Vec::new(),
            },
        }
    }

    fn flag_field(&mut self, key: &str, value: usize) -> Option<bool> {
        let node = *self.tape.resolved(value)?;
        let text = match node.kind {
            Kind::Plain | Kind::Text | Kind::Alias(_) => self.scalar_text(&node)?,
            Kind::Map | Kind::Seq => String::new(),
        };
        if node.kind == Kind::Plain
            && let Scalar::Bool(flag) = core_schema::scalar(&text)
        {
            return Some(flag);
        }
        let flag = match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        };
        let remedy = match flag {
            Some(flag) => Remedy::Replace {
                title: if flag { "Write true" } else { "Write false" },
                start: node.from,
                end: node.to,
                text: flag.to_string(),
            },
            None => Remedy::None,
        };
        self.wrong_type(Field { key, value }, "true or false", remedy);
        flag
    }

    fn wrong_type(&mut self, field: Field<'_>, wanted: &str, remedy: Remedy) {
        let place = self.place(field.value);
        self.findings.add_meaning(
            "wrong-type",
            Severity::Warning,
            format!(
                "{} has to be {wanted}. What could be read of it was.",
                field.key
            ),
            (place.start, place.end),
            remedy,
        );
    }

    /// Where the node at `index` stands.
    pub fn place(&self, index: usize) -> Range<usize> {
        self.tape.get(index).map_or(0..0, |node| node.from..node.to)
    }
}

/// The parts of `text` between the places where `cut` is true outside brackets, trimmed.
fn split(text: &str, brackets: [char; 2], cut: fn(char) -> bool) -> Vec<String> {
    let [open, close] = brackets;
    let mut depth = 0_usize;
    text.split(|c: char| {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && cut(c)
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
    .map(str::to_owned)
    .collect()
}

fn commas(text: &str) -> Vec<String> {
    split(text, ['(', ')'], |c| matches!(c, ',' | '\n'))
}

fn globs(text: &str) -> Vec<String> {
    split(text, ['{', '}'], |c| matches!(c, ',' | '\n'))
}

fn tools(text: &str) -> Vec<String> {
    split(text, ['(', ')'], |c| c == ',' || c.is_whitespace())
}
