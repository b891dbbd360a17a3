//! The card that asks for the arguments of a server's prompt, which the user chose to use.
//!
//! In: the server's name and the prompt as its list has it. Out: a card with a field for each
//! argument. Deliberately not here: the list, and what becomes of the answers.

use crate::card::{Action, Answer, Card, CardKind, Pane, PaneKind, quoted, words};
use crate::error::CoreError;
use crate::form::{Field, FieldKind};
use crate::limits::MAX_FORM_FIELDS;
use crate::mcp::message::Fields;
use serde_json::value::RawValue;

/// `prompt` is the JSON text of one item of `prompts/list`. A card without fields needs no asking.
pub fn prompt_card(server: &str, prompt: &str) -> Result<Card, CoreError> {
    let prompt: Fields<'_> =
        serde_json::from_str(prompt).map_err(|e| CoreError::invalid_argument("promptJson", e))?;
    let name = text(&prompt, "name");
    let description = text(&prompt, "description");
    let panes = if description.is_empty() {
        Vec::new()
    } else {
        vec![Pane {
            title: "Its words".to_owned(),
            measure: String::new(),
            kind: PaneKind::Text,
            content: vec![quoted(description)],
            editable: false,
        }]
    };
    let action = |answer, label: &str, letter, primary| Action {
        answer,
        label: label.to_owned(),
        letter,
        primary,
    };
    Ok(Card {
        kind: CardKind::Form,
        about: vec![server.to_owned()],
        question: vec![
            words("Use the prompt "),
            quoted(name),
            words(" of "),
            quoted(server),
            words("?"),
        ],
        sentence: vec![words("It needs to know something first.")],
        changed: None,
        flags: Vec::new(),
        panes,
        form: arguments(&prompt),
        facts: Vec::new(),
        actions: vec![
            action(Answer::Allow, "Use prompt", 'y', true),
            action(Answer::Dismiss, "Dismiss", 'n', false),
        ],
        footnote: vec![words(
            "The server gets what you enter, and the model what it makes of it.",
        )],
    })
}

fn arguments(prompt: &Fields<'_>) -> Vec<Field> {
    let list = prompt.get("arguments").unwrap_or("[]");
    let list: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
    let mut fields: Vec<Field> = Vec::new();
    for item in list {
        let Ok(item) = serde_json::from_str::<Fields<'_>>(item.get()) else {
            continue;
        };
        let name = text(&item, "name");
        let known = fields.iter().any(|field| field.name == name);
        if name.is_empty() || known || fields.len() == MAX_FORM_FIELDS {
            continue;
        }
        let title = text(&item, "title");
        fields.push(Field {
            label: if title.is_empty() {
                name.clone()
            } else {
                title
            },
            name,
            description: text(&item, "description"),
            required: item.get("required") == Some("true"),
            entry: FieldKind::Text {
                format: None,
                min: None,
                max: None,
                value: String::new(),
            },
        });
    }
    fields
}

fn text(fields: &Fields<'_>, key: &str) -> String {
    let json = fields.get(key).unwrap_or("\"\"");
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::prompt_card;

    #[test]
    fn each_argument_is_a_field_once() {
        let prompt = r#"{"name":"review","description":"Reviews.","arguments":[
            {"name":"file","title":"File","description":"Which one","required":true},
            {"name":"file"}, {"name":""}, 7, {"name":"depth"}]}"#;
        let card = prompt_card("code", prompt).unwrap();
        let fields: Vec<(&str, &str, bool)> = card
            .form
            .iter()
            .map(|field| (field.name.as_str(), field.label.as_str(), field.required))
            .collect();
        assert_eq!(fields, [("file", "File", true), ("depth", "depth", false)]);
        assert_eq!(card.panes.len(), 1);
        assert_eq!(prompt_card("code", r#"{"name":"p"}"#).unwrap().form, []);
        let broken = prompt_card("code", "[").unwrap_err();
        assert_eq!(broken.code(), "INVALID_ARGUMENT");
    }
}
