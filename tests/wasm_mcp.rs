//! The doors of the protocol, through the boundary. `feed` and `end` have a half in JavaScript and
//! are tested in Node.
#![cfg(target_arch = "wasm32")]
// A test fails by panicking.
#![allow(clippy::unwrap_used)]

use gbs_agent_core::wasm::mcp::{Session, compare_tools, tool_error, tool_output, tool_parameters};
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

fn refusal(error: JsValue) -> (String, String) {
    let part = |name: &str| js_sys::Reflect::get(&error, &name.into()).unwrap();
    (
        part("code").as_string().unwrap(),
        part("message").as_string().unwrap(),
    )
}

fn session(more: &str) -> Result<Session, JsValue> {
    let options = format!(r#"{{"clientInfo":{{"name":"a","version":"1"}},"era":"legacy"{more}}}"#);
    Session::new(&value(&options))
}

const INITIALIZE: &str = r#"{"kind":"send","line":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}}\n"}"#;

#[wasm_bindgen_test]
fn effects_are_a_list_of_plain_objects() {
    let wait = |ms: u32| format!(r#"{{"kind":"wait","id":1,"ms":{ms},"atMostMs":{ms}}}"#);
    let started = |more: &str| json(session(more).unwrap().start().unwrap());
    assert_eq!(started(""), format!("[{},{INITIALIZE}]", wait(30_000)));
    let limited = started(r#","limits":{"startMs":5,"callMs":null},"roots":null"#);
    assert_eq!(limited, format!("[{},{INITIALIZE}]", wait(5)));
}

#[wasm_bindgen_test]
fn misuse_has_a_code() {
    let code = |result: Result<JsValue, JsValue>| refusal(result.unwrap_err());
    let (its, message) = code(session(r#","capabilities":"[]""#).map(JsValue::from));
    assert_eq!(its, "INVALID_ARGUMENT");
    assert!(message.contains("capabilities"), "{message}");
    let (its, message) = code(session(r#","limits":{"startMs":"soon"}"#).map(JsValue::from));
    assert_eq!(its, "INVALID_ARGUMENT");
    assert!(message.starts_with("argument options: "), "{message}");
    let mut early = session("").unwrap();
    assert_eq!(
        code(early.ask("tools/call", "").map(JsValue::from)).0,
        "NOT_READY"
    );
    early.start().unwrap();
    assert_eq!(code(early.start().map(JsValue::from)).0, "ALREADY_STARTED");
    early.finish().unwrap();
    assert_eq!(
        code(early.notify("x", "").map(JsValue::from)).0,
        "SESSION_OVER"
    );
}

#[wasm_bindgen_test]
fn results_and_errors_cross_as_text() {
    let limits = || value(r#"{"server":"s","tool":"t"}"#);
    assert_eq!(
        json(tool_output(r#"{"content":[{"type":"text","text":"ä"}]}"#, &limits()).unwrap()),
        r#"{"text":"<server-result server=\"s\" tool=\"t\">\nä\n</server-result>","shown":"ä","whole":null,"characters":1,"attachments":[],"files":[],"isError":false}"#
    );
    assert_eq!(
        json(tool_error("no", "{\"a\":1}", &limits()).unwrap()),
        r#"{"text":"<server-result server=\"s\" tool=\"t\">\nno\n{\"a\":1}\n</server-result>","shown":"no\n{\"a\":1}","whole":null,"characters":10,"attachments":[],"files":[],"isError":true}"#
    );
    assert_eq!(
        tool_parameters(r#"{"$schema":"x","a":1.0}"#),
        r#"{"a":1.0}"#
    );
}

#[wasm_bindgen_test]
fn drift_is_plain_objects() {
    let account = |tools: &str| {
        value(&format!(
            r#"{{"server":"s","version":"1","instructions":"","tools":[{tools}]}}"#
        ))
    };
    let tool = |description: &str| {
        format!(
            r#"{{"name":"a","title":"","description":"{description}","inputSchema":"{{}}","hints":{{}}}}"#
        )
    };
    let same = compare_tools(&account(&tool("x")), &account(&tool("x"))).unwrap();
    assert_eq!(
        json(same),
        r#"{"changes":[],"removed":[],"instructions":false,"card":null}"#
    );
    let changed = json(compare_tools(&account(&tool("x")), &account(&tool("y"))).unwrap());
    assert!(
        changed.starts_with(r#"{"changes":[{"tool":"a","parts":["description"]}]"#),
        "{changed}"
    );
}
