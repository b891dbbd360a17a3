//! Sixty-four bytes at once: where quotes, backslashes and brackets stand, as bits.
//!
//! In: bytes inside an object or list, and whether they begin within a string. Out: after how many
//! of them it closes, or how deep it is then. Strings are told from the rest without a branch for
//! each byte, as simdjson does it.

/// Bytes of a block.
pub(super) const BLOCK: usize = 64;

/// A place inside an object or list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Inside {
    /// Objects and lists that are open; at least one.
    pub depth: u64,
    /// In a string.
    pub text: bool,
    /// After a backslash there.
    pub escape: bool,
}

/// Where certain bytes of a block stand: the first one is the lowest bit.
struct Marks {
    quotes: u64,
    backslashes: u64,
    opening: u64,
    closing: u64,
}

impl Inside {
    /// Goes through `bytes`. How many were used once the outermost object or list is closed; nothing
    /// when all are and it is still open.
    pub fn advance(&mut self, bytes: &[u8]) -> Option<usize> {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for (index, block) in blocks.iter().enumerate() {
            if let Some(used) = self.block(block, BLOCK) {
                return Some(index * BLOCK + used);
            }
        }
        if rest.is_empty() {
            return None;
        }
        let mut last = [0; BLOCK];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        self.block(&last, rest.len())
            .map(|used| blocks.len() * BLOCK + used)
    }

    /// The same for the first `length` bytes of a block; those after them are zero.
    #[inline]
    fn block(&mut self, bytes: &[u8; BLOCK], length: usize) -> Option<usize> {
        let before = *self;
        let marks = marks(bytes);
        let mut quotes = marks.quotes;
        if marks.backslashes != 0 || self.escape {
            let escaped = self.escaped(marks.backslashes, length);
            quotes &= !escaped;
        }
        let mut text = prefix_xor(quotes);
        if self.text {
            text = !text;
        }
        // Outside of strings a backslash is no JSON and escapes nothing.
        if marks.backslashes & !text != 0 {
            *self = before;
            return self.one_by_one(bytes.get(..length).unwrap_or_default());
        }
        let closing = marks.closing & !text;
        let opening = marks.opening & !text;
        if u64::from(closing.count_ones()) >= self.depth
            && let Some(used) = self.close(opening, closing)
        {
            return Some(used);
        }
        self.depth += u64::from(opening.count_ones());
        self.depth -= u64::from(closing.count_ones());
        self.text ^= quotes.count_ones() % 2 == 1;
        None
    }

    /// The same, byte by byte.
    #[cold]
    fn one_by_one(&mut self, bytes: &[u8]) -> Option<usize> {
        for (index, byte) in bytes.iter().enumerate() {
            match (self.text, byte) {
                (true, _) if self.escape => self.escape = false,
                (true, b'\\') => self.escape = true,
                (_, b'"') => self.text = !self.text,
                (false, b'{' | b'[') => self.depth += 1,
                (false, b'}' | b']') => self.depth -= 1,
                (true | false, _) => {}
            }
            if self.depth == 0 {
                return Some(index + 1);
            }
        }
        None
    }

    /// Bytes that stand after a backslash which is not itself escaped.
    fn escaped(&mut self, backslashes: u64, length: usize) -> u64 {
        let mut escaped = u64::from(self.escape);
        let mut left = backslashes & !escaped;
        let mut after_block = false;
        while left != 0 {
            let at = left.trailing_zeros();
            after_block = at + 1 >= u32::try_from(length).unwrap_or(u32::MAX);
            let next = 1_u64.checked_shl(at + 1).unwrap_or(0);
            escaped |= next;
            // The byte after it is no beginning, even if it is a backslash.
            left &= !(next | 1_u64 << at);
        }
        self.escape = after_block;
        escaped
    }

    /// Where the last open object or list is closed, if that is in this block.
    #[cold]
    fn close(&mut self, opening: u64, closing: u64) -> Option<usize> {
        let mut depth = self.depth;
        let mut left = opening | closing;
        while left != 0 {
            let at = left.trailing_zeros();
            let bit = 1_u64 << at;
            left &= !bit;
            if opening & bit != 0 {
                depth += 1;
            } else {
                depth -= 1;
            }
            if depth == 0 {
                *self = Self {
                    depth,
                    text: false,
                    escape: false,
                };
                return usize::try_from(at + 1).ok();
            }
        }
        None
    }
}

/// Each bit becomes the parity of the bits up to it: set from an opening quote on, up to the quote
/// that closes it.
fn prefix_xor(bits: u64) -> u64 {
    let mut bits = bits;
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^ bits << 32
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn marks(bytes: &[u8; BLOCK]) -> Marks {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128, v128_or};
    let mut marks = Marks {
        quotes: 0,
        backslashes: 0,
        opening: 0,
        closing: 0,
    };
    let bits =
        |vector: v128, byte: u8| u64::from(u8x16_bitmask(u8x16_eq(vector, u8x16_splat(byte))));
    let (quarters, _) = bytes.as_chunks::<16>();
    for (n, quarter) in quarters.iter().enumerate() {
        let whole = u128::from_le_bytes(*quarter);
        // Both halves are whole.
        #[allow(clippy::cast_possible_truncation)]
        let vector = u64x2(whole as u64, (whole >> 64) as u64);
        // `[` and `{`, `]` and `}` differ in one bit.
        let brackets = v128_or(vector, u8x16_splat(0x20));
        let shift = n * 16;
        marks.quotes |= bits(vector, b'"') << shift;
        marks.backslashes |= bits(vector, b'\\') << shift;
        marks.opening |= bits(brackets, b'{') << shift;
        marks.closing |= bits(brackets, b'}') << shift;
    }
    marks
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn marks(bytes: &[u8; BLOCK]) -> Marks {
    let bits = |is: fn(u8) -> bool| {
        let set = |all, (n, byte): (usize, &u8)| all | u64::from(is(*byte)) << n;
        bytes.iter().enumerate().fold(0, set)
    };
    Marks {
        quotes: bits(|byte| byte == b'"'),
        backslashes: bits(|byte| byte == b'\\'),
        opening: bits(|byte| matches!(byte, b'{' | b'[')),
        closing: bits(|byte| matches!(byte, b'}' | b']')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text in which what matters is dense, from a number.
    fn text(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        let mut in_text = false;
        let mut escape = false;
        let mut bytes = Vec::new();
        while bytes.len() < length {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let all: &[u8] = if in_text {
                b"\"\\\\{}[]ab"
            } else {
                b"\"{[{]}1,:\\"
            };
            let byte = all[usize::try_from(state >> 33).unwrap() % all.len()];
            if escape {
                escape = false;
            } else if byte == b'"' {
                in_text = !in_text;
            } else if byte == b'\\' {
                escape = in_text;
            }
            bytes.push(byte);
        }
        bytes
    }

    #[test]
    fn the_same_as_byte_by_byte_however_it_is_cut() {
        for seed in 0..300 {
            let bytes = text(seed, 40 + usize::try_from(seed).unwrap());
            for cut in 0..=bytes.len() {
                let mut quick = Inside {
                    depth: 1 + seed % 7,
                    text: false,
                    escape: false,
                };
                let mut plain = quick;
                let (first, second) = bytes.split_at(cut);
                for part in [first, second] {
                    let (found, expected) = (quick.advance(part), plain.one_by_one(part));
                    assert_eq!((found, quick), (expected, plain), "{seed} {cut}");
                    if found.is_some() {
                        break;
                    }
                }
            }
        }
    }
}
