//! The file around the header: encodings, fences, line ends, the body.

use crate::{check, check_bytes, marks, skill};
use gbs_agent_core::limits::SKILL_BODY_LINES;
use gbs_agent_core::skills::front_matter::{ParsedSkill, parse_skill};

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
