//! Headers made by choices.

use proptest::prelude::*;

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
pub fn header() -> impl Strategy<Value = String> {
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
pub fn soup() -> impl Strategy<Value = String> {
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
