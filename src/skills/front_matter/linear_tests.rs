//! Ten times the header, about ten times the work, whatever the header is. Work is counted in bytes
//! looked at, so that no clock decides.

use super::reader::Reader;

/// Bytes that the reader looks at, and bytes of JSON that it writes, for `header`.
fn work(header: &str) -> usize {
    let mut reader = Reader::new(header);
    reader.root();
    let (json, _) = reader.json();
    let nodes = reader.tape.len();
    let made = reader.tape.made.len();
    reader.steps.get() + json.len() + nodes + made
}

/// `shape` makes a header of about that many bytes.
fn check(name: &str, shape: impl Fn(usize) -> String) {
    check_up_to(12_000, name, shape);
}

fn check_up_to(bytes: usize, name: &str, shape: impl Fn(usize) -> String) {
    let small = shape(bytes / 10);
    let large = shape(bytes);
    let (few, many) = (work(&small), work(&large));
    let growth = large.len() * 100 / small.len();
    assert!(
        many * 100 <= few * growth + few * growth / 5,
        "{name}: {} bytes took {few}, {} bytes took {many}",
        small.len(),
        large.len()
    );
    // Nor is it linear only because it is slow everywhere.
    assert!(
        many <= large.len() * 150,
        "{name}: {many} for {} bytes",
        large.len()
    );
}

/// A header that begins with `head`, repeats `unit`, and ends with `tail`.
fn repeated(
    head: &'static str,
    unit: &'static str,
    tail: &'static str,
) -> impl Fn(usize) -> String {
    move |bytes| format!("{head}{}{tail}", unit.repeat(bytes / unit.len()))
}

#[test]
fn one_long_value() {
    for unit in [
        "a", " ", "\t", "é", "#", " #", ": ", ":", "- ", "\"", "'", "''", "\\\"", "[", "]", "{",
        "}", "[]", "{}", ",", "&a ", "*a ", "!a ", "! ", "? ", "|", ">", "%", "@", "`", "[a, ",
        "{a: ", "[\"", "['", "\"a\": ", "a: ", "a:", "{[", "a,", "\\u0041", "\\", "\\q",
    ] {
        for head in [
            "", "a: ", "a: x ", "a: \"", "a: '", "a: [", "a: {", "- ", "a:\n  ", "? ", "a: |",
        ] {
            for tail in ["", "\"", "'", "]", "\nname: b"] {
                check(&format!("{head} {unit} {tail}"), |bytes| {
                    format!("{head}{}{tail}", unit.repeat(bytes / unit.len()))
                });
            }
        }
    }
}

#[test]
fn many_lines() {
    for unit in [
        "\n",
        "a\n",
        "a:\n",
        "a: b\n",
        "- a\n",
        "* a\n",
        "# a\n",
        " \n",
        "\t\n",
        "a: \"\n",
        "a: '\n",
        "a: \"x\nb c\n",
        "a: 'x\n''\n",
        "a: [\n",
        "a: {\n",
        "a: [x\n",
        "a: [\"x\n",
        "a: *x\n",
        "a: b: c\n",
        "a: |\n",
        "a: |\n  b\n",
        "a: >\n\n\n",
        "a: &x [*x]\n",
        "? a\n",
        ": a\n",
        "'a': 1\n",
        "\"a\n",
        "b c\n",
        "  b c\n",
        "\tb\n",
        "a: x\n\tb\n",
        "- - a\n",
        "- a: b\n",
        "- |\n",
        "-\n",
        "a: b # c\n  d\n",
        "...\n",
        "a:b\n",
        "name: \"\n",
        "name: 'x\n",
        "a: !!str\n",
        "&a\n",
        "!a\n",
        "\"a\": {\n",
        "a: [b, c\n]\n",
        "a: x\nb\n",
        "description: a\nb\nc\n",
        "{\n",
        "}\n",
        "[\n",
        "]\n",
        "description:\n",
        "a: {\n\"b\": 1\n",
        "x: 'a\n  ''\n",
        "a: b\n  c: d\n",
    ] {
        for head in [
            "",
            "a:\n",
            "a: |\n",
            "a: x\n",
            "a: \"\n",
            "a: [\n",
            "a:\n  b:\n",
            "description: x\n",
            "a: &b\n",
        ] {
            check(&format!("{head:?} {unit:?}"), repeated_lines(head, unit));
            let indented = unit.replace('\n', "\n  ");
            check(&format!("{head:?} {indented:?}"), |bytes| {
                format!("{head}  {}", indented.repeat(bytes / indented.len()))
            });
        }
    }
}

fn repeated_lines(head: &str, unit: &str) -> impl Fn(usize) -> String {
    move |bytes| format!("{head}{}", unit.repeat(bytes / unit.len()))
}

/// A header of 1 MB of each hostile kind.
#[test]
fn a_megabyte() {
    const MEGABYTE: usize = 1024 * 1024;
    for (head, unit, tail) in [
        ("a: ", "[", ""),
        ("a: ", "{k: ", "}"),
        ("a: ", "[{", "]"),
        ("a: &a x\nb: [", "*a, ", "]"),
        ("", "k: &a [*a]\n", ""),
        ("a: \"", "\\\"", ""),
        ("a: ", "\"\"", ""),
        ("a: '", "''", "'"),
        ("a: \"", "\n", "b"),
        ("a: \"", "x\n", "\nname: b"),
        ("a:\n", "  - ", "x"),
        ("", "a: |\n\n", ""),
        ("a: ", "b: ", ""),
        ("a: x", " #", ""),
        ("", "- ", ""),
        ("? ", "? ", ""),
        ("a: ", "!t ", "x"),
    ] {
        let name = format!("{head:?} {unit:?} {tail:?}");
        check_up_to(MEGABYTE, &name, repeated(head, unit, tail));
    }
    check_up_to(MEGABYTE, "deeper and deeper", deeper);
}

fn deeper(bytes: usize) -> String {
    let lines = (2 * bytes).isqrt();
    let lines: Vec<String> = (0..lines)
        .map(|n| format!("{}k:\n", " ".repeat(n)))
        .collect();
    lines.concat()
}

#[test]
fn lines_that_differ() {
    check("keys", |bytes| numbered(bytes, |n| format!("k{n}: v\n")));
    check("keys in a flow map", |bytes| {
        format!("a: {{{}}}", numbered(bytes, |n| format!("k{n}: v, ")))
    });
    check("anchors", |bytes| {
        numbered(bytes, |n| format!("k{n}: &a{n} v\n"))
    });
    check("anchors in broken values", |bytes| {
        numbered(bytes, |n| format!("k{n}: [&a{n} v] x\n"))
    });
    check("aliases", |bytes| {
        format!("a: &a v\n{}", numbered(bytes, |n| format!("k{n}: *a\n")))
    });
    check("deeper and deeper", deeper);
    check("out and in", |bytes| {
        numbered(bytes, |n| format!("{}k{n}:\n", " ".repeat(n * 7 % 23)))
    });
    check("quotes that close later", |bytes| {
        numbered(bytes, |n| format!("k{n}: \"a\nb {n}\nc\" d\n"))
    });
    check("strays", repeated("name: a\n", "- b c\n", ""));
}

fn numbered(bytes: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    let mut n = 0;
    while text.len() < bytes {
        text.push_str(&line(n));
        n += 1;
    }
    text
}
