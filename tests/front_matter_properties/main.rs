//! The reader of headers against a real YAML parser, and what holds for any bytes at all.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod headers;
mod other;
#[path = "../shared/headers.rs"]
mod shared;

use crate::headers::{header, soup};
use crate::other::other;
use crate::shared::{MEANING, same};
use gbs_agent_core::problem::{Fix, Position, TextEdit};
use gbs_agent_core::skills::front_matter::{ParsedSkill, parse_skill};
use proptest::prelude::*;
use serde_json::Value;

fn read(header: &str) -> ParsedSkill {
    parse_skill(format!("---\n{header}\n---\nBody").as_bytes(), "")
}

fn repairs(skill: &ParsedSkill) -> Vec<&str> {
    let codes = skill.problems.iter().map(|problem| problem.code.as_str());
    codes.filter(|code| !MEANING.contains(code)).collect()
}

/// `text` with an edit made, by the positions that editors count.
fn edited(text: &str, edit: &TextEdit) -> String {
    let offset = |place: Position| {
        let mut lines = text.split_inclusive('\n');
        let before: usize = lines
            .by_ref()
            .take(place.line as usize - 1)
            .map(str::len)
            .sum();
        let line = lines.next().unwrap_or_default();
        let mut units = 1;
        let column = line.char_indices().find(|(_, c)| {
            let found = units >= place.column as usize;
            units += c.len_utf16();
            found
        });
        before + column.map_or(line.len(), |(at, _)| at)
    };
    let (start, end) = (offset(edit.start), offset(edit.end));
    format!("{}{}{}", &text[..start], edit.text, &text[end..])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        // A failing case becomes a line of the tables in tests/front_matter/.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn well_formed_headers_read_as_another_parser_reads_them(header in header()) {
        let skill = read(&header);
        if let Some(expected) = other(&header) {
            let ours: Value = serde_json::from_str(&skill.front_matter).unwrap();
            prop_assert!(same(&ours, &expected), "ours {ours}\nother {expected}\n{header}");
            prop_assert_eq!(repairs(&skill), Vec::<&str>::new(), "{}", header);
        }
    }

    #[test]
    fn where_nothing_was_repaired_another_parser_agrees(header in soup()) {
        let skill = read(&header);
        if repairs(&skill).is_empty() && let Some(expected) = other(&header) {
            let ours: Value = serde_json::from_str(&skill.front_matter).unwrap();
            prop_assert!(same(&ours, &expected), "ours {ours}\nother {expected}\n{header}");
        }
    }

    #[test]
    fn any_bytes_give_a_skill(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        holds_always(&bytes)?;
        holds_always(&[b"---\n", &bytes[..]].concat())?;
        holds_always(&[&[0xff, 0xfe], &bytes[..]].concat())?;
    }

    #[test]
    fn any_header_gives_a_skill(header in soup()) {
        holds_always(format!("---\n{header}\n---\nBody").as_bytes())?;
        holds_always(format!("---\n{header}").as_bytes())?;
    }

    #[test]
    fn a_fix_changes_nothing_but_the_problem(prose in prose()) {
        let file = format!("---\nname: a\ndescription: {prose}\nlast: 1\n---\nBody");
        let skill = parse_skill(file.as_bytes(), "");
        let fix = skill.problems.iter().find_map(|problem| match &problem.fix {
            // A list in the place of text is read as a list too, until it is quoted.
            Some(Fix::Edit { title, edits })
                if title == "Put this value in quotes" && problem.code != "wrong-type" =>
            {
                Some(edits)
            }
            _ => None,
        });
        // Of several, one may be what makes sense of the others.
        if let Some(edits) = fix.filter(|_| repairs(&skill).len() == 1) {
            let fixed = parse_skill(edited(&file, &edits[0]).as_bytes(), "");
            prop_assert_eq!(&fixed.front_matter, &skill.front_matter, "{}", file);
            prop_assert_eq!(repairs(&fixed), Vec::<&str>::new(), "{}", file);
        }
    }
}

/// A description as people write it, in Markdown and with YAML's marks in it.
fn prose() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "word ", "a", ": ", " ", "*bold*", "`code`", "[x]", "{y}", "\"", "'", ", ", "- ", "> ",
        "|", "#5 ", " # c", "@a", "%", "&", "!", "é😀", "\n  ", "\nmore ", "\n\n", "\n- ", "\n1. ",
        "\\",
    ]);
    prop::collection::vec(words, 1..12).prop_map(|words| words.concat())
}

/// What holds whatever the bytes are.
fn holds_always(bytes: &[u8]) -> Result<(), TestCaseError> {
    let skill = parse_skill(bytes, "folder");
    prop_assert_eq!(&skill, &parse_skill(bytes, "folder"));
    let json: Value = serde_json::from_str(&skill.front_matter).unwrap();
    prop_assert!(json.is_object());
    if let Some(metadata) = &skill.fields.metadata {
        let metadata: Value = serde_json::from_str(metadata).unwrap();
        prop_assert_eq!(Some(&metadata), json.get("metadata"));
    }
    let text = String::from_utf8_lossy(bytes);
    let lines = text.matches(['\n', '\r']).count() + 1;
    for problem in &skill.problems {
        prop_assert!(problem.start <= problem.end, "{:?}", problem);
        let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        prop_assert!(utf16 || problem.end.line as usize <= lines, "{:?}", problem);
    }
    prop_assert!(skill.problems.is_sorted_by_key(|problem| problem.start));
    if skill.usable {
        let name = skill.name.unwrap();
        prop_assert!((1..=64).contains(&name.len()));
        let word = |word: &str| {
            let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            !word.is_empty() && word.bytes().all(letter)
        };
        prop_assert!(name.split('-').all(word));
        prop_assert!(!skill.description.unwrap().trim().is_empty());
    }
    Ok(())
}
