//! The cards that approval asks with: call, edit, command, read, and the two questions of the loop.
//!
//! Everything that is to be approved stands on the card whole. A card with a flag has no primary
//! button.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::commands::Risk;
use super::paths::relative;
use super::{
    ApprovalCall, ApprovalRules, CallKind, CommandCall, Findings, ServerCall, SessionRule,
};
use crate::card::{
    Action, Answer, Card, CardKind, Fact, Flag, Pane, PaneKind, Span, quoted, strong, words,
};
use crate::limits::CARD_DESCRIPTION_CHARACTERS;
use crate::text::{is_hidden, one_line};

/// The card for `call`; `rule` is what "for this session" would add.
pub(super) fn call_card(
    call: &ApprovalCall,
    rules: &ApprovalRules,
    findings: &Findings,
    rule: Option<&SessionRule>,
) -> Card {
    let flags = flags(call, findings);
    let mut card = match (call.kind, &call.command, &call.server) {
        (CallKind::Command, Some(command), _) => command_card(command, rules, &flags, rule),
        (CallKind::Mcp, _, Some(server)) => server_card(call, server, &flags),
        (CallKind::Connect, command, _) => connect_card(call, command.as_ref()),
        (CallKind::Write, ..) => edit_card(call, rules, &flags, rule),
        (CallKind::Read | CallKind::Harmless | CallKind::Command | CallKind::Mcp, ..) => {
            read_card(call, rules)
        }
    };
    if let Some(text) = &call.repaired_from {
        card.panes
            .push(pane("What the model wrote", PaneKind::Text, text, false));
    }
    card.flags = flags;
    card
}

/// A card with nothing on it but its question.
fn blank(kind: CardKind, about: Vec<String>, question: Vec<Span>) -> Card {
    Card {
        kind,
        about,
        question,
        sentence: Vec::new(),
        changed: None,
        flags: Vec::new(),
        panes: Vec::new(),
        facts: Vec::new(),
        actions: Vec::new(),
        footnote: Vec::new(),
    }
}

fn pane(title: &str, kind: PaneKind, text: &str, editable: bool) -> Pane {
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

fn connect_card(call: &ApprovalCall, command: Option<&CommandCall>) -> Card {
    let mut panes = Vec::new();
    if let Some(command) = command {
        panes.push(pane(
            "What will run",
            PaneKind::Command,
            &command.line,
            false,
        ));
    }
    panes.push(pane("", PaneKind::Json, &call.arguments, false));
    Card {
        sentence: vec![words("The agent asks for it. No file of yours names it.")],
        panes,
        actions: actions("Allow and start", false, None),
        footnote: vec![words(
            "Covers this command until the session ends. Not covered: what it imports or downloads.",
        )],
        ..blank(
            CardKind::Server,
            vec![call.tool.clone()],
            vec![words("Start this server for this session?")],
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

fn action(answer: Answer, label: &str, letter: char, primary: bool) -> Action {
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

fn flags(call: &ApprovalCall, findings: &Findings) -> Vec<Flag> {
    let flag = |code: &str, text: Vec<Span>| Flag {
        code: code.to_owned(),
        text,
    };
    let mut flags = Vec::new();
    if let Some(source) = &call.quoted_from {
        flags.push(flag(
            "quoted",
            vec![
                strong("This call was read, not thought of. "),
                words("Its text stands word for word in "),
                quoted(source),
                words(", so whoever wrote that may want it, not you."),
            ],
        ));
    }
    for found in &findings.protected {
        flags.push(flag(
            "protected-path",
            vec![
                quoted(&found.name),
                words(found.does),
                words(" Asked in every mode."),
            ],
        ));
    }
    for path in &findings.credentials {
        flags.push(flag(
            "credentials",
            vec![
                quoted(path),
                words(" looks like it holds credentials. What is read of it goes to the model."),
            ],
        ));
    }
    if let Some(command) = &findings.command {
        flags.extend(command.risks.iter().map(|r| {
            let (code, fact, rest) = risk_words(*r, command.metacharacters || command.hidden);
            flag(code, vec![strong(fact), words(rest)])
        }));
    }
    if hidden(call) {
        flags.push(flag(
            "hidden-characters",
            vec![
                strong("Hidden characters. "),
                words("It holds characters that are not seen, shown here as marks."),
            ],
        ));
    }
    if call.repaired_from.is_some() {
        flags.push(flag(
            "repaired",
            vec![
                strong("Repaired. "),
                words("The model's arguments were not valid JSON. What is shown is what will be used."),
            ],
        ));
    }
    flags
}

fn risk_words(risk: Risk, never: bool) -> (&'static str, &'static str, &'static str) {
    let session = if never {
        " Can\u{2019}t be allowed for the session."
    } else {
        ""
    };
    match risk {
        Risk::FeedsDownload => (
            "feeds-download",
            "Feeds downloaded data to a program.",
            session,
        ),
        Risk::Network => ("network", "Sends or fetches data over the network.", ""),
        Risk::Packages => (
            "packages",
            "Downloads packages.",
            " Their scripts may run on this computer.",
        ),
        Risk::Deletes => (
            "deletes",
            "Deletes or overwrites files.",
            " Undo turn may not bring all of them back.",
        ),
        Risk::Administrator => ("administrator", "Runs with more rights than your own.", ""),
    }
}

/// True where something to approve holds characters that are not seen. What belongs to an emoji, and
/// the carriage return of a line's end, is not counted.
fn hidden(call: &ApprovalCall) -> bool {
    let added = call
        .diff
        .iter()
        .flat_map(|d| d.lines())
        .filter(|l| l.starts_with('+'));
    if call.diff.is_some() {
        return added.map(|l| l.trim_end_matches('\r')).any(unseen);
    }
    match &call.command {
        Some(command) => unseen(&command.line),
        None => unseen(&call.arguments),
    }
}

fn unseen(text: &str) -> bool {
    let mut symbol = false;
    for c in text.chars() {
        let joins = matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200d}');
        if joins && symbol {
            continue;
        }
        let blank = c.is_whitespace() && !matches!(c, ' ' | '\t' | '\n');
        if is_hidden(c) || blank {
            return true;
        }
        // Emoji begin above the general punctuation and are no letters.
        symbol = c > '\u{203b}' && !c.is_alphabetic();
    }
    false
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(CARD_DESCRIPTION_CHARACTERS) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The first request to a model server that is not on this machine.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct HostQuestion {
    /// Host and port, such as `models.example:8080`.
    pub host: String,
    /// The model, or empty.
    pub model: String,
}

/// Asks before anything is sent to a host that is not this machine.
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
    Card {
        sentence: vec![words("This model server is not on this computer.")],
        facts,
        actions: vec![
            action(Answer::Allow, "Send to this host", 'y', false),
            action(Answer::NotNow, "Not now", 'n', false),
        ],
        footnote: vec![words(
            "Asked once for this workspace. Not covered: what that host does with it.",
        )],
        ..blank(
            CardKind::Host,
            vec![question.host.clone()],
            vec![words("Send to "), quoted(&question.host), words("?")],
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
