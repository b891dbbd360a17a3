//! What the module has the host do, where native builds use the standard library: letters and numbers.
#![cfg(target_arch = "wasm32")]

use gbs_agent_core::{decimal, text};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn letters_of_the_host() {
    for words in ["ΌΔΟΣ Éa İ", "Straße ſ é", "ǅ ﬁ ȺⱥΣ", "PLAIN ascii", ""] {
        assert_eq!(text::lower(words), words.to_lowercase());
        assert_eq!(text::upper(words), words.to_uppercase());
    }
}

#[wasm_bindgen_test]
fn numbers_of_the_host() {
    for number in [
        "-1.5e3",
        ".5",
        "5.",
        "+7",
        "1e999",
        "0.1",
        "9007199254740993",
        "5e-324",
        "-0",
    ] {
        let wanted: Option<f64> = number.parse().ok();
        let bits = |value: Option<f64>| value.map(f64::to_bits);
        assert_eq!(bits(decimal::value(number)), bits(wanted), "{number}");
    }
    assert_eq!(decimal::value("1x"), None);
}
