//! What a SKILL.md says: its fields, whether it is usable, its body; whole values compared.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod bounds;
mod fields;
mod files;
mod fixes;

use gbs_agent_core::problem::Problem;
use gbs_agent_core::skills::front_matter::{ParsedSkill, SkillFields, parse_skill};

/// A skill named `a` that does `b`, to be changed where a file differs from it.
fn skill() -> ParsedSkill {
    ParsedSkill {
        usable: true,
        name: Some("a".to_owned()),
        description: Some("b".to_owned()),
        version: None,
        front_matter: r#"{"name":"a","description":"b"}"#.to_owned(),
        fields: SkillFields::default(),
        body: "Body".to_owned(),
        body_line: 5,
        problems: Vec::new(),
    }
}

/// The skill in `bytes` is `expected`, and its problems are `codes`.
#[track_caller]
fn check_bytes(bytes: &[u8], expected: ParsedSkill, codes: &[&str]) {
    let mut found = parse_skill(bytes, "a");
    let problems = std::mem::take(&mut found.problems);
    assert_eq!(found, expected);
    assert_eq!(marks(&problems), codes);
}

#[track_caller]
fn check(text: &str, expected: ParsedSkill, codes: &[&str]) {
    check_bytes(text.as_bytes(), expected, codes);
}

/// Problems as `line:column code`.
fn marks(problems: &[Problem]) -> Vec<String> {
    let mark = |p: &Problem| format!("{}:{} {}", p.start.line, p.start.column, p.code);
    problems.iter().map(mark).collect()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The header `lines` in a folder `a`.
fn read(lines: &str) -> ParsedSkill {
    parse_skill(format!("---\n{lines}\n---\nBody").as_bytes(), "a")
}
