use super::{Field, FieldKind, FieldOption, TextFormat, read_form};
use serde_json::{Value, json};

fn field(required: bool, entry: FieldKind) -> Field {
    Field {
        name: "f".to_owned(),
        label: "F".to_owned(),
        description: String::new(),
        required,
        entry,
    }
}

/// What is sent for `f`, or what is needed.
#[track_caller]
fn check(required: bool, entry: FieldKind, entered: &Value, expected: Result<&Value, &str>) {
    let values = json!({ "f": entered }).to_string();
    let reading = read_form(&[field(required, entry)], &values).unwrap();
    let content: Value = serde_json::from_str(&reading.content).unwrap();
    match expected {
        Ok(sent) => {
            assert_eq!(reading.problems, [], "{entered}");
            assert_eq!(content.get("f").unwrap_or(&Value::Null), sent, "{entered}");
        }
        Err(message) => {
            assert_eq!(content, json!({}), "{entered}");
            assert_eq!(reading.problems.len(), 1, "{entered}");
            assert_eq!(reading.problems[0].message, message, "{entered}");
        }
    }
}

fn text(format: Option<TextFormat>, min: Option<u32>, max: Option<u32>) -> FieldKind {
    FieldKind::Text {
        format,
        min,
        max,
        value: String::new(),
    }
}

fn number(whole: bool, min: Option<&str>, max: Option<&str>) -> FieldKind {
    FieldKind::Number {
        whole,
        min: min.map(str::to_owned),
        max: max.map(str::to_owned),
        value: String::new(),
    }
}

fn options() -> Vec<FieldOption> {
    ["a", "b", ""]
        .map(|value| FieldOption {
            value: value.to_owned(),
            label: value.to_uppercase(),
        })
        .to_vec()
}

#[test]
fn text_has_its_length_in_characters() {
    let null = Value::Null;
    check(false, text(None, None, None), &json!(""), Ok(&null));
    check(false, text(None, Some(3), None), &json!(""), Ok(&null));
    check(
        true,
        text(None, None, None),
        &json!(""),
        Err("Needs an answer."),
    );
    check(true, text(None, None, None), &json!(" "), Ok(&json!(" ")));
    let needs = "Needs at least 3 characters; it has 2.";
    check(true, text(None, Some(3), None), &json!("👩é"), Err(needs));
    check(
        true,
        text(None, Some(2), Some(2)),
        &json!("👩é"),
        Ok(&json!("👩é")),
    );
    let takes = "Takes at most 1 character; it has 2.";
    check(true, text(None, None, Some(1)), &json!("ab"), Err(takes));
    // What the page cannot send counts as nothing.
    check(
        true,
        text(None, None, None),
        &json!(7),
        Err("Needs an answer."),
    );
}

#[test]
fn text_has_its_format() {
    let formats = [
        (
            TextFormat::Email,
            &["a@b.c", "a+b@x.example", "\"a@b\"@c.d"][..],
            &["a", "@b.c", "a@b", "a@b..c", "a b@c.d", "a@b.c\n"][..],
        ),
        (
            TextFormat::Uri,
            &["https://x", "urn:a", "mailto:a@b.c"][..],
            &["x", "//x", "https:", "1a:b", "https://a b"][..],
        ),
        (
            TextFormat::Date,
            &["2026-12-01", "2024-02-29", "2000-02-29"][..],
            &[
                "2026-02-29",
                "1900-02-29",
                "2026-13-01",
                "2026-1-1",
                "2026-12-011",
                "2026/12/01",
                "２026-12-01",
            ][..],
        ),
        (
            TextFormat::DateTime,
            &[
                "2026-12-01T14:30:00Z",
                "2026-12-01t14:30:00.5z",
                "2026-12-01T23:59:60+05:30",
            ][..],
            &[
                "2026-12-01",
                "2026-12-01T14:30Z",
                "2026-12-01T24:00:00Z",
                "2026-12-01T14:30:00",
                "2026-12-01T14:30:00.Z",
                "2026-12-01T14:30:00+5:30",
            ][..],
        ),
    ];
    for (format, good, bad) in formats {
        for entered in good {
            check(
                true,
                text(Some(format), None, None),
                &json!(entered),
                Ok(&json!(entered)),
            );
        }
        for entered in bad {
            let values = json!({ "f": entered }).to_string();
            let fields = [field(true, text(Some(format), None, None))];
            let reading = read_form(&fields, &values).unwrap();
            assert_eq!(reading.problems.len(), 1, "{format:?} {entered}");
        }
    }
}

#[test]
fn numbers_keep_their_digits() {
    for (whole, entered, sent) in [
        (true, "3", json!(3)),
        (true, " -3 ", json!(-3)),
        (true, "+3", json!(3)),
        (true, "3.0", json!(3)),
        (true, "1e3", json!(1000)),
        (false, "2.5", json!(2.5)),
        (false, ".5", json!(0.5)),
        (false, "1e3", json!(1e3)),
        (true, "9007199254740993", json!(9_007_199_254_740_993_i64)),
    ] {
        check(true, number(whole, None, None), &json!(entered), Ok(&sent));
    }
    let whole = "Needs a whole number, such as 3.";
    for entered in ["x", "2.5", "NaN", "inf", "1e999", "3 4", "0x1"] {
        check(true, number(true, None, None), &json!(entered), Err(whole));
    }
    let any = "Needs a number, such as 2.5.";
    check(true, number(false, None, None), &json!("two"), Err(any));
    let bounds = || number(true, Some("1"), Some("4"));
    check(true, bounds(), &json!("0"), Err("Must be 1 or more."));
    check(true, bounds(), &json!("5"), Err("Must be 4 or less."));
    check(true, bounds(), &json!("4"), Ok(&json!(4)));
    check(false, bounds(), &json!(""), Ok(&Value::Null));
}

#[test]
fn choices_are_among_the_options() {
    let choice = || FieldKind::Choice {
        options: options(),
        value: None,
    };
    check(true, choice(), &json!("b"), Ok(&json!("b")));
    check(true, choice(), &json!(""), Ok(&json!("")));
    check(true, choice(), &json!("c"), Err("Choose one of these."));
    check(true, choice(), &Value::Null, Err("Needs an answer."));
    check(false, choice(), &Value::Null, Ok(&Value::Null));
    let choices = |min, max| FieldKind::Choices {
        options: options(),
        min,
        max,
        value: Vec::new(),
    };
    check(
        true,
        choices(None, None),
        &json!(["a", "b"]),
        Ok(&json!(["a", "b"])),
    );
    check(true, choices(None, None), &json!([]), Ok(&json!([])));
    check(false, choices(Some(1), None), &json!([]), Ok(&Value::Null));
    check(
        true,
        choices(None, None),
        &json!(["a", "c"]),
        Err("Choose some of these."),
    );
    check(
        true,
        choices(None, None),
        &json!(["a", 1]),
        Err("Choose some of these."),
    );
    let at_least = "Needs at least 1 choice; it has 0.";
    check(true, choices(Some(1), None), &json!([]), Err(at_least));
    let at_most = "Takes at most 1 choice; it has 2.";
    check(
        true,
        choices(None, Some(1)),
        &json!(["a", "b"]),
        Err(at_most),
    );
    check(
        true,
        FieldKind::YesNo { value: true },
        &json!(true),
        Ok(&json!(true)),
    );
    check(
        true,
        FieldKind::YesNo { value: true },
        &Value::Null,
        Ok(&json!(false)),
    );
}

#[test]
fn what_no_field_asks_for_is_not_sent() {
    let mut other = field(false, text(None, None, None));
    other.name = "__proto__".to_owned();
    let values = r#"{"x":"1","__proto__":"a\"b","f":"c"}"#;
    let reading = read_form(&[field(true, text(None, None, None)), other], values).unwrap();
    assert_eq!(reading.content, r#"{"f":"c","__proto__":"a\"b"}"#);
    assert_eq!(read_form(&[], "[]").unwrap_err().code(), "INVALID_ARGUMENT");
}
