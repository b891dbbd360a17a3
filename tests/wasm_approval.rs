//! The doors of approval and prompt, through the boundary.
#![cfg(target_arch = "wasm32")]
// A test fails by panicking.
#![allow(clippy::unwrap_used)]

use gbs_agent_core::wasm::approval::{
    credential_paths, decide_approval, host_card, match_glob, repeat_card, system_prompt,
};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

/// What JavaScript would pass, from JSON.
fn value<T: Tsify>(json: &str) -> Ts<T> {
    Ts::new_unchecked(js_sys::JSON::parse(json).unwrap())
}

fn json(value: impl Into<JsValue>) -> String {
    js_sys::JSON::stringify(&value.into()).unwrap().into()
}

const RULES: &str = r#"{"folders":["/w"],"readable":[],"session":[]}"#;

fn decided(call: &str) -> Result<String, JsValue> {
    decide_approval(value(call), value("\"ask\""), value(RULES)).map(json)
}

#[wasm_bindgen_test]
fn what_runs_is_a_plain_object() {
    let run = decided(r#"{"tool":"read_file","kind":"read","arguments":"{}","paths":["/w/a"]}"#);
    assert_eq!(
        run.unwrap(),
        r#"{"kind":"run","command":null,"allowedBy":""}"#
    );
}

#[wasm_bindgen_test]
fn a_card_crosses_with_its_rule() {
    let asked = decided(
        r#"{"tool":"run_command","kind":"command","arguments":"{}",
            "command":{"line":"npm test","shell":"posix","folder":"/w","timeoutSeconds":9}}"#,
    )
    .unwrap();
    assert!(asked.starts_with(r#"{"kind":"ask","card":{"kind":"command","about":["npm test"]"#));
    assert!(asked.ends_with(r#""rule":{"kind":"command","line":"npm test","folder":"/w"}}"#));
}

#[wasm_bindgen_test]
fn a_wrong_argument_is_named() {
    let error = decided("{}").unwrap_err();
    let code = js_sys::Reflect::get(&error, &"code".into()).unwrap();
    assert_eq!(code.as_string().unwrap(), "INVALID_ARGUMENT");
    let message: String = js_sys::Error::from(error).message().into();
    assert!(message.starts_with("argument call: "));
}

#[wasm_bindgen_test]
fn the_other_doors() {
    let host = json(host_card(value(r#"{"host":"h:1","model":""}"#)).unwrap());
    assert!(host.contains(r#""kind":"host""#));
    let again = repeat_card(value(r#"{"tool":"t","arguments":"{}","times":5}"#));
    assert!(json(again.unwrap()).contains(r#""kind":"repeat""#));
    let secret = credential_paths(value(r#"["a.ts",".env"]"#)).unwrap();
    assert_eq!(json(secret), r#"[".env"]"#);
    let found = match_glob("*.ts", value(r#"["a.md","b/c.ts"]"#)).unwrap();
    assert_eq!(json(found), r#"{"problem":null,"matches":[1]}"#);
    let prompt = system_prompt(value(
        r#"{"environment":{"system":"Linux","shell":"","folders":[]},"tools":[],
            "nativeTools":true,"contextWindow":4096}"#,
    ));
    assert!(json(prompt.unwrap()).contains("No folder is open."));
}
