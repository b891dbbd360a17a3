//! Headers that are YAML.

use crate::check;

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
