//! Everything is written as `serde_json` would.

use super::*;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct All<'a> {
    text: &'a str,
    count: u32,
    less: i64,
    large: u64,
    part: f64,
    none: Option<bool>,
    some: Option<bool>,
    empty: Vec<u8>,
    list: Vec<(char, Tagged)>,
    map: BTreeMap<String, u8>,
    unit: Plain,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Tagged {
    Empty,
    Full { text: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Plain {
    OnlyThis,
    With(u8),
    Of { a: u8 },
}

fn check<T: Serialize>(value: &T) {
    let expected: serde_json::Value =
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap();
    let text = to_json(value).unwrap();
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read, expected, "{text}");
}

#[test]
fn every_shape_is_what_serde_json_writes() {
    for text in ["", "a", "\"", "[", "{", "é\u{1f600}\u{2028}"] {
        check(&All {
            text,
            count: 7,
            less: -1,
            large: u64::MAX,
            part: 0.1,
            none: None,
            some: Some(true),
            empty: vec![],
            list: vec![
                ('x', Tagged::Empty),
                ('"', Tagged::Full { text: "[".into() }),
            ],
            map: [("b".to_owned(), 1), ("{".to_owned(), 2)].into(),
            unit: Plain::OnlyThis,
        });
    }
    check(&[Plain::With(1), Plain::Of { a: 2 }]);
    check(&[f64::NAN, 1e300, -0.0, 5.0]);
    check(&BTreeMap::<String, u8>::new());
    assert!(to_json(&BTreeMap::from([(1, 2)])).is_err());
}

#[test]
fn every_byte_at_every_place_is_escaped_as_it_must_be() {
    for c in (0..0x180).filter_map(char::from_u32) {
        for before in 0..18 {
            check(&format!("{}{c}{}", "a".repeat(before), "é".repeat(6)));
        }
    }
}
