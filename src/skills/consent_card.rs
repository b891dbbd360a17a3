//! The question whether skills and instructions of a repository may be used.
//!
//! In: what is held back, each with its files, their text and what changed. Out: one card that names
//! every skill, its origin and its files, shows what is new or changed whole, and flags what a reader
//! would not see. Deliberately not here: how an answer is kept.

use super::catalogue::SkillOrigin;
use super::consent::FileState;
use super::consent_flags::{file_flags, shown_path, skill_flags};
use crate::card::{Action, Answer, Card, CardKind, Fact, Flag, Pane, PaneKind, Span};
use crate::card::{quoted, words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tsify::Tsify;

/// What is asked about: at least one skill or one file of instructions.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ConsentQuestion {
    /// Skills that wait.
    pub skills: Vec<ConsentSkill>,
    /// Instructions files that wait.
    pub instructions: Vec<ConsentFile>,
}

/// A skill that waits.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ConsentSkill {
    /// Its name.
    pub name: String,
    /// Who put it there.
    pub origin: SkillOrigin,
    /// Where it comes from, such as `.gbs/skills` or `chart-kit 3.1.0`.
    pub label: String,
    /// All its files, SKILL.md first, those removed since included.
    pub files: Vec<ConsentFile>,
    /// What its header asks for; it gets nothing by asking.
    #[serde(default)]
    #[tsify(optional)]
    pub allowed_tools: Vec<String>,
    /// When an earlier version was allowed, such as `3 May`; none when none was.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub approved_on: Option<String>,
    /// The folder it really lies in, where that is outside of the workspace.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub outside: Option<String>,
    /// Of a server's skill, its header as the server sent it: nothing else was fetched yet.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub header: Option<String>,
}

/// A file that an answer covers.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ConsentFile {
    /// Relative to the skill's folder or the workspace's, with `/`.
    pub path: String,
    /// Absolute, to open it.
    pub place: String,
    /// What became of it since it was allowed.
    pub state: FileState,
    /// Its text; none when it is not text.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub text: Option<String>,
    /// Of a changed or removed file, the unified diff without header, where both texts are known.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub diff: Option<String>,
}

/// The card.
pub fn card(question: &ConsentQuestion) -> Card {
    let ConsentQuestion {
        skills,
        instructions,
    } = question;
    let mut about: Vec<String> = skills.iter().map(|skill| skill.name.clone()).collect();
    about.extend(instructions.iter().map(|file| file.path.clone()));
    let mut facts: Vec<Fact> = skills.iter().flat_map(skill_facts).collect();
    facts.extend(instructions.iter().map(instructions_fact));
    let mut flags: Vec<Flag> = skills.iter().flat_map(skill_flags).collect();
    flags.extend(instructions.iter().flat_map(|file| file_flags("", file)));
    let mut panes: Vec<Pane> = skills.iter().flat_map(skill_panes).collect();
    panes.extend(instructions.iter().filter_map(instructions_pane));
    Card {
        kind: CardKind::Skill,
        about,
        question: the_question(skills, instructions),
        sentence: the_sentence(skills, instructions),
        changed: the_changes(skills, instructions),
        flags,
        panes,
        form: Vec::new(),
        facts,
        actions: vec![
            Action {
                answer: Answer::Allow,
                label: allow_label(skills.len(), instructions.len()),
                letter: 'y',
                primary: false,
            },
            Action {
                answer: Answer::NotNow,
                label: "Not now".to_owned(),
                letter: 'n',
                primary: false,
            },
        ],
        footnote: vec![words(footnote(skills))],
    }
}

fn the_question(skills: &[ConsentSkill], instructions: &[ConsentFile]) -> Vec<Span> {
    let files = counted(
        instructions.len(),
        "instructions file",
        "instructions files",
    );
    match (skills, instructions) {
        ([], [file]) => vec![
            words("Follow the instructions file "),
            quoted(&file.path),
            words(" of this repository?"),
        ],
        ([], _) => vec![words(format!("Follow {files} of this repository?"))],
        ([skill], []) => match skill.origin {
            SkillOrigin::Package => vec![
                words("Use the skill "),
                quoted(&skill.name),
                words(" from the package "),
                quoted(&skill.label),
                words("?"),
            ],
            SkillOrigin::Server => vec![
                words("Use the skill "),
                quoted(&skill.name),
                words(" from the server "),
                quoted(&skill.label),
                words("?"),
            ],
            SkillOrigin::Project | SkillOrigin::User => vec![
                words("Use the skill "),
                quoted(&skill.name),
                words(" from this repository?"),
            ],
        },
        ([first, ..], [])
            if skills
                .iter()
                .all(|skill| skill.origin == SkillOrigin::Server && skill.label == first.label) =>
        {
            let skills_of = counted(skills.len(), "skill", "skills");
            vec![
                words(format!("Use {skills_of} from the server ")),
                quoted(&first.label),
                words("?"),
            ]
        }
        (_, files_too) => {
            let alone = files_too.is_empty();
            let skills_of = counted(skills.len(), "skill", "skills");
            let and_files = if alone {
                String::new()
            } else {
                format!(" and {files}")
            };
            let from = owners(skills, alone);
            vec![words(format!("Use {skills_of}{and_files} from {from}?"))]
        }
    }
}

/// Where the skills come from; `alone` where no instructions of the repository are asked about, too.
fn owners(skills: &[ConsentSkill], alone: bool) -> String {
    let of = |origin: SkillOrigin| skills.iter().filter(move |skill| skill.origin == origin);
    let packages = of(SkillOrigin::Package).count();
    let mut servers = BTreeSet::new();
    for skill in of(SkillOrigin::Server) {
        servers.insert(skill.label.as_str());
    }
    let repository = of(SkillOrigin::Project).count() + of(SkillOrigin::User).count();
    let mut named = Vec::new();
    if repository > 0 || (!alone && packages == 0) {
        named.push("this repository".to_owned());
    }
    if packages > 0 && named.is_empty() {
        named.push("packages of this repository".to_owned());
    } else if packages > 0 {
        named.push("its packages".to_owned());
    }
    match servers.len() {
        0 => {}
        1 => named.push("a server".to_owned()),
        n => named.push(format!("{n} servers")),
    }
    match named.as_slice() {
        [] => "this repository".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What a yes covers, and what it lets happen.
fn footnote(skills: &[ConsentSkill]) -> &'static str {
    if skills
        .iter()
        .any(|skill| skill.origin == SkillOrigin::Server)
    {
        "Covers these files by the digests that stand for them now: a changed one asks again. A \
         server's files are fetched when the model reads them. Running a script still asks, but not \
         in Full auto."
    } else {
        "Covers these files as they are now: a changed one asks again. The model may read them; \
         running a script still asks, but not in Full auto."
    }
}

fn the_sentence(skills: &[ConsentSkill], instructions: &[ConsentFile]) -> Vec<Span> {
    if let ([skill], []) = (skills, instructions) {
        let changed = skill
            .files
            .iter()
            .filter(|file| file.state != FileState::Same)
            .count();
        let now = skill
            .files
            .iter()
            .filter(|file| file.state != FileState::Removed)
            .count();
        let text = match &skill.approved_on {
            None => format!("New here, with {}.", counted(now, "file", "files")),
            Some(date) => {
                let files = counted(skill.files.len(), "file", "files");
                format!("{changed} of {files} changed since you approved it on {date}.")
            }
        };
        return vec![words(text)];
    }
    let known = |state: FileState| state != FileState::New;
    let changed = skills
        .iter()
        .filter(|skill| skill.approved_on.is_some())
        .count()
        + instructions.iter().filter(|file| known(file.state)).count();
    let new = skills.len() + instructions.len() - changed;
    let text = match (new, changed) {
        (_, 0) => "New here.".to_owned(),
        (0, _) => "Changed since you approved it.".to_owned(),
        (new, changed) => format!("{new} new, {changed} changed since you approved it."),
    };
    vec![words(text)]
}

/// What changed in things that were allowed before, as one diff whose hunks name their file.
fn the_changes(skills: &[ConsentSkill], instructions: &[ConsentFile]) -> Option<Pane> {
    let mut diff = String::new();
    for skill in skills.iter().filter(|skill| skill.approved_on.is_some()) {
        for file in &skill.files {
            add_diff(&mut diff, &shown_path(&skill.name, file), file);
        }
    }
    for file in instructions
        .iter()
        .filter(|file| file.state != FileState::New)
    {
        add_diff(&mut diff, &file.path, file);
    }
    if diff.is_empty() {
        return None;
    }
    let lines = |sign: char| {
        diff.split('\n')
            .filter(|line| line.starts_with(sign))
            .count()
    };
    Some(Pane {
        title: "What changed".to_owned(),
        measure: format!("+{} −{}", lines('+'), lines('-')),
        kind: PaneKind::Diff,
        content: vec![quoted(diff.trim_end_matches('\n'))],
        editable: false,
    })
}

fn add_diff(diff: &mut String, path: &str, file: &ConsentFile) {
    // A path is on one line here, or it could pose as a line of the diff.
    let path = path.replace(['\n', '\r'], "\u{fffd}");
    match (file.state, &file.diff, &file.text) {
        (FileState::Changed | FileState::Removed, Some(hunks), _) => {
            for line in hunks.strip_suffix('\n').unwrap_or(hunks).split('\n') {
                diff.push_str(line);
                if line.starts_with("@@ ") {
                    diff.push(' ');
                    diff.push_str(&path);
                }
                diff.push('\n');
            }
        }
        (FileState::New, _, Some(text)) => {
            let lines: Vec<&str> = text
                .strip_suffix('\n')
                .unwrap_or(text)
                .split('\n')
                .collect();
            let head = format!("@@ -0,0 +1,{} @@ {path}\n", lines.len());
            diff.push_str(&head);
            for line in lines {
                diff.push('+');
                diff.push_str(line);
                diff.push('\n');
            }
        }
        (FileState::Same | FileState::New | FileState::Changed | FileState::Removed, ..) => {}
    }
}

/// SKILL.md of a new skill, whole; and changed text of which no earlier copy is known.
fn skill_panes(skill: &ConsentSkill) -> Vec<Pane> {
    let mut panes = Vec::new();
    if let Some(header) = &skill.header {
        panes.push(text_pane(
            format!("What {} says of itself", skill.name),
            header,
        ));
    }
    for (index, file) in skill.files.iter().enumerate() {
        let Some(text) = &file.text else { continue };
        let new = skill.approved_on.is_none() && index == 0;
        let unknown =
            skill.approved_on.is_some() && file.state == FileState::Changed && file.diff.is_none();
        if new {
            panes.push(text_pane(format!("SKILL.md of {}", skill.name), text));
        } else if unknown {
            panes.push(text_pane(
                format!("A changed file of {}, whole", skill.name),
                text,
            ));
        }
    }
    panes
}

fn instructions_pane(file: &ConsentFile) -> Option<Pane> {
    let text = file.text.as_ref()?;
    let new = file.state == FileState::New;
    let unknown = file.state == FileState::Changed && file.diff.is_none();
    (new || unknown).then(|| text_pane("Instructions".to_owned(), text))
}

fn text_pane(title: String, text: &str) -> Pane {
    let text = text.strip_suffix('\n').unwrap_or(text);
    Pane {
        title,
        measure: counted(text.split('\n').count(), "line", "lines"),
        kind: PaneKind::Text,
        content: vec![quoted(text)],
        editable: false,
    }
}

fn skill_facts(skill: &ConsentSkill) -> Vec<Fact> {
    let from = match skill.origin {
        SkillOrigin::Package => " from the package ",
        SkillOrigin::Server => " from the server ",
        SkillOrigin::Project | SkillOrigin::User => " from ",
    };
    let mut value = vec![quoted(&skill.name), words(from), quoted(&skill.label)];
    for (index, file) in skill.files.iter().enumerate() {
        value.push(words(if index == 0 { ": " } else { ", " }));
        value.extend(file_spans(
            file,
            skill.approved_on.is_some(),
            skill.origin == SkillOrigin::Server,
        ));
    }
    let mut facts = vec![Fact {
        term: "Skill".to_owned(),
        value,
    }];
    if !skill.allowed_tools.is_empty() {
        facts.push(Fact {
            term: "Asks for".to_owned(),
            value: vec![
                quoted(skill.allowed_tools.join(", ")),
                words(" in its header, which grants nothing"),
            ],
        });
    }
    facts
}

fn instructions_fact(file: &ConsentFile) -> Fact {
    Fact {
        term: "Instructions".to_owned(),
        value: file_spans(file, file.state != FileState::New, false),
    }
}

/// A file that is `away` lies on a server: it cannot be opened, and nobody knows yet whether it is text.
fn file_spans(file: &ConsentFile, known: bool, away: bool) -> Vec<Span> {
    let mut spans = match file.state {
        _ if away => vec![quoted(&file.path)],
        FileState::Removed => vec![quoted(&file.path)],
        FileState::New | FileState::Changed | FileState::Same => vec![Span::Place {
            text: file.path.clone(),
            path: file.place.clone(),
            line: 1,
        }],
    };
    let state = match file.state {
        FileState::New if known => " new",
        FileState::Changed => " changed",
        FileState::Removed => " removed",
        FileState::New | FileState::Same => "",
    };
    let kind = if file.text.is_none() && file.state != FileState::Removed && !away {
        " (not text)"
    } else {
        ""
    };
    if !state.is_empty() || !kind.is_empty() {
        spans.push(words(format!("{state}{kind}")));
    }
    spans
}

fn allow_label(skills: usize, instructions: usize) -> String {
    match (skills, instructions) {
        (0, _) => "Allow instructions".to_owned(),
        (1, 0) => "Allow skill".to_owned(),
        (1, _) => "Allow skill and instructions".to_owned(),
        (skills, 0) => format!("Allow {skills} skills"),
        (skills, _) => format!("Allow {skills} skills and instructions"),
    }
}

pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {many}")
    }
}
