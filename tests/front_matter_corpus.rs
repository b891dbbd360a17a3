//! The reader of headers against the shapes of real files. `GBS_CORPUS` names the folder that holds
//! `front-matter.jsonl`; without it these tests say that they were skipped.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![allow(clippy::disallowed_methods)]

#[path = "shared/headers.rs"]
#[allow(dead_code)] // Each file of tests uses its part.
mod shared;

use crate::shared::same;
use gbs_agent_core::skills::front_matter::parse_skill;
use saphyr::{LoadableYamlNode, Yaml};
use serde_json::Value;

/// The entries of the corpus, or nothing when it is not there.
fn corpus() -> Option<Vec<Value>> {
    let Ok(folder) = std::env::var("GBS_CORPUS") else {
        eprintln!("SKIPPED: GBS_CORPUS is not set");
        return None;
    };
    let text = std::fs::read_to_string(format!("{folder}/front-matter.jsonl")).unwrap();
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

fn str<'v>(entry: &'v Value, field: &str) -> &'v str {
    entry[field].as_str().unwrap()
}

#[test]
fn well_formed_headers_read_as_yaml_reads_them() {
    let Some(entries) = corpus() else { return };
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in entries.iter().filter(|entry| entry["error"].is_null()) {
        count += 1;
        let skill = parse_skill(str(entry, "text").as_bytes(), "");
        let json: Value = serde_json::from_str(&skill.front_matter).unwrap();
        // A header that YAML reads needs no repair; what its fields mean is another matter.
        let meaning = [
            "missing-name",
            "invalid-name",
            "missing-description",
            "long-description",
            "wrong-type",
            "unknown-glob",
            "byte-order-mark",
        ];
        let repairs: Vec<_> = skill
            .problems
            .iter()
            .filter(|p| !meaning.contains(&p.code.as_str()))
            .collect();
        if !same(&json, &entry["yaml"]) || !repairs.is_empty() {
            wrong.push(format!(
                "{} {}\n{}\n ours {}\n yaml {}\n {repairs:?}",
                str(entry, "id"),
                str(entry, "shape"),
                str(entry, "text"),
                json,
                entry["yaml"]
            ));
        }
    }
    assert_eq!(count, 1_312);
    for line in wrong.iter().take(5) {
        eprintln!("{line}");
    }
    assert!(wrong.is_empty(), "{} of {count}", wrong.len());
}

/// The value that a line `key: value` of the top map begins with, as its words.
fn words(text: &str) -> Vec<String> {
    let letters = |c: char| c.is_alphanumeric();
    text.split(|c| !letters(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn broken_headers_keep_what_can_be_kept() {
    let Some(entries) = corpus() else { return };
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in entries.iter().filter(|entry| !entry["error"].is_null()) {
        count += 1;
        let text = str(entry, "text");
        let skill = parse_skill(text.as_bytes(), "");
        let header = text.split("\n---").next().unwrap();
        let mut say = |what: &str| {
            wrong.push(format!(
                "{what}: {} {}\n{text}\n ours {}\n {:?}",
                str(entry, "id"),
                str(entry, "error"),
                skill.front_matter,
                skill.problems
            ));
        };
        if skill.problems.is_empty() {
            say("no problem");
        }
        let lines = u32::try_from(text.lines().count()).unwrap();
        if skill
            .problems
            .iter()
            .any(|p| p.start > p.end || p.start.line > lines)
        {
            say("a problem outside the file");
        }
        for (field, value) in [("name", &skill.name), ("description", &skill.description)] {
            let Some(line) = header
                .lines()
                .find_map(|l| l.strip_prefix(&format!("{field}:")))
            else {
                continue;
            };
            // An escape stands for something else than its letters.
            let stood = words(line.split('\\').next().unwrap());
            let kept = words(value.as_deref().unwrap_or_default());
            if value.is_none() || kept.len() < stood.len() || kept[..stood.len()] != stood[..] {
                say(field);
            }
        }
    }
    assert_eq!(count, 661);
    for line in wrong.iter().take(5) {
        eprintln!("{line}");
    }
    assert!(wrong.is_empty(), "{} of {count}", wrong.len());
}

/// Codes about what fields mean, and about the file as a whole; all others name a fault of the header.
const NOT_FAULTS: [&str; 9] = [
    "misspelled-field",
    "missing-name",
    "invalid-name",
    "missing-description",
    "long-description",
    "wrong-type",
    "unknown-glob",
    "long-body",
    "byte-order-mark",
];

/// Does another YAML parser take these lines?
fn parses(lines: &[&str]) -> bool {
    let text = lines.join("\n") + "\n";
    Yaml::load_from_str(&text).is_ok()
}

/// A problem is on the right line when another parser, too, has nothing against the lines before the
/// entry it is in, and does not take the lines to the end of that entry. (An entry is a key at the
/// left margin with all that follows it to the next one; parsers differ in where in an entry they
/// notice what is wrong with it.)
#[test]
fn the_first_fault_is_told_on_the_right_line() {
    let Some(entries) = corpus() else { return };
    let mut wrong = Vec::new();
    let (mut judged, mut taken) = (0, 0);
    for entry in entries.iter().filter(|entry| !entry["error"].is_null()) {
        let text = str(entry, "text").trim_start_matches('\u{feff}');
        let lines: Vec<&str> = text.lines().collect();
        let close = (1..lines.len()).find(|at| lines[*at].trim_end() == "---");
        let header = &lines[1..close.unwrap_or(lines.len())];
        if parses(header) {
            taken += 1;
            continue;
        }
        let skill = parse_skill(str(entry, "text").as_bytes(), "");
        let fault = skill
            .problems
            .iter()
            .find(|problem| !NOT_FAULTS.contains(&problem.code.as_str()));
        let Some(fault) = fault else {
            wrong.push(format!("untold {}\n{text}", str(entry, "error")));
            continue;
        };
        judged += 1;
        // Lines of the header: the first of the file is the fence.
        let at = fault.start.line as usize - 2;
        let begins = |line: &str| {
            let key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '"');
            line.starts_with(|c: char| key(c) && c != '-')
                && line.trim_start_matches(key).trim_start().starts_with(':')
        };
        let start = (0..=at).rev().find(|at| begins(header[*at])).unwrap_or(0);
        let end = (at + 1..header.len())
            .find(|at| begins(header[*at]))
            .unwrap_or(header.len());
        if !parses(&header[..start]) || parses(&header[..end]) {
            wrong.push(format!(
                "line {} {} {}\n{text}",
                fault.start.line,
                fault.code,
                str(entry, "error")
            ));
        }
    }
    for line in wrong.iter().take(5) {
        eprintln!("{line}");
    }
    assert!(wrong.is_empty(), "{} of {judged}", wrong.len());
    // The other parser takes six that the one of the corpus does not.
    assert_eq!((judged, taken), (655, 6));
}
