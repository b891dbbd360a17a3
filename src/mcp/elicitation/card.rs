//! The card of a server's question. It says who asks, and that the server gets what is typed.

use super::{Elicitation, ElicitationFrom, Wish, address};
use crate::card::{
    Action, Answer, Card, CardKind, Fact, Flag, Pane, PaneKind, Span, quoted, words,
};
use crate::form::Field;

pub(super) fn card(elicitation: &Elicitation, from: &ElicitationFrom) -> Card {
    match &elicitation.wish {
        Wish::Form { fields } => form_card(&elicitation.message, fields, from),
        Wish::Address { url, host } => address_card(&elicitation.message, url, host, from),
    }
}

fn form_card(message: &str, fields: &[Field], from: &ElicitationFrom) -> Card {
    let flags: Vec<Flag> = secrets(message, fields).into_iter().collect();
    let (question, allow) = if fields.is_empty() {
        (
            [
                words("Agree to what "),
                quoted(&from.server),
                words(" asks?"),
            ],
            "Agree",
        )
    } else {
        (
            [words("Answer "), quoted(&from.server), words("?")],
            "Send answers",
        )
    };
    Card {
        kind: CardKind::Form,
        about: vec![from.server.clone()],
        question: question.to_vec(),
        sentence: sentence(from),
        changed: None,
        panes: vec![pane("Its words", PaneKind::Text, message)],
        form: fields.to_vec(),
        facts: Vec::new(),
        actions: actions(allow, flags.is_empty()),
        flags,
        footnote: if fields.is_empty() {
            vec![words("The server is told what you chose.")]
        } else {
            vec![words(
                "The server gets what you enter, as you enter it. Never give it a password or a key.",
            )]
        },
    }
}

fn address_card(message: &str, url: &str, host: &str, from: &ElicitationFrom) -> Card {
    let mut flags = Vec::new();
    let mut flag = |code: &str, text: Vec<Span>| {
        flags.push(Flag {
            code: code.to_owned(),
            text,
        });
    };
    if address::poses(url) {
        let text = vec![
            words("What stands before the @ is not the site. It opens "),
            quoted(host),
            words("."),
        ];
        flag("address-poses", text);
    }
    if address::looks_alike(host) {
        let text = "The site's name has letters that can look like others.";
        flag("address-looks-alike", vec![words(text)]);
    }
    if address::is_open(url, host) {
        let text = "It is not encrypted: others on the way can read what you enter there.";
        flag("address-not-encrypted", vec![words(text)]);
    }
    Card {
        kind: CardKind::Address,
        about: vec![from.server.clone()],
        question: vec![
            words("Open this address for "),
            quoted(&from.server),
            words("?"),
        ],
        sentence: sentence(from),
        changed: None,
        flags,
        panes: vec![
            pane("Its words", PaneKind::Text, message),
            pane("Address", PaneKind::Text, url),
        ],
        form: Vec::new(),
        facts: vec![Fact {
            term: "Site".to_owned(),
            value: vec![quoted(host)],
        }],
        // Where it leads nobody here knows: no answer is the ordinary one.
        actions: actions("Open in browser", false),
        footnote: vec![words(
            "What you enter there goes to that site, not through the agent. The server is told that you opened it.",
        )],
    }
}

fn sentence(from: &ElicitationFrom) -> Vec<Span> {
    if from.during.is_empty() {
        return vec![words("An MCP server asks you, not the agent.")];
    }
    vec![
        words("An MCP server asks you, during "),
        quoted(&from.during),
        words("."),
    ]
}

fn pane(title: &str, kind: PaneKind, text: &str) -> Pane {
    Pane {
        title: title.to_owned(),
        measure: String::new(),
        kind,
        content: vec![quoted(text)],
        editable: false,
    }
}

fn actions(allow: &str, primary: bool) -> Vec<Action> {
    let action = |answer, label: &str, letter, primary| Action {
        answer,
        label: label.to_owned(),
        letter,
        primary,
    };
    vec![
        action(Answer::Allow, allow, 'y', primary),
        action(Answer::Decline, "Decline", 'n', false),
        action(Answer::Dismiss, "Dismiss", 'c', false),
    ]
}

/// Words that name what nobody should type into a form of a server.
const SECRET_WORDS: [&str; 17] = [
    "password",
    "passwort",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "token",
    "apikey",
    "credential",
    "credentials",
    "cvv",
    "cvc",
    "otp",
    "ssn",
    "pin",
];

/// The same, where it takes two words.
const SECRET_PAIRS: [[&str; 2]; 9] = [
    ["api", "key"],
    ["access", "key"],
    ["private", "key"],
    ["secret", "key"],
    ["credit", "card"],
    ["card", "number"],
    ["security", "code"],
    ["recovery", "phrase"],
    ["seed", "phrase"],
];

fn secrets(message: &str, fields: &[Field]) -> Option<Flag> {
    let in_field = |field: &&Field| {
        [&field.name, &field.label, &field.description]
            .iter()
            .any(|text| names_secret(text))
    };
    let named: Vec<&Field> = fields.iter().filter(in_field).collect();
    if named.is_empty() && (fields.is_empty() || !names_secret(message)) {
        return None;
    }
    let mut text = vec![words("It seems to ask for a secret")];
    for (at, field) in named.iter().enumerate() {
        text.push(words(if at == 0 { ": " } else { ", " }));
        text.push(quoted(&field.label));
    }
    text.push(words(
        ". Servers must not ask for passwords, keys or codes this way, and this one would keep what you type.",
    ));
    Some(Flag {
        code: "asks-for-secret".to_owned(),
        text,
    })
}

fn names_secret(text: &str) -> bool {
    let all = words_of(text);
    let word = |word: &String| SECRET_WORDS.contains(&word.as_str());
    let pair = |[one, two]: &[&str; 2]| {
        let after = all.iter().skip(1);
        all.iter().zip(after).any(|(a, b)| a == one && b == two)
    };
    all.iter().any(word) || SECRET_PAIRS.iter().any(pair)
}

/// The words of a text or of a name such as `apiKey` or `api_key`, in lower case.
fn words_of(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut lower = false;
    for c in text.chars() {
        let begins = c.is_uppercase() && lower;
        if (begins || !c.is_alphanumeric()) && all.last().is_some_and(|word| !word.is_empty()) {
            all.push(String::new());
        }
        if let Some(word) = all.last_mut().filter(|_| c.is_alphanumeric()) {
            word.push(c);
        }
        lower = c.is_lowercase();
    }
    all.iter().map(|word| crate::text::lower(word)).collect()
}
