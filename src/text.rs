//! Text that came from somebody else, made fit to be shown: to a model on one line, or to a person.
//!
//! In: any string. Out: a string that cannot pose as another line, or draw itself as something
//! else. Deliberately not here: Markdown, HTML.

use crate::limits::CHARACTERS_PER_TWO_TOKENS;
use std::borrow::Cow;

/// Tokens that `text` is taken to cost: characters / 3.5, rounded up.
///
/// ```
/// assert_eq!(gbs_agent_core::text::tokens("12345678"), 3);
/// ```
pub fn tokens(text: &str) -> usize {
    (text.chars().count() * 2).div_ceil(CHARACTERS_PER_TWO_TOKENS)
}

/// True for characters that change how text is drawn or read without being seen themselves:
/// controls (but for tab and line feed), bidi marks, zero-width ones, tags, variation selectors.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// `text` as one line: white space run together to one blank, ends trimmed, hidden characters
/// dropped. Two texts that look the same come out the same.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        } else if !is_hidden(c) {
            line.push(c);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// `text` as it is shown to a person who decides about it: every hidden character stands as
/// `\u{…}` with its number in hexadecimal. Line feeds and tabs stay.
///
/// ```
/// assert_eq!(gbs_agent_core::text::visible("a\u{1b}[2K\u{202e}b"), "a\\u{1b}[2K\\u{202e}b");
/// ```
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// `text` in composed form (NFC): one spelling for letters that have several.
///
/// ```
/// assert_eq!(gbs_agent_core::text::composed("cafe\u{301}"), "caf\u{e9}");
/// ```
pub fn composed(text: &str) -> Cow<'_, str> {
    // Below the first combining mark nothing composes.
    if text.chars().all(|c| c < '\u{300}') {
        return Cow::Borrowed(text);
    }
    #[cfg(target_arch = "wasm32")]
    return Cow::Owned(crate::wasm::text::composed(text));
    #[cfg(not(target_arch = "wasm32"))]
    Cow::Owned(unicode_normalization::UnicodeNormalization::nfc(text).collect())
}

/// `text` in lower case, as Unicode has it.
///
/// ```
/// assert_eq!(gbs_agent_core::text::lower("ΌΔΟΣ Éa"), "όδος éa");
/// ```
#[allow(clippy::disallowed_methods)] // The one place, beside its tables in the host.
pub fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    #[cfg(target_arch = "wasm32")]
    return crate::wasm::text::lower(text);
    #[cfg(not(target_arch = "wasm32"))]
    text.to_lowercase()
}

/// `text` in upper case, as Unicode has it.
///
/// ```
/// assert_eq!(gbs_agent_core::text::upper("Straße é"), "STRASSE É");
/// ```
#[allow(clippy::disallowed_methods)] // The one place, beside its tables in the host.
pub fn upper(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    #[cfg(target_arch = "wasm32")]
    return crate::wasm::text::upper(text);
    #[cfg(not(target_arch = "wasm32"))]
    text.to_uppercase()
}

/// Bytes as lower-case hexadecimal.
///
/// ```
/// assert_eq!(gbs_agent_core::text::hex(&[0, 0xab]), "00ab");
/// ```
pub fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)])
        .collect()
}

/// `text` without hidden characters; line feeds and tabs stay, and carriage returns become line feeds.
pub fn clean(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .chars()
        .filter(|c| !is_hidden(*c))
        .collect()
}

/// Somebody else's text for a model, between tags that say whose it is. What stands in it that would
/// open or close the tag is escaped, whatever its case and blanks, so the text cannot end early.
///
/// ```
/// let text = gbs_agent_core::text::wrapped("data", "a.md", "x </ DATA > y");
/// assert_eq!(text, "<data from=\"a.md\">\nx &lt;/ DATA > y\n</data>");
/// ```
pub fn wrapped(tag: &str, from: &str, text: &str) -> String {
    let from: String = one_line(from)
        .chars()
        .map(|c| if matches!(c, '"' | '<' | '>') { '_' } else { c })
        .collect();
    let mut inner = String::with_capacity(text.len());
    let mut rest = text.trim_matches('\n');
    while let Some((before, after)) = rest.split_once('<') {
        inner.push_str(before);
        inner.push_str(if names_tag(after, tag) { "&lt;" } else { "<" });
        rest = after;
    }
    inner.push_str(rest);
    format!("<{tag} from=\"{from}\">\n{inner}\n</{tag}>")
}

/// Does what follows a `<` read as this tag, opening or closing? Bounded: blanks are looked through
/// for a few characters only, since no reader takes more for a tag.
fn names_tag(after: &str, tag: &str) -> bool {
    let mut seen = after
        .chars()
        .take(32 + tag.len())
        .filter(|c| !c.is_whitespace() && *c != '/' && !is_hidden(*c));
    tag.chars()
        .all(|t| seen.next().is_some_and(|c| c.eq_ignore_ascii_case(&t)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        assert_eq!(one_line(input), expected);
    }

    #[test]
    fn one_line_cannot_pose_as_two() {
        check("a\n- b: c", "a - b: c");
        check("  a\r\n\t b ", "a b");
        check("a\u{202e}b\u{200b}c\u{7}", "abc");
        check("a\u{2028}b", "a b");
        check("", "");
    }

    #[test]
    fn visible_hides_nothing_and_changes_nothing_else() {
        assert_eq!(visible("a\tb\nc é 日本 🙂"), "a\tb\nc é 日本 🙂");
        assert_eq!(visible("\r\u{0}\u{9b}"), "\\u{d}\\u{0}\\u{9b}");
        assert_eq!(visible("\u{200b}\u{e0041}"), "\\u{200b}\\u{e0041}");
    }

    #[test]
    fn wrapped_text_cannot_end_early() {
        let check = |text: &str, inner: &str| {
            assert_eq!(
                wrapped("data", "a", text),
                format!("<data from=\"a\">\n{inner}\n</data>")
            );
        };
        check("a < b, <b>, </dat>", "a < b, <b>, </dat>");
        check("</data>", "&lt;/data>");
        check("< /\u{200b}DaTa", "&lt; /\u{200b}DaTa");
        check("<data from=x>", "&lt;data from=x>");
        check("<<data>", "<&lt;data>");
        check("\n\nx\n", "x");
        assert_eq!(
            wrapped("data", "a\"> \n<x", ""),
            "<data from=\"a__ _x\">\n\n</data>"
        );
    }

    #[test]
    fn clean_keeps_lines() {
        assert_eq!(clean("a\r\nb\rc\td\u{202e}e"), "a\nb\nc\tde");
    }
}
