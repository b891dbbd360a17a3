//! Exports of `crate::text`.

use crate::text;
use wasm_bindgen::prelude::*;

/// `text` in composed form (NFC). Every host has the tables; ours would be a tenth of the module.
#[cfg(target_arch = "wasm32")]
pub(crate) fn composed(text: &str) -> String {
    js_sys::JsString::from(text).normalize("NFC").into()
}

/// `text` in lower case. Every host has the tables for letters beyond ASCII.
#[cfg(target_arch = "wasm32")]
pub(crate) fn lower(text: &str) -> String {
    js_sys::JsString::from(text).to_lower_case().into()
}

/// `text` in upper case.
#[cfg(target_arch = "wasm32")]
pub(crate) fn upper(text: &str) -> String {
    js_sys::JsString::from(text).to_upper_case().into()
}

/// The value of a decimal number.
#[cfg(target_arch = "wasm32")]
pub(crate) fn number(text: &str) -> f64 {
    js_sys::parse_float(text)
}

/// `text` as it is shown to a person who decides about it: every hidden character (controls, bidi
/// marks, zero-width ones) stands as `\u{…}`. Line feeds and tabs stay.
///
/// ```js
/// core.visibleText('a\x1b[2K'); // 'a\\u{1b}[2K'
/// ```
#[wasm_bindgen(js_name = visibleText)]
pub fn visible_text(text: &str) -> String {
    text::visible(text)
}
