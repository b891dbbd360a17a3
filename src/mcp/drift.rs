//! What a server says of its tools now, against what was approved.
//!
//! In: two accounts of a server, the pinned one and the present one. Out: which tools are not what
//! was approved, in which parts, and the card that asks. Two accounts that mean the same, with keys
//! in another order or defaults spelled out, are the same. Deliberately not here: where pins are
//! kept, and what is withheld.

mod lines;

use crate::card::{Action, Answer, Card, CardKind, Pane, PaneKind, quoted, words};
use crate::mcp::effect::or_default;
use crate::mcp::tool::{Hints, ToolDefinition};
use crate::order::sort_by;
use lines::diff;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tsify::Tsify;

/// What a server says of itself and its tools at one time.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PinnedTools {
    /// The server's name as configured.
    pub server: String,
    /// The version it gives itself; may be empty.
    pub version: String,
    /// The day of the approval for people, such as `3 May 2026`; empty for the present account.
    #[serde(default, deserialize_with = "or_default")]
    #[tsify(optional)]
    pub approved_on: String,
    /// What it tells the model about its use; may be empty.
    pub instructions: String,
    /// Its tools.
    pub tools: Vec<ToolDefinition>,
}

/// A part of a definition.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum ToolPart {
    /// All of it: the tool was not there.
    New,
    /// The name for people.
    Title,
    /// The description.
    Description,
    /// The schema of the arguments.
    Input,
    /// The claims about what it does.
    Hints,
}

/// A tool that is not what was approved.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ToolChange {
    /// Its own name.
    pub tool: String,
    /// What differs.
    pub parts: Vec<ToolPart>,
}

/// What changed on a server since it was approved.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct Drift {
    /// Tools to withhold until the user decides, in the server's order.
    pub changes: Vec<ToolChange>,
    /// Pinned tools that are gone.
    pub removed: Vec<String>,
    /// Its instructions are not those that were approved.
    pub instructions: bool,
    /// The question, where there is one.
    pub card: Option<Card>,
}

/// Compares two accounts of a server.
pub fn compare_tools(pinned: &PinnedTools, now: &PinnedTools) -> Drift {
    let known = |name: &str| pinned.tools.iter().find(|tool| tool.name == name);
    let mut changes = Vec::new();
    let mut panes = Vec::new();
    let mut differing: Vec<(&ToolDefinition, Option<&ToolDefinition>, Vec<ToolPart>)> = Vec::new();
    for tool in &now.tools {
        let before = known(&tool.name);
        let parts = before.map_or_else(|| vec![ToolPart::New], |before| differences(before, tool));
        if !parts.is_empty() {
            differing.push((tool, before, parts));
        }
    }
    let total = differing.len();
    for (n, (tool, before, parts)) in differing.into_iter().enumerate() {
        if total > 1 {
            panes.push(Pane {
                title: "Tool".to_owned(),
                measure: format!("{} of {total}", n + 1),
                kind: PaneKind::Text,
                content: vec![quoted(&tool.name)],
                editable: false,
            });
        }
        panes.extend(tool_panes(before, tool));
        changes.push(ToolChange {
            tool: tool.name.clone(),
            parts,
        });
    }
    let instructions = pinned.instructions != now.instructions;
    if instructions {
        panes.push(diff_pane(
            "Instructions of the server",
            &pinned.instructions,
            &now.instructions,
        ));
    }
    let here = |name: &String| now.tools.iter().any(|tool| tool.name == *name);
    let removed = pinned.tools.iter().map(|tool| tool.name.clone());
    Drift {
        removed: removed.filter(|name| !here(name)).collect(),
        card: (!panes.is_empty()).then(|| card(pinned, now, &changes, panes)),
        changes,
        instructions,
    }
}

fn differences(before: &ToolDefinition, now: &ToolDefinition) -> Vec<ToolPart> {
    let compared = [
        (ToolPart::Title, before.title == now.title),
        (ToolPart::Description, before.description == now.description),
        (
            ToolPart::Input,
            before.input_schema == now.input_schema
                || same_json(&before.input_schema, &now.input_schema),
        ),
        (
            ToolPart::Hints,
            hint_words(before.hints) == hint_words(now.hints),
        ),
    ];
    compared
        .into_iter()
        .filter(|(_, same)| !same)
        .map(|(part, _)| part)
        .collect()
}

/// The order of an object's keys means nothing; that of a list does.
fn same_json(a: &str, b: &str) -> bool {
    match (
        serde_json::from_str::<Value>(a),
        serde_json::from_str::<Value>(b),
    ) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// The hints as a person reads them, with the protocol's defaults for what is not said. Two sets of
/// hints that mean the same have the same words.
fn hint_words(hints: Hints) -> Vec<&'static str> {
    let mut lines = Vec::new();
    if hints.read_only == Some(true) {
        lines.push("only reads");
    } else if hints.destructive == Some(false) {
        lines.push("only adds");
    } else {
        lines.push("may delete");
    }
    if hints.idempotent == Some(true) {
        lines.push("twice is the same as once");
    }
    lines.push(if hints.open_world == Some(false) {
        "stays within its own data"
    } else {
        "reaches the world outside"
    });
    lines
}

fn tool_panes(before: Option<&ToolDefinition>, now: &ToolDefinition) -> Vec<Pane> {
    type Part = (&'static str, ToolPart, fn(&ToolDefinition) -> String);
    let parts: [Part; 4] = [
        ("Title", ToolPart::Title, |tool| tool.title.clone()),
        ("Description", ToolPart::Description, |tool| {
            tool.description.clone()
        }),
        ("Input", ToolPart::Input, |tool| pretty(&tool.input_schema)),
        ("Hints", ToolPart::Hints, |tool| {
            hint_words(tool.hints).join("\n")
        }),
    ];
    let changed = before.map(|before| differences(before, now));
    parts
        .into_iter()
        .filter(|(_, part, _)| changed.as_ref().is_none_or(|all| all.contains(part)))
        .map(|(title, _, text)| diff_pane(title, &before.map(text).unwrap_or_default(), &text(now)))
        .filter(|pane| !pane.content.is_empty())
        .collect()
}

/// A schema with its keys in their order of the alphabet, so that only what differs shows.
fn pretty(schema: &str) -> String {
    fn sorted(value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let mut members: Vec<(String, Value)> = members.into_iter().collect();
                sort_by(&mut members, &|(a, _), (b, _)| a.cmp(b));
                Value::Object(members.into_iter().map(|(k, v)| (k, sorted(v))).collect())
            }
            Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
            other => other,
        }
    }
    // A definition holds only what was read before, which bounds its depth too.
    serde_json::from_str::<Value>(schema)
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&sorted(value)).ok())
        .unwrap_or_else(|| schema.to_owned())
}

fn diff_pane(title: &str, before: &str, now: &str) -> Pane {
    let diff = diff(before, now);
    Pane {
        title: title.to_owned(),
        measure: String::new(),
        kind: PaneKind::Diff,
        content: if diff.is_empty() {
            Vec::new()
        } else {
            vec![quoted(diff)]
        },
        editable: false,
    }
}

fn card(pinned: &PinnedTools, now: &PinnedTools, changes: &[ToolChange], panes: Vec<Pane>) -> Card {
    let server = || quoted(&now.server);
    let question = match changes {
        [] => vec![
            words("The instructions of "),
            server(),
            words(" are not what you approved"),
        ],
        [only] if only.parts == [ToolPart::New] => vec![
            quoted(&only.tool),
            words(" is new on "),
            server(),
            words(" since you approved it"),
        ],
        [only] => vec![
            quoted(&only.tool),
            words(" on "),
            server(),
            words(" is not what you approved"),
        ],
        several => vec![
            words(format!("{} tools on ", several.len())),
            server(),
            words(" are not what you approved"),
        ],
    };
    let sentence = match changes {
        [] => vec![words("The model does not get them until you decide.")],
        _ => vec![
            words("Held back until you decide. Other tools of "),
            server(),
            words(" still work."),
        ],
    };
    let mut footnote = Vec::new();
    if !pinned.approved_on.is_empty() {
        footnote.push(words(format!("Approved on {}", pinned.approved_on)));
        if pinned.version.is_empty() {
            footnote.push(words("."));
        } else {
            footnote.extend([words(" with version "), quoted(&pinned.version), words(".")]);
        }
        if !now.version.is_empty() && now.version != pinned.version {
            footnote.extend([words(" Now "), quoted(&now.version), words(".")]);
        }
    }
    let action = |answer, label: &str, letter| Action {
        answer,
        label: label.to_owned(),
        letter,
        primary: false,
    };
    let allow =
        if changes.iter().all(|change| change.parts == [ToolPart::New]) && !changes.is_empty() {
            if changes.len() == 1 {
                "Allow tool"
            } else {
                "Allow tools"
            }
        } else {
            "Allow change"
        };
    Card {
        kind: CardKind::Drift,
        about: vec![now.server.clone()],
        question,
        sentence,
        changed: None,
        flags: Vec::new(),
        panes,
        form: Vec::new(),
        facts: Vec::new(),
        actions: vec![
            action(Answer::Allow, allow, 'y'),
            action(Answer::NotNow, "Not now", 'n'),
        ],
        footnote,
    }
}

#[cfg(test)]
mod tests;
