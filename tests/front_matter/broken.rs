//! Headers that are repaired, field by field.

use crate::check;

#[test]
fn values_that_are_read_as_text() {
    check("a: b: c: d", r#"{"a":"b: c: d"}"#, &["2:5 unquoted-colon"]);
    check(
        "a: Use when: x\nb: 1",
        r#"{"a":"Use when: x","b":1}"#,
        &["2:12 unquoted-colon"],
    );
    check(
        "a: b\n  c: d\n  e",
        r#"{"a":"b c: d e"}"#,
        &["3:4 unquoted-colon"],
    );
    check(
        "a: \"b\" c",
        r#"{"a":"\"b\" c"}"#,
        &["2:8 text-after-value"],
    );
    check(
        "a: 'b' c\n  d",
        r#"{"a":"'b' c d"}"#,
        &["2:8 text-after-value"],
    );
    check("a: **b** c", r#"{"a":"**b** c"}"#, &["2:4 unknown-alias"]);
    check(
        "a: *.ts\nb: *",
        r#"{"a":"*.ts","b":"*"}"#,
        &["2:4 unknown-alias", "3:4 unknown-alias"],
    );
    check("a: [b] c", r#"{"a":"[b] c"}"#, &["2:8 text-after-value"]);
    check(
        "a: [b] [c]",
        r#"{"a":"[b] [c]"}"#,
        &["2:8 text-after-value"],
    );
    check(
        "a: {b} c\nd: {{e}}\nf: {{ g }}",
        r#"{"a":"{b} c","d":"{{e}}","f":"{{ g }}"}"#,
        &[
            "2:8 text-after-value",
            "3:5 collection-key",
            "4:5 collection-key",
        ],
    );
    check(
        "a: `b` c\nd: @e\nf: %g\nh: , i",
        r#"{"a":"`b` c","d":"@e","f":"%g","h":", i"}"#,
        &[
            "2:4 reserved-start",
            "3:4 reserved-start",
            "4:4 reserved-start",
            "5:4 reserved-start",
        ],
    );
    check(
        "a: - b\nc: ? d",
        r#"{"a":"- b","c":"? d"}"#,
        &["2:4 reserved-start", "3:4 reserved-start"],
    );
    check(
        "a: !x!y b\nc: !中 d",
        r#"{"a":"!x!y b","c":"!中 d"}"#,
        &["2:4 unknown-tag", "3:4 unknown-tag"],
    );
    check(
        "a: & b\nc: &d,e f",
        r#"{"a":"& b","c":"&d,e f"}"#,
        &["2:4 bad-anchor", "3:4 bad-anchor"],
    );
}

#[test]
fn more_values_that_are_read_as_text() {
    check(
        "a: > b c\n  d\ne: |x",
        r#"{"a":"b c d","e":"x"}"#,
        &["2:4 block-header", "4:4 block-header"],
    );
    check(
        "a: [b, c}\nd: [e,,f]",
        r#"{"a":"[b, c}","d":"[e,,f]"}"#,
        &["2:9 broken-brackets", "3:7 broken-brackets"],
    );
    check("a: *x # no", r#"{"a":"*x"}"#, &["2:4 unknown-alias"]);
    check(
        "a: *x see #5 # no",
        r#"{"a":"*x see #5"}"#,
        &["2:4 unknown-alias"],
    );
    check("a: &x *x", r#"{"a":"&x *x"}"#, &["2:7 unknown-alias"]);
    check(
        "a: [*.ts, @b, `c`, d]",
        r#"{"a":["*.ts","@b","`c`","d"]}"#,
        &[
            "2:5 unknown-alias",
            "2:11 reserved-start",
            "2:15 reserved-start",
        ],
    );
    check(
        "a:\n  b: c: d\n  e: 1",
        r#"{"a":{"b":"c: d","e":1}}"#,
        &["3:7 unquoted-colon"],
    );
    check(
        "a:\n  - b: c: d\n  - *e*",
        r#"{"a":[{"b":"c: d"},"*e*"]}"#,
        &["3:9 unquoted-colon", "4:5 unknown-alias"],
    );
}

#[test]
fn quotes_and_brackets_that_are_not_closed() {
    check(
        "a: \"b\nc: d",
        r#"{"a":"b","c":"d"}"#,
        &["2:4 unclosed-quote"],
    );
    check(
        "a: \"b c\n  d\nname: e",
        r#"{"a":"b c d","name":"e"}"#,
        &["2:4 unclosed-quote"],
    );
    check(
        "a: \"b\nname: \"c\"",
        r#"{"a":"b","name":"c"}"#,
        &["2:4 unclosed-quote"],
    );
    check(
        "a: 'it''s\nb: 1",
        r#"{"a":"it''s","b":1}"#,
        &["2:4 unclosed-quote"],
    );
    check("a: it's", r#"{"a":"it's"}"#, &[]);
    check(
        "tags: [b, c\nd: 1",
        r#"{"tags":["b","c"],"d":1}"#,
        &["2:7 unclosed-bracket"],
    );
    check(
        "a: {b: [1, {c: 2\nname: d",
        r#"{"a":{"b":[1,{"c":2}]},"name":"d"}"#,
        &["2:4 unclosed-bracket"],
    );
    check(
        "description: [b\nc: d",
        r#"{"description":"[b","c":"d"}"#,
        &["2:14 unclosed-bracket"],
    );
    check(
        "a: [\n  b,\n  c",
        r#"{"a":["b","c"]}"#,
        &["2:4 unclosed-bracket"],
    );
    check(
        "{\"a\": 1,\n\"b\": [2",
        r#"{"a":1,"b":[2]}"#,
        &["2:1 unclosed-bracket"],
    );
    check("{\"a\": 1}}", "{}", &["2:1 stray-line"]);
}

#[test]
fn lines_that_are_indented_wrongly() {
    check(
        "description: a\nb c\nd: 1",
        r#"{"description":"a b c","d":1}"#,
        &["3:1 outdented-line"],
    );
    check(
        "description: a\n\nb\n- c\n1. d",
        r#"{"description":"a\nb - c 1. d"}"#,
        &["4:1 outdented-line"],
    );
    check(
        "description: \"a\nb\n(1) c.\"\nd: 1",
        r#"{"description":"a b (1) c.","d":1}"#,
        &["3:1 outdented-line"],
    );
    check(
        "description: 'a\nNote: b'\nname: c",
        r#"{"description":"a Note: b","name":"c"}"#,
        &["3:1 outdented-line"],
    );
    check(
        "description: |\n  a\nb\nc",
        r#"{"description":"a\nb\nc"}"#,
        &["4:1 outdented-line"],
    );
    check(
        "description: \"a.\"\n  b",
        r#"{"description":"a. b"}"#,
        &["3:3 outdented-line"],
    );
    check(
        "description:\nuse it",
        r#"{"description":"use it"}"#,
        &["3:1 outdented-line"],
    );
    check(
        "description: a # x\n  b",
        r#"{"description":"a b"}"#,
        &["3:3 outdented-line"],
    );
    check(
        "name: a\nsome words\nb: 1",
        r#"{"name":"a","b":1}"#,
        &["3:1 stray-line"],
    );
    check(
        "name: a\n  description: b\n  version: 1",
        r#"{"name":"a","description":"b","version":1}"#,
        &["3:3 uneven-indentation", "4:3 uneven-indentation"],
    );
    check(
        "a:\n    b: 1\n  c: 2\nd: 3",
        r#"{"a":{"b":1,"c":2},"d":3}"#,
        &["4:3 uneven-indentation"],
    );
    check(
        "a:\n    - b\n  - c\n- d\ne: 1",
        r#"{"a":["b","c","d"],"e":1}"#,
        &["4:3 uneven-indentation", "5:1 uneven-indentation"],
    );
    check(
        "  a: 1\nb: 2",
        r#"{"a":1,"b":2}"#,
        &["3:1 uneven-indentation"],
    );
    check(
        "a:\n\tb: 1\n\tc:\n\t\td: 2",
        r#"{"a":{"b":1,"c":{"d":2}}}"#,
        &[
            "3:1 tab-indentation",
            "4:1 tab-indentation",
            "5:1 tab-indentation",
        ],
    );
    check(
        "a:\n\t- b\n\t- c",
        r#"{"a":["b","c"]}"#,
        &["3:1 tab-indentation", "4:1 tab-indentation"],
    );
    check("a: b\n\tc", r#"{"a":"b c"}"#, &["3:1 tab-indentation"]);
    check(
        "description: |\n\ta\n\tb",
        r#"{"description":"a\nb"}"#,
        &["3:2 tab-indentation"],
    );
    check(
        "a: {\n\"b\": [1],\n\"c\": 2\n}",
        r#"{"a":{"b":[1],"c":2}}"#,
        &["3:1 outdented-line"],
    );
    check(
        "a:\n\n* b\n* \"c\"\nd: 1",
        r#"{"a":["b","c"],"d":1}"#,
        &["4:1 markdown-bullet", "5:1 markdown-bullet"],
    );
}

#[test]
fn keys_that_are_broken() {
    check(
        "a: 1\na: 2\nb: 3",
        r#"{"a":1,"b":3}"#,
        &["3:1 duplicate-key"],
    );
    check(
        "a: {b: 1, b: 2}\nc:\n  d: 1\n  d: 2",
        r#"{"a":{"b":1},"c":{"d":1}}"#,
        &["2:11 duplicate-key", "5:3 duplicate-key"],
    );
    check("1: a\n\"1\": b", r#"{"1":"a"}"#, &["3:1 duplicate-key"]);
    check(
        "name:foo\ndescription:b c",
        r#"{"name":"foo","description":"b c"}"#,
        &["2:5 missing-space", "3:12 missing-space"],
    );
    check(
        "name\u{ff1a}foo",
        r#"{"name":"foo"}"#,
        &["2:5 missing-space"],
    );
    check(
        "\"a\":1\n'b':\"c\"",
        r#"{"a":1,"b":"c"}"#,
        &["2:4 missing-space", "3:4 missing-space"],
    );
    check(
        "? [a, b]\n: c",
        r#"{"[a, b]":"c"}"#,
        &["2:3 collection-key"],
    );
    check("**bold**: x\na: 1", r#"{"a":1}"#, &["2:1 stray-line"]);
    check("- a\n- b", "{}", &["2:1 stray-line"]);
    check("just words", "{}", &["2:1 stray-line"]);
    check("%YAML 1.2\na: 1", r#"{"a":1}"#, &["2:1 stray-line"]);
    check("a: 1\n...\nb: 2", r#"{"a":1,"b":2}"#, &["3:1 stray-line"]);
}

#[test]
fn escapes_that_are_none() {
    check(
        r#"a: "\D+1\q""#,
        r#"{"a":"\\D+1\\q"}"#,
        &["2:5 bad-escape", "2:9 bad-escape"],
    );
    check(r#"a: "\ud83d""#, r#"{"a":"\\ud83d"}"#, &["2:5 bad-escape"]);
    check(
        r#"a: "\xZZ\u12""#,
        r#"{"a":"\\xZZ\\u12"}"#,
        &["2:5 bad-escape", "2:9 bad-escape"],
    );
    check(
        "a: b\0c",
        "{\"a\":\"b\u{fffd}c\"}",
        &["2:5 control-character"],
    );
}
