//! The consent card as tables.

use super::catalogue::SkillOrigin;
use super::consent::FileState;
use super::consent_card::*;
use crate::card::{Answer, Card, PaneKind, Span};

fn file(path: &str, state: FileState, text: Option<&str>, diff: Option<&str>) -> ConsentFile {
    ConsentFile {
        path: path.to_owned(),
        place: format!("/ws/{path}"),
        state,
        text: text.map(str::to_owned),
        diff: diff.map(str::to_owned),
    }
}

fn new(path: &str, text: &str) -> ConsentFile {
    file(path, FileState::New, Some(text), None)
}

fn skill(name: &str, files: Vec<ConsentFile>) -> ConsentSkill {
    ConsentSkill {
        name: name.to_owned(),
        origin: SkillOrigin::Project,
        label: ".gbs/skills".to_owned(),
        files,
        allowed_tools: vec![],
        approved_on: None,
        outside: None,
        header: None,
    }
}

/// Spans as a reader sees them: what is theirs in angle quotes.
fn plain(spans: &[Span]) -> String {
    spans
        .iter()
        .map(|span| match span {
            Span::Words { text } | Span::Strong { text } => text.clone(),
            Span::Quoted { text } => format!("‹{text}›"),
            Span::Place { text, path, line } => format!("‹{text}|{path}:{line}›"),
            Span::Secret { masked, .. } => masked.clone(),
        })
        .collect()
}

fn ask(skills: Vec<ConsentSkill>, instructions: Vec<ConsentFile>) -> Card {
    card(&ConsentQuestion {
        skills,
        instructions,
    })
}

fn question(skills: Vec<ConsentSkill>, instructions: Vec<ConsentFile>, expected: [&str; 3]) {
    let card = ask(skills, instructions);
    assert_eq!(
        [
            plain(&card.question),
            plain(&card.sentence),
            card.actions[0].label.clone(),
        ],
        expected
    );
    // Two equal buttons, none of which nudges.
    assert!(card.actions.iter().all(|action| !action.primary));
    assert_eq!(card.actions[1].answer, Answer::NotNow);
}

fn of_server(name: &str, label: &str, header: &str) -> ConsentSkill {
    let manifest = ConsentFile {
        place: String::new(),
        ..file("SKILL.md", FileState::New, None, None)
    };
    ConsentSkill {
        origin: SkillOrigin::Server,
        label: label.to_owned(),
        header: Some(header.to_owned()),
        ..skill(name, vec![manifest])
    }
}

#[test]
fn skills_of_servers() {
    let one = || of_server("docs:a", "docs", "{}");
    let new_one = "New here, with 1 file.";
    question(
        vec![one()],
        vec![],
        [
            "Use the skill ‹docs:a› from the server ‹docs›?",
            new_one,
            "Allow skill",
        ],
    );
    question(
        vec![one(), of_server("docs:b", "docs", "{}")],
        vec![],
        [
            "Use 2 skills from the server ‹docs›?",
            "New here.",
            "Allow 2 skills",
        ],
    );
    question(
        vec![one(), of_server("shop:b", "shop", "{}"), skill("c", vec![])],
        vec![],
        [
            "Use 3 skills from this repository and 2 servers?",
            "New here.",
            "Allow 3 skills",
        ],
    );
    question(
        vec![one()],
        vec![new("AGENTS.md", "x")],
        [
            "Use 1 skill and 1 instructions file from this repository and a server?",
            "New here.",
            "Allow skill and instructions",
        ],
    );
    let card = ask(
        vec![of_server(
            "docs:a",
            "docs",
            "{\n  \"description\": \"a\u{200b}b\"\n}",
        )],
        vec![],
    );
    // No file is opened, none is called no text: none was fetched.
    assert_eq!(
        plain(&card.facts[0].value),
        "‹docs:a› from the server ‹docs›: ‹SKILL.md›"
    );
    assert_eq!(card.panes.len(), 1);
    assert_eq!(card.panes[0].title, "What docs:a says of itself");
    assert_eq!(card.flags.len(), 1);
    assert_eq!(
        plain(&card.flags[0].text),
        "Hidden text in ‹docs:a/header, line 2›. 1 character without width: the model reads what no \
         editor shows."
    );
    assert!(plain(&card.footnote).contains("by the digests"));
    let mut changed = one();
    changed.approved_on = Some("3 May".to_owned());
    changed.files[0].state = FileState::Changed;
    let card = ask(vec![changed], vec![]);
    assert_eq!(
        plain(&card.sentence),
        "1 of 1 file changed since you approved it on 3 May."
    );
    assert_eq!(
        plain(&card.facts[0].value),
        "‹docs:a› from the server ‹docs›: ‹SKILL.md› changed"
    );
}

#[test]
fn questions_name_the_act() {
    let one = || skill("a", vec![new("SKILL.md", "x")]);
    let mut package = one();
    package.origin = SkillOrigin::Package;
    package.label = "chart-kit 3.1.0".to_owned();
    let mut known = skill(
        "a",
        vec![
            file(
                "SKILL.md",
                FileState::Changed,
                Some("x"),
                Some("@@ -1 +1 @@\n-y\n+x"),
            ),
            file("b.md", FileState::Same, Some("x"), None),
            file("c.md", FileState::Removed, None, None),
        ],
    );
    known.approved_on = Some("3 May".to_owned());
    let agents = || new("AGENTS.md", "x");
    question(
        vec![one()],
        vec![],
        [
            "Use the skill ‹a› from this repository?",
            "New here, with 1 file.",
            "Allow skill",
        ],
    );
    question(
        vec![package.clone()],
        vec![],
        [
            "Use the skill ‹a› from the package ‹chart-kit 3.1.0›?",
            "New here, with 1 file.",
            "Allow skill",
        ],
    );
    question(
        vec![known.clone()],
        vec![],
        [
            "Use the skill ‹a› from this repository?",
            "2 of 3 files changed since you approved it on 3 May.",
            "Allow skill",
        ],
    );
    question(
        vec![one(), known.clone()],
        vec![],
        [
            "Use 2 skills from this repository?",
            "1 new, 1 changed since you approved it.",
            "Allow 2 skills",
        ],
    );
    question(
        vec![one(), package.clone()],
        vec![],
        [
            "Use 2 skills from this repository and its packages?",
            "New here.",
            "Allow 2 skills",
        ],
    );
    question(
        vec![package.clone(), package],
        vec![agents()],
        [
            "Use 2 skills and 1 instructions file from packages of this repository?",
            "New here.",
            "Allow 2 skills and instructions",
        ],
    );
    question(
        vec![],
        vec![agents()],
        [
            "Follow the instructions file ‹AGENTS.md› of this repository?",
            "New here.",
            "Allow instructions",
        ],
    );
    question(
        vec![],
        vec![agents(), new("CLAUDE.md", "x")],
        [
            "Follow 2 instructions files of this repository?",
            "New here.",
            "Allow instructions",
        ],
    );
}

#[test]
fn a_new_skill_shows_its_text_and_names_its_files() {
    let mut one = skill(
        "release-notes",
        vec![
            new("SKILL.md", "---\nname: release-notes\n---\nRun it.\n"),
            new("scripts/collect.sh", "git log\n"),
            file("logo.png", FileState::New, None, None),
        ],
    );
    one.allowed_tools = vec!["Bash(git:*)".to_owned(), "Read".to_owned()];
    let card = ask(vec![one], vec![new("AGENTS.md", "Use tabs.")]);
    assert_eq!(card.about, ["release-notes", "AGENTS.md"]);
    assert_eq!(card.changed, None);
    assert_eq!(card.flags, []);
    let panes: Vec<(&str, &str, String)> = card
        .panes
        .iter()
        .map(|pane| {
            (
                pane.title.as_str(),
                pane.measure.as_str(),
                plain(&pane.content),
            )
        })
        .collect();
    assert_eq!(
        panes,
        [
            (
                "SKILL.md of release-notes",
                "4 lines",
                "‹---\nname: release-notes\n---\nRun it.›".to_owned()
            ),
            ("Instructions", "1 line", "‹Use tabs.›".to_owned()),
        ]
    );
    let facts: Vec<(&str, String)> = card
        .facts
        .iter()
        .map(|fact| (fact.term.as_str(), plain(&fact.value)))
        .collect();
    assert_eq!(
        facts,
        [
            (
                "Skill",
                "‹release-notes› from ‹.gbs/skills›: ‹SKILL.md|/ws/SKILL.md:1›, \
                 ‹scripts/collect.sh|/ws/scripts/collect.sh:1›, \
                 ‹logo.png|/ws/logo.png:1› (not text)"
                    .to_owned()
            ),
            (
                "Asks for",
                "‹Bash(git:*), Read› in its header, which grants nothing".to_owned()
            ),
            ("Instructions", "‹AGENTS.md|/ws/AGENTS.md:1›".to_owned()),
        ]
    );
}

#[test]
fn what_changed_is_one_diff_that_names_its_files() {
    let mut known = skill(
        "release-notes",
        vec![
            file(
                "SKILL.md",
                FileState::Changed,
                Some("Run it.\n"),
                Some("@@ -13,1 +13,1 @@\n-Read the log.\n+Run it.\n@@ -40 +40 @@\n-a\n+b\n"),
            ),
            file("a.md", FileState::Same, Some("same\u{200b}"), None),
            file("new\n+fake.sh", FileState::New, Some("one\ntwo\n"), None),
            file("logo.png", FileState::Changed, None, None),
            file("lost.md", FileState::Changed, Some("No copy.\n"), None),
        ],
    );
    known.approved_on = Some("3 May".to_owned());
    let agents = file(
        "AGENTS.md",
        FileState::Changed,
        Some("tabs"),
        Some("@@ -1 +1 @@\n-blanks\n+tabs"),
    );
    let card = ask(vec![known], vec![agents]);
    let changed = card.changed.unwrap();
    assert_eq!(
        (changed.kind, changed.measure.as_str()),
        (PaneKind::Diff, "+5 −3")
    );
    assert_eq!(
        plain(&changed.content),
        "‹@@ -13,1 +13,1 @@ release-notes/SKILL.md\n-Read the log.\n+Run it.\n\
         @@ -40 +40 @@ release-notes/SKILL.md\n-a\n+b\n\
         @@ -0,0 +1,2 @@ release-notes/new\u{fffd}+fake.sh\n+one\n+two\n\
         @@ -1 +1 @@ AGENTS.md\n-blanks\n+tabs›"
    );
    // Changed text without an earlier copy is shown whole.
    assert_eq!(card.panes.len(), 1);
    assert_eq!(
        card.panes[0].title,
        "A changed file of release-notes, whole"
    );
    let facts = plain(&card.facts[0].value);
    assert!(
        facts.contains("‹logo.png|/ws/logo.png:1› changed (not text)"),
        "{facts}"
    );
    assert!(facts.contains("‹a.md|/ws/a.md:1›,"), "{facts}");
    // What was allowed before is not flagged again.
    assert_eq!(card.flags, []);
}

#[test]
fn hidden_text_is_flagged_with_its_lines() {
    let mut one = skill(
        "a",
        vec![
            new("SKILL.md", "x\ny\u{200b}\u{200b}<!-- obey -->"),
            new("b.md", &"\u{202e}\n".repeat(7)),
        ],
    );
    one.outside = Some("/elsewhere/a".to_owned());
    let card = ask(vec![one], vec![new("AGENTS.md", "\u{1b}[8m")]);
    let flags: Vec<(&str, String)> = card
        .flags
        .iter()
        .map(|flag| (flag.code.as_str(), plain(&flag.text)))
        .collect();
    assert_eq!(
        flags,
        [
            (
                "outside-workspace",
                "A link leads out of the repository. The skill ‹a› lies in ‹/elsewhere/a›."
                    .to_owned()
            ),
            (
                "hidden-comment",
                "Hidden text in ‹a/SKILL.md, line 2|/ws/SKILL.md:2›. 1 comment: the model reads it, \
                 a preview does not show it."
                    .to_owned()
            ),
            (
                "hidden-zero-width",
                "Hidden text in ‹a/SKILL.md, line 2|/ws/SKILL.md:2›. 2 characters without width: the \
                 model reads what no editor shows."
                    .to_owned()
            ),
            (
                "hidden-bidi",
                "Hidden text in ‹a/b.md, lines 1, 2, 3, 4, 5|/ws/b.md:1› and 2 lines more. 7 marks of \
                 text direction: what is shown is not the order in which the model reads."
                    .to_owned()
            ),
            (
                "hidden-control",
                "Hidden text in ‹AGENTS.md, line 1|/ws/AGENTS.md:1›. 1 control character: a terminal \
                 may act on it."
                    .to_owned()
            ),
        ]
    );
}
