//! Headers, well-formed and broken, as data: what they are read as, and what is said about them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod broken;
#[path = "../shared/headers.rs"]
#[allow(dead_code)] // Each file of tests uses its part.
mod shared;
mod well_formed;

use crate::shared::MEANING;
use gbs_agent_core::skills::front_matter::parse_skill;

/// What `header` is read as, and its repairs as `line:column code`. The header begins on line 2.
#[track_caller]
fn check(header: &str, json: &str, repairs: &[&str]) {
    let file = format!("---\n{header}\n---\nBody");
    let skill = parse_skill(file.as_bytes(), "");
    let found: Vec<String> = skill
        .problems
        .iter()
        .filter(|problem| !MEANING.contains(&problem.code.as_str()))
        .map(|p| format!("{}:{} {}", p.start.line, p.start.column, p.code))
        .collect();
    assert_eq!(
        (skill.front_matter.as_str(), &found[..]),
        (json, &to_owned(repairs)[..]),
        "{header}"
    );
    assert_eq!(skill.body, "Body");
}

fn to_owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
