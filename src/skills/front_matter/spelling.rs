//! Fields that are almost spelled as the format has them.
//!
//! In: the key of a field nobody knows. Out: the field that its author surely meant, if there is one.
//! Other agents have fields of their own, so only what differs by a slip of the hand counts: one
//! letter of five and more, two of nine and more, case, and what stands between words.

use super::fields::{OTHER_FIELDS, TEXT_FIELDS};

/// Longer keys are none that was misspelled: no field of the format has more than 26 letters.
const LONGEST: usize = 32;

/// A field of the format as it is compared.
struct Known {
    field: &'static str,
    /// Its letters, as [`plain`] has them.
    plain: [u8; LONGEST],
    length: usize,
    /// Which letters it has.
    letters: u32,
}

impl Known {
    const fn new(field: &'static str) -> Self {
        let (plain, length) = plain(field.as_bytes());
        Self {
            field,
            letters: letters(&plain),
            plain,
            length,
        }
    }
}

/// Made while this is compiled: most headers have fields that only others know.
#[allow(clippy::indexing_slicing)] // What is out of bounds does not compile here.
static FIELDS: [Known; TEXT_FIELDS.len() + OTHER_FIELDS.len()] = {
    let mut all = [const { Known::new("") }; TEXT_FIELDS.len() + OTHER_FIELDS.len()];
    let mut n = 0;
    while n < all.len() {
        all[n] = Known::new(if n < TEXT_FIELDS.len() {
            TEXT_FIELDS[n]
        } else {
            OTHER_FIELDS[n - TEXT_FIELDS.len()]
        });
        n += 1;
    }
    all
};

/// The field that `key` surely means; nothing for a field of the format itself.
pub(super) fn meant(key: &str) -> Option<&'static str> {
    // Whom "authors" names is more than one: that is no slip.
    if key.len() > LONGEST || !key.is_ascii() || key == "authors" {
        return None;
    }
    let (plain, length) = plain(key.as_bytes());
    let letters = letters(&plain);
    let slips = match length {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &'static str)> = None;
    for known in &FIELDS {
        if known.field == key {
            return None;
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
            best = Some((distance, known.field));
        }
    }
    best.map(|(_, field)| field)
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

#[cfg(test)]
mod tests {
    use super::meant;

    #[track_caller]
    fn check(key: &str, expected: Option<&str>) {
        assert_eq!(meant(key), expected, "{key}");
    }

    #[test]
    fn slips_of_the_hand() {
        check("descripton", Some("description"));
        check("desciption", Some("description"));
        check("descritpion", Some("description"));
        check("discripton", Some("description"));
        check("Description", Some("description"));
        check("NAME", Some("name"));
        check("licence", Some("license"));
        check("allowed_tools", Some("allowed-tools"));
        check("allowedTools", Some("allowed-tools"));
        check("alowed-tools", Some("allowed-tools"));
        check("argument_hint", Some("argument-hint"));
        check("auto-attach", Some("autoAttach"));
        check("disableModelInvocation", Some("disable-model-invocation"));
        check("user-invokeable", Some("user-invokable"));
        check("verison", Some("version"));
        check("metdata", Some("metadata"));
    }

    #[test]
    fn fields_of_the_format_and_of_others() {
        for key in [
            "name",
            "description",
            "auto_attach",
            "user-invokable",
            "tags",
            "paths",
            "model",
            "context",
            "agent",
            "hooks",
            "tools",
            "tag",
            "path",
            "nam",
            "title",
            "authors",
            "when_to_use",
            "category",
            "requires",
            "trigger",
            "triggers",
            "",
            "---",
            "größe",
            "a-key-that-is-longer-than-any-field-of-the-format",
        ] {
            check(key, None);
        }
    }
}
