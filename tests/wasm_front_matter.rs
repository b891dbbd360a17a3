//! The doors of the reader of headers, through the boundary.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic)]

use gbs_agent_core::skills::front_matter;
use gbs_agent_core::wasm::front_matter::{parse_skill, parse_skill_batch, parse_skill_batches};
use js_sys::{Array, Function, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

const FILE: &[u8] = "---\nname: a\ndescription: é: b\nmetadata: {x: [1]}\n---\nBody".as_bytes();

fn json(value: &JsValue) -> String {
    String::from(js_sys::JSON::stringify(value).unwrap())
}

#[wasm_bindgen_test]
fn a_skill_crosses_as_its_json_says() {
    let js = parse_skill(FILE, "b").unwrap();
    let expected = serde_json::to_string(&front_matter::parse_skill(FILE, "b")).unwrap();
    assert_eq!(json(&js.js_value()), expected);
}

#[wasm_bindgen_test]
fn what_is_missing_is_null() {
    let js = parse_skill(b"", "").unwrap();
    let name = Reflect::get(&js.js_value(), &"name".into()).unwrap();
    assert!(name.is_null());
}

#[wasm_bindgen_test]
fn a_deep_header_does_not_end_the_stack() {
    for value in [
        "[".repeat(100_000),
        format!("\n {}x", "- ".repeat(100_000)),
        "{a: ".repeat(50_000),
    ] {
        let file = format!("---\nname: a\ndescription: b\nx: {value}\n---\n");
        let js = parse_skill(file.as_bytes(), "a").unwrap();
        assert!(
            Reflect::get(&js.js_value(), &"usable".into())
                .unwrap()
                .is_truthy()
        );
    }
}

#[wasm_bindgen_test]
fn lengths_that_do_not_add_up_are_refused_with_a_code() {
    let take = Function::new_no_args("throw new Error('not reached')");
    for lengths in [&[1, 2][..], &[4, 1], &[3, 2]] {
        let error = parse_skill_batch(b"abcd", lengths, "a\0b", &take).unwrap_err();
        let code = Reflect::get(&error, &"code".into()).unwrap();
        assert_eq!(code.as_string().unwrap(), "INVALID_ARGUMENT");
    }
}

#[wasm_bindgen_test]
async fn batches_are_asked_for_until_there_are_no_more() {
    let batches = Array::new();
    for _ in 0..3 {
        let lengths = Uint32Array::from(&[u32::try_from(FILE.len()).unwrap()][..]);
        batches.push(&Array::of3(&Uint8Array::from(FILE), &lengths, &"a".into()));
    }
    let taken = Array::new();
    let next = Closure::<dyn FnMut() -> JsValue>::new({
        let batches = batches.clone();
        move || batches.shift()
    });
    let take = Closure::<dyn FnMut(JsValue, JsValue)>::new({
        let taken = taken.clone();
        move |numbers, _text| {
            taken.push(&numbers);
        }
    });
    let next: &Function = next.as_ref().unchecked_ref();
    let take: &Function = take.as_ref().unchecked_ref();
    let promise = parse_skill_batches(next.clone(), take.clone()).unwrap();
    JsFuture::from(promise).await.unwrap();
    assert_eq!(taken.length(), 3);
}
