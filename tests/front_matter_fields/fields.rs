//! What stands in the fields, and what is said about it.

use crate::{marks, read, texts};
use gbs_agent_core::limits::{
    GLOBS_PER_SKILL, SKILL_DESCRIPTION_CHARACTERS, SKILL_NAME_CHARACTERS,
};
use gbs_agent_core::skills::front_matter::{SkillFields, parse_skill};

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
