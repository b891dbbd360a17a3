//! Names that are almost spelled as somebody reads them.
//!
//! In: a name that nobody knows, and those that are known. Out: the one that its author surely meant, if
//! there is one. Others have names of their own, so only what differs by a slip of the hand counts: one
//! letter of five and more, two of nine and more, case, and what stands between words.

/// Longer names are none that was misspelled: no known one has more than 26 letters.
const LONGEST: usize = 32;

/// A known name as it is compared.
#[derive(Debug)]
pub(crate) struct Known {
    name: &'static str,
    /// Its letters, as [`plain`] has them.
    plain: [u8; LONGEST],
    length: usize,
    /// Which letters it has.
    letters: u32,
}

impl Known {
    /// The same for one name.
    pub(crate) const fn new(name: &'static str) -> Self {
        let (plain, length) = plain(name.as_bytes());
        Self {
            name,
            letters: letters(&plain),
            plain,
            length,
        }
    }
}

/// The known name that `name` surely means; nothing for a known one itself.
pub(crate) fn meant(name: &str, known: &[Known]) -> Option<&'static str> {
    // A mark in front is how people switch a member off.
    let marked = !name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if name.len() > LONGEST || !name.is_ascii() || marked {
        return None;
    }
    let (plain, length) = plain(name.as_bytes());
    let letters = letters(&plain);
    let slips = match length {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &'static str)> = None;
    for known in known {
        if known.name == name {
            return None;
        }
        // A unit or the like behind it: that may be another value.
        let more = name.strip_prefix(known.name);
        if more.is_some_and(|more| more.starts_with(['_', '-'])) {
            continue;
        }
        // A slip adds, takes away or changes one letter at most.
        let added = (letters & !known.letters).count_ones() as usize;
        let missing = (known.letters & !letters).count_ones() as usize;
        if length.abs_diff(known.length) > slips || added > slips || missing > slips {
            continue;
        }
        let [one, other] = [(&plain, length), (&known.plain, known.length)]
            .map(|(plain, length)| plain.get(..length).unwrap_or_default());
        let distance = distance(one, other);
        if distance <= slips && best.is_none_or(|(nearest, _)| distance < nearest) {
            best = Some((distance, known.name));
        }
    }
    best.map(|(_, name)| name)
}

/// Letters in lower case, without what stands between words, and how many they are. At most
/// [`LONGEST`] are taken.
const fn plain(key: &[u8]) -> ([u8; LONGEST], usize) {
    let mut plain = [0; LONGEST];
    let mut length = 0;
    let mut rest = key;
    while let [byte, after @ ..] = rest {
        rest = after;
        if !matches!(byte, b'-' | b'_' | b' ')
            && let Some((_, [slot, ..])) = plain.split_at_mut_checked(length)
        {
            *slot = byte.to_ascii_lowercase();
            length += 1;
        }
    }
    (plain, length)
}

/// A bit for each letter that occurs; what is no letter shares the last ones.
const fn letters(plain: &[u8; LONGEST]) -> u32 {
    let mut letters = 0;
    let mut rest: &[u8] = plain;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != 0 {
            letters |= 1 << (*byte & 31);
        }
    }
    letters
}

/// How many letters were added, left out, changed or swapped with the next one.
fn distance(one: &[u8], other: &[u8]) -> usize {
    // Three rows of the table: the last but one is for letters that were swapped.
    let mut before = [0; LONGEST + 1];
    let mut row: [usize; LONGEST + 1] = std::array::from_fn(|n| n);
    let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
    for (i, letter) in one.iter().enumerate() {
        let mut next = [i + 1; LONGEST + 1];
        let mut left = i + 1;
        for (j, (wanted, slot)) in std::iter::zip(other, next.iter_mut().skip(1)).enumerate() {
            let changed = at(&row, j) + usize::from(letter != wanted);
            let mut least = changed.min(at(&row, j + 1) + 1).min(left + 1);
            if i > 0 && j > 0 && one.get(i - 1) == Some(wanted) && other.get(j - 1) == Some(letter)
            {
                least = least.min(at(&before, j - 1) + 1);
            }
            *slot = least;
            left = least;
        }
        before = row;
        row = next;
    }
    at(&row, other.len())
}
