//! A page of `tools/list` → what a server says of its tools.
//!
//! In: the JSON text of a result. Out: [`ToolDefinition`]s, the next cursor, and problems; a tool
//! that cannot be used is left out alone and named. The input schema stays the text that the server
//! wrote. Deliberately not here: the name that the model sees, and what strict runtimes want of a
//! schema.

use crate::limits::{LOG_LINE_CHARACTERS, SHOWN_NAME_CHARACTERS};
use crate::mcp::message::Fields;
use crate::text::{is_hidden, one_line};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tsify::Tsify;

/// What a server claims about a tool. None of it grants anything.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct Hints {
    /// It only reads.
    pub read_only: Option<bool>,
    /// It may delete or overwrite.
    pub destructive: Option<bool>,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// It reaches the world outside.
    pub open_world: Option<bool>,
}

/// A tool as its server defines it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// The name that the server wants to hear.
    pub name: String,
    /// A name for people; may be empty.
    pub title: String,
    /// What it does, without hidden characters; may be empty.
    pub description: String,
    /// The JSON Schema of its arguments, as the server wrote it.
    pub input_schema: String,
    /// What the server claims.
    pub hints: Hints,
}

/// A page of the list.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Page {
    /// The tools that can be used.
    pub tools: Vec<ToolDefinition>,
    /// Where the next page begins; none ends the list, an empty one does not.
    pub next_cursor: Option<String>,
    /// What is wrong, for people.
    pub problems: Vec<String>,
}

/// Reads a page. `None` when `text` is not a JSON object.
pub fn page(text: &str) -> Option<Page> {
    let fields: Fields<'_> = serde_json::from_str(text).ok()?;
    let mut page = Page {
        next_cursor: fields
            .get("nextCursor")
            .and_then(|json| serde_json::from_str(json).ok()),
        ..Page::default()
    };
    let Some(list) = fields.get("tools") else {
        page.problems
            .push("The list of tools has no field \"tools\".".to_owned());
        return Some(page);
    };
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(list) else {
        page.problems
            .push("The field \"tools\" is not a list.".to_owned());
        return Some(page);
    };
    for item in items {
        match definition(item.get()) {
            Ok(tool) => page.tools.push(tool),
            Err(problem) => page.problems.push(problem),
        }
    }
    Some(page)
}

/// One tool, or why it cannot be used.
fn definition(text: &str) -> Result<ToolDefinition, String> {
    let fields: Fields<'_> =
        serde_json::from_str(text).map_err(|_| "A tool is not a JSON object.".to_owned())?;
    let name = string(&fields, "name").unwrap_or_default();
    if name.is_empty() {
        return Err("A tool has no name.".to_owned());
    }
    let schema = fields.get("inputSchema").unwrap_or("{\"type\":\"object\"}");
    // What nests deeper than the reader goes, or is no JSON, could not be shown or compared.
    let readable = serde_json::from_str::<serde_json::Value>(schema);
    let schema = match readable {
        Ok(serde_json::Value::Object(_)) => schema.to_owned(),
        Ok(serde_json::Value::Bool(true)) => "{\"type\":\"object\"}".to_owned(),
        Ok(_) => return Err(unusable(&name, "its input schema is not an object")),
        Err(_) => {
            return Err(unusable(
                &name,
                "its input schema cannot be read, or nests too deep",
            ));
        }
    };
    let annotations = fields.get("annotations").unwrap_or("{}");
    let annotations: Fields<'_> = serde_json::from_str(annotations).unwrap_or(Fields(Vec::new()));
    let hint = |key| {
        let json = annotations.get(key)?;
        serde_json::from_str::<bool>(json).ok()
    };
    let title = string(&fields, "title").or_else(|| string(&annotations, "title"));
    Ok(ToolDefinition {
        title: one_line(&title.unwrap_or_default()),
        description: shown(&string(&fields, "description").unwrap_or_default()),
        input_schema: schema,
        hints: Hints {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        },
        name,
    })
}

fn unusable(name: &str, why: &str) -> String {
    format!("The tool {} is left out: {why}.", short(name))
}

/// A name of the server's for a sentence of ours: one line, and not longer than the sentence.
pub fn short(name: &str) -> String {
    let line = one_line(name);
    let mut text: String = line.chars().take(SHOWN_NAME_CHARACTERS).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    format!("\"{text}\"")
}

/// Words of the server's for people: one line, and not longer than a line of a log.
pub fn words(text: &str) -> String {
    one_line(text).chars().take(LOG_LINE_CHARACTERS).collect()
}

/// Text of the server's without what would be read and not seen.
pub fn shown(text: &str) -> String {
    text.chars().filter(|c| !is_hidden(*c)).collect()
}

fn string(fields: &Fields<'_>, key: &str) -> Option<String> {
    serde_json::from_str(fields.get(key)?).ok()
}

/// The schema as it goes to the model: as it stands, minus `$schema`.
///
/// ```
/// use gbs_agent_core::mcp::tool::parameters;
/// assert_eq!(
///     parameters(r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}"#),
///     r#"{"type":"object"}"#
/// );
/// assert_eq!(parameters(r#"{ "type": "object" }"#), r#"{ "type": "object" }"#);
/// ```
pub fn parameters(input_schema: &str) -> String {
    match serde_json::from_str::<Fields<'_>>(input_schema) {
        Ok(fields) if fields.get("$schema").is_some() => {
            let members: Vec<(String, String)> = fields
                .0
                .iter()
                .filter(|(key, _)| key != "$schema")
                .map(|(key, value)| (key.clone(), value.get().to_owned()))
                .collect();
            crate::mcp::message::object(&members)
        }
        Ok(_) | Err(_) => input_schema.to_owned(),
    }
}
