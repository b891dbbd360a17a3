//! The reader of headers against a real YAML parser, and what holds for any bytes at all.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use gbs_agent_core::problem::{Fix, Position, TextEdit};
use gbs_agent_core::skills::front_matter::{ParsedSkill, parse_skill};
use proptest::prelude::*;
use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::{Map, Value};

/// Codes about what fields mean; all others are repairs of the header.
const MEANING: [&str; 8] = [
    "missing-name",
    "invalid-name",
    "missing-description",
    "long-description",
    "name-differs-from-folder",
    "wrong-type",
    "unknown-glob",
    "long-body",
];

fn read(header: &str) -> ParsedSkill {
    parse_skill(format!("---\n{header}\n---\nBody").as_bytes(), "")
}

fn repairs(skill: &ParsedSkill) -> Vec<&str> {
    let codes = skill.problems.iter().map(|problem| problem.code.as_str());
    codes.filter(|code| !MEANING.contains(code)).collect()
}

/// A key or value of the other parser as JSON; nothing for what JSON cannot say.
fn json(node: &Yaml<'_>) -> Option<Value> {
    Some(match node {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(value)) => Value::Bool(*value),
        Yaml::Value(Scalar::Integer(value)) => Value::from(*value),
        Yaml::Value(Scalar::FloatingPoint(value)) => {
            serde_json::Number::from_f64(value.0).map_or(Value::Null, Value::Number)
        }
        Yaml::Value(Scalar::String(value)) => Value::String(value.to_string()),
        Yaml::Sequence(items) => Value::Array(items.iter().map(json).collect::<Option<_>>()?),
        Yaml::Mapping(entries) => {
            let mut map = Map::new();
            for (key, value) in entries {
                let key = match json(key)? {
                    Value::Null => String::new(),
                    Value::Bool(value) => value.to_string(),
                    Value::Number(value) => value.to_string(),
                    Value::String(value) => value,
                    Value::Array(_) | Value::Object(_) => return None,
                };
                // Two keys of different types may be one in JSON.
                if map.insert(key, json(value)?).is_some() {
                    return None;
                }
            }
            Value::Object(map)
        }
        Yaml::Tagged(_, inner) => json(inner)?,
        Yaml::Representation(..) | Yaml::Alias(_) | Yaml::BadValue => return None,
    })
}

/// Equal as JavaScript sees it: `1` and `1.0` are one number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// A line break in a flow collection, indented deeper than any block here.
const FLOW_LINE: &str = "\n                                ";

/// Headers made from a list of choices, so that shrinking the list shrinks the header.
struct Maker<'c> {
    choices: std::slice::Iter<'c, u8>,
    text: String,
}

impl Maker<'_> {
    fn pick(&mut self, count: usize) -> usize {
        usize::from(self.choices.next().copied().unwrap_or(0)) % count
    }

    fn one<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.pick(texts.len())]
    }

    fn add(&mut self, texts: &[&str]) {
        let text = self.one(texts);
        self.text.push_str(text);
    }

    fn pad(&mut self, count: usize) {
        self.text.push_str(&" ".repeat(count));
    }

    fn word(&mut self) {
        self.add(&[
            "foo",
            "a b",
            "1",
            "true",
            "null",
            "~",
            "é中",
            "http://x.y/z",
            "-a",
            "?b",
            ":c",
            "a#b",
            "a - b",
            "12:30",
            "0x1F",
            "1e3",
            ".5",
            "C:\\x",
            "x:y",
            "a,b",
        ]);
    }

    fn scalar(&mut self) {
        match self.pick(4) {
            0 | 1 => self.word(),
            2 => self.add(&[
                "\"q s\"",
                "\"a\\n b\\u00e9\"",
                "\"\"",
                "\"a: b # c\"",
                "\"\\ud83d\\ude00\"",
            ]),
            _ => self.add(&["'it''s'", "''", "'a: b'", "'\"'"]),
        }
    }

    fn flow(&mut self, depth: usize) {
        match if depth > 2 { 0 } else { self.pick(4) } {
            0 | 1 => self.add(&[
                "foo",
                "a b",
                "1",
                "\"q\"",
                "'s'",
                "~",
                "http://x.y/z",
                "-a",
                "x:y",
            ]),
            2 => {
                self.text.push('[');
                for _ in 0..self.pick(4) {
                    self.add(&["", " ", FLOW_LINE]);
                    if self.pick(4) == 0 {
                        self.add(&["k: ", "\"q\": ", "\"q\":"]);
                    }
                    self.flow(depth + 1);
                    self.text.push(',');
                }
                self.add(&["", " "]);
                self.text.push(']');
            }
            _ => {
                self.text.push('{');
                for n in 0..self.pick(4) {
                    self.add(&["", " ", FLOW_LINE]);
                    let key = self.one(&["k#: ", "\"q#\": ", "\"q#\":", "s # t: "]);
                    self.text.push_str(&key.replace('#', &n.to_string()));
                    self.flow(depth + 1);
                    self.text.push(',');
                }
                self.text.push('}');
            }
        }
    }

    /// What follows a key or dash at `indent`: its value and the end of its last line.
    fn value(&mut self, indent: usize, depth: usize) {
        match self.pick(if depth > 3 { 6 } else { 9 }) {
            0 | 1 => {
                self.text.push(' ');
                self.scalar();
                self.add(&["\n", " # c\n", "  \n"]);
            }
            2 => {
                self.text.push(' ');
                self.flow(0);
                self.add(&["\n", " # c\n"]);
            }
            3 => self.literal(indent),
            4 => {
                self.text.push(' ');
                self.word();
                self.text.push('\n');
                for _ in 0..=self.pick(2) {
                    self.add(&["", "\n", "  \n"]);
                    let more = self.pick(3);
                    self.pad(indent + 1 + more);
                    self.word();
                    self.text.push('\n');
                }
            }
            5 => {
                let quote = self.one(&["\"", "'"]);
                self.text.push(' ');
                self.text.push_str(quote);
                self.add(&["a", " a ", ""]);
                self.add(&["\n", "  \n\n", "\n \n\n"]);
                self.pad(indent + 1);
                self.text.push('b');
                if self.pick(2) == 0 {
                    self.add(&["\n", "  \n\n"]);
                    self.pad(indent + 2);
                    self.text.push('c');
                }
                self.text.push_str(quote);
                self.text.push('\n');
            }
            6 | 7 => {
                self.add(&["\n", " # c\n", " &a\n", "\n\n"]);
                let more = 1 + self.pick(3);
                self.map(indent + more, depth + 1);
            }
            _ => {
                self.add(&["\n", " # c\n", " &b\n"]);
                let more = self.pick(3).max(usize::from(depth == 0 && indent > 0));
                self.list(indent + more, depth + 1);
            }
        }
    }

    fn literal(&mut self, indent: usize) {
        self.text.push(' ');
        self.add(&["|", ">", "|-", ">-", "|+", ">+"]);
        self.add(&["\n", " # c\n"]);
        let more = 1 + self.pick(3);
        for _ in 0..self.pick(5) {
            match self.pick(6) {
                0 => {}
                1 => self.pad(indent + more + 2),
                _ => self.pad(indent + more),
            }
            if self.text.ends_with(' ') {
                self.add(&["text", "a: b", "# no", "- x", "\"", "é"]);
            }
            self.text.push('\n');
        }
    }

    fn map(&mut self, indent: usize, depth: usize) {
        for n in 0..=self.pick(3) {
            if self.pick(4) == 0 {
                self.add(&["\n", "# c\n", "     # c\n"]);
            }
            self.pad(indent);
            let key = self.one(&["k#", "\"q#\"", "'s #'", "x y#", "#", "é#"]);
            self.text.push_str(&key.replace('#', &n.to_string()));
            self.add(&[":", ":", " :"]);
            self.value(indent, depth);
        }
    }

    fn list(&mut self, indent: usize, depth: usize) {
        for _ in 0..=self.pick(3) {
            self.pad(indent);
            self.text.push('-');
            match self.pick(4) {
                0 => {
                    self.text.push_str(" k:");
                    self.value(indent + 2, depth + 1);
                    if self.pick(2) == 0 {
                        self.pad(indent + 2);
                        self.text.push_str("l:");
                        self.value(indent + 2, depth + 1);
                    }
                }
                1 => {
                    self.text.push_str(" -");
                    self.value(indent + 2, depth + 1);
                }
                _ => self.value(indent, depth + 1),
            }
        }
    }
}

/// Headers that are well-formed, or nearly so.
fn header() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u8>(), 0..120).prop_map(|choices| {
        let mut maker = Maker {
            choices: choices.iter(),
            text: String::new(),
        };
        maker.map(0, 0);
        maker.text
    })
}

/// Headers of YAML's tokens in any order.
fn soup() -> impl Strategy<Value = String> {
    let tokens = prop::sample::select(vec![
        "a",
        "key",
        "x y",
        ": ",
        ":",
        "- ",
        "? ",
        " ",
        "  ",
        "\n",
        "\n  ",
        "\n- ",
        "\na: ",
        "\nb: ",
        "\nname: ",
        "\ndescription: ",
        "\n  c: ",
        "\"",
        "'",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ",",
        "#",
        " # c",
        "|",
        ">",
        "|-",
        ">+",
        "|2",
        "&a ",
        "*a",
        "!!str ",
        "~",
        "true",
        "1",
        "é😀",
        "\t",
        "\n\t",
        "\\",
        "\\n",
        "@",
        "`",
        "%",
        "\n...",
        "<<: ",
        "\n\n",
        "\"q\"",
        "'s'",
        "[x, y]",
        "{k: v}",
        "*",
        "&",
        "\r\n",
        "\r",
        "\0",
        "**b**",
        "\n---- \n",
        "\u{ff1a}",
    ]);
    prop::collection::vec(tokens, 0..24).prop_map(|tokens| tokens.concat())
}

/// What the other parser makes of a header, if it takes it for one map that JSON can say.
fn other(header: &str) -> Option<Value> {
    // The line feed before the closing fence belongs to the header.
    let header = format!("{header}\n");
    let documents = Yaml::load_from_str(&header).ok()?;
    let [document] = documents.as_slice() else {
        return None;
    };
    json(document).filter(Value::is_object)
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
        // A failing case becomes a line of the tables in tests/front_matter.rs.
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
