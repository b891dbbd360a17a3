//! The question whether a server may start.
//!
//! In: a planned server, what the shell found out, and the form that was approved before, if any.
//! Out: a card that shows the exact command, what changed field by field, what to look at, and what
//! the answer does not cover. Values that variables brought in are masked. Deliberately not here:
//! how an answer is kept.

mod flags;
#[cfg(test)]
mod tests;

use super::consent::{ConsentChanges, ConsentFacts, ServerConsent, compare, consent, within};
use super::expand::{Expanded, Found, Piece};
use super::paths::{slashed, style_of};
use super::plan::{ConfigOrigin, ConfiguredServer, NamedValue, ServerReach};
use crate::card::{Action, Answer, Card, CardKind, Fact, Pane, PaneKind, Span, quoted, words};
use crate::skills::containment::PathStyle;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// What is asked about.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ServerQuestion {
    /// The server.
    pub server: ConfiguredServer,
    /// What the shell found out about it.
    pub facts: ConsentFacts,
    /// As Node's `process.platform` names it.
    pub platform: String,
    /// What was approved last; none when nothing was.
    #[serde(default)]
    #[tsify(optional, type = "ServerConsent | null")]
    pub before: Option<ServerConsent>,
    /// When that was, such as `3 May`; empty when it is not known.
    #[serde(default)]
    #[tsify(optional)]
    pub approved_on: String,
    /// For a server that the agent asks for: the files it can be kept in, as they are shown.
    #[serde(default)]
    #[tsify(optional, type = "KeepPlaces | null")]
    pub keep: Option<KeepPlaces>,
    /// What the workspace folder is called in paths, where several are open; else empty.
    #[serde(default)]
    #[tsify(optional)]
    pub folder_name: String,
}

/// Where a server that the agent asks for can be kept.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct KeepPlaces {
    /// The user's own file, such as `~/.gbs/mcp.json`.
    pub user: String,
    /// The project's file, such as `.mcp.json`.
    pub project: String,
}

/// What stands in the place of a value.
const MASK: &str = "••••••••";

/// The card.
pub fn card(question: &ServerQuestion) -> Card {
    let ServerQuestion {
        server,
        facts,
        platform,
        before,
        approved_on,
        keep,
        folder_name,
    } = question;
    let style = style_of(platform);
    let now = consent(server, facts);
    let changes = before.as_ref().map(|before| compare(before, &now));
    Card {
        kind: CardKind::Server,
        about: vec![server.name.clone()],
        question: the_question(server),
        sentence: vec![words(the_sentence(
            server,
            &now,
            changes.as_ref(),
            approved_on,
        ))],
        changed: changes.as_ref().and_then(the_changes),
        flags: flags::flags(server, facts, style),
        panes: vec![the_command(server)],
        form: Vec::new(),
        facts: the_facts(server, facts, keep.as_ref(), folder_name, style),
        actions: the_actions(server, keep.is_some()),
        footnote: the_footnote(server, facts),
    }
}

fn the_actions(server: &ConfiguredServer, keeps: bool) -> Vec<Action> {
    let action = |answer, label: &str, letter| Action {
        answer,
        label: label.to_owned(),
        letter,
        primary: false,
    };
    let mut actions = vec![action(Answer::Allow, "Allow and start", 'y')];
    if server.origin != ConfigOrigin::Agent {
        actions.push(action(Answer::NotNow, "Not now", 'n'));
        return actions;
    }
    actions.push(action(Answer::Deny, "Deny\u{2026}", 'n'));
    if keeps {
        actions.push(action(Answer::KeepForUser, "Start and keep for you", 'u'));
        actions.push(action(
            Answer::KeepInProject,
            "Start and keep in the project",
            'p',
        ));
    }
    actions
}

fn the_question(server: &ConfiguredServer) -> Vec<Span> {
    let from = match server.origin {
        ConfigOrigin::Repository => " from this repository?",
        ConfigOrigin::User => " from your own configuration?",
        ConfigOrigin::Agent => " for this session?",
    };
    vec![
        words("Start the server "),
        quoted(&server.name),
        words(from),
    ]
}

fn the_sentence(
    server: &ConfiguredServer,
    now: &ServerConsent,
    changes: Option<&ConsentChanges>,
    approved_on: &str,
) -> String {
    let lead = match (server.origin, server.guarded) {
        (ConfigOrigin::Repository, _) => "",
        (ConfigOrigin::User, true) => "A program may have written this file. ",
        (ConfigOrigin::User, false) => return "It starts without asking.".to_owned(),
        (ConfigOrigin::Agent, _) => {
            return "The agent asks for it. No file of yours names it.".to_owned();
        }
    };
    let on = if approved_on.is_empty() {
        String::new()
    } else {
        format!(" on {approved_on}")
    };
    let rest = match changes {
        None => "It was not approved here before.".to_owned(),
        Some(changes) if !changes.changed.is_empty() => {
            format!("It changed since you approved it{on}.")
        }
        Some(_) if !now.covered => {
            format!(
                "You approved it{on}. It asks every time, since not everything it names can be covered."
            )
        }
        Some(_) => format!("You approved it{on}, as it is now."),
    };
    format!("{lead}{rest}")
}

/// A diff without hunks, whose headings are the parts that changed: nothing in it has a line number.
fn the_changes(changes: &ConsentChanges) -> Option<Pane> {
    if changes.changed.is_empty() {
        return None;
    }
    let mut diff = Vec::new();
    for change in &changes.changed {
        diff.push(change.field.clone());
        for row in &change.rows {
            let sign = if row.added { '+' } else { '-' };
            diff.push(format!("{sign}{}", row.text));
        }
    }
    Some(Pane {
        title: "What changed".to_owned(),
        measure: format!("{} of {} parts", changes.changed.len(), changes.parts),
        kind: PaneKind::Diff,
        content: vec![quoted(diff.join("\n"))],
        editable: false,
    })
}

fn the_command(server: &ConfiguredServer) -> Pane {
    let (title, content) = match &server.reach {
        ServerReach::Program { command, args, .. } if args.is_empty() => {
            // A span alone would be drawn as a line for a shell.
            let span = match shown(command) {
                Span::Quoted { text } if text.contains(|c: char| c.is_whitespace() || c == '"') => {
                    quoted(serde_json::Value::from(text).to_string())
                }
                span => span,
            };
            ("What will run", vec![span])
        }
        ServerReach::Program { command, args, .. } => (
            "What will run",
            std::iter::once(command).chain(args).map(shown).collect(),
        ),
        ServerReach::Address { url, .. } => ("What will be called", vec![shown(url)]),
    };
    Pane {
        title: title.to_owned(),
        measure: String::new(),
        kind: PaneKind::Command,
        content,
        editable: false,
    }
}

/// A text as it will be, with the values of variables masked.
fn shown(text: &Expanded) -> Span {
    if !text.holds_values() {
        return quoted(text.text());
    }
    let masked = text
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Brought { .. } => MASK,
            Piece::Written { .. } | Piece::Folder { .. } => piece.text(),
        })
        .collect();
    Span::Secret {
        text: text.text(),
        masked,
    }
}

/// A path that a value is part of is masked whole: which part that is cannot be told any more.
fn path_shown(path: &str, secret: bool) -> Span {
    if secret {
        Span::Secret {
            text: path.to_owned(),
            masked: MASK.to_owned(),
        }
    } else {
        quoted(path)
    }
}

fn the_facts(
    server: &ConfiguredServer,
    facts: &ConsentFacts,
    keep: Option<&KeepPlaces>,
    folder_name: &str,
    style: PathStyle,
) -> Vec<Fact> {
    let mut list = Vec::new();
    let mut fact = |term: &str, value: Vec<Span>| {
        if !value.is_empty() {
            list.push(Fact {
                term: term.to_owned(),
                value,
            });
        }
    };
    if let ServerReach::Program {
        command,
        cwd,
        folder,
        env,
        ..
    } = &server.reach
    {
        fact(
            "Program",
            vec![path_shown(&facts.resolved, command.holds_values())],
        );
        let secret = cwd.as_ref().is_some_and(Expanded::holds_values);
        let mut value = vec![path_shown(folder, secret)];
        if !facts.real_folder.is_empty() && facts.real_folder != *folder {
            value.push(words(", which is "));
            value.push(path_shown(&facts.real_folder, secret));
        }
        fact("Folder", value);
        fact("Reads", reads(server));
        fact("Sets", names(env, server.origin == ConfigOrigin::Agent));
        match server.origin {
            ConfigOrigin::Repository => {}
            ConfigOrigin::User => fact("Gets", vec![words("all variables of your environment")]),
            ConfigOrigin::Agent => {
                let kept = keep.map(|_| "; kept for you, all of your environment");
                let gets = "the variables that every program needs";
                fact(
                    "Gets",
                    vec![words(format!("{gets}{}", kept.unwrap_or_default()))],
                );
            }
        }
    }
    if let ServerReach::Address { headers, .. } = &server.reach {
        fact("Reads", reads(server));
        fact(
            "Sends",
            names(headers, server.origin == ConfigOrigin::Agent),
        );
    }
    if server.origin != ConfigOrigin::User && facts.digests.len() > 1 {
        let files = facts
            .digests
            .iter()
            .map(|file| path_shown(within(&file.path, &server.workspace_folder), file.secret));
        fact("Files", listed(files.map(|span| vec![span])));
    }
    if server.origin != ConfigOrigin::Agent {
        fact("Written in", vec![written_in(server, folder_name, style)]);
    }
    if let Some(KeepPlaces { user, project }) = keep {
        let value = vec![
            quoted(user),
            words(" for you, "),
            quoted(project),
            words(" in the project"),
        ];
        fact("Can be kept", value);
    }
    list
}

fn reads(server: &ConfiguredServer) -> Vec<Span> {
    listed(server.variables.iter().map(|read| {
        let found = match read.found {
            Found::Set => " (set)",
            Found::Default => " (not set, uses its default)",
            Found::Unset => " (not set)",
        };
        vec![quoted(&read.name), words(found)]
    }))
}

/// The names, and the values of an entry that stands in no file where they could be read.
fn names(pairs: &[NamedValue], with_values: bool) -> Vec<Span> {
    listed(pairs.iter().map(|pair| match &pair.value {
        None => vec![quoted(&pair.name), words(" (taken away)")],
        Some(value) if with_values => vec![quoted(format!("{}={}", pair.name, value.template))],
        Some(_) => vec![quoted(&pair.name)],
    }))
}

/// Items with commas between them.
fn listed(items: impl Iterator<Item = Vec<Span>>) -> Vec<Span> {
    let mut list = Vec::new();
    for item in items {
        if !list.is_empty() {
            list.push(words(", "));
        }
        list.extend(item);
    }
    list
}

fn written_in(server: &ConfiguredServer, folder_name: &str, style: PathStyle) -> Span {
    let path = match server.origin {
        ConfigOrigin::Repository => {
            let path = within(&server.path, &server.workspace_folder);
            if folder_name.is_empty() || path.len() == server.path.len() {
                path.to_owned()
            } else {
                slashed(format!("{folder_name}/{path}"), style)
            }
        }
        ConfigOrigin::User | ConfigOrigin::Agent => server.path.clone(),
    };
    Span::Place {
        text: format!("{path}, line {}", server.place.line),
        path: server.path.clone(),
        line: server.place.line,
    }
}

fn the_footnote(server: &ConfiguredServer, facts: &ConsentFacts) -> Vec<Span> {
    let ServerReach::Program { .. } = &server.reach else {
        return vec![words(
            "Covers this address and these headers as they are written. Not covered: what the server there does.",
        )];
    };
    if server.origin == ConfigOrigin::User {
        return vec![words(
            "Covers this entry as it is written, in every workspace. Not covered: the programs and files it names.",
        )];
    }
    match facts.digests.as_slice() {
        [] => vec![words(
            "Covers this command. Not covered: what it imports or downloads.",
        )],
        [file] => vec![
            words("Covers this command and "),
            path_shown(within(&file.path, &server.workspace_folder), file.secret),
            words(". Not covered: what they import or download."),
        ],
        _ => vec![words(
            "Covers this command and these files. Not covered: what they import or download.",
        )],
    }
}

/// Everything a person reads on the card that somebody else wrote, with the field it stands in.
fn texts_of_others(server: &ConfiguredServer) -> Vec<(String, String)> {
    let mut texts = vec![("name".to_owned(), server.name.clone())];
    let mut both = |field: String, text: &Expanded| {
        texts.push((field.clone(), text.template.clone()));
        texts.push((field, text.text()));
    };
    match &server.reach {
        ServerReach::Program {
            command,
            args,
            cwd,
            env,
            ..
        } => {
            both("command".to_owned(), command);
            for (index, arg) in args.iter().enumerate() {
                both(format!("args[{index}]"), arg);
            }
            if let Some(cwd) = cwd {
                both("cwd".to_owned(), cwd);
            }
            texts.extend(pairs_of_others("env", env));
        }
        ServerReach::Address { url, headers, .. } => {
            both("url".to_owned(), url);
            texts.extend(pairs_of_others("headers", headers));
        }
    }
    texts
}

/// Names and templates; values of `env` and `headers` are not on the card.
fn pairs_of_others(field: &str, pairs: &[NamedValue]) -> Vec<(String, String)> {
    pairs
        .iter()
        .flat_map(|pair| {
            let field = format!("{field}.{}", pair.name);
            let template = pair.value.as_ref().map(|value| value.template.clone());
            [
                (field.clone(), pair.name.clone()),
                (field, template.unwrap_or_default()),
            ]
        })
        .collect()
}
