//! The cards that approval asks with: call, edit, command, read, server.
//!
//! Everything that is to be approved stands on the card whole. A card with a flag has no primary
//! button.

use super::flags::flags;
use super::paths::relative;
use super::{
    ApprovalCall, ApprovalRules, CallKind, CommandCall, Findings, ServerCall, SessionRule,
};
use crate::card::{
    Action, Answer, Card, CardKind, Fact, Flag, Pane, PaneKind, Span, quoted, words,
};
use crate::config;
use crate::limits::CARD_DESCRIPTION_CHARACTERS;
use crate::text::one_line;

/// The card for `call`; `rule` is what "for this session" would add.
pub(super) fn call_card(
    call: &ApprovalCall,
    rules: &ApprovalRules,
    findings: &Findings,
    rule: Option<&SessionRule>,
) -> Card {
    let flags = flags(call, findings);
    let mut card = match (call.kind, &call.command, &call.server, &call.connect) {
        (CallKind::Command, Some(command), ..) => command_card(command, rules, &flags, rule),
        (CallKind::Mcp, _, Some(server), _) => server_card(call, server, &flags),
        (CallKind::Connect, .., Some(question)) => config::server_card::card(question),
        (CallKind::Write, ..) => edit_card(call, rules, &flags, rule),
        (
            CallKind::Read
            | CallKind::Harmless
            | CallKind::Command
            | CallKind::Mcp
            | CallKind::Connect,
            ..,
        ) => read_card(call, rules),
    };
    if let Some(text) = &call.repaired_from {
        card.panes
            .push(pane("What the model wrote", PaneKind::Text, text, false));
    }
    card.flags.splice(0..0, flags);
    card
}

/// A card with nothing on it but its question.
pub(super) fn blank(kind: CardKind, about: Vec<String>, question: Vec<Span>) -> Card {
    Card {
        kind,
        about,
        question,
        sentence: Vec::new(),
        changed: None,
        flags: Vec::new(),
        panes: Vec::new(),
        form: Vec::new(),
        facts: Vec::new(),
        actions: Vec::new(),
        footnote: Vec::new(),
    }
}

pub(super) fn pane(title: &str, kind: PaneKind, text: &str, editable: bool) -> Pane {
    Pane {
        title: title.to_owned(),
        measure: String::new(),
        kind,
        content: vec![quoted(text)],
        editable,
    }
}

fn command_card(
    command: &CommandCall,
    rules: &ApprovalRules,
    flags: &[Flag],
    rule: Option<&SessionRule>,
) -> Card {
    let line = command.line.as_str();
    Card {
        sentence: vec![
            words("In "),
            quoted(relative(&command.folder, &rules.folders).shown()),
            words(format!(", {} s at most.", command.timeout_seconds)),
        ],
        panes: vec![pane("", PaneKind::Command, line, true)],
        actions: actions(
            "Run once",
            flags.is_empty(),
            rule.map(|_| "Allow this exact command this session"),
        ),
        footnote: vec![words(
            "Covers this line. Not covered: what the programs and scripts it names do.",
        )],
        ..blank(
            CardKind::Command,
            vec![line.to_owned()],
            vec![words("Run this command?")],
        )
    }
}

fn edit_card(
    call: &ApprovalCall,
    rules: &ApprovalRules,
    flags: &[Flag],
    rule: Option<&SessionRule>,
) -> Card {
    let diff = call.diff.as_deref().unwrap_or_default();
    let count = |mark: char| diff.lines().filter(|l| l.starts_with(mark)).count();
    let (added, removed) = (count('+'), count('-'));
    let places = match diff.lines().filter(|l| l.starts_with("@@")).count() {
        0 | 1 => "1 place".to_owned(),
        many => format!("{many} places"),
    };
    let (verb, sentence, allow) = if call.creates {
        (
            "Create ",
            format!("+{added} in a new file. Undo turn takes it away."),
            "Create file",
        )
    } else {
        (
            "Change ",
            format!("+{added} \u{2212}{removed} in {places}. Undo turn puts it back."),
            "Apply edit",
        )
    };
    Card {
        sentence: vec![words(sentence)],
        panes: vec![pane("", PaneKind::Diff, diff, false)],
        actions: actions(
            allow,
            flags.is_empty(),
            rule.map(|_| "Allow edits this session"),
        ),
        ..blank(
            CardKind::Edit,
            shown_paths(call, rules),
            about_paths(verb, call, rules),
        )
    }
}

fn server_card(call: &ApprovalCall, server: &ServerCall, flags: &[Flag]) -> Card {
    let description = shortened(&one_line(&server.description));
    let mut sentence = Vec::new();
    if !description.is_empty() {
        sentence.extend([
            words("Its own words: \u{201c}"),
            quoted(description),
            words("\u{201d} "),
        ]);
    }
    sentence.push(words(if server.read_only {
        "It says that it only reads."
    } else {
        "May change data."
    }));
    let fact = |term: &str, value| Fact {
        term: term.to_owned(),
        value,
    };
    Card {
        sentence,
        panes: vec![pane("", PaneKind::Json, &call.arguments, true)],
        facts: vec![
            fact(
                "Goes to",
                vec![
                    quoted(&server.server),
                    words(format!(", {}", server.goes_to)),
                ],
            ),
            fact("From", vec![quoted(&server.from)]),
        ],
        actions: actions("Call once", flags.is_empty(), None),
        ..blank(
            CardKind::Call,
            vec![call.tool.clone()],
            vec![
                words("Call "),
                quoted(&server.tool),
                words(" on "),
                quoted(&server.server),
                words("?"),
            ],
        )
    }
}

/// Reads, and whatever else asks only because its text was quoted from data.
fn read_card(call: &ApprovalCall, rules: &ApprovalRules) -> Card {
    let (about, question) = if call.paths.is_empty() {
        (
            vec![call.tool.clone()],
            vec![words("Use "), quoted(&call.tool), words("?")],
        )
    } else {
        (shown_paths(call, rules), about_paths("Read ", call, rules))
    };
    Card {
        sentence: vec![words("What it gives goes to the model.")],
        panes: vec![pane("", PaneKind::Json, &call.arguments, false)],
        actions: actions("Allow once", false, None),
        ..blank(CardKind::Read, about, question)
    }
}

fn shown_paths(call: &ApprovalCall, rules: &ApprovalRules) -> Vec<String> {
    call.paths
        .iter()
        .map(|p| relative(p, &rules.folders).shown())
        .collect()
}

fn about_paths(verb: &str, call: &ApprovalCall, rules: &ApprovalRules) -> Vec<Span> {
    let mut question = vec![words(verb)];
    for (i, path) in shown_paths(call, rules).into_iter().enumerate() {
        if i > 0 {
            question.push(words(", "));
        }
        question.push(quoted(path));
    }
    question.push(words("?"));
    question
}

pub(super) fn action(answer: Answer, label: &str, letter: char, primary: bool) -> Action {
    Action {
        answer,
        label: label.to_owned(),
        letter,
        primary,
    }
}

fn actions(allow: &str, primary: bool, session: Option<&str>) -> Vec<Action> {
    let mut all = vec![
        action(Answer::Allow, allow, 'y', primary),
        action(Answer::Deny, "Deny\u{2026}", 'n', false),
    ];
    all.extend(session.map(|label| action(Answer::AllowSession, label, 's', false)));
    all
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(CARD_DESCRIPTION_CHARACTERS) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
