//! The doors of configuration, through the boundary.
#![cfg(target_arch = "wasm32")]
// A test fails by panicking.
#![allow(clippy::unwrap_used)]

use gbs_agent_core::wasm::config::{
    command_line, compare_consent, consent_fingerprint, plan_servers, server_card, tool_name,
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

const OPTIONS: &str =
    r#"{"environment":{"KEY":"k"},"platform":"linux","workspaceFolder":"/w","userHome":"/h"}"#;

/// The plan of one file of the repository.
fn plan(text: &str) -> String {
    let sources =
        serde_json::json!([{ "origin": "repository", "path": "/w/.mcp.json", "text": text }]);
    json(plan_servers(value(&sources.to_string()), value(OPTIONS)).unwrap())
}

/// The first server of a plan.
fn server(text: &str) -> String {
    let plan: serde_json::Value = serde_json::from_str(&plan(text)).unwrap();
    plan["servers"][0].to_string()
}

const ENTRY: &str =
    r#"{"mcpServers":{"a":{"command":"x","args":["${KEY}"],"env":{"__proto__":"p"}}}}"#;

const FACTS: &str =
    r#"{"resolved":"/bin/x","digests":[{"path":"/w/f","sha256":null}],"salt":"00"}"#;

#[wasm_bindgen_test]
fn a_plan_is_plain_objects_and_names_that_are_no_properties() {
    let found = plan(ENTRY);
    assert!(found.starts_with(r#"{"servers":[{"name":"a","origin":"repository","guarded":false"#));
    assert!(found.contains(r#"{"kind":"brought","name":"KEY","text":"k"}"#));
    assert!(found.contains(r#"{"name":"__proto__","value":"p"}"#));
    assert!(found.contains(r#""cwd":null"#));
    assert!(found.ends_with(r#""shadowed":[],"disabled":[],"problems":[]}"#));
    let broken = plan("{");
    assert!(
        broken.contains(r#""server":null,"problem":{"code":"invalid-json","severity":"error""#)
    );
    assert!(broken.contains(r#""fix":null"#));
}

#[wasm_bindgen_test]
fn a_server_goes_back_through_the_other_doors() {
    let server = server(ENTRY);
    let consent = json(consent_fingerprint(value(&server), value(FACTS)).unwrap());
    assert!(consent.contains(r#""covered":false"#));
    assert!(!consent.contains("\"k\""));
    let same = json(compare_consent(value(&consent), value(&consent)).unwrap());
    assert_eq!(same, r#"{"changed":[],"parts":11}"#);
    let line = json(
        command_line(
            value(&server),
            value(r#"{"platform":"linux","resolved":"/bin/x"}"#),
        )
        .unwrap(),
    );
    assert_eq!(
        line,
        r#"{"kind":"run","file":"/bin/x","argv":["k"],"windowsVerbatim":false}"#
    );
    let refused = json(
        command_line(
            value(&server),
            value(r#"{"platform":"win32","resolved":"C:\\x.js"}"#),
        )
        .unwrap(),
    );
    assert!(refused.starts_with(r#"{"kind":"refused","code":"not-a-program""#));
    let question =
        format!(r#"{{"server":{server},"facts":{FACTS},"platform":"linux","before":{consent}}}"#);
    let card = json(server_card(value(&question)).unwrap());
    assert!(card.starts_with(r#"{"kind":"server","about":["a"],"question""#));
    assert!(card.contains(r#"{"kind":"secret","text":"k","masked":"••••••••"}"#));
}

#[wasm_bindgen_test]
fn a_wrong_argument_is_named_and_an_address_starts_nothing() {
    let code = |error: JsValue| -> (String, String) {
        let code = js_sys::Reflect::get(&error, &"code".into()).unwrap();
        let message: String = js_sys::Error::from(error).message().into();
        (code.as_string().unwrap(), message)
    };
    let wrong = plan_servers(value("[{}]"), value(OPTIONS))
        .map(json)
        .unwrap_err();
    let (found, message) = code(wrong);
    assert_eq!(found, "INVALID_ARGUMENT");
    assert!(message.starts_with("argument sources: "));
    let far = server(r#"{"mcpServers":{"a":{"url":"https://h"}}}"#);
    let options = r#"{"platform":"linux","resolved":""}"#;
    let (found, _) = code(
        command_line(value(&far), value(options))
            .map(json)
            .unwrap_err(),
    );
    assert_eq!(found, "INVALID_ARGUMENT");
}

#[wasm_bindgen_test]
fn a_name() {
    assert_eq!(tool_name("fs", "read_file"), "mcp__fs__read_file");
}
