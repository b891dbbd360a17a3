//! The types of plain scalars, as YAML 1.2's core schema has them, and how JSON and keys say them.

use crate::decimal;
use std::borrow::Cow;

/// What a plain scalar is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    /// A number, as JSON text.
    Number(String),
    /// `.inf`, `.nan`, or a number beyond what JSON readers hold: JSON says null.
    NoNumber(f64),
    Text,
}

/// The type of the plain scalar `text`.
pub(super) fn scalar(text: &str) -> Scalar {
    match text.as_bytes().first() {
        None | Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => word(text),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => number(text).unwrap_or(Scalar::Text),
        Some(_) => Scalar::Text,
    }
}

fn word(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        _ => Scalar::Text,
    }
}

fn number(text: &str) -> Option<Scalar> {
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            return Some(Scalar::NoNumber(if negative {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }));
        }
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => {
            return Some(Scalar::NoNumber(f64::NAN));
        }
        _ => {}
    }
    decimal(unsigned, negative)
}

/// Characters up to which a number without an exponent is a normal one of 64 bits, or 0.
const SHORT: usize = 300;

/// Digits, a fraction, an exponent: as JSON writes them.
fn decimal(unsigned: &str, negative: bool) -> Option<Scalar> {
    let (whole, rest) = digits(unsigned);
    let (fraction, rest, point) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (fraction, rest) = digits(rest);
            (fraction, rest, true)
        }
        None => ("", rest, false),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent = match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if unsigned.is_empty() || !digits(unsigned).1.is_empty() {
                return None;
            }
            exponent
        }
        None if rest.is_empty() => "",
        None => return None,
    };
    let mut json = String::with_capacity(unsigned.len() + 3);
    if negative {
        json.push('-');
    }
    let whole = whole.trim_start_matches('0');
    json.push_str(if whole.is_empty() { "0" } else { whole });
    if point && !fraction.is_empty() {
        json.push('.');
        json.push_str(fraction);
    }
    if !exponent.is_empty() {
        json.push('e');
        json.push_str(exponent);
    }
    // Short ones without an exponent are neither 0 by underflow nor too large.
    if exponent.is_empty() && json.len() < SHORT {
        let zero = json.bytes().all(|b| matches!(b, b'-' | b'0' | b'.'));
        return Some(Scalar::Number(if zero { "0".to_owned() } else { json }));
    }
    let value = decimal::value(&json)?;
    if value == 0.0 {
        return Some(Scalar::Number("0".to_owned()));
    }
    if value.is_infinite() {
        return Some(Scalar::NoNumber(value));
    }
    Some(Scalar::Number(json))
}

fn digits(text: &str) -> (&str, &str) {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at_checked(length).unwrap_or((text, ""))
}

/// An octal or hexadecimal integer.
fn based(digits: &str, base: u32) -> Option<Scalar> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    if let Ok(value) = u128::from_str_radix(if digits.is_empty() { "0" } else { digits }, base) {
        return Some(Scalar::Number(value.to_string()));
    }
    // Beyond 128 bits: the first ones, and whether anything else is set, decide the rounding.
    let kept = if base == 16 { 31 } else { 41 };
    let (head, tail) = digits.split_at_checked(kept)?;
    let sticky = u128::from(tail.bytes().any(|b| b != b'0'));
    let head = u128::from_str_radix(head, base).ok()? | sticky;
    let bits = if base == 16 { 4.0 } else { 3.0 };
    // Digits of a header are far fewer than what either cast could not hold.
    #[allow(clippy::cast_precision_loss)]
    let value = head as f64 * (tail.len() as f64 * bits).exp2();
    if value.is_infinite() {
        return Some(Scalar::NoNumber(value));
    }
    Some(Scalar::Number(format!("{value:.0}")))
}

/// A plain scalar as the key of a JSON object: what JavaScript makes of the value.
pub(super) fn key(text: &str) -> Cow<'_, str> {
    match scalar(text) {
        Scalar::Text => Cow::Borrowed(text),
        Scalar::Null => Cow::Borrowed(""),
        Scalar::Bool(value) => Cow::Borrowed(if value { "true" } else { "false" }),
        Scalar::Number(json) => match decimal::value(&json) {
            Some(value) => Cow::Owned(in_javascript(value)),
            None => Cow::Owned(json),
        },
        Scalar::NoNumber(value) => Cow::Owned(in_javascript(value)),
    }
}

/// `value` as `String(value)` gives it in JavaScript: the shortest digits that read back the same,
/// with an exponent from 21 digits or 6 zeros on.
fn in_javascript(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-6..21).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Scalar, expected_key: &str) {
        assert_eq!(scalar(text), expected, "{text}");
        assert_eq!(key(text), expected_key, "{text}");
    }

    fn number(text: &str, json: &str, key: &str) {
        check(text, Scalar::Number(json.to_owned()), key);
    }

    #[test]
    fn core_schema() {
        for text in ["", "~", "null", "Null", "NULL"] {
            check(text, Scalar::Null, "");
        }
        check("True", Scalar::Bool(true), "true");
        check("FALSE", Scalar::Bool(false), "false");
        for text in [
            "yes",
            "no",
            "on",
            "nULL",
            "tRue",
            "1_000",
            "0b1",
            "1e",
            "+",
            "-",
            ".",
            "0x",
            "0o8",
            "-0x1",
            "1.2.3",
            "+.nan",
            "1:30",
            "2026-01-02",
            "0x1G",
            "1e+",
            ".e1",
            "--1",
        ] {
            check(text, Scalar::Text, text);
        }
        number("3000", "3000", "3000");
        number("012", "12", "12");
        number("+1", "1", "1");
        number("-0", "0", "0");
        number("-0.0", "0", "0");
        number("1.0", "1.0", "1");
        number("1.", "1", "1");
        number(".5", "0.5", "0.5");
        number("-.5e-3", "-0.5e-3", "-0.0005");
        number("0x1F", "31", "31");
        number("0o17", "15", "15");
        number("1e3", "1e3", "1000");
        number("1E21", "1e21", "1e+21");
        number("0.0000001", "0.0000001", "1e-7");
        number("0.000001", "0.000001", "0.000001");
        number("1e-400", "0", "0");
        number(
            "123456789012345678901",
            "123456789012345678901",
            "123456789012345680000",
        );
        number(
            "0x100000000000000000000000000000000",
            "340282366920938463463374607431768211456",
            "3.402823669209385e+38",
        );
        check("1e999", Scalar::NoNumber(f64::INFINITY), "Infinity");
        check("-.INF", Scalar::NoNumber(f64::NEG_INFINITY), "-Infinity");
        assert!(matches!(scalar(".NaN"), Scalar::NoNumber(value) if value.is_nan()));
        assert_eq!(key(".NaN"), "NaN");
    }
}
