//! What the tests of headers share.

use serde_json::Value;

/// Codes about what fields mean; all others are repairs of the header.
pub const MEANING: [&str; 8] = [
    "missing-name",
    "invalid-name",
    "missing-description",
    "long-description",
    "name-differs-from-folder",
    "wrong-type",
    "unknown-glob",
    "long-body",
];

/// Equal as JavaScript sees it: `1` and `1.0` are one number.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
