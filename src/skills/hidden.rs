//! Text that a model reads and a person does not see.
//!
//! In: a file's text. Out: what is hidden in it, by kind, with its lines. Emoji, joined letters of
//! scripts that need it, and a byte order mark at the start are as they should be and not reported;
//! else nobody would read the reports. Deliberately not here: what anyone makes of it.

use crate::order::sort_by;
use crate::text::is_hidden;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// What hides it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum HiddenKind {
    /// A comment of HTML or Markdown: a preview leaves it out.
    Comment,
    /// Characters of no width.
    ZeroWidth,
    /// Marks that turn the direction in which text is shown.
    Bidi,
    /// Tags and variation selectors: they can spell whole sentences that nothing shows.
    Tag,
    /// Control characters, on which a terminal may act.
    Control,
}

/// One kind of hidden text in a file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct HiddenText {
    /// What hides it.
    pub kind: HiddenKind,
    /// How often.
    pub count: u32,
    /// The lines it is on, from 1, each once, in order.
    pub lines: Vec<u32>,
}

/// What is hidden in `text`, by kind.
///
/// ```
/// use gbs_agent_core::skills::hidden::{find_hidden, HiddenKind};
/// let found = find_hidden("Fine ⚠️\nShort.\u{200b}<!-- obey -->\n");
/// assert_eq!((found[0].kind, found[0].lines.as_slice()), (HiddenKind::Comment, [2].as_slice()));
/// assert_eq!((found[1].kind, found[1].count), (HiddenKind::ZeroWidth, 1));
/// ```
pub fn find_hidden(text: &str) -> Vec<HiddenText> {
    let mut found: Vec<HiddenText> = Vec::new();
    let mut note = |kind: HiddenKind, line: u32| {
        let at = found.iter().position(|hidden| hidden.kind == kind);
        let at = at.unwrap_or(found.len());
        if at == found.len() {
            found.push(HiddenText {
                kind,
                count: 0,
                lines: Vec::new(),
            });
        }
        if let Some(hidden) = found.get_mut(at) {
            hidden.count = hidden.count.saturating_add(1);
            if hidden.lines.last() != Some(&line) {
                hidden.lines.push(line);
            }
        }
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, content) in (1u32..).zip(text.split('\n')) {
        for _ in content.matches("<!--") {
            note(HiddenKind::Comment, line);
        }
        if is_reference_comment(content) {
            note(HiddenKind::Comment, line);
        }
        let content = content.strip_suffix('\r').unwrap_or(content);
        let mut before = None;
        let mut chars = content.chars().peekable();
        while let Some(c) = chars.next() {
            if is_hidden(c) && !is_at_home(before, c, chars.peek().copied()) {
                note(kind(c), line);
            }
            before = Some(c);
        }
    }
    sort_by(&mut found, &|one, other| one.kind.cmp(&other.kind));
    found
}

/// `[//]: # (text)` and its kin: a link that nothing refers to, used as a comment.
fn is_reference_comment(line: &str) -> bool {
    let line = line.trim_start();
    let Some((_, target)) = line
        .strip_prefix('[')
        .and_then(|line| line.split_once("]:"))
    else {
        return false;
    };
    let target = target.trim_start();
    target.starts_with("<>") || (target.starts_with('#') && !target.starts_with("#/"))
}

fn kind(c: char) -> HiddenKind {
    match c {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            HiddenKind::Bidi
        }
        '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' => {
            HiddenKind::Tag
        }
        c if c.is_control() => HiddenKind::Control,
        _ => HiddenKind::ZeroWidth,
    }
}

/// Does `c` do its ordinary work between these neighbours: choose how the sign before it is drawn,
/// or join two signs or two letters of a script that joins?
fn is_at_home(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        '\u{fe0e}' | '\u{fe0f}' => {
            is_sign(before) || before.is_ascii_digit() || before == '#' || before == '*'
        }
        '\u{200d}' => {
            let sign = is_sign(before) || before == '\u{fe0f}';
            (sign && after.is_some_and(is_sign)) || joins(before, after)
        }
        '\u{200c}' => joins(before, after),
        _ => false,
    }
}

/// Arrows, signs and emoji.
fn is_sign(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Letters of the scripts in which joiners are spelling: Arabic to Sinhala, Myanmar, Khmer, Mongolian.
fn joins(before: char, after: Option<char>) -> bool {
    let joining = |c: char| {
        !is_hidden(c)
            && matches!(c,
                '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}'
                | '\u{1780}'..='\u{18af}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
    };
    joining(before) && after.is_some_and(joining)
}

#[cfg(test)]
mod tests {
    use super::*;
    use HiddenKind::{Bidi, Comment, Control, Tag, ZeroWidth};

    fn check(text: &str, expected: &[(HiddenKind, u32, &[u32])]) {
        let expected: Vec<HiddenText> = expected
            .iter()
            .map(|(kind, count, lines)| HiddenText {
                kind: *kind,
                count: *count,
                lines: lines.to_vec(),
            })
            .collect();
        assert_eq!(find_hidden(text), expected, "{text:?}");
    }

    #[test]
    fn what_is_at_home_is_not_reported() {
        for text in [
            "",
            "plain\r\ntext\twith tab",
            "\u{feff}---",
            "⚠️ ❤️ ✔︎ 1️⃣ #️⃣ ©️",
            "👩‍💻 👨‍👩‍👧 🏳️‍🌈 ❤️‍🔥",
            "می‌خواهم",
            "क्‍ष",
            "日本語 é ü",
            "[guide]: #/route",
            "[guide]: https://example.com",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn what_is_hidden_is() {
        check(
            "a\u{200b}b\u{200b}\nc\n\u{2060}d",
            &[(ZeroWidth, 3, &[1, 3])],
        );
        check("a\u{feff}b", &[(ZeroWidth, 1, &[1])]);
        check("a\u{200d}b", &[(ZeroWidth, 1, &[1])]);
        check("a\u{200c}b", &[(ZeroWidth, 1, &[1])]);
        check("soft\u{ad}ware", &[(ZeroWidth, 1, &[1])]);
        check("\u{202e}txt\u{202c}", &[(Bidi, 2, &[1])]);
        check("x\u{e0041}\u{e0042}", &[(Tag, 2, &[1])]);
        check("a\u{fe0f}", &[(Tag, 1, &[1])]);
        check("⚠\u{fe0f}\u{fe01}\u{fe02}", &[(Tag, 2, &[1])]);
        check("⚠\u{fe0f}\u{fe0f}", &[(Tag, 1, &[1])]);
        check("\u{1b}[8mhidden", &[(Control, 1, &[1])]);
        check("a\rb", &[(Control, 1, &[1])]);
        check("a\u{2028}b", &[(ZeroWidth, 1, &[1])]);
        check("x <!-- a --> <!-- b\n-->", &[(Comment, 2, &[1])]);
        check("```\n<!-- in a fence too -->\n```", &[(Comment, 1, &[2])]);
        check("  [//]: # (obey)", &[(Comment, 1, &[1])]);
        check("[comment]: <> (obey)", &[(Comment, 1, &[1])]);
        check(
            "<!--\u{200b}\u{202e}\u{e0041}\u{7}-->",
            &[
                (Comment, 1, &[1]),
                (ZeroWidth, 1, &[1]),
                (Bidi, 1, &[1]),
                (Tag, 1, &[1]),
                (Control, 1, &[1]),
            ],
        );
    }
}
