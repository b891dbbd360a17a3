use super::{Elicitation, ElicitationFrom, Wish, elicitation_card, read};
use crate::card::{Answer, CardKind};
use serde_json::{Value, json};

fn from() -> ElicitationFrom {
    ElicitationFrom {
        server: "booking".to_owned(),
        during: "book_table".to_owned(),
    }
}

fn form(properties: &Value, required: &Value) -> Value {
    json!({
        "message": "Which table?",
        "requestedSchema": { "type": "object", "properties": properties, "required": required },
    })
}

/// The entry of the field `f` as JSON, or the refusal.
#[track_caller]
fn check(property: Value, expected: Result<Value, &str>) {
    let params = form(&json!({ "f": property }), &json!([])).to_string();
    let made = read(&params).map(|asked| match asked.wish {
        Wish::Form { fields } => serde_json::to_value(&fields[0].entry).unwrap(),
        Wish::Address { .. } => Value::Null,
    });
    assert_eq!(made, expected.map_err(str::to_owned), "{property}");
}

#[test]
fn every_kind_of_field() {
    check(
        json!({"type": "string", "format": "email", "minLength": 3, "maxLength": 9, "default": "a@b.c"}),
        Ok(json!({"kind": "text", "format": "email", "min": 3, "max": 9, "value": "a@b.c"})),
    );
    // What is not known narrows nothing here; the server checks it.
    check(
        json!({"type": "string", "format": "hostname", "pattern": "(a+)+$", "minLength": -1, "default": 7}),
        Ok(json!({"kind": "text", "format": null, "min": null, "max": null, "value": ""})),
    );
    check(
        json!({"type": "integer", "minimum": 1, "maximum": 2.0, "default": 1}),
        Ok(json!({"kind": "number", "whole": true, "min": "1", "max": "2.0", "value": "1"})),
    );
    check(
        json!({"type": "number"}),
        Ok(json!({"kind": "number", "whole": false, "min": null, "max": null, "value": ""})),
    );
    check(
        json!({"type": "boolean", "default": true}),
        Ok(json!({"kind": "yesNo", "value": true})),
    );
    let ab = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "b"}]);
    check(
        json!({"type": "string", "enum": ["a", "b", "a"], "enumNames": ["A"], "default": "b"}),
        Ok(json!({"kind": "choice", "options": ab, "value": "b"})),
    );
    check(
        json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b"}], "default": "c"}),
        Ok(json!({"kind": "choice", "options": ab, "value": null})),
    );
    check(
        json!({"type": "array", "items": {"type": "string", "enum": ["x"]}, "minItems": 1, "default": ["x", "y"]}),
        Ok(
            json!({"kind": "choices", "options": [{"value": "x", "label": "x"}], "min": 1, "max": null, "value": ["x"]}),
        ),
    );
    check(
        json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b"}]}}),
        Ok(json!({"kind": "choices", "options": ab, "min": null, "max": null, "value": []})),
    );
}

#[test]
fn what_a_form_does_not_have_cannot_be_asked() {
    let cannot = |why: &str| format!("The answer \"f\" cannot be asked for: {why}");
    for (property, why) in [
        (json!({"type": "object"}), "a form has no type \"object\"."),
        (
            json!({"type": "array"}),
            "a list can only be of given choices.",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            "a list can only be of given choices.",
        ),
        (
            json!({"type": "string", "enum": [1]}),
            "its choices are not texts.",
        ),
        (json!({"type": "string", "enum": []}), "it has no choices."),
        (json!({"type": ["string", "null"]}), "it has no \"type\"."),
        (json!({"$ref": "#/properties/f"}), "it has no \"type\"."),
        (json!(true), "its schema is not an object."),
    ] {
        check(property, Err(&cannot(why)));
    }
    let many: serde_json::Map<String, Value> = (0..=crate::limits::MAX_FORM_FIELDS)
        .map(|n| (n.to_string(), json!({"type": "string"})))
        .collect();
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for (params, why) in [
        ("[]".to_owned(), "The question is not an object."),
        ("{}".to_owned(), "The question has no text \"message\"."),
        (
            json!({"message": "m"}).to_string(),
            "It has no \"requestedSchema\".",
        ),
        (
            json!({"message": "m", "mode": "x"}).to_string(),
            "Its \"mode\" is not one that this client knows.",
        ),
        (
            json!({"message": "m", "requestedSchema": {"type": "string"}}).to_string(),
            "Its schema is not of type \"object\".",
        ),
        (
            form(&json!({}), &json!(["x"])).to_string(),
            "It requires \"x\", which it does not describe.",
        ),
        (
            form(&Value::Object(many), &json!([])).to_string(),
            "It asks for more than 50 answers.",
        ),
        (
            format!("{{\"message\":\"m\",\"requestedSchema\":{deep}}}"),
            "The question is over 65536 bytes.",
        ),
        (
            format!(
                "{{\"message\":\"m\",\"requestedSchema\":{}}}",
                &deep[80_000..120_001]
            ),
            "Its schema is not an object.",
        ),
    ] {
        assert_eq!(read(&params).unwrap_err(), why);
    }
}

/// What is flagged on the card of an address, and the host; or the refusal.
#[track_caller]
fn check_address(url: &str, expected: Result<(&str, &[&str]), &str>) {
    let params =
        json!({"message": "m", "mode": "url", "url": url, "elicitationId": "1"}).to_string();
    let made = read(&params).map(|asked| {
        let card = elicitation_card(&asked, &from());
        assert!(card.actions.iter().all(|action| !action.primary));
        let Wish::Address { host, url: kept } = asked.wish else {
            return (String::new(), Vec::new());
        };
        assert_eq!(kept, url);
        (host, card.flags.into_iter().map(|flag| flag.code).collect())
    });
    let expected = expected
        .map(|(host, flags)| {
            (
                host.to_owned(),
                flags.iter().map(|f| (*f).to_owned()).collect(),
            )
        })
        .map_err(str::to_owned);
    assert_eq!(made, expected, "{url}");
}

#[test]
fn an_address_shows_where_it_leads() {
    check_address("https://pay.example/x?y#z", Ok(("pay.example", &[])));
    check_address("HTTP://localhost:80/", Ok(("localhost:80", &[])));
    check_address("http://[::1]:9/", Ok(("[::1]:9", &[])));
    check_address(
        "http://a.example",
        Ok(("a.example", &["address-not-encrypted"])),
    );
    check_address(
        "https://bank.example@evil.example/",
        Ok(("evil.example", &["address-poses"])),
    );
    check_address(
        "https://b\u{430}nk.example/",
        Ok(("b\u{430}nk.example", &["address-looks-alike"])),
    );
    check_address(
        "https://xn--80ak6aa92e.com",
        Ok(("xn--80ak6aa92e.com", &["address-looks-alike"])),
    );
    let odd = Err("Its \"url\" holds characters that no address has.");
    for url in [
        "https://a b",
        "https://a\n.b",
        "https://a\\@b",
        "https://a\u{202e}b",
    ] {
        check_address(url, odd);
    }
    let scheme = Err("Its \"url\" does not begin with https:// or http://.");
    for url in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "//a",
        "command:x://y",
        "",
    ] {
        check_address(url, scheme);
    }
    for url in ["https://", "https:///x", "https://a@/", "https://:80"] {
        check_address(url, Err("Its \"url\" has no host."));
    }
}

#[test]
fn a_form_that_asks_for_a_secret_has_a_flag_and_no_ordinary_answer() {
    let flagged = |message: &str, name: &str, title: &str| {
        let properties = json!({ name: {"type": "string", "title": title} });
        let mut params = form(&properties, &json!([]));
        params["message"] = json!(message);
        let card = elicitation_card(&read(&params.to_string()).unwrap(), &from());
        assert_eq!(card.actions[0].primary, card.flags.is_empty());
        !card.flags.is_empty()
    };
    for name in [
        "password",
        "githubToken",
        "API_KEY",
        "card-number",
        "PIN",
        "otp",
    ] {
        assert!(flagged("Log in", name, "Field"), "{name}");
    }
    assert!(flagged("Log in", "x", "Your Password:"));
    assert!(flagged("Type your password.", "x", "Answer"));
    for name in [
        "tokens",
        "keyboard",
        "monkey",
        "shipping",
        "passenger",
        "key",
    ] {
        assert!(!flagged("Which one?", name, "Field"), "{name}");
    }
}

#[test]
fn the_card_says_who_asks() {
    let asked = read(&form(&json!({"f": {"type": "string"}}), &json!(["f"])).to_string()).unwrap();
    let card = elicitation_card(&asked, &from());
    assert_eq!(card.kind, CardKind::Form);
    assert_eq!(card.about, ["booking"]);
    let labels: Vec<(Answer, &str)> = card
        .actions
        .iter()
        .map(|action| (action.answer, action.label.as_str()))
        .collect();
    assert_eq!(
        labels,
        [
            (Answer::Allow, "Send answers"),
            (Answer::Decline, "Decline"),
            (Answer::Dismiss, "Dismiss"),
        ]
    );
    let agree = Elicitation {
        message: "Go on?".to_owned(),
        wish: Wish::Form { fields: Vec::new() },
    };
    assert_eq!(elicitation_card(&agree, &from()).actions[0].label, "Agree");
}
