//! The doors of skills, through the boundary.
#![cfg(target_arch = "wasm32")]
// A test fails by panicking.
#![allow(clippy::unwrap_used)]

use gbs_agent_core::wasm::skills::{
    SkillIndex, build_catalogue, compare_skill_files, file_text, is_within, list_resources,
    load_body, load_resource, loaded_pointer, project_instructions, resource_path, search_skills,
    skill_consent_card, skill_fingerprint, skill_lines,
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

fn code(error: &JsValue) -> String {
    let code = js_sys::Reflect::get(error, &"code".into()).unwrap();
    code.as_string().unwrap()
}

#[wasm_bindgen_test]
fn a_parsed_skill_with_a_path_is_enough() {
    let sources = r#"[{"origin":"project","label":".gbs/skills","skills":[{
        "path":"a","usable":true,"name":"a","description":"Says a.","version":null,
        "frontMatter":"{}","body":"Body.","bodyLine":5,"problems":[],
        "fields":{"autoAttach":["*.ts"],"license":null,"tags":[],"disableModelInvocation":false}
    }]}]"#;
    let options = r#"{"openFile":"src/a.ts","contextWindow":null}"#;
    let catalogue = build_catalogue(value(sources), value(options)).unwrap();
    assert_eq!(
        json(catalogue),
        concat!(
            r##"{"block":"# Skills\nGuidance for certain tasks, one a line. When a task fits a "##,
            r#"line, load that skill with the tool skill before you start.\n- a: Says a.","#,
            r#""hint":"Hint: the skill a fits the open file.","tokens":40,"budget":655,"#,
            r#""skills":[{"path":"a","source":0,"name":"a","state":"full","fits":true,"tokens":4,"#,
            r#""fullTokens":4,"why":"","text":"fits a.ts, 4 tokens","shadowedBy":null,"#,
            r#""problems":[]}]}"#,
        )
    );
}

#[wasm_bindgen_test]
fn a_wrong_argument_is_named() {
    let error = build_catalogue(value(r#"[{"origin":"nowhere"}]"#), value("{}")).unwrap_err();
    assert_eq!(code(&error), "INVALID_ARGUMENT");
    let message: String = js_sys::Error::from(error).message().into();
    assert!(message.starts_with("argument sources: "));
}

const OF: &str = r#"{"name":"a","origin":"user"}"#;

#[wasm_bindgen_test]
fn levels_two_and_three() {
    let body = load_body(value(&format!(r#"{{"of":{OF},"body":"Text."}}"#)));
    let text = r#"{"kind":"text","text":"<skill name=\"a\">\nText.\n</skill>","part":1,"parts":1}"#;
    assert_eq!(json(body.unwrap()), text);
    let request = format!(r#"{{"of":{OF},"resource":"../x"}}"#);
    let refused = json(load_resource(value(&request), b"secret").unwrap());
    assert!(refused.starts_with(r#"{"kind":"refused","code":"parent-folder""#));
    let request = format!(r#"{{"of":{OF},"folder":".","files":[{{"path":"x","size":1}}]}}"#);
    assert!(json(list_resources(value(&request)).unwrap()).contains("- x (1 byte)"));
    assert_eq!(
        loaded_pointer("a", "", 2, 3),
        "The skill a, part 2 of 3, already stands above, unchanged: read it there."
    );
    let files = r#"[{"path":"AGENTS.md","text":"Use tabs.\r\n"}]"#;
    let shown = project_instructions(value(files), 0).unwrap();
    assert_eq!(json(shown), r#"[{"path":"AGENTS.md","text":"Use tabs."}]"#);
    assert_eq!(file_text("a.md", b"caf\xe9"), Some("café".to_owned()));
    assert_eq!(file_text("a.png", b"\x89PNG\r\n\x1a\n\0"), None);
}

#[wasm_bindgen_test]
fn paths() {
    assert_eq!(resource_path(".\\a\\b").unwrap(), "a/b");
    assert_eq!(code(&resource_path("c:/x").unwrap_err()), "drive-letter");
    assert!(is_within("/a", "/a/b", value("\"posix\"")).unwrap());
    assert!(!is_within("C:\\a", "C:\\ab", value("\"windows\"")).unwrap());
}

#[wasm_bindgen_test]
fn search() {
    let entries = r#"[{"id":"a","name":"a","description":"About\nsql."}]"#;
    let index = SkillIndex::new(value(entries)).unwrap();
    let hits = search_skills(&index, "SQL", 5).unwrap();
    assert_eq!(json(hits), r#"[{"id":"a","score":2}]"#);
    assert_eq!(skill_lines(value(entries)).unwrap(), "- a: About sql.");
}

#[wasm_bindgen_test]
fn consent() {
    let one = r#"[{"path":"SKILL.md","sha256":"00"}]"#;
    let two = r#"[{"path":"SKILL.md","sha256":"01"},{"path":"b","sha256":"00"}]"#;
    let fingerprint = skill_fingerprint(value(one)).unwrap();
    assert_eq!(fingerprint.len(), 64);
    assert_ne!(fingerprint, skill_fingerprint(value(two)).unwrap());
    let changes = compare_skill_files(value(one), value(two)).unwrap();
    assert_eq!(
        json(changes),
        r#"[{"path":"SKILL.md","state":"changed"},{"path":"b","state":"new"}]"#
    );
    let question = r#"{"skills":[{"name":"a","origin":"package","label":"kit 1.0.0","files":[
        {"path":"SKILL.md","place":"/p/SKILL.md","state":"new","text":"Hi."}]}],"instructions":[]}"#;
    let card = json(skill_consent_card(value(question)).unwrap());
    assert!(card.starts_with(r#"{"kind":"skill","about":["a"],"question":"#));
    assert!(card.contains(r#""answer":"notNow""#));
}
