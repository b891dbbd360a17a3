//! Bytes looked at eight at once, where every byte of a header or body is looked at.
//!
//! WebAssembly has 64-bit arithmetic everywhere, vectors not yet.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// A mark at the high bit of each byte of `word` that is `byte`.
#[inline]
fn marks(word: u64, byte: u8) -> u64 {
    let difference = word ^ (ONES * u64::from(byte));
    !(((difference & LOW) + LOW) | difference) & HIGH
}

/// A mark at the high bit of each byte of `word` that is below 32.
#[inline]
fn marks_of_controls(word: u64) -> u64 {
    !(((word & LOW) + ONES * 0x60) | word) & HIGH
}

/// The first place that `marked` marks, which `is` confirms for the bytes at the end.
#[inline]
fn first(bytes: &[u8], marked: impl Fn(u64) -> u64, is: impl Fn(u8) -> bool) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (count, word) in words.iter().enumerate() {
        let marks = marked(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(count * 8 + (marks.trailing_zeros() / 8) as usize);
        }
    }
    let at = rest.iter().position(|byte| is(*byte))?;
    Some(words.len() * 8 + at)
}

/// The first place of one of two bytes.
pub(super) fn either(bytes: &[u8], a: u8, b: u8) -> Option<usize> {
    first(
        bytes,
        |word| marks(word, a) | marks(word, b),
        |byte| byte == a || byte == b,
    )
}

/// The first byte that cannot stand in a JSON string as it is.
pub(super) fn to_escape(bytes: &[u8]) -> Option<usize> {
    first(
        bytes,
        |word| marks(word, b'"') | marks(word, b'\\') | marks_of_controls(word),
        |byte| matches!(byte, b'"' | b'\\' | 0..0x20),
    )
}

/// True when `bytes` may not stand in a quoted YAML scalar as they are: there is a quote, a backslash,
/// or what may be a control character (a byte below 0x20, 0x7f, or two of which the first is 0xc2).
pub(super) fn odd_in_quotes(bytes: &[u8]) -> bool {
    let odd = first(
        bytes,
        |word| {
            let in_json = marks(word, b'"') | marks(word, b'\\') | marks_of_controls(word);
            in_json | marks(word, 0x7f) | marks(word, 0xc2)
        },
        |byte| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x7f | 0xc2),
    );
    odd.is_some()
}

/// How often `byte` is in `bytes`.
pub(super) fn count(bytes: &[u8], byte: u8) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let in_words: usize = words
        .iter()
        .map(|word| marks(u64::from_le_bytes(*word), byte).count_ones() as usize)
        .sum();
    in_words + rest.iter().map(|b| usize::from(*b == byte)).sum::<usize>()
}

/// UTF-16 code units of `text`: one for each character, and one more for those of four bytes.
pub(super) fn utf16_length(text: &str) -> usize {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut goes_on = 0;
    let mut four = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        // 10xxxxxx goes on with a character, 1111xxxx begins one of four bytes.
        goes_on += (word & !(word << 1) & HIGH).count_ones();
        four += (word & word << 1 & word << 2 & word << 3 & HIGH).count_ones();
    }
    for byte in rest {
        goes_on += u32::from(byte & 0xc0 == 0x80);
        four += u32::from(*byte >= 0xf0);
    }
    (text.len() + four as usize).saturating_sub(goes_on as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte, at every place of a word and of the rest, among bytes that are near to it.
    fn every_byte(check: impl Fn(&[u8])) {
        for byte in 0..=255_u8 {
            for at in 0..19 {
                for filler in [b'a', 0x7f, 0x80, 0xff, byte.wrapping_add(1)] {
                    let mut bytes = [filler; 19];
                    bytes[at] = byte;
                    check(&bytes);
                }
            }
        }
    }

    #[test]
    fn bytes_are_found_and_counted() {
        every_byte(|bytes| {
            let is = |b: &u8| matches!(*b, b'\n' | b'\r');
            assert_eq!(either(bytes, b'\n', b'\r'), bytes.iter().position(is));
            let is = |b: &u8| matches!(*b, b'"' | b'\\' | 0..0x20);
            assert_eq!(to_escape(bytes), bytes.iter().position(is));
            let is = |b: &u8| matches!(*b, b'"' | b'\\' | 0..0x20 | 0x7f | 0xc2);
            assert_eq!(odd_in_quotes(bytes), bytes.iter().any(is));
            let feeds = bytes
                .iter()
                .map(|b| usize::from(*b == b'\n'))
                .sum::<usize>();
            assert_eq!(count(bytes, b'\n'), feeds);
        });
    }

    #[test]
    fn lengths_are_those_of_javascript() {
        let texts = [
            "",
            "a",
            "abcdefgh",
            "é中😀",
            "12345678é",
            "中中中中中中中😀x",
            "\u{7ff}\u{800}",
        ];
        for text in texts {
            for blanks in 0..9 {
                let text = format!("{}{text}", " ".repeat(blanks));
                assert_eq!(utf16_length(&text), text.encode_utf16().count(), "{text}");
            }
        }
    }
}
