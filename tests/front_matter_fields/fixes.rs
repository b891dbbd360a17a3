//! The changes that remove a problem.

use gbs_agent_core::problem::{Fix, Position, TextEdit};
use gbs_agent_core::skills::front_matter::parse_skill;

/// The first fix of a file puts `text` in the place from line and column to line and column.
#[track_caller]
fn check_fix(file: &str, (line, column): (u32, u32), (to_line, to_column): (u32, u32), text: &str) {
    let found = parse_skill(file.as_bytes(), "a");
    let fix = found.problems.into_iter().find_map(|problem| problem.fix);
    let Some(Fix::Edit { edits, .. }) = fix else {
        panic!("{fix:?}");
    };
    let start = Position { line, column };
    let end = Position {
        line: to_line,
        column: to_column,
    };
    let text = text.to_owned();
    assert_eq!(edits, [TextEdit { start, end, text }], "{file}");
}

#[test]
fn fixes() {
    let head = "---\nname: a\n";
    let quoted = |value: &str, end: (u32, u32), text: &str| {
        check_fix(
            &format!("{head}description: {value}\n---\n"),
            (3, 14),
            end,
            text,
        );
    };
    quoted("b: c", (3, 18), "\"b: c\"");
    quoted("*b* \u{1f600} c # d", (3, 22), "\"*b* \u{1f600} c\"");
    quoted("**\"b\"**", (3, 21), "'**\"b\"**'");
    quoted("*b's \"c\"", (3, 22), "\"*b's \\\"c\\\"\"");
    quoted("b: c\n  d\n\nmore", (6, 5), "\"b: c d\\nmore\"");
    quoted("\"b", (3, 16), "\"b\"");
    quoted("[b] c", (3, 19), "\"[b] c\"");
    check_fix(
        "---\nname: a\ndescription:\nb\n---\n",
        (3, 13),
        (4, 2),
        " \"b\"",
    );
}

#[test]
fn fixes_of_missing_and_misspelled_fields() {
    let say = "Says what this skill does and when to use it.";
    check_fix(
        "---\nname: a\n---\n",
        (2, 1),
        (2, 1),
        &format!("description: {say}\n"),
    );
    // Where the key stands already, its value is filled in.
    check_fix(
        "---\nname: a\ndescription:\n---\n",
        (3, 13),
        (3, 13),
        &format!(" {say}"),
    );
    check_fix(
        "---\nname: a\ndescription: ''\n---\n",
        (3, 14),
        (3, 16),
        say,
    );
    check_fix("---\nname: ~\ndescription: b\n---\n", (2, 7), (2, 8), "a");
    // A field that is almost spelled as the format has it.
    check_fix(
        "---\nname: a\ndescription: b\nlicence: MIT\n---\n",
        (4, 1),
        (4, 8),
        "license",
    );
}

#[test]
fn fixes_that_add_or_remove() {
    check_fix(
        "---\nname: a\ndescription: b\ntags: [a, b # c\n---\n",
        (4, 12),
        (4, 12),
        "]",
    );
    check_fix(
        "---\nname: a\ndescription: b\nmetadata: {a: [1\n---\n",
        (4, 17),
        (4, 17),
        "]}",
    );
    check_fix(
        "---\nname: a\ndescription: b\nname: c # d\n---\n",
        (4, 1),
        (5, 1),
        "",
    );
    check_fix(
        "---\nname: a\ndescription: b\nmetadata:\n\tx: 1\n---\n",
        (5, 1),
        (5, 2),
        "  ",
    );
    check_fix("---\nname:a\ndescription: b\n---\n", (2, 5), (2, 6), ": ");
    check_fix(
        "---\nname: a\ndescription: \"b\\q\"\n---\n",
        (3, 16),
        (3, 17),
        "\\\\",
    );
    check_fix("---\ndescription: b\n---\n", (2, 1), (2, 1), "name: a\n");
    check_fix(
        "---\nname: My Skill!\ndescription: b\n---\n",
        (2, 7),
        (2, 16),
        "my-skill",
    );
    check_fix(
        "---\nname: \"中\"\ndescription: b\n---\n",
        (2, 7),
        (2, 10),
        "a",
    );
    check_fix(
        "---\nname: a\ndescription: [b, c]\n---\n",
        (3, 14),
        (3, 20),
        "\"[b, c]\"",
    );
    check_fix(
        "---\nname: a\ndescription: b\nuser-invocable: No\n---\n",
        (4, 17),
        (4, 19),
        "false",
    );
    check_fix("\n \n---\nname: a\n---\n", (1, 1), (3, 1), "");
    check_fix("---\nname: a\ndescription: b", (3, 15), (3, 15), "\n---\n");
    check_fix(
        "---\nname: a\ndescription: b\n\nBody",
        (4, 1),
        (4, 1),
        "---\n",
    );
    check_fix(
        "---\nname: a\ndescription: b\n-----\nBody",
        (4, 1),
        (4, 6),
        "---",
    );
    let fix = |text: &str| {
        parse_skill(text.as_bytes(), "other")
            .problems
            .remove(0)
            .fix
            .unwrap()
    };
    let title = "Rename the folder to the skill's name".to_owned();
    let to = "a".to_owned();
    assert_eq!(
        fix("---\nname: a\ndescription: b\n---\n"),
        Fix::RenameFolder { title, to }
    );
    let title = "Save as UTF-8".to_owned();
    assert_eq!(
        fix("\u{feff}---\nname: a\n---\n"),
        Fix::SaveAsUtf8 { title }
    );
}
