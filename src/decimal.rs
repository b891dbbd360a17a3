//! Decimal numbers as text → their value.
//!
//! In: text. Out: the nearest number of 64 bits, infinite where it is too large, or nothing where the
//! text is no decimal number: digits with at most a sign, a point and an exponent. Deliberately not
//! here: `inf`, `nan`, other bases, blanks.

/// The value of `text`.
///
/// ```
/// use gbs_agent_core::decimal::value;
/// assert_eq!(value("-1.5e3"), Some(-1500.0));
/// assert_eq!(value(".5"), Some(0.5));
/// assert_eq!(value("1e999"), Some(f64::INFINITY));
/// assert_eq!(value("inf"), None);
/// ```
pub fn value(text: &str) -> Option<f64> {
    if !is_decimal(text) {
        return None;
    }
    #[cfg(target_arch = "wasm32")]
    return Some(crate::wasm::text::number(text));
    #[cfg(not(target_arch = "wasm32"))]
    text.parse().ok()
}

fn is_decimal(text: &str) -> bool {
    let unsigned = without_sign(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, without_sign(exponent)),
        None => (unsigned, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let some = whole.len() + fraction.len() > 0 && !exponent.is_empty();
    some && digits(whole) && digits(fraction) && digits(exponent)
}

fn without_sign(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_as_the_standard_library_but_for_words() {
        let parts = [
            "", "+", "-", "0", "7", "12", ".", "e", "E", "e+", "e-", " ", "x", "_", "١",
        ];
        for one in parts {
            for two in parts {
                for three in parts {
                    for four in parts {
                        let text = [one, two, three, four].concat();
                        assert_eq!(value(&text), text.parse::<f64>().ok(), "{text}");
                    }
                }
            }
        }
        for word in ["inf", "-infinity", "NaN"] {
            assert_eq!(value(word), None);
        }
    }
}
