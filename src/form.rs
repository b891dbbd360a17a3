//! A form as data, and what was filled in against it.
//!
//! In: the fields of a card and what a person entered, as JSON text. Out: the content to be sent, or
//! what is wrong with which field. Deliberately not here: where fields come from, and how they are
//! drawn.

mod formats;
mod kinds;

use crate::decimal;
use crate::error::CoreError;
use crate::mcp::message::{self, Fields};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tsify::Tsify;

pub use formats::TextFormat;

/// One of several answers to choose from.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct FieldOption {
    /// What is sent.
    pub value: String,
    /// What is shown; somebody else's words.
    pub label: String,
}

/// What may be entered, and what stands there from the start. Bounds are inclusive.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub enum FieldKind {
    /// Text on one line.
    Text {
        /// The shape it must have.
        format: Option<TextFormat>,
        /// Characters at least.
        min: Option<u32>,
        /// Characters at most.
        max: Option<u32>,
        /// From the start; empty for nothing.
        value: String,
    },
    /// A number, entered as text.
    Number {
        /// Without a fraction.
        whole: bool,
        /// At least, as JSON text.
        min: Option<String>,
        /// At most, as JSON text.
        max: Option<String>,
        /// From the start; empty for nothing.
        value: String,
    },
    /// Yes or no.
    YesNo {
        /// From the start.
        value: bool,
    },
    /// One of some.
    Choice {
        /// At least one.
        options: Vec<FieldOption>,
        /// From the start.
        value: Option<String>,
    },
    /// Several of some.
    Choices {
        /// At least one.
        options: Vec<FieldOption>,
        /// How many at least.
        min: Option<u32>,
        /// How many at most.
        max: Option<u32>,
        /// From the start.
        value: Vec<String>,
    },
}

/// A field of a form. Names, labels and descriptions are somebody else's words.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// Its name in what is sent; no two of a form are alike.
    pub name: String,
    /// A name for people.
    pub label: String,
    /// More about it; may be empty.
    pub description: String,
    /// It cannot be left out.
    pub required: bool,
    /// What may be entered.
    pub entry: FieldKind,
}

/// Why a field cannot be sent as it is.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct FieldProblem {
    /// The field.
    pub name: String,
    /// Our words: what is needed.
    pub message: String,
}

/// What was filled in.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct FormReading {
    /// The content as JSON text, in the order of the fields; without those that have problems.
    pub content: String,
    /// None, when it can be sent.
    pub problems: Vec<FieldProblem>,
}

/// The fields of a form, as they cross the boundary.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct FormFields(pub Vec<Field>);

/// Reads what was filled in. `values` is the JSON text of an object: for each field by its name a
/// text (numbers too), a boolean, or a list of texts. What is missing counts as empty, and what no
/// field asks for is left out.
pub fn read_form(fields: &[Field], values: &str) -> Result<FormReading, CoreError> {
    let entered: Fields<'_> =
        serde_json::from_str(values).map_err(|e| CoreError::invalid_argument("valuesJson", e))?;
    let mut members = Vec::new();
    let mut problems = Vec::new();
    for field in fields {
        let value = entered.get(&field.name).unwrap_or("null");
        let value = serde_json::from_str(value).unwrap_or(Value::Null);
        match read_field(field, &value) {
            Ok(Some(json)) => members.push((field.name.clone(), json)),
            Ok(None) => {}
            Err(message) => problems.push(FieldProblem {
                name: field.name.clone(),
                message,
            }),
        }
    }
    Ok(FormReading {
        content: message::object(&members),
        problems,
    })
}

/// The value to be sent as JSON text, none where it is left out, or what is needed.
fn read_field(field: &Field, value: &Value) -> Result<Option<String>, String> {
    match &field.entry {
        FieldKind::Text {
            format, min, max, ..
        } => {
            let text = value.as_str().unwrap_or_default();
            if text.is_empty() {
                return left_out(field);
            }
            length(text.chars().count(), *min, *max, "character")?;
            if let Some(format) = format {
                format.check(text)?;
            }
            Ok(Some(message::quote(text)))
        }
        FieldKind::Number {
            whole, min, max, ..
        } => {
            let text = value.as_str().unwrap_or_default().trim();
            if text.is_empty() {
                return left_out(field);
            }
            number(text, *whole, min.as_deref(), max.as_deref()).map(Some)
        }
        FieldKind::YesNo { .. } => Ok(Some(value.as_bool().unwrap_or(false).to_string())),
        FieldKind::Choice { options, .. } => match value.as_str() {
            None => left_out(field),
            Some(chosen) if options.iter().any(|option| option.value == chosen) => {
                Ok(Some(message::quote(chosen)))
            }
            Some(_) => Err("Choose one of these.".to_owned()),
        },
        FieldKind::Choices {
            options, min, max, ..
        } => {
            let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let chosen: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            let known = |value: &&str| options.iter().any(|option| option.value == **value);
            if chosen.len() != list.len() || !chosen.iter().all(known) {
                return Err("Choose some of these.".to_owned());
            }
            if chosen.is_empty() && !field.required {
                return Ok(None);
            }
            length(chosen.len(), *min, *max, "choice")?;
            let items: Vec<String> = chosen.into_iter().map(message::quote).collect();
            Ok(Some(format!("[{}]", items.join(","))))
        }
    }
}

fn left_out(field: &Field) -> Result<Option<String>, String> {
    if field.required {
        Err("Needs an answer.".to_owned())
    } else {
        Ok(None)
    }
}

fn length(count: usize, min: Option<u32>, max: Option<u32>, what: &str) -> Result<(), String> {
    let number = |bound: u32| usize::try_from(bound).unwrap_or(usize::MAX);
    let words = |bound: u32| format!("{bound} {what}{}", if bound == 1 { "" } else { "s" });
    match (min, max) {
        (Some(min), _) if count < number(min) => {
            Err(format!("Needs at least {}; it has {count}.", words(min)))
        }
        (_, Some(max)) if count > number(max) => {
            Err(format!("Takes at most {}; it has {count}.", words(max)))
        }
        _ => Ok(()),
    }
}

/// The number as JSON text.
fn number(text: &str, whole: bool, min: Option<&str>, max: Option<&str>) -> Result<String, String> {
    // What people write that JSON does not take: a plus in front, a missing zero.
    let bare = text.strip_prefix('+').unwrap_or(text);
    let parsed = decimal::value(bare).filter(|n| n.is_finite());
    let Some(value) = parsed else {
        return Err(if whole {
            "Needs a whole number, such as 3.".to_owned()
        } else {
            "Needs a number, such as 2.5.".to_owned()
        });
    };
    if whole && value.fract() != 0.0 {
        return Err("Needs a whole number, such as 3.".to_owned());
    }
    let bound = |text: Option<&str>| text.and_then(decimal::value);
    if let (Some(least), Some(words)) = (bound(min), min)
        && value < least
    {
        return Err(format!("Must be {words} or more."));
    }
    if let (Some(most), Some(words)) = (bound(max), max)
        && value > most
    {
        return Err(format!("Must be {words} or less."));
    }
    // As it was written, where JSON takes it so: no digit is lost.
    let digits = bare
        .trim_start_matches('-')
        .bytes()
        .all(|b| b.is_ascii_digit());
    if (digits || !whole) && message::is_json(bare) {
        return Ok(bare.to_owned());
    }
    if whole {
        return Ok(format!("{value:.0}"));
    }
    serde_json::to_string(&value).map_err(|_| "Needs a number, such as 2.5.".to_owned())
}

#[cfg(test)]
mod tests;
