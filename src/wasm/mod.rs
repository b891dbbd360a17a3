//! Every export: decode, call, encode. Nothing is decided here.
//!
//! A door is three lines and returns `Result<_, JsValue>`: returning a bare `JsValue`, `Array` or
//! `Ts<T>` can abort Node 20 and 22 (a V8 deoptimisation fault with a single externref result).
//! The Rust types are the only source of the TypeScript types; `tests/package/contents.test.ts`
//! compares the declarations with a golden file.

pub mod approval;
pub mod config;
mod decode;
mod encode;
pub mod front_matter;
pub mod mcp;
pub mod skills;
pub(crate) mod text;

use crate::error::CoreError;
use serde::{Serialize, de::DeserializeOwned};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

/// Shows a panic's message and place in the console before the trap.
#[wasm_bindgen(start, skip_typescript)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// The core's version, such as `0.1.0`.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// A core error as a JavaScript `Error` with `code`.
fn thrown(error: &CoreError) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    // Setting a property of a fresh object cannot fail.
    let _ = js_sys::Reflect::set(&js, &"code".into(), &error.code().into());
    js.into()
}

/// Decodes an argument, or says which one is wrong and why. `pkg/arguments.mjs` hands in a plain copy
/// of what its type names: no getter or proxy of the caller's runs while the core does. What one
/// throws would pass through Rust's frames and leave the instance unusable.
fn decode<T>(name: &str, value: &Ts<T>) -> Result<T, JsValue>
where
    T: Tsify + DeserializeOwned,
    T::JsType: JsCast,
{
    decode::from_js(value.js_value()).map_err(|e| thrown(&CoreError::invalid_argument(name, e)))
}

/// Encodes a result: as JSON text, which JavaScript reads faster than it is told value by value. So
/// what is missing is `null`, and a map is a plain object. Types with an `Option` therefore carry
/// `#[tsify(missing_as_null)]`, so that their declarations say so too.
fn encode<T: Tsify + Serialize>(value: &T) -> Result<Ts<T>, JsValue> {
    let text =
        encode::to_json(value).map_err(|e| thrown(&CoreError::new("INTERNAL", e.to_string())))?;
    js_sys::JSON::parse(&text).map(Ts::new_unchecked)
}
