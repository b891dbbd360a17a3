//! Architecture is a list of absences; this holds them, for Rust and TypeScript alike.
//! What can be wrong without running anything stands here, and runs in the part `lint`.
#![cfg(not(target_arch = "wasm32"))]
// A test reads files and fails by panicking.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};

/// Paths and texts of the project's files below `folder` whose name ends in `ending`.
fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    fn walk(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, ending, found);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join(folder), ending, &mut found);
    found.sort();
    found
        .into_iter()
        .map(|path| {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// Every line that `wrong` says is wrong, with its place.
fn offences(
    files: &[(String, String)],
    allowed: &[&str],
    wrong: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files {
        if allowed.iter().any(|prefix| path.starts_with(prefix)) {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            if wrong(line) {
                found.push(format!("{path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    found
}

#[track_caller]
fn none(offences: &[String], rule: &str) {
    assert!(offences.is_empty(), "{rule}\n{}", offences.join("\n"));
}

fn holds_any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| line.contains(word))
}

#[test]
fn only_the_boundary_knows_javascript() {
    let found = offences(&files("src", ".rs"), &["src/wasm/"], |line| {
        holds_any(line, &["wasm_bindgen::", "js_sys", "JsValue"])
    });
    none(&found, "JavaScript stays in src/wasm/:");
}

#[test]
fn the_core_touches_nothing_outside_itself() {
    let outside = [
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "std::time",
        "rand::",
    ];
    let found = offences(&files("src", ".rs"), &[], |line| holds_any(line, &outside));
    none(&found, "The core is pure; what it needs is an input:");
}

#[test]
fn only_editor_rooms_know_vscode() {
    let allowed = [
        "extension/extension.ts",
        "extension/settings.ts",
        "extension/chat/",
        "extension/editor/",
    ];
    let found = offences(&files("extension", ".ts"), &allowed, |line| {
        holds_any(
            line,
            &["from 'vscode'", "require('vscode')", "import('vscode')"],
        )
    });
    none(&found, "Everything else runs under plain Node:");
    let page = offences(&files("extension/chat/page", ".ts"), &[], |line| {
        holds_any(line, &["from 'vscode'", "from 'node:", "require("])
    });
    none(&page, "The page runs in a browser:");
}

#[test]
fn only_core_ts_knows_the_package() {
    let found = offences(&files("extension", ".ts"), &["extension/core.ts"], |line| {
        holds_any(line, &["pkg/", "gbs-agent-core'"])
    });
    none(&found, "extension/core.ts is the one door to the package:");
}

#[test]
fn models_and_loop_do_not_know_skills_and_servers() {
    let mut both = files("extension/agent", ".ts");
    both.extend(files("extension/models", ".ts"));
    let rooms = ["/skills/", "/mcp/", "/chat/", "/cli/", "/editor/"];
    let found = offences(&both, &[], |line| {
        line.contains("from '.") && holds_any(line, &rooms)
    });
    none(
        &found,
        "Skills and servers reach the loop as contributors only:",
    );
}

#[test]
fn a_file_is_one_room() {
    let mut all = files("src", ".rs");
    all.extend(files("extension", ".ts"));
    // The two tables of numbers stand in one place each, however long.
    let tables = ["src/limits.rs", "extension/limits.ts"];
    let long: Vec<String> = all
        .iter()
        .filter(|(path, _)| !tables.contains(&path.as_str()))
        .filter(|(_, text)| text.lines().count() > 450)
        .map(|(path, text)| format!("{path}: {} lines", text.lines().count()))
        .collect();
    none(&long, "Over 450 lines: split by responsibility:");
}

#[test]
fn nothing_is_left_for_later() {
    let mut all = files("src", ".rs");
    all.extend(files("extension", ".ts"));
    let markers = ["TO\u{44}O", "FIX\u{4d}E", "unimplemented!(", "to\u{64}o!("];
    let found = offences(&all, &[], |line| holds_any(line, &markers));
    none(&found, "Nothing is left for later:");
    let names = ["util", "helper", "service", "misc", "common"];
    let vague: Vec<String> = all
        .iter()
        .map(|(path, _)| path.clone())
        .filter(|path| {
            let name = path.rsplit('/').next().unwrap_or_default();
            let stem = name.split('.').next().unwrap_or_default();
            names.contains(&stem.trim_end_matches('s'))
        })
        .collect();
    none(&vague, "A file's name says what it holds:");
}

#[test]
fn errors_are_not_read_by_their_message() {
    let found = offences(&files("extension", ".ts"), &[], |line| {
        holds_any(
            line,
            &["message.includes(", "message.match(", "message.startsWith("],
        )
    });
    none(&found, "Errors have codes; nobody reads messages:");
}

#[test]
fn a_hidden_page_is_given_up() {
    let found = offences(&files("extension", ".ts"), &[], |line| {
        line.contains("retainContextWhenHidden")
    });
    none(&found, "A hidden page takes no memory; it is built again:");
}

/// What is wrong with a table whose rows are `| case | file | test |`; several tests of one file are
/// separated by commas. In `docs/bench.md` a test is the name of a figure's row.
fn wrong_rows(root: &Path, rows: &[Vec<&str>]) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in rows {
        let line = row.join(" | ");
        let [_, file, tests] = row.as_slice() else {
            wrong.push(format!("three cells: {line}"));
            continue;
        };
        let Ok(text) = fs::read_to_string(root.join(file.trim_matches('`'))) else {
            wrong.push(format!("no such file: {line}"));
            continue;
        };
        for test in tests.trim_matches('`').split("`, `") {
            let there = if file.contains(".json") {
                text.contains(&format!("\"about\": \"{test}"))
            } else if file.contains(".md") {
                text.lines()
                    .any(|line| line.starts_with(&format!("| {test} ")))
            } else if file.contains(".ts") {
                // The name stands alone in its line where the call does not fit into one.
                text.contains(&format!("'{test}'"))
            } else {
                text.contains(&format!("fn {test}("))
            };
            if !there {
                wrong.push(format!("no such test: {line}"));
            }
        }
    }
    wrong
}

/// The cells of the rows of all tables of a text, but for their heads.
fn rows_of(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .filter(|row: &Vec<&str>| {
            row.get(1)
                .is_none_or(|cell| *cell != "File" && !cell.starts_with("--"))
        })
        .collect()
}

#[test]
fn every_row_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("tests/VECTORS.md")).unwrap();
    let rows = rows_of(&table);
    assert!(rows.len() > 80, "{} rows", rows.len());
    none(&wrong_rows(root, &rows), "Rows of tests/VECTORS.md:");
}

#[test]
fn every_one_of_the_twenty_points_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("docs/twenty-points.md")).unwrap();
    let rows = rows_of(&table);
    none(&wrong_rows(root, &rows), "Rows of docs/twenty-points.md:");
    for point in 1..=20 {
        let number = format!("{point}. ");
        let shown = rows
            .iter()
            .any(|row| row.first().is_some_and(|cell| cell.starts_with(&number)));
        assert!(shown, "nothing shows point {point}");
    }
}
