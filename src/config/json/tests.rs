use super::*;
use crate::places::Places;
use proptest::prelude::*;

/// The tree as plain JSON text; keys as often as they were written.
fn plain(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.clone(),
        Value::Text(t) => serde_json::Value::from(t.as_str()).to_string(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|m| {
                    let key = serde_json::Value::from(m.key.as_str());
                    format!("{key}:{}", plain(&m.value))
                })
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Unreadable => "?".into(),
    }
}

fn check(text: &str, expected: &str) {
    let document = read(text);
    assert_eq!(document.broken, None, "{text}");
    let found = document.root.as_ref().map_or(String::new(), plain);
    assert_eq!(found, expected, "{text}");
}

/// `expected`: the place of the error, its message, and what was read all the same.
fn check_broken(text: &str, place: &str, message: &str, expected: &str) {
    let document = read(text);
    let broken = document.broken.expect(text);
    let at = Places::new(text).position(broken.at.start);
    assert_eq!(format!("{}:{}", at.line, at.column), place, "{text}");
    assert_eq!(broken.message, message, "{text}");
    let found = document.root.as_ref().map_or(String::new(), plain);
    assert_eq!(found, expected, "{text}");
}

#[test]
fn json_as_people_write_it() {
    check("", "");
    check(" \u{feff}".trim_start(), "");
    check("// nothing\n/* yet */", "");
    check("null", "null");
    check(
        "\u{feff}{\r\n\t\"a\": [1, -2.5e3,],\r\n}\r\n",
        r#"{"a":[1,-2.5e3]}"#,
    );
    check(
        "{ // c\n\"a\" /* b */ : /* c */ true /**/ , \"b\": \"// no comment /*\" }",
        r#"{"a":true,"b":"// no comment /*"}"#,
    );
    check(r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#);
    check(r#"["\u00e9\ud83d\ude42\n\t\"\\\/"]"#, r#"["é🙂\n\t\"\\/"]"#);
    check("[\"tab\there\"]", r#"["tab\there"]"#);
    check(
        r#"{"__proto__":{"constructor":[]}}"#,
        r#"{"__proto__":{"constructor":[]}}"#,
    );
}

#[test]
fn what_is_no_json_is_named_where_it_stands() {
    let comma = "A comma is missing here.";
    check_broken(
        "{\n \"a\": 1\n \"b\": 2 }",
        "2:8",
        comma,
        r#"{"a":1,"b":2}"#,
    );
    check_broken("[1 2]", "1:3", comma, "[1,2]");
    check_broken("{\"a\" 1}", "1:5", "A colon is missing here.", r#"{"a":1}"#);
    check_broken("{\"a\"}", "1:5", "A colon is missing here.", r#"{"a":?}"#);
    let extra = "There is a comma too many. Remove it.";
    check_broken("{\"a\":1,,\"b\":2}", "1:8", extra, r#"{"a":1,"b":2}"#);
    check_broken("[,]", "1:2", extra, "[]");
    check_broken(
        "{\"a\": {\"b\": 1}",
        "1:1",
        "This { is never closed. Add } at its end.",
        r#"{"a":{"b":1}}"#,
    );
    check_broken(
        "[[1]",
        "1:1",
        "This [ is never closed. Add ] at its end.",
        "[[1]]",
    );
    check_broken(
        "{\"a\": \"open\n}",
        "1:7",
        "This text has no closing quote on its line.",
        r#"{"a":"open"}"#,
    );
    check_broken(
        "{a-b: 1}",
        "1:2",
        "A name stands in double quotes.",
        r#"{"a-b":1}"#,
    );
    check_broken(
        "{'a': 1}",
        "1:2",
        "Text stands in double quotes in JSON.",
        r#"{"a":1}"#,
    );
    check_broken(
        "[yes]",
        "1:2",
        "Text stands in double quotes in JSON.",
        "[?]",
    );
    check_broken(
        r#"["C:\Users"]"#,
        "1:5",
        "A backslash is written twice in JSON, as in \"C:\\\\tools\".",
        r#"["C:\\Users"]"#,
    );
    check_broken(
        "[\"a\u{1}b\"]",
        "1:4",
        "A control character stands in the text; write \\u0001.",
        r#"["a\u0001b"]"#,
    );
    let half = "This is half of a character; both halves must stand side by side.";
    check_broken(r#"["\ud83dx"]"#, "1:3", half, r#"["�x"]"#);
    check_broken(r#"["\ud83d\u0041"]"#, "1:3", half, r#"["�A"]"#);
    let number = "This is not a number that JSON knows. Put text into double quotes.";
    check_broken("[01]", "1:2", number, "[?]");
    check_broken("[0x10, 1]", "1:2", number, "[?,1]");
    check_broken(
        "{} {}",
        "1:4",
        "The file goes on after its end. Keep one { … } in it.",
        "{}",
    );
    check_broken(
        "{} /* x",
        "1:4",
        "This comment does not end. Close it with */.",
        "{}",
    );
    check_broken(
        "{\"a\": ]}",
        "1:7",
        "A value should stand here, not ].",
        r#"{"a":?}"#,
    );
    check_broken(
        "{\u{200b}\"a\":1}",
        "1:2",
        "A name in double quotes should stand here, not \\u{200b}.",
        r#"{"\u{200b}":?,"a":1}"#.replace("\"\\u{200b}\":?,", "").as_str(),
    );
    check_broken(
        "{\"a\":",
        "1:6",
        "The file ends where a value should stand.",
        r#"{"a":?}"#,
    );
}

#[test]
fn repairs_mend_what_they_are_offered_for() {
    for (text, mended) in [
        ("{\"a\": 1 \"b\": 2}", "{\"a\": 1, \"b\": 2}"),
        ("{\"a\" : 1,, }", "{\"a\" : 1, }"),
        ("{a: 1}", "{\"a\": 1}"),
        ("{'a\"b': 1}", "{\"a\\\"b\": 1}"),
        (r#"["C:\x"]"#, r#"["C:\\x"]"#),
        ("[yes]", "[\"yes\"]"),
    ] {
        let repair = read(text).broken.expect(text).repair.expect(text);
        let mut found = text.to_owned();
        found.replace_range(repair.at.start..repair.at.end, &repair.text);
        assert_eq!(found, mended);
        assert_eq!(read(&found).broken, None);
    }
}

#[test]
fn depth_is_bounded() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(read(&deep(MAX_JSON_DEPTH)).broken, None);
    let broken = read(&deep(100_000)).broken.unwrap();
    assert_eq!(broken.at.start, MAX_JSON_DEPTH);
    // What stands after it is still known.
    let inner = format!(
        "{{\"a\": {}, \"b\": 1}}",
        deep(1_000).replace("[]", "[\"]\"]")
    );
    let Some(Value::Object(members)) = read(&inner).root.map(|root| root.value) else {
        panic!("an object");
    };
    let keys: Vec<&str> = members.iter().map(|member| member.key.as_str()).collect();
    assert_eq!(keys, ["a", "b"]);
}

proptest! {
    /// Where a strict reader reads a document, ours reads the same.
    #[test]
    fn strict_json_reads_the_same(text in r#"[\[\]{},:"\\un0-9a-f/* \r\n\t.eE+-]{0,24}"#) {
        if let Ok(strict) = serde_json::from_str::<serde_json::Value>(&text) {
            let document = read(&text);
            prop_assert_eq!(&document.broken, &None);
            let ours = plain(&document.root.unwrap());
            let ours: serde_json::Value = serde_json::from_str(&ours).unwrap();
            prop_assert_eq!(ours, strict);
        }
    }

    /// Any value, printed and read, is itself, whatever stands between its tokens.
    #[test]
    fn values_survive(keys in prop::collection::vec(any::<String>(), 0..4), pretty in any::<bool>()) {
        let value: serde_json::Value = keys.iter().map(|k| (k.clone(), serde_json::json!([k, 1.5, null]))).collect();
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let document = read(&text);
        prop_assert_eq!(&document.broken, &None);
        let ours: serde_json::Value = serde_json::from_str(&plain(&document.root.unwrap())).unwrap();
        prop_assert_eq!(ours, value);
    }

    /// Nothing makes it panic, and what it points at lies within the text.
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        if let Some(broken) = read(&text).broken {
            prop_assert!(text.get(broken.at.start..broken.at.end).is_some());
        }
    }
}
