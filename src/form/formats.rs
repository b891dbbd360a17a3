//! The shapes that a text of a form may be asked to have.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// A shape of text, as JSON Schema's `format` names it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum TextFormat {
    /// An e-mail address.
    Email,
    /// An address with its scheme.
    Uri,
    /// A day, such as `2026-12-01`.
    Date,
    /// A moment as RFC 3339 has it.
    DateTime,
}

impl TextFormat {
    /// The shape of this name; none for one that is not known, which then asks for nothing.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "email" => Some(Self::Email),
            "uri" => Some(Self::Uri),
            "date" => Some(Self::Date),
            "date-time" => Some(Self::DateTime),
            _ => None,
        }
    }

    /// Says what is needed where `text` does not have this shape.
    pub(super) fn check(self, text: &str) -> Result<(), String> {
        let (fits, needs) = match self {
            Self::Email => (is_email(text), "an e-mail address, such as ana@example.org"),
            Self::Uri => (
                is_uri(text),
                "a whole address, such as https://example.org/",
            ),
            Self::Date => (is_date(text), "a date, such as 2026-12-01"),
            Self::DateTime => (
                is_moment(text),
                "a date and a time with its zone, such as 2026-12-01T14:30:00Z",
            ),
        };
        if fits {
            Ok(())
        } else {
            Err(format!("Needs {needs}."))
        }
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// Something, `@`, a domain of labels between dots. Whether it exists only a message there would tell.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    !local.is_empty()
        && !text.contains(is_blank)
        && domain.contains('.')
        && domain.split('.').all(|label| !label.is_empty())
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
        && !rest.is_empty()
        && !rest.contains(is_blank)
}

/// `count` digits of `text` from `at` on, as a number.
fn digits(text: &str, at: usize, count: usize) -> Option<u32> {
    let part = text.get(at..at + count)?;
    part.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    part.parse().ok()
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && day(text).is_some()
}

/// The day that `text` begins with.
fn day(text: &str) -> Option<()> {
    let (year, month, day) = (
        digits(text, 0, 4)?,
        digits(text, 5, 2)?,
        digits(text, 8, 2)?,
    );
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    let dashed = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    (dashed && (1..=last).contains(&day)).then_some(())
}

fn is_moment(text: &str) -> bool {
    moment(text).is_some()
}

fn moment(text: &str) -> Option<()> {
    day(text)?;
    matches!(text.get(10..11)?, "T" | "t" | " ").then_some(())?;
    let (hour, minute, second) = (
        digits(text, 11, 2)?,
        digits(text, 14, 2)?,
        digits(text, 17, 2)?,
    );
    let colons = text.get(13..14) == Some(":") && text.get(16..17) == Some(":");
    (colons && hour < 24 && minute < 60 && second <= 60).then_some(())?;
    let rest = text.get(19..)?;
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
        None => rest,
    };
    if zone.eq_ignore_ascii_case("z") {
        return Some(());
    }
    let signed = zone.starts_with(['+', '-']) && zone.len() == 6 && zone.get(3..4) == Some(":");
    (signed && digits(zone, 1, 2)? < 24 && digits(zone, 4, 2)? < 60).then_some(())
}
