//! Headers, well-formed and broken, as data: what they are read as, and what is said about them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use gbs_agent_core::skills::front_matter::parse_skill;

/// Codes about what fields mean, which a header without name and description always has.
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

/// What `header` is read as, and its repairs as `line:column code`. The header begins on line 2.
#[track_caller]
fn check(header: &str, json: &str, repairs: &[&str]) {
    let file = format!("---\n{header}\n---\nBody");
    let skill = parse_skill(file.as_bytes(), "");
    let found: Vec<String> = skill
        .problems
        .iter()
        .filter(|problem| !MEANING.contains(&problem.code.as_str()))
        .map(|p| format!("{}:{} {}", p.start.line, p.start.column, p.code))
        .collect();
    assert_eq!(
        (skill.front_matter.as_str(), &found[..]),
        (json, &to_owned(repairs)[..]),
        "{header}"
    );
    assert_eq!(skill.body, "Body");
}

fn to_owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[track_caller]
fn well_formed(header: &str, json: &str) {
    check(header, json, &[]);
}

#[test]
fn plain_scalars() {
    well_formed("a: b", r#"{"a":"b"}"#);
    well_formed("a:  b  ", r#"{"a":"b"}"#);
    well_formed("a:\tb", r#"{"a":"b"}"#);
    well_formed("a: b # c", r#"{"a":"b"}"#);
    well_formed("a: b#c", r#"{"a":"b#c"}"#);
    well_formed("a: b:c", r#"{"a":"b:c"}"#);
    well_formed("a: http://x.y:80/z", r#"{"a":"http://x.y:80/z"}"#);
    well_formed("a: -b\nc: ?d\ne: :f", r#"{"a":"-b","c":"?d","e":":f"}"#);
    well_formed("a: b - c", r#"{"a":"b - c"}"#);
    well_formed("a: b [c] {d}, e", r#"{"a":"b [c] {d}, e"}"#);
    well_formed("a: b \"c\" 'd'", r#"{"a":"b \"c\" 'd'"}"#);
    well_formed("a: C:\\x", r#"{"a":"C:\\x"}"#);
    well_formed("a: b\n  c", r#"{"a":"b c"}"#);
    well_formed("a: b\n\n\n  c", r#"{"a":"b\n\nc"}"#);
    well_formed("a: b\n \t c", r#"{"a":"b c"}"#);
    well_formed("a: b\n  - c\n  d", r#"{"a":"b - c d"}"#);
    well_formed("a:\n  b\n  c", r#"{"a":"b c"}"#);
    well_formed("a:\n  b # c", r#"{"a":"b"}"#);
    well_formed("a: b\n  ---\n  c", r#"{"a":"b --- c"}"#);
    well_formed("a b: c d", r#"{"a b":"c d"}"#);
    well_formed("a : b", r#"{"a":"b"}"#);
    well_formed("中: 文\n😀: é", r#"{"中":"文","😀":"é"}"#);
    well_formed(": b", r#"{"":"b"}"#);
}

#[test]
fn types_of_the_core_schema() {
    well_formed(
        "a: 3000\nb: 1.0\nc: 0x1F\nd: 0o17\ne: -.5\nf: 1e3",
        r#"{"a":3000,"b":1.0,"c":31,"d":15,"e":-0.5,"f":1e3}"#,
    );
    well_formed(
        "a: true\nb: False\nc: yes\nd: on\ne: n",
        r#"{"a":true,"b":false,"c":"yes","d":"on","e":"n"}"#,
    );
    well_formed(
        "a:\nb: ~\nc: null\nd: \"\"",
        r#"{"a":null,"b":null,"c":null,"d":""}"#,
    );
    well_formed(
        "a: .inf\nb: .NaN\nc: 1e999",
        r#"{"a":null,"b":null,"c":null}"#,
    );
    well_formed(
        "a: 2026-01-02\nb: 12:30:45\nc: 1_000",
        r#"{"a":"2026-01-02","b":"12:30:45","c":"1_000"}"#,
    );
    well_formed(
        "1: a\n1.50: b\ntrue: c\nnull: d\n0x10: e",
        r#"{"1":"a","1.5":"b","true":"c","":"d","16":"e"}"#,
    );
    well_formed("a: '1'\nb: \"true\"", r#"{"a":"1","b":"true"}"#);
    well_formed(
        "a: !!str 1\nb: !!int \"3\"\nc: !!float 3\nd: !!null ''\ne: ! 5\nf: !x 6\ng: !!str",
        r#"{"a":"1","b":3,"c":3,"d":null,"e":"5","f":"6","g":""}"#,
    );
    well_formed(
        "a: !<tag:yaml.org,2002:int> '7'\nb: !!map\n  c: 1\nd: !!seq\n- 1",
        r#"{"a":7,"b":{"c":1},"d":[1]}"#,
    );
}

#[test]
fn quoted_scalars() {
    well_formed(r#"a: "b: c # d""#, r#"{"a":"b: c # d"}"#);
    well_formed("a: 'it''s'", r#"{"a":"it's"}"#);
    well_formed(
        r#"a: "\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P""#,
        "{\"a\":\"\\u0000\\u0007\\u0008\\t\\n\\u000b\\u000c\\r\\u001b \\\"/\\\\\u{85}\u{a0}\u{2028}\u{2029}\"}",
    );
    well_formed(r#"a: "\x41\u00e9\U0001F600""#, r#"{"a":"Aé😀"}"#);
    well_formed(r#"a: "\ud83d\ude00""#, r#"{"a":"😀"}"#);
    well_formed("a: \"b\n  c\n\n  d  \n   e\"", r#"{"a":"b c\nd e"}"#);
    well_formed("a: \"b \\\n  c\\\n  \\ d\"", r#"{"a":"b c d"}"#);
    well_formed("a: \" b \n \"", r#"{"a":" b "}"#);
    well_formed("a: 'b\n  c\n\n\n  d'", r#"{"a":"b c\n\nd"}"#);
    well_formed("a:\n  \"b\"", r#"{"a":"b"}"#);
    well_formed(
        "\"a b\": 1\n'c: d': 2\n\"e\\n\" : 3",
        r#"{"a b":1,"c: d":2,"e\n":3}"#,
    );
    well_formed("a: \"b\" # c", r#"{"a":"b"}"#);
    well_formed("a: \"b\\\t c\"", r#"{"a":"b\t c"}"#);
}

#[test]
fn block_scalars() {
    well_formed(
        "a: |\n  b\n   c\n\n  d\ne: 1",
        r#"{"a":"b\n c\n\nd\n","e":1}"#,
    );
    well_formed(
        "a: >\n  b\n  c\n\n  d\n\n\n  e\nf: 1",
        r#"{"a":"b c\nd\n\ne\n","f":1}"#,
    );
    well_formed(
        "a: >\n  b\n    c\n  d\ne: 1",
        r#"{"a":"b\n  c\nd\n","e":1}"#,
    );
    well_formed("a: |-\n  b\n\nc: >-\n  d\n", r#"{"a":"b","c":"d"}"#);
    well_formed(
        "a: |+\n  b\n\nc: >+\n  d\n\n",
        r#"{"a":"b\n\n","c":"d\n\n\n"}"#,
    );
    well_formed(
        "a: >2\n   b\n  c\nd: |1-\n  e",
        r#"{"a":" b\nc\n","d":" e"}"#,
    );
    well_formed("a: |-2\n   b", r#"{"a":" b"}"#);
    well_formed("a: | # c\n  b", r#"{"a":"b\n"}"#);
    well_formed(
        "a: |\nb: >-\nc: |+\n\nd: 1",
        r#"{"a":"","b":"","c":"\n","d":1}"#,
    );
    well_formed("a: |\n\n  b", r#"{"a":"\nb\n"}"#);
    well_formed(
        "a: |\n  # no\n  ---\n  b: c\n# yes\nd: 1",
        r##"{"a":"# no\n---\nb: c\n","d":1}"##,
    );
}

#[test]
fn block_collections() {
    well_formed("a:\n- b\n- c\nd: 1", r#"{"a":["b","c"],"d":1}"#);
    well_formed(
        "a:\n  - b\n  -  c\n  -\n    d\n  -",
        r#"{"a":["b","c","d",null]}"#,
    );
    well_formed(
        "a:\n  - b: 1\n    c: 2\n  - d: 3",
        r#"{"a":[{"b":1,"c":2},{"d":3}]}"#,
    );
    well_formed(
        "a:\n  - - b\n    - c\n  - - - d",
        r#"{"a":[["b","c"],[["d"]]]}"#,
    );
    well_formed(
        "a:\n  b:\n    c: 1\n  d: 2\ne: 3",
        r#"{"a":{"b":{"c":1},"d":2},"e":3}"#,
    );
    well_formed(
        "a:\n  - |\n    b\n  - >-\n    c\n  - \"d\"\n  - [e]",
        r#"{"a":["b\n","c","d",["e"]]}"#,
    );
    well_formed("a:\n    b: 1\nc:\n d: 2", r#"{"a":{"b":1},"c":{"d":2}}"#);
    well_formed(
        "? a\n: b\n? c\n? |\n  d\n: - 1\n  - 2",
        r#"{"a":"b","c":null,"d\n":[1,2]}"#,
    );
    well_formed("  a: 1\n  b:\n    c: 2", r#"{"a":1,"b":{"c":2}}"#);
    well_formed(
        "# x\n\na: 1 # y\n  # z\n# w\nb: 2\n\n# end",
        r#"{"a":1,"b":2}"#,
    );
    well_formed("a:\n  # x\n  b: 1\n # y\n  c: 2", r#"{"a":{"b":1,"c":2}}"#);
    well_formed("a:\n- b\n\n# x\n- c", r#"{"a":["b","c"]}"#);
    well_formed("", "{}");
    well_formed("!!map\na: 1", r#"{"a":1}"#);
}

#[test]
fn flow_collections() {
    well_formed(
        "a: [b, c d, \"e, f\", 'g', 1, ]",
        r#"{"a":["b","c d","e, f","g",1]}"#,
    );
    well_formed(
        "a: {b: 1, c: d e, \"f\": 2, g, h: , i:}",
        r#"{"a":{"b":1,"c":"d e","f":2,"g":null,"h":null,"i":null}}"#,
    );
    well_formed(
        "a: {\"b\":1,\"c\":[2,{\"d\":null}]}",
        r#"{"a":{"b":1,"c":[2,{"d":null}]}}"#,
    );
    well_formed("a: []\nb: {}\nc: [ ]", r#"{"a":[],"b":{},"c":[]}"#);
    well_formed(
        "a: [b: 1, \"c\":2, ? d : 3, : 4]",
        r#"{"a":[{"b":1},{"c":2},{"d":3},{"":4}]}"#,
    );
    well_formed(
        "a: [http://b.c/d, e:f, -g]",
        r#"{"a":["http://b.c/d","e:f","-g"]}"#,
    );
    well_formed(
        "a: [\n  b, # x\n  c\n  d,\n\n  \"e\n  f\"\n]",
        r#"{"a":["b","c d","e f"]}"#,
    );
    well_formed(
        "a:\n  {\n    \"b\": {\"c\": [\"d\"]},\n  }\ne: 1",
        r#"{"a":{"b":{"c":["d"]}},"e":1}"#,
    );
    well_formed(
        "{\"a\": 1, \"b\": {\"c\": [true]}}",
        r#"{"a":1,"b":{"c":[true]}}"#,
    );
    well_formed("{\n  a: 1,\n  b: 2\n}", r#"{"a":1,"b":2}"#);
    well_formed(
        "a: {b: {c: {d: [[[e]]]}}}",
        r#"{"a":{"b":{"c":{"d":[[["e"]]]}}}}"#,
    );
}

#[test]
fn anchors_and_aliases() {
    well_formed("a: &x b\nc: *x", r#"{"a":"b","c":"b"}"#);
    well_formed(
        "a: &x\n  b: [1, 2]\nc: *x\nd: [*x, &y z, *y]",
        r#"{"a":{"b":[1,2]},"c":{"b":[1,2]},"d":[{"b":[1,2]},"z","z"]}"#,
    );
    well_formed("a: &x 1\nb: &x 2\nc: *x", r#"{"a":1,"b":2,"c":2}"#);
    well_formed("&k a: 1\nb: *k", r#"{"a":1,"b":"a"}"#);
    well_formed("a: &x b\n*x : c", r#"{"a":"b","b":"c"}"#);
    well_formed("a: &x\nb: *x", r#"{"a":null,"b":null}"#);
    well_formed("&k 7: 1\nb: *k", r#"{"7":1,"b":7}"#);
    well_formed(
        "base: &b {x: 1}\nuse:\n  <<: *b\n  y: 2",
        r#"{"base":{"x":1},"use":{"<<":{"x":1},"y":2}}"#,
    );
}

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
