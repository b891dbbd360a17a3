//! What a SKILL.md says: its fields, whether it is usable, its body; whole values compared.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use gbs_agent_core::limits::{
    FRONT_MATTER_ALIAS_BYTES, FRONT_MATTER_DEPTH, FRONT_MATTER_PROBLEMS, GLOBS_PER_SKILL,
    SKILL_BODY_LINES, SKILL_DESCRIPTION_CHARACTERS, SKILL_NAME_CHARACTERS,
};
use gbs_agent_core::problem::{Fix, Position, Problem, TextEdit};
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

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn files() {
    check("---\nname: a\ndescription: b\n---\nBody", skill(), &[]);
    check("---  \nname: a\ndescription: b\n---\t\nBody", skill(), &[]);
    check(
        "---\r\nname: a\r\ndescription: b\r\n---\r\nBody",
        skill(),
        &[],
    );
    check("---\rname: a\rdescription: b\r---\rBody", skill(), &[]);
    let whole = "---\nname: a\ndescription: b\n---\nBody";
    check(
        &format!("\u{feff}{whole}"),
        skill(),
        &["1:1 byte-order-mark"],
    );
    check_bytes(
        &utf16(&format!("\u{feff}{whole}"), u16::to_le_bytes),
        skill(),
        &["1:1 utf-16"],
    );
    check_bytes(
        &utf16(&format!("\u{feff}{whole}"), u16::to_be_bytes),
        skill(),
        &["1:1 utf-16"],
    );
    let windows = whole.replace('\n', "\r\n");
    check_bytes(
        &utf16(&format!("\u{feff}{windows}"), u16::to_le_bytes),
        skill(),
        &["1:1 utf-16"],
    );
    let empty = || ParsedSkill {
        body: String::new(),
        ..skill()
    };
    check("---\nname: a\ndescription: b\n---", empty(), &[]);
    check("---\nname: a\ndescription: b\n---\n", empty(), &[]);
    let body = |body: &str| ParsedSkill {
        body: body.to_owned(),
        ..skill()
    };
    check(
        "---\nname: a\ndescription: b\n---\n\r\n# é\r\n---\n",
        body("\r\n# é\r\n---\n"),
        &[],
    );
    check(
        "---\nname: a\ndescription: |-\n  b\n  ---\n  c\n---\nBody",
        ParsedSkill {
            description: Some("b\n---\nc".to_owned()),
            front_matter: r#"{"name":"a","description":"b\n---\nc"}"#.to_owned(),
            body_line: 8,
            ..skill()
        },
        &[],
    );
}

#[test]
fn files_that_are_broken() {
    let nothing = |body: &str, body_line: u32| ParsedSkill {
        usable: false,
        name: None,
        description: None,
        front_matter: "{}".to_owned(),
        body: body.to_owned(),
        body_line,
        ..skill()
    };
    check("", nothing("", 1), &["1:1 no-front-matter"]);
    check(
        "# Title\n",
        nothing("# Title\n", 1),
        &["1:1 no-front-matter"],
    );
    check(
        "----\nname: a\n----\n",
        nothing("----\nname: a\n----\n", 1),
        &["1:1 no-front-matter"],
    );
    check(
        "\n\n---\nname: a\n---\n",
        nothing("\n\n---\nname: a\n---\n", 1),
        &["1:1 front-matter-not-first"],
    );
    check(
        "---\n---\nBody",
        nothing("Body", 3),
        &["2:1 missing-name", "2:1 missing-description"],
    );
    let unclosed = |body: &str| ParsedSkill {
        body: body.to_owned(),
        body_line: 4,
        ..skill()
    };
    check(
        "---\nname: a\ndescription: b",
        ParsedSkill {
            body_line: 4,
            ..unclosed("")
        },
        &["3:15 unclosed-front-matter"],
    );
    check(
        "---\nname: a\ndescription: b\n\n# Title\n",
        unclosed("\n# Title\n"),
        &["4:1 unclosed-front-matter"],
    );
    check(
        "---\nname: a\ndescription: b\n# Title\n",
        unclosed("# Title\n"),
        &["4:1 unclosed-front-matter"],
    );
    check(
        "---\nname: a\ndescription: b\n----\nBody",
        ParsedSkill {
            body_line: 5,
            ..unclosed("Body")
        },
        &["4:1 unclosed-front-matter"],
    );
    check_bytes(
        b"---\nname: a\ndescription: b\n---\nB\xffdy",
        ParsedSkill {
            body: "B\u{fffd}dy".to_owned(),
            ..skill()
        },
        &["5:2 invalid-encoding"],
    );
    check_bytes(
        &[
            &utf16(
                "\u{feff}---\nname: a\ndescription: b\n---\nBod",
                u16::to_le_bytes,
            )[..],
            &[0, 0xd8, 0x79],
        ]
        .concat(),
        ParsedSkill {
            body: "Bod\u{fffd}\u{fffd}".to_owned(),
            ..skill()
        },
        &["1:1 utf-16", "5:4 invalid-encoding"],
    );
}

/// The header `lines` in a folder `a`.
fn read(lines: &str) -> ParsedSkill {
    parse_skill(format!("---\n{lines}\n---\nBody").as_bytes(), "a")
}

#[track_caller]
fn check_fields(lines: &str, expected: SkillFields, codes: &[&str]) {
    let found = read(&format!("name: a\ndescription: b\n{lines}"));
    assert_eq!(
        (found.fields, &marks(&found.problems)[..]),
        (expected, &texts(codes)[..]),
        "{lines}"
    );
}

#[test]
fn fields() {
    let none = SkillFields::default;
    check_fields(
        "license: MIT\ncompatibility: Node 20+\nauthor: A <a@b.c>\nargument-hint: [file] [--all]",
        SkillFields {
            license: Some("MIT".to_owned()),
            compatibility: Some("Node 20+".to_owned()),
            author: Some("A <a@b.c>".to_owned()),
            argument_hint: Some("[file] [--all]".to_owned()),
            ..none()
        },
        &["7:23 text-after-value"],
    );
    check_fields(
        "argument-hint: [file]",
        SkillFields {
            argument_hint: Some("[file]".to_owned()),
            ..none()
        },
        &[],
    );
    for list in ["[x, y z]", "x, y z", "\n  - x\n  - y z", "\"x,y z\""] {
        check_fields(
            &format!("tags: {list}"),
            SkillFields {
                tags: texts(&["x", "y z"]),
                ..none()
            },
            &[],
        );
    }
    for list in [
        "Read, Bash(git add:*), Grep",
        "Read Bash(git add:*) Grep",
        "[Read, Bash(git add:*), Grep]",
    ] {
        let allowed_tools = texts(&["Read", "Bash(git add:*)", "Grep"]);
        check_fields(
            &format!("allowed-tools: {list}"),
            SkillFields {
                allowed_tools,
                ..none()
            },
            &[],
        );
    }
    for key in ["autoAttach", "auto_attach", "paths", "globs"] {
        let auto_attach = texts(&["src/**/*.{ts,tsx}", "*.md"]);
        check_fields(
            &format!("{key}: src/**/*.{{ts,tsx}}, \"*.md\"").replace('"', ""),
            SkillFields {
                auto_attach,
                ..none()
            },
            &[],
        );
    }
    check_fields(
        "paths: [\"a/*.x\"]\nglobs: [\"b.y\", \"a/*.x\"]",
        SkillFields {
            auto_attach: texts(&["a/*.x", "b.y"]),
            ..none()
        },
        &[],
    );
    check_fields(
        "globs: *.ts",
        SkillFields {
            auto_attach: texts(&["*.ts"]),
            ..none()
        },
        &["4:8 unknown-alias"],
    );
    check_fields(
        "globs: [*.ts, *.js]",
        SkillFields {
            auto_attach: texts(&["*.ts", "*.js"]),
            ..none()
        },
        &["4:9 unknown-alias", "4:15 unknown-alias"],
    );
    check_fields(
        "disable-model-invocation: true\nuser-invocable: false\nuser-invokable: true",
        SkillFields {
            disable_model_invocation: true,
            user_invocable: false,
            ..none()
        },
        &[],
    );
    check_fields(
        "user-invokable: no",
        SkillFields {
            user_invocable: false,
            ..none()
        },
        &["4:17 wrong-type"],
    );
    check_fields(
        "disable-model-invocation: \"true\"",
        SkillFields {
            disable_model_invocation: true,
            ..none()
        },
        &["4:27 wrong-type"],
    );
    check_fields(
        "disable-model-invocation: perhaps",
        none(),
        &["4:27 wrong-type"],
    );
    check_fields(
        "metadata:\n  description: other\n  n: 1.0\nname: z",
        SkillFields {
            metadata: Some(r#"{"description":"other","n":1.0}"#.to_owned()),
            ..none()
        },
        &["7:1 duplicate-key"],
    );
    check_fields(
        "metadata: x",
        SkillFields {
            metadata: Some("\"x\"".to_owned()),
            ..none()
        },
        &[],
    );
    check_fields(
        "license:\ntags:\nmetadata:\nglobs: []",
        SkillFields {
            metadata: Some("null".to_owned()),
            ..none()
        },
        &[],
    );
    check_fields(
        "license: {a: b}\ntags: {a: b}\nauthor:\n  a: b",
        SkillFields {
            license: Some("{a: b}".to_owned()),
            ..none()
        },
        &["4:10 wrong-type", "5:7 wrong-type", "7:3 wrong-type"],
    );
    check_fields(
        "x: &x [p, q]\ntags: *x",
        SkillFields {
            tags: texts(&["p", "q"]),
            ..none()
        },
        &[],
    );
    check_fields(
        "tags: [1, true, [x], y]",
        SkillFields {
            tags: texts(&["1", "true", "y"]),
            ..none()
        },
        &[],
    );
}

#[test]
fn text_as_it_stood_there() {
    let check =
        |lines: &str, name: Option<&str>, description: Option<&str>, version: Option<&str>| {
            let found = read(lines);
            let found = (found.name, found.description, found.version);
            let owned = |text: Option<&str>| text.map(str::to_owned);
            assert_eq!(
                found,
                (owned(name), owned(description), owned(version)),
                "{lines}"
            );
        };
    check(
        "name: 3000\ndescription: 8004\nversion: 1.0",
        Some("3000"),
        Some("8004"),
        Some("1.0"),
    );
    check(
        "name: yes\ndescription: true\nversion: 0x10",
        Some("yes"),
        Some("true"),
        Some("0x10"),
    );
    check("name: ~\ndescription: null\nversion:", None, None, None);
    check(
        "name: 'a'\ndescription: >-\n  b\n  c\nversion: \"2\"",
        Some("a"),
        Some("b c"),
        Some("2"),
    );
    check(
        "name: &n a\ndescription: *n\nversion: !!str 1.10",
        Some("a"),
        Some("a"),
        Some("1.10"),
    );
    check(
        "name: [a]\ndescription: [b, c]\nversion: {d}",
        Some("[a]"),
        Some("[b, c]"),
        Some("{d}"),
    );
    check(
        "name:\n  - a\ndescription:\n  - b c.\n  - d e.\nversion:\n  a: 1",
        Some("a"),
        Some("b c. d e."),
        None,
    );
    check("metadata:\n  name: x\n  description: y", None, None, None);
}

/// What is said about a name and a description.
#[track_caller]
fn check_meaning(lines: &str, folder: &str, usable: bool, codes: &[&str]) {
    let found = parse_skill(format!("---\n{lines}\n---\nBody").as_bytes(), folder);
    assert_eq!(
        (found.usable, &marks(&found.problems)[..]),
        (usable, &texts(codes)[..]),
        "{lines}"
    );
}

#[test]
fn usable_or_why_not() {
    let long = "a".repeat(SKILL_NAME_CHARACTERS);
    check_meaning(&format!("name: {long}\ndescription: b"), &long, true, &[]);
    check_meaning(
        &format!("name: {long}a\ndescription: b"),
        "",
        false,
        &["2:7 invalid-name"],
    );
    for name in [
        "A", "a--b", "-a", "a-", "a_b", "a b", "é", "a.b", "\"a\\n\"",
    ] {
        check_meaning(
            &format!("name: {name}\ndescription: b"),
            "",
            false,
            &["2:7 invalid-name"],
        );
    }
    for name in ["a", "0", "a-b-c", "3000", "yes"] {
        check_meaning(&format!("name: {name}\ndescription: b"), "", true, &[]);
    }
    check_meaning(
        "name: a\ndescription: b",
        "A",
        true,
        &["2:7 name-differs-from-folder"],
    );
    check_meaning("description: b", "a", false, &["2:1 missing-name"]);
    check_meaning(
        "name: \"\"\ndescription: b",
        "a",
        false,
        &["2:1 missing-name"],
    );
    check_meaning("name: a", "a", false, &["2:1 missing-description"]);
    check_meaning(
        "name: a\ndescription: \"\\u200b \\n\"",
        "a",
        false,
        &["3:14 missing-description"],
    );
    let description = "é".repeat(SKILL_DESCRIPTION_CHARACTERS);
    check_meaning(
        &format!("name: a\ndescription: {description}"),
        "a",
        true,
        &[],
    );
    check_meaning(
        &format!("name: a\ndescription: {description}é"),
        "a",
        true,
        &["3:14 long-description"],
    );
    check_meaning(
        "name: a\ndescription: b\nglobs: [\"a[\", \"*.md\"]",
        "a",
        true,
        &["4:8 unknown-glob"],
    );
    check_meaning(
        &format!(
            "name: a\ndescription: b\nglobs: \"{}\"",
            "{a,b}".repeat(500)
        ),
        "a",
        true,
        &["4:8 unknown-glob"],
    );
    let globs = |count: usize| format!("name: a\ndescription: b\nglobs: [{}]", "x, ".repeat(count));
    check_meaning(&globs(GLOBS_PER_SKILL), "a", true, &[]);
    check_meaning(
        &globs(GLOBS_PER_SKILL + 1),
        "a",
        true,
        &["4:8 too-many-globs"],
    );
    let bad = globs(GLOBS_PER_SKILL + 9).replace('x', "\"[\"");
    let mut codes = vec!["4:8 unknown-glob"; GLOBS_PER_SKILL];
    codes.insert(0, "4:8 too-many-globs");
    check_meaning(&bad, "a", true, &codes);
}

#[test]
fn a_long_body_is_a_warning() {
    let check = |body: &str, codes: &[&str]| {
        let found = parse_skill(
            format!("---\nname: a\ndescription: b\n---\n{body}").as_bytes(),
            "a",
        );
        assert_eq!(marks(&found.problems), codes);
        assert!(found.usable);
    };
    for end in ["\n", "\r\n", "\r"] {
        check(&format!("x{end}").repeat(SKILL_BODY_LINES), &[]);
        check(
            &format!("x{end}").repeat(SKILL_BODY_LINES + 1),
            &["505:1 long-body"],
        );
    }
    check(&"x".repeat(100_000), &[]);
}

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

#[test]
fn a_header_cannot_grow() {
    let bomb: String = (1..40).fold(
        "name: a\ndescription: b\na0: &a0 [x, x]\n".to_owned(),
        |text, n| {
            let last = n - 1;
            text + &format!("a{n}: &a{n} [*a{last}, *a{last}, *a{last}, *a{last}]\n")
        },
    );
    let found = read(&bomb);
    assert!(found.usable);
    assert!(found.front_matter.len() < 2 * FRONT_MATTER_ALIAS_BYTES);
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.code == "alias-bound")
    );

    let chain: String = (1..400).fold("a0: &a0 [x]\n".to_owned(), |text, n| {
        text + &format!("a{n}: &a{n} [*a{}]\n", n - 1)
    });
    let found = read(&chain);
    let deepest = found.front_matter.matches('[').count();
    assert!(deepest > FRONT_MATTER_DEPTH);
    let json: serde_json::Value = serde_json::from_str(&found.front_matter).unwrap();
    assert!(json.is_object());
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.code == "alias-bound")
    );
}

#[test]
fn nesting_is_bounded() {
    let deep = 100_000;
    for value in [
        "[".repeat(deep),
        "{a: ".repeat(deep),
        format!("{}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("\n  {}x", "- ".repeat(deep)),
        format!("\n  {}x", "? ".repeat(deep)),
    ] {
        let found = read(&format!("x: {value}\nname: a\ndescription: b"));
        assert_eq!((found.name.as_deref(), found.usable), (Some("a"), true));
        assert!(
            found
                .problems
                .iter()
                .any(|problem| problem.code == "too-deep")
        );
        assert!(serde_json::from_str::<serde_json::Value>(&found.front_matter).is_ok());
    }
    let within = FRONT_MATTER_DEPTH / 2;
    let found = read(&format!(
        "name: a\ndescription: b\nx: {}{}",
        "[".repeat(within),
        "]".repeat(within)
    ));
    assert_eq!(marks(&found.problems), Vec::<String>::new());
    let lines: Vec<String> = (0..deep / 100)
        .map(|n| format!("{}k:", " ".repeat(n)))
        .collect();
    let lines = lines.join("\n");
    let found = read(&format!("name: a\ndescription: b\nx:\n{lines}"));
    assert!(found.usable);
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.code == "too-deep")
    );
}

#[test]
fn problems_are_bounded() {
    let found = read(&format!(
        "name: a\ndescription: b\n{}",
        "x: *y\n".repeat(1000)
    ));
    assert_eq!(found.problems.len(), FRONT_MATTER_PROBLEMS + 1);
    assert_eq!(found.problems.last().unwrap().code, "more-problems");
    assert!(found.usable);
}
