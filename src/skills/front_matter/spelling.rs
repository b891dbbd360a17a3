//! Fields that are almost spelled as the format has them.
//!
//! In: the key of a field nobody knows. Out: the field that its author surely meant, if there is one.
//! Other agents have fields of their own, so only what differs by a slip of the hand counts: one
//! letter of five and more, two of nine and more, case, and what stands between words.

use super::fields::{OTHER_FIELDS, TEXT_FIELDS};

/// Longer keys are none that was misspelled: no field of the format has more than 26 letters.
const LONGEST: usize = 32;

/// The field that `key` surely means; nothing for a field of the format itself.
pub(super) fn meant(key: &str) -> Option<&'static str> {
    if key.len() > LONGEST || !key.is_ascii() {
        return None;
    }
    let plain = plain(key);
    let slips = match plain.len() {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    let fields = TEXT_FIELDS.iter().chain(&OTHER_FIELDS).copied();
    let mut best: Option<(usize, &'static str)> = None;
    for field in fields {
        if field == key {
            return None;
        }
        let distance = distance(&plain, &self::plain(field));
        let is_nearer = best.is_none_or(|(nearest, _)| distance < nearest);
        // Whom it names is more than one: that is no slip.
        if distance <= slips && is_nearer && key != "authors" {
            best = Some((distance, field));
        }
    }
    best.map(|(_, field)| field)
}

/// Letters in lower case, without what stands between words.
fn plain(key: &str) -> Vec<u8> {
    key.bytes()
        .filter(|byte| !matches!(byte, b'-' | b'_' | b' '))
        .map(|byte| byte.to_ascii_lowercase())
        .collect()
}

/// How many letters were added, left out, changed or swapped with the next one.
fn distance(one: &[u8], other: &[u8]) -> usize {
    if one.len().abs_diff(other.len()) > 2 {
        return usize::MAX;
    }
    // Three rows of the table: the last but one is for letters that were swapped.
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, wanted) in other.iter().enumerate() {
            let at =
                |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
            let changed = at(&row, j) + usize::from(letter != wanted);
            let mut least = changed.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            if i > 0 && j > 0 && one.get(i - 1) == Some(wanted) && other.get(j - 1) == Some(letter)
            {
                least = least.min(at(&before, j - 1) + 1);
            }
            next.push(least);
        }
        before = row;
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
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
