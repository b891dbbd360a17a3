//! The permission table, and what cards say, as data.
#![cfg(not(target_arch = "wasm32"))]
// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod cards;
mod decisions;

use gbs_agent_core::approval::{
    ApprovalCall, ApprovalDecision, ApprovalRules, CallKind, CommandCall, PermissionMode,
    ServerCall, SessionRule, ShellKind, decide,
};
use gbs_agent_core::card::{Answer, Card, Span};
use gbs_agent_core::config::consent::ConsentFacts;
use gbs_agent_core::config::plan::{ConfigOptions, ConfigOrigin, ConfigSource, plan};
use gbs_agent_core::config::server_card::ServerQuestion;

const MODES: [PermissionMode; 3] = [
    PermissionMode::Ask,
    PermissionMode::AcceptEdits,
    PermissionMode::Auto,
];

fn call(kind: CallKind) -> ApprovalCall {
    ApprovalCall {
        tool: "t".to_owned(),
        kind,
        arguments: "{}".to_owned(),
        paths: Vec::new(),
        creates: false,
        diff: None,
        command: None,
        server: None,
        connect: None,
        repaired_from: None,
        quoted_from: None,
    }
}

fn read(path: &str) -> ApprovalCall {
    ApprovalCall {
        paths: vec![path.to_owned()],
        ..call(CallKind::Read)
    }
}

fn write(path: &str) -> ApprovalCall {
    ApprovalCall {
        paths: vec![path.to_owned()],
        diff: Some("@@ -1,1 +1,1 @@\n-a\n+b".to_owned()),
        ..call(CallKind::Write)
    }
}

/// A server that the agent asks for.
fn connect() -> ApprovalCall {
    let text = r#"{"mcpServers": {"docs": {"command": "docs-mcp"}}}"#;
    let source = ConfigSource {
        origin: ConfigOrigin::Agent,
        path: String::new(),
        text: text.to_owned(),
        folder: String::new(),
        guarded: false,
        unreadable: false,
    };
    let options = ConfigOptions {
        environment: [].into(),
        platform: "linux".to_owned(),
        workspace_folder: "/w".to_owned(),
        user_home: "/home/u".to_owned(),
    };
    ApprovalCall {
        connect: Some(ServerQuestion {
            server: plan(&[source], &options).servers.remove(0),
            facts: ConsentFacts::default(),
            platform: "linux".to_owned(),
            before: None,
            approved_on: String::new(),
            keep: None,
            folder_name: String::new(),
        }),
        ..call(CallKind::Connect)
    }
}

fn command(line: &str) -> ApprovalCall {
    ApprovalCall {
        command: Some(CommandCall {
            line: line.to_owned(),
            shell: ShellKind::Posix,
            folder: "/w/packages/http".to_owned(),
            timeout_seconds: 120,
            repository_programs: false,
        }),
        ..call(CallKind::Command)
    }
}

fn mcp(arguments: &str) -> ApprovalCall {
    ApprovalCall {
        tool: "mcp__tracker__create_issue".to_owned(),
        arguments: arguments.to_owned(),
        server: Some(ServerCall {
            server: "tracker".to_owned(),
            tool: "create_issue".to_owned(),
            description: "Create an\nissue.".to_owned(),
            read_only: false,
            goes_to: "a program on this computer".to_owned(),
            from: ".mcp.json".to_owned(),
        }),
        ..call(CallKind::Mcp)
    }
}

fn rules() -> ApprovalRules {
    ApprovalRules {
        folders: vec!["/w".to_owned()],
        readable: vec!["/state/outputs".to_owned()],
        session: Vec::new(),
    }
}

fn word(decision: &ApprovalDecision) -> &str {
    match decision {
        ApprovalDecision::Run { .. } => "run",
        ApprovalDecision::Ask { .. } => "ask",
        ApprovalDecision::Refuse { code, .. } => code,
    }
}

/// What the three modes decide, Ask first to Full auto.
#[track_caller]
fn check(call: &ApprovalCall, expected: [&str; 3]) {
    let decided = MODES.map(|mode| decide(call, mode, &rules()));
    assert_eq!(
        [word(&decided[0]), word(&decided[1]), word(&decided[2])],
        expected,
        "{call:?}"
    );
}

const RUN: [&str; 3] = ["run"; 3];
const ASK: [&str; 3] = ["ask"; 3];
const EDIT: [&str; 3] = ["ask", "run", "run"];
const CAREFUL: [&str; 3] = ["ask", "ask", "run"];
const OUTSIDE: [&str; 3] = ["OUTSIDE_WORKSPACE"; 3];

/// The card of a call in a mode in which it asks, and its rule.
#[track_caller]
fn asked(call: &ApprovalCall) -> (Card, Option<SessionRule>) {
    match decide(call, PermissionMode::Ask, &rules()) {
        ApprovalDecision::Ask { card, rule } => (*card, rule),
        other => panic!("{other:?}"),
    }
}

fn text(spans: &[Span]) -> String {
    spans
        .iter()
        .map(|span| match span {
            Span::Quoted { text } => format!("`{text}`"),
            Span::Words { text } | Span::Strong { text } => text.clone(),
            Span::Place { .. } | Span::Secret { .. } => "?".to_owned(),
        })
        .collect()
}

/// Question, sentence, flags' codes, buttons with the primary one starred, whether "this session" is
/// offered: a card as one text.
fn drawn(call: &ApprovalCall) -> String {
    let (card, rule) = asked(call);
    let buttons: Vec<String> = card
        .actions
        .iter()
        .map(|a| format!("{}{}", if a.primary { "*" } else { "" }, a.label))
        .collect();
    let session = card
        .actions
        .iter()
        .any(|a| a.answer == Answer::AllowSession);
    assert_eq!(
        session,
        rule.is_some(),
        "a session button and a rule go together"
    );
    let flags: Vec<&str> = card.flags.iter().map(|f| f.code.as_str()).collect();
    assert!(
        flags.is_empty() || card.actions.iter().all(|a| !a.primary),
        "a card with a flag has no primary button"
    );
    format!(
        "{} | {} | {} | {}",
        text(&card.question),
        text(&card.sentence),
        flags.join(" "),
        buttons.join(", ")
    )
}
