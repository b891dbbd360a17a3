//! Arguments that a server of 2026-07-28 wants to see in headers too.
//!
//! In: a tool's input schema, whose properties may say `x-mcp-header`; the arguments of a call. Out:
//! which arguments go where, or why the tool cannot be used; the headers `Mcp-Param-…`. Rules: such
//! a property is reached by `properties` alone, is a string, an integer or a boolean, and names a
//! header that no other one names. A value that may not stand in a header is written in Base64.

use crate::mcp::http::HttpHeader;
use serde_json::Value;

/// An argument and its header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mirrored {
    /// The keys that lead to it.
    path: Vec<String>,
    /// The header's name after `Mcp-Param-`.
    name: String,
}

const MARK: &str = "x-mcp-header";

/// Which arguments are mirrored; or what is wrong, to go on from "its input schema".
pub fn mirrored(input_schema: &str) -> Result<Vec<Mirrored>, String> {
    if !input_schema.contains(MARK) && !input_schema.contains('\\') {
        return Ok(Vec::new());
    }
    let Ok(schema) = serde_json::from_str::<Value>(input_schema) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    look(&schema, &mut Vec::new(), true, &mut found)?;
    Ok(found)
}

/// The reader of JSON bounds how deep a schema nests.
fn look(
    schema: &Value,
    path: &mut Vec<String>,
    reached: bool,
    found: &mut Vec<Mirrored>,
) -> Result<(), String> {
    let Value::Object(members) = schema else {
        if let Value::Array(items) = schema {
            for item in items {
                look(item, path, false, found)?;
            }
        }
        return Ok(());
    };
    if let Some(name) = members.get(MARK) {
        found.push(declared(name, members.get("type"), path, reached, found)?);
    }
    for (key, value) in members {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    path.push(name.clone());
                    look(property, path, reached, found)?;
                    path.pop();
                }
            }
            // What stands there is data, not a schema.
            ("const" | "default" | "enum" | "examples", _) => {}
            (
                "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(all),
            ) => {
                for value in all.values() {
                    look(value, path, false, found)?;
                }
            }
            _ => look(value, path, false, found)?,
        }
    }
    Ok(())
}

fn declared(
    name: &Value,
    kind: Option<&Value>,
    path: &[String],
    reached: bool,
    found: &[Mirrored],
) -> Result<Mirrored, String> {
    let fault = |what: &str| Err(format!("has an {MARK} {what}"));
    if !reached || path.is_empty() {
        return fault("where no argument can be");
    }
    let Some(name) = name.as_str().filter(|name| is_token(name)) else {
        return fault("that is not the name of a header");
    };
    if !matches!(
        kind.and_then(Value::as_str),
        Some("string" | "integer" | "boolean")
    ) {
        return fault("on what is not a string, integer or boolean");
    }
    if found
        .iter()
        .any(|other| other.name.eq_ignore_ascii_case(name))
    {
        return fault("that another one has");
    }
    Ok(Mirrored {
        path: path.to_vec(),
        name: name.to_owned(),
    })
}

fn is_token(name: &str) -> bool {
    let symbol = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c);
    !name.is_empty() && name.bytes().all(symbol)
}

/// The headers of a call. What is missing, or no plain value, has none.
pub fn headers(mirrored: &[Mirrored], arguments: &str) -> Vec<HttpHeader> {
    if mirrored.is_empty() {
        return Vec::new();
    }
    let arguments: Value = serde_json::from_str(arguments).unwrap_or(Value::Null);
    let header = |one: &Mirrored| {
        let mut value = &arguments;
        for key in &one.path {
            value = value.get(key)?;
        }
        Some(HttpHeader {
            name: format!("Mcp-Param-{}", one.name),
            value: header_value(&plain(value)?),
        })
    };
    mirrored.iter().filter_map(header).collect()
}

/// The largest integer that every reader of JSON has exactly.
const SAFE: i64 = 9_007_199_254_740_991;

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Number(number) => {
            // `1.0` is an integer as well; others are out, so nothing is cut.
            #[allow(clippy::cast_possible_truncation)]
            let whole = number.as_i64().or_else(|| {
                let float = number.as_f64()?;
                (float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_991.0)
                    .then_some(float as i64)
            })?;
            (-SAFE..=SAFE).contains(&whole).then(|| whole.to_string())
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// `text` as the value of a header.
///
/// ```
/// use gbs_agent_core::mcp::mirror::header_value;
/// assert_eq!(header_value("us-west 1"), "us-west 1");
/// assert_eq!(header_value("Zürich"), "=?base64?WsO8cmljaA==?=");
/// ```
pub fn header_value(text: &str) -> String {
    let is_plain = !text.is_empty()
        && text.trim() == text
        && text
            .bytes()
            .all(|b| b == b'\t' || (0x20..0x7f).contains(&b))
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if is_plain {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", base64(text.as_bytes()))
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, at| {
            bits << 8 | group.get(at).map_or(0, |byte| usize::from(*byte))
        });
        for at in 0..4 {
            let digit = DIGITS
                .get(bits >> (18 - 6 * at) & 63)
                .filter(|_| at <= group.len());
            text.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{header_value, headers, mirrored};

    #[test]
    fn what_is_mirrored() {
        let check = |properties: &str, arguments: &str, expected: &[&str]| {
            let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
            let found = match mirrored(&schema) {
                Ok(found) => headers(&found, arguments)
                    .into_iter()
                    .map(|header| format!("{}: {}", header.name, header.value))
                    .collect(),
                Err(problem) => vec![problem],
            };
            assert_eq!(found, expected, "{properties} {arguments}");
        };
        let region = r#"{"region":{"type":"string","x-mcp-header":"Region"}}"#;
        check(
            region,
            r#"{"region":"us-west1"}"#,
            &["Mcp-Param-Region: us-west1"],
        );
        check(region, r#"{"region":null}"#, &[]);
        check(region, "{}", &[]);
        check(region, r#"{"region":{"a":1}}"#, &[]);
        check(
            region,
            r#"{"region":""}"#,
            &["Mcp-Param-Region: =?base64??="],
        );
        check(
            region,
            r#"{"region":" a"}"#,
            &["Mcp-Param-Region: =?base64?IGE=?="],
        );
        check(
            region,
            r#"{"region":"a\nb"}"#,
            &["Mcp-Param-Region: =?base64?YQpi?="],
        );
        check(
            r#"{"a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}},"c":{"type":"boolean","x-mcp-header":"c"}}"#,
            r#"{"a":{"b":42.0},"c":false}"#,
            &["Mcp-Param-B: 42", "Mcp-Param-c: false"],
        );
        let number = r#"{"n":{"type":"integer","x-mcp-header":"N"}}"#;
        check(number, r#"{"n":9007199254740992}"#, &[]);
        check(number, r#"{"n":-7}"#, &["Mcp-Param-N: -7"]);
        let bad = [
            (
                r#"{"a":{"type":"number","x-mcp-header":"A"}}"#,
                "has an x-mcp-header on what is not a string, integer or boolean",
            ),
            (
                r#"{"a":{"x-mcp-header":"A"}}"#,
                "has an x-mcp-header on what is not a string, integer or boolean",
            ),
            (
                r#"{"a":{"type":"string","x-mcp-header":""}}"#,
                "has an x-mcp-header that is not the name of a header",
            ),
            (
                r#"{"a":{"type":"string","x-mcp-header":"A B"}}"#,
                "has an x-mcp-header that is not the name of a header",
            ),
            (
                r#"{"a":{"type":"string","x-mcp-header":7}}"#,
                "has an x-mcp-header that is not the name of a header",
            ),
            (
                r#"{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}"#,
                "has an x-mcp-header that another one has",
            ),
            (
                r#"{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}"#,
                "has an x-mcp-header where no argument can be",
            ),
            (
                r#"{"a":{"anyOf":[{"type":"string","\u0078-mcp-header":"A"}]}}"#,
                "has an x-mcp-header where no argument can be",
            ),
        ];
        for (properties, problem) in bad {
            check(properties, "{}", &[problem]);
        }
        check(
            r#"{"a":{"type":"string","default":{"x-mcp-header":"A"}}}"#,
            "{}",
            &[],
        );
        check(
            r#"{"x-mcp-header":{"type":"string"}}"#,
            r#"{"x-mcp-header":"v"}"#,
            &[],
        );
    }

    #[test]
    fn values_of_headers() {
        let check = |text: &str, expected: &str| assert_eq!(header_value(text), expected);
        check("plain", "plain");
        check("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
        check("\u{1f600}", "=?base64?8J+YgA==?=");
    }
}
