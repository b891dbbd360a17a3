//! A call, the mode and the rules → run, ask with a card, or refuse.
//!
//! In: what a tool is about to do ([`ApprovalCall`]), the mode, and what the user allowed for this
//! session ([`ApprovalRules`]). Out: [`ApprovalDecision`]. The table:
//!
//! | | Ask first | Auto-edit | Full auto |
//! |---|---|---|---|
//! | reads, harmless commands | run | run | run |
//! | edits | ask | run | run |
//! | other commands, MCP calls, credential-looking files | ask | ask | run |
//! | protected paths, a new server, a call quoted from data | ask | ask | ask |
//!
//! A path outside the workspace folders is refused here again, whatever the shell checked before.
//! Deliberately not here: following links (paths arrive resolved), drawing, and what was answered.

mod cards;
pub mod commands;
mod flags;
pub mod paths;
mod questions;

use crate::tagged::tagged;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

pub use questions::{HostQuestion, RepeatQuestion, host_card, repeat_card};

use crate::card::Card;
use crate::config::server_card::ServerQuestion;

/// How much runs without asking.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// "Ask first".
    Ask,
    /// "Auto-edit", the default.
    AcceptEdits,
    /// "Full auto".
    Auto,
}

/// What kind of thing a call does.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum CallKind {
    /// Reads files of the workspace, or saved outputs of this session.
    Read,
    /// Writes files of the workspace.
    Write,
    /// Runs a command in the user's shell.
    Command,
    /// Calls a tool of an MCP server.
    Mcp,
    /// Touches nothing outside the conversation: a plan, a skill.
    Harmless,
    /// Starts a server that is not configured.
    Connect,
}

/// Which shell reads a command; it decides what can be quoted and what is a metacharacter.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum ShellKind {
    /// sh, bash, zsh and their like.
    Posix,
    /// Windows PowerShell and pwsh.
    PowerShell,
    /// cmd.exe.
    Cmd,
}

/// A command and where it runs.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CommandCall {
    /// The command line, exactly as the shell will get it.
    pub line: String,
    /// The shell's kind.
    pub shell: ShellKind,
    /// Absolute working folder, links followed.
    pub folder: String,
    /// Seconds after which it is ended.
    pub timeout_seconds: u32,
    /// The settings of the Git repository at `folder` itself name a program that even a reading Git
    /// command starts, and that no option switches off: a filter, or a remote that missing objects
    /// are fetched from. The core reads no file: the caller looks, for lines that begin with `git`.
    #[serde(default)]
    #[tsify(optional)]
    pub repository_programs: bool,
}

/// A tool of an MCP server, for the card.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ServerCall {
    /// The server's name as configured.
    pub server: String,
    /// The tool's own name.
    pub tool: String,
    /// The server's own words about the tool.
    pub description: String,
    /// The server says that the tool only reads. Shown, never trusted.
    pub read_only: bool,
    /// Where calls go, in our words, such as `a program on this computer`.
    pub goes_to: String,
    /// Where the server is configured, in our words or a path, such as `.mcp.json`.
    pub from: String,
}

/// What a tool is about to do.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ApprovalCall {
    /// The model-visible name of the tool.
    pub tool: String,
    /// What kind of thing it does.
    pub kind: CallKind,
    /// The arguments that will be used, as JSON text.
    pub arguments: String,
    /// Absolute paths touched, after links were followed.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Of the paths, true when the (single) file does not exist yet.
    #[serde(default)]
    pub creates: bool,
    /// For writes: a unified diff without header.
    #[serde(default)]
    #[tsify(optional)]
    pub diff: Option<String>,
    /// For commands.
    #[serde(default)]
    #[tsify(optional)]
    pub command: Option<CommandCall>,
    /// For MCP calls.
    #[serde(default)]
    #[tsify(optional)]
    pub server: Option<ServerCall>,
    /// For the start of a server that is not configured.
    #[serde(default)]
    #[tsify(optional)]
    pub connect: Option<ServerQuestion>,
    /// What the model wrote, where its arguments had to be repaired.
    #[serde(default)]
    #[tsify(optional)]
    pub repaired_from: Option<String>,
    /// Where the call's text stands word for word, such as `result of read_file`.
    #[serde(default)]
    #[tsify(optional)]
    pub quoted_from: Option<String>,
}

/// Something the user allowed for the rest of the session.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SessionRule {
    /// Every edit that is not protected, credential-looking or quoted from data.
    Edits,
    /// This command, to the letter, in this folder.
    Command {
        /// The command line.
        line: String,
        /// The absolute working folder.
        folder: String,
    },
}

tagged! {
    SessionRule { line: String, folder: String }
    "edits" => Edits {},
    "command" => Command { line, folder },
}

/// What a decision is made against.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRules {
    /// Absolute workspace folders, links followed.
    pub folders: Vec<String>,
    /// Absolute folders outside of them that may be read too (saved outputs of this session).
    #[serde(default)]
    pub readable: Vec<String>,
    /// What the user allowed for the session.
    #[serde(default)]
    pub session: Vec<SessionRule>,
}

/// Run, ask or refuse.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[tsify(missing_as_null)]
pub enum ApprovalDecision {
    /// It runs.
    Run {
        /// For commands: the line to run, which for Git carries options that keep it harmless.
        command: Option<String>,
        /// Who allowed it, in our words; empty when nobody had to.
        allowed_by: String,
    },
    /// The user decides.
    Ask {
        /// The question.
        card: Box<Card>,
        /// What "for this session" would add to the rules, where that is offered.
        rule: Option<SessionRule>,
    },
    /// It cannot run, whoever allows it.
    Refuse {
        /// Stable, such as `OUTSIDE_WORKSPACE`.
        code: String,
        /// For the model: the fact and what to do instead.
        message: String,
    },
}

/// What the call touches that matters for the table.
struct Findings {
    protected: Vec<paths::Protected>,
    credentials: Vec<String>,
    command: Option<commands::Reading>,
}

/// Decides about `call`.
pub fn decide(
    call: &ApprovalCall,
    mode: PermissionMode,
    rules: &ApprovalRules,
) -> ApprovalDecision {
    if let Some(refusal) = refusal(call, rules) {
        return refusal;
    }
    let findings = findings(call, rules);
    if asks(call, mode, rules, &findings) {
        let rule = offered_rule(call, &findings);
        let card = Box::new(cards::call_card(call, rules, &findings, rule.as_ref()));
        return ApprovalDecision::Ask { card, rule };
    }
    ApprovalDecision::Run {
        command: call
            .command
            .as_ref()
            .map(|c| commands::harmless(&c.line).map_or_else(|| c.line.clone(), ToOwned::to_owned)),
        allowed_by: allowed_by(call, mode, rules, &findings).to_owned(),
    }
}

/// Why the call cannot run whatever the user says.
fn refusal(call: &ApprovalCall, rules: &ApprovalRules) -> Option<ApprovalDecision> {
    let refuse = |code: &str, message: String| {
        Some(ApprovalDecision::Refuse {
            code: code.to_owned(),
            message,
        })
    };
    let reads = matches!(call.kind, CallKind::Read);
    for path in &call.paths {
        let inside = rules.folders.iter().any(|f| paths::inside(path, f))
            || (reads && rules.readable.iter().any(|f| paths::inside(path, f)));
        if !inside {
            return refuse(
                "OUTSIDE_WORKSPACE",
                format!("{path} is outside the workspace folders. Use a path inside them."),
            );
        }
    }
    if let Some(command) = &call.command {
        if command.line.trim().is_empty() {
            return refuse("EMPTY_COMMAND", "The command is empty.".to_owned());
        }
        if command.line.contains('\0') {
            return refuse(
                "NUL_IN_COMMAND",
                "The command holds a NUL character, which no shell can run.".to_owned(),
            );
        }
    }
    let complete = match call.kind {
        CallKind::Command => call.command.is_some(),
        CallKind::Mcp => call.server.is_some(),
        CallKind::Write => !call.paths.is_empty(),
        CallKind::Connect => call.connect.is_some(),
        CallKind::Read | CallKind::Harmless => true,
    };
    if complete {
        None
    } else {
        refuse(
            "INCOMPLETE_CALL",
            format!("The tool {} did not say what it is about to do.", call.tool),
        )
    }
}

fn findings(call: &ApprovalCall, rules: &ApprovalRules) -> Findings {
    let command = call.command.as_ref().map(commands::read);
    let mut protected = Vec::new();
    let mut credentials = Vec::new();
    if matches!(call.kind, CallKind::Write) {
        protected.extend(
            call.paths
                .iter()
                .filter_map(|p| paths::protected(paths::relative(p, &rules.folders).inner)),
        );
    }
    if matches!(call.kind, CallKind::Read | CallKind::Write) {
        credentials.extend(
            call.paths
                .iter()
                .filter(|p| paths::credentials(paths::relative(p, &rules.folders).inner))
                .map(|p| paths::relative(p, &rules.folders).shown()),
        );
    }
    if let Some(reading) = &command {
        protected.extend(reading.protected.iter().cloned());
        credentials.extend(reading.credentials.iter().cloned());
    }
    Findings {
        protected,
        credentials,
        command,
    }
}

fn asks(
    call: &ApprovalCall,
    mode: PermissionMode,
    rules: &ApprovalRules,
    findings: &Findings,
) -> bool {
    if call.quoted_from.is_some()
        || !findings.protected.is_empty()
        || matches!(call.kind, CallKind::Connect)
    {
        return true;
    }
    let everything = matches!(mode, PermissionMode::Auto);
    let edits = everything
        || matches!(mode, PermissionMode::AcceptEdits)
        || rules.session.contains(&SessionRule::Edits);
    match call.kind {
        CallKind::Harmless => false,
        CallKind::Read => !everything && !findings.credentials.is_empty(),
        CallKind::Write => !edits || (!everything && !findings.credentials.is_empty()),
        CallKind::Command => {
            !everything && !harmless(call) && !rules.session.iter().any(|r| covers(r, call))
        }
        CallKind::Mcp => !everything,
        CallKind::Connect => true,
    }
}

fn harmless(call: &ApprovalCall) -> bool {
    call.command
        .as_ref()
        .is_some_and(|c| commands::harmless(&c.line).is_some() && !c.repository_programs)
}

/// Does the rule cover the command of the call?
fn covers(rule: &SessionRule, call: &ApprovalCall) -> bool {
    match rule {
        SessionRule::Edits => false,
        SessionRule::Command { line, folder } => call
            .command
            .as_ref()
            .is_some_and(|c| c.line == *line && c.folder == *folder),
    }
}

/// What "for this session" would add; none where the table does not allow it.
fn offered_rule(call: &ApprovalCall, findings: &Findings) -> Option<SessionRule> {
    if call.quoted_from.is_some()
        || !findings.protected.is_empty()
        || !findings.credentials.is_empty()
    {
        return None;
    }
    match call.kind {
        CallKind::Write => Some(SessionRule::Edits),
        CallKind::Command => {
            let reading = findings.command.as_ref()?;
            let command = call.command.as_ref()?;
            (!reading.metacharacters && !reading.hidden).then(|| SessionRule::Command {
                line: command.line.clone(),
                folder: command.folder.clone(),
            })
        }
        CallKind::Read | CallKind::Mcp | CallKind::Harmless | CallKind::Connect => None,
    }
}

fn allowed_by(
    call: &ApprovalCall,
    mode: PermissionMode,
    rules: &ApprovalRules,
    findings: &Findings,
) -> &'static str {
    const SESSION: &str = "Allowed by you for this session";
    const FULL: &str = "Full auto";
    match call.kind {
        CallKind::Harmless | CallKind::Connect => "",
        CallKind::Read if findings.credentials.is_empty() => "",
        CallKind::Command if harmless(call) => "",
        CallKind::Write
            if matches!(mode, PermissionMode::Ask)
                && rules.session.contains(&SessionRule::Edits) =>
        {
            SESSION
        }
        CallKind::Write if matches!(mode, PermissionMode::AcceptEdits) => "Auto-edit",
        CallKind::Command if rules.session.iter().any(|r| covers(r, call)) => SESSION,
        CallKind::Read | CallKind::Write | CallKind::Command | CallKind::Mcp => FULL,
    }
}
