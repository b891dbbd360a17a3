//! Bytes looked at many at once, where every byte of a header or body is looked at: sixteen by the
//! vectors of WebAssembly, which every host has, then eight by 64-bit arithmetic, then one.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// What is looked for: some bytes, and perhaps all below 32.
#[derive(Clone, Copy)]
struct Sought<const N: usize> {
    bytes: [u8; N],
    controls: bool,
}

impl<const N: usize> Sought<N> {
    #[inline]
    fn has(self, byte: u8) -> bool {
        (self.controls && byte < 0x20) || self.bytes.contains(&byte)
    }

    /// A mark at the high bit of each byte of `word` that is sought.
    #[inline]
    fn in_word(self, word: u64) -> u64 {
        let controls = if self.controls {
            !(((word & LOW) + ONES * 0x60) | word) & HIGH
        } else {
            0
        };
        let each = |all, byte: &u8| all | marks(word, *byte);
        self.bytes.iter().fold(controls, each)
    }

    /// The first place of what is sought.
    #[inline]
    fn first(self, bytes: &[u8]) -> Option<usize> {
        let mut rest = bytes;
        let mut before = 0;
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        while let Some((block, after)) = rest.split_first_chunk::<16>() {
            let found = vectors::sought(self, block);
            if found != 0 {
                return Some(before + found.trailing_zeros() as usize);
            }
            rest = after;
            before += 16;
        }
        while let Some((word, after)) = rest.split_first_chunk::<8>() {
            let found = self.in_word(u64::from_le_bytes(*word));
            if found != 0 {
                return Some(before + (found.trailing_zeros() / 8) as usize);
            }
            rest = after;
            before += 8;
        }
        let at = rest.iter().position(|byte| self.has(*byte))?;
        Some(before + at)
    }
}

/// A mark at the high bit of each byte of `word` that is `byte`.
#[inline]
fn marks(word: u64, byte: u8) -> u64 {
    let difference = word ^ (ONES * u64::from(byte));
    !(((difference & LOW) + LOW) | difference) & HIGH
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod vectors {
    use super::Sought;
    use core::arch::wasm32::{
        u8x16_bitmask, u8x16_eq, u8x16_ge, u8x16_lt, u8x16_splat, u64x2, v128, v128_and, v128_or,
    };

    #[inline]
    fn loaded(block: &[u8; 16]) -> v128 {
        let whole = u128::from_le_bytes(*block);
        // Both halves are whole.
        #[allow(clippy::cast_possible_truncation)]
        u64x2(whole as u64, (whole >> 64) as u64)
    }

    /// A bit for each byte that is sought; the first byte is the lowest.
    #[inline]
    pub fn sought<const N: usize>(sought: Sought<N>, block: &[u8; 16]) -> u16 {
        let vector = loaded(block);
        let controls = if sought.controls {
            u8x16_lt(vector, u8x16_splat(0x20))
        } else {
            u64x2(0, 0)
        };
        let each = |all, byte: &u8| v128_or(all, u8x16_eq(vector, u8x16_splat(*byte)));
        u8x16_bitmask(sought.bytes.iter().fold(controls, each))
    }

    /// How many bytes go on with a character (10xxxxxx), and how many begin one of four (1111xxxx).
    #[inline]
    pub fn characters(block: &[u8; 16]) -> (u32, u32) {
        let vector = loaded(block);
        let high = v128_and(vector, u8x16_splat(0xc0));
        let goes_on = u8x16_bitmask(u8x16_eq(high, u8x16_splat(0x80)));
        let four = u8x16_bitmask(u8x16_ge(vector, u8x16_splat(0xf0)));
        (goes_on.count_ones(), four.count_ones())
    }
}

/// The first place of one of two bytes.
pub(super) fn either(bytes: &[u8], a: u8, b: u8) -> Option<usize> {
    let sought = Sought {
        bytes: [a, b],
        controls: false,
    };
    sought.first(bytes)
}

/// The first byte that cannot stand in a JSON string as it is.
pub(super) fn to_escape(bytes: &[u8]) -> Option<usize> {
    let sought = Sought {
        bytes: [b'"', b'\\'],
        controls: true,
    };
    sought.first(bytes)
}

/// True when `bytes` may not stand in a quoted YAML scalar as they are: there is a quote, a backslash,
/// or what may be a control character (a byte below 0x20, 0x7f, or two of which the first is 0xc2).
pub(super) fn odd_in_quotes(bytes: &[u8]) -> bool {
    let sought = Sought {
        bytes: [b'"', b'\\', 0x7f, 0xc2],
        controls: true,
    };
    sought.first(bytes).is_some()
}

/// Where a quoted YAML scalar ends, or what stands in it is not its text as it is: its quote, a line
/// feed, NUL, in double quotes a backslash.
pub(super) fn in_quotes_until(bytes: &[u8], quote: u8) -> Option<usize> {
    let escape = if quote == b'"' { b'\\' } else { quote };
    let sought = Sought {
        bytes: [quote, escape, b'\n', 0],
        controls: false,
    };
    sought.first(bytes)
}

/// Every byte is below 128. Without an early end: nearly all are.
pub(super) fn is_ascii(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<16>();
    let join = |all, block: &[u8; 16]| all | u128::from_le_bytes(*block);
    let all = blocks.iter().fold(0, join) | u128::from(rest.iter().fold(0, |all, byte| all | byte));
    all & (u128::from(HIGH) << 64 | u128::from(HIGH)) == 0
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
    let mut rest = text.as_bytes();
    let mut goes_on = 0;
    let mut four = 0;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    while let Some((block, after)) = rest.split_first_chunk::<16>() {
        let found = vectors::characters(block);
        goes_on += found.0;
        four += found.1;
        rest = after;
    }
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        // 10xxxxxx goes on with a character, 1111xxxx begins one of four bytes.
        goes_on += (word & !(word << 1) & HIGH).count_ones();
        four += (word & word << 1 & word << 2 & word << 3 & HIGH).count_ones();
        rest = after;
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
            for at in 0..44 {
                for filler in [b'a', 0x7f, 0x80, 0xff, byte.wrapping_add(1)] {
                    let mut bytes = [filler; 44];
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
            assert_eq!(is_ascii(bytes), bytes.is_ascii());
            let is = |b: &u8| matches!(*b, b'"' | b'\\' | b'\n' | 0);
            assert_eq!(in_quotes_until(bytes, b'"'), bytes.iter().position(is));
            let is = |b: &u8| matches!(*b, b'\'' | b'\n' | 0);
            assert_eq!(in_quotes_until(bytes, b'\''), bytes.iter().position(is));
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
            for blanks in 0..35 {
                let text = format!("{}{text}", " ".repeat(blanks));
                assert_eq!(utf16_length(&text), text.encode_utf16().count(), "{text}");
            }
        }
    }
}
