//! The questions of the loop itself: a host that is not this machine, an agent that repeats itself.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::cards::{action, blank, pane};
use crate::card::{Answer, Card, CardKind, Fact, PaneKind, quoted, words};

/// The first request to a model server that is not on this machine.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct HostQuestion {
    /// Host and port, such as `models.example:8080`; for a model that the editor brings, the editor.
    pub host: String,
    /// The model, or empty.
    pub model: String,
    /// The editor has the model from another extension, which decides where requests go.
    #[serde(default)]
    pub of_editor: bool,
}

/// Asks before anything is sent to a host that is not this machine, or where nobody here can know it.
pub fn host_card(question: &HostQuestion) -> Card {
    let mut facts = vec![Fact {
        term: "Sent".to_owned(),
        value: vec![words(
            "Your messages, what the agent reads, the names of tools and skills.",
        )],
    }];
    if !question.model.is_empty() {
        facts.push(Fact {
            term: "Model".to_owned(),
            value: vec![quoted(&question.model)],
        });
    }
    let (sentence, send, footnote) = if question.of_editor {
        (
            "Another extension brings this model and decides where it runs: here or elsewhere.",
            "Send to this model",
            "Asked once for this model and workspace. Not covered: what that extension does with it.",
        )
    } else {
        (
            "This model server is on another machine.",
            "Send to this host",
            "Asked once for this workspace. Not covered: what that host does with it.",
        )
    };
    Card {
        sentence: vec![words(sentence)],
        facts,
        actions: vec![
            action(Answer::Allow, send, 'y', false),
            action(Answer::NotNow, "Not now", 'n', false),
        ],
        footnote: vec![words(footnote)],
        ..blank(
            CardKind::Host,
            vec![question.host.clone()],
            if question.of_editor {
                vec![
                    words("Send to a model of "),
                    quoted(&question.host),
                    words("?"),
                ]
            } else {
                vec![words("Send to "), quoted(&question.host), words("?")]
            },
        )
    }
}

/// The same call gave the same result again and again.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct RepeatQuestion {
    /// The model-visible name of the tool.
    pub tool: String,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// How often it gave the same result.
    pub times: u32,
}

/// Asks whether an agent that repeats itself goes on.
pub fn repeat_card(question: &RepeatQuestion) -> Card {
    Card {
        sentence: vec![
            words("It called "),
            quoted(&question.tool),
            words(format!(
                " {} times with these arguments and got the same result.",
                question.times
            )),
        ],
        panes: vec![pane("", PaneKind::Json, &question.arguments, false)],
        actions: vec![
            action(Answer::Allow, "Go on", 'y', true),
            action(Answer::Deny, "Stop the turn", 'n', false),
        ],
        ..blank(
            CardKind::Repeat,
            vec![question.tool.clone()],
            vec![words("Let the agent go on?")],
        )
    }
}
