//! The schema of a form → its fields. Flat: text, numbers, yes or no, one or several of some.
//!
//! What the protocol does not have here makes the question unaskable: a form that leaves out what it
//! does not understand would send something else than was asked for. Keywords that only narrow an
//! answer further stay the server's to check.

use crate::form::{Field, FieldKind, FieldOption, TextFormat};
use crate::limits::{MAX_FORM_FIELDS, MAX_FORM_OPTIONS};
use crate::mcp::message::Fields;
use crate::mcp::tool::short;
use serde_json::value::RawValue;

/// The fields in the schema's order; or what is wrong, for the server.
pub(super) fn fields(schema: &str) -> Result<Vec<Field>, String> {
    let schema: Fields<'_> =
        serde_json::from_str(schema).map_err(|_| "Its schema is not an object.".to_owned())?;
    if schema.get("type").is_some_and(|json| json != "\"object\"") {
        return Err("Its schema is not of type \"object\".".to_owned());
    }
    let properties = schema.get("properties").unwrap_or("{}");
    let properties: Fields<'_> = serde_json::from_str(properties)
        .map_err(|_| "The \"properties\" of its schema are not an object.".to_owned())?;
    let required = list_of_text(&schema, "required").unwrap_or_default();
    if properties.0.len() > MAX_FORM_FIELDS {
        return Err(format!("It asks for more than {MAX_FORM_FIELDS} answers."));
    }
    let mut all: Vec<Field> = Vec::new();
    for (name, property) in properties.0 {
        let is_required = required.contains(&name);
        let field = field(&name, property.get(), is_required)
            .map_err(|why| format!("The answer {} cannot be asked for: {why}", short(&name)))?;
        // Of two alike the last counts, as for every reader of JSON.
        all.retain(|other| other.name != name);
        all.push(field);
    }
    if let Some(name) = required
        .iter()
        .find(|name| all.iter().all(|field| field.name != **name))
    {
        return Err(format!(
            "It requires {}, which it does not describe.",
            short(name)
        ));
    }
    let options = |field: &Field| match &field.entry {
        FieldKind::Choice { options, .. } | FieldKind::Choices { options, .. } => options.len(),
        FieldKind::Text { .. } | FieldKind::Number { .. } | FieldKind::YesNo { .. } => 0,
    };
    if all.iter().map(options).sum::<usize>() > MAX_FORM_OPTIONS {
        return Err(format!("It has more than {MAX_FORM_OPTIONS} choices."));
    }
    Ok(all)
}

fn field(name: &str, property: &str, required: bool) -> Result<Field, String> {
    let schema: Fields<'_> =
        serde_json::from_str(property).map_err(|_| "its schema is not an object.".to_owned())?;
    let title = text(&schema, "title").filter(|title| !title.trim().is_empty());
    Ok(Field {
        label: title.unwrap_or_else(|| name.to_owned()),
        description: text(&schema, "description").unwrap_or_default(),
        name: name.to_owned(),
        required,
        entry: entry(&schema)?,
    })
}

fn entry(schema: &Fields<'_>) -> Result<FieldKind, String> {
    let kind = text(schema, "type");
    match kind.as_deref() {
        Some("string") => match options(schema, "oneOf")? {
            Some(options) => Ok(FieldKind::Choice {
                value: text(schema, "default")
                    .filter(|value| options.iter().any(|option| option.value == *value)),
                options,
            }),
            None => Ok(FieldKind::Text {
                format: text(schema, "format").and_then(|name| TextFormat::named(&name)),
                min: count(schema, "minLength"),
                max: count(schema, "maxLength"),
                value: text(schema, "default").unwrap_or_default(),
            }),
        },
        Some(number @ ("number" | "integer")) => Ok(FieldKind::Number {
            whole: number == "integer",
            min: number_text(schema, "minimum"),
            max: number_text(schema, "maximum"),
            value: number_text(schema, "default").unwrap_or_default(),
        }),
        Some("boolean") => Ok(FieldKind::YesNo {
            value: schema.get("default") == Some("true"),
        }),
        Some("array") => several(schema),
        Some(other) => Err(format!("a form has no type {}.", short(other))),
        None if schema.get("enum").is_some() || schema.get("oneOf").is_some() => {
            let options = options(schema, "oneOf")?.ok_or("it has no choices.")?;
            Ok(FieldKind::Choice {
                options,
                value: text(schema, "default"),
            })
        }
        None => Err("it has no \"type\".".to_owned()),
    }
}

fn several(schema: &Fields<'_>) -> Result<FieldKind, String> {
    let items = schema.get("items").unwrap_or("{}");
    let items: Fields<'_> =
        serde_json::from_str(items).map_err(|_| "its \"items\" are not an object.".to_owned())?;
    let options = options(&items, "anyOf")?.ok_or("a list can only be of given choices.")?;
    let given = list_of_text(schema, "default").unwrap_or_default();
    Ok(FieldKind::Choices {
        value: given
            .into_iter()
            .filter(|value| options.iter().any(|option| option.value == *value))
            .collect(),
        options,
        min: count(schema, "minItems"),
        max: count(schema, "maxItems"),
    })
}

/// The choices of a schema: `enum`, with `enumNames` beside it, or constants with titles under
/// `titled`. None where it names neither.
fn options(schema: &Fields<'_>, titled: &str) -> Result<Option<Vec<FieldOption>>, String> {
    let bad = || "its choices are not texts.".to_owned();
    let mut all: Vec<FieldOption> = if schema.get("enum").is_some() {
        let values = list_of_text(schema, "enum").ok_or_else(bad)?;
        let names = list_of_text(schema, "enumNames").unwrap_or_default();
        let labels = names.into_iter().map(Some).chain(std::iter::repeat(None));
        values
            .into_iter()
            .zip(labels)
            .map(|(value, label)| FieldOption {
                label: label.unwrap_or_else(|| value.clone()),
                value,
            })
            .collect()
    } else {
        let Some(list) = schema.get(titled).or_else(|| schema.get("oneOf")) else {
            return Ok(None);
        };
        let list: Vec<&RawValue> = serde_json::from_str(list).map_err(|_| bad())?;
        let option = |item: &&RawValue| {
            let item: Fields<'_> = serde_json::from_str(item.get()).ok()?;
            let value = text(&item, "const")?;
            Some(FieldOption {
                label: text(&item, "title").unwrap_or_else(|| value.clone()),
                value,
            })
        };
        let options: Option<Vec<FieldOption>> = list.iter().map(option).collect();
        options.ok_or_else(bad)?
    };
    if all.is_empty() {
        return Err("it has no choices.".to_owned());
    }
    if all.len() > MAX_FORM_OPTIONS {
        return Err(format!("it has more than {MAX_FORM_OPTIONS} choices."));
    }
    // Two that send the same are one.
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|option| seen.insert(option.value.clone()));
    Ok(Some(all))
}

fn text(schema: &Fields<'_>, key: &str) -> Option<String> {
    serde_json::from_str(schema.get(key)?).ok()
}

fn list_of_text(schema: &Fields<'_>, key: &str) -> Option<Vec<String>> {
    serde_json::from_str(schema.get(key)?).ok()
}

fn count(schema: &Fields<'_>, key: &str) -> Option<u32> {
    serde_json::from_str(schema.get(key)?).ok()
}

/// A number as the server wrote it.
fn number_text(schema: &Fields<'_>, key: &str) -> Option<String> {
    let json = schema.get(key)?;
    serde_json::from_str::<f64>(json).ok()?;
    Some(json.to_owned())
}
