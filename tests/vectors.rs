//! Cases that break others; `tests/VECTORS.md` is the table of which test shows what of each.
#![cfg(not(target_arch = "wasm32"))]
// A test reads files and fails by panicking.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use gbs_agent_core::config::expand::Expanded;
use gbs_agent_core::config::plan::{ConfigOptions, ConfigOrigin, ConfigSource, ServerReach, plan};
use gbs_agent_core::limits::LOG_LINE_CHARACTERS;
use gbs_agent_core::mcp::effect::{Effect, SessionOptions};
use gbs_agent_core::mcp::feed::Feed;
use gbs_agent_core::mcp::session::Session;
use gbs_agent_core::mcp::tool::{page, parameters};

#[test]
fn keys_are_never_expanded() {
    let source = ConfigSource {
        origin: ConfigOrigin::User,
        path: "u".into(),
        text: r#"{"mcpServers": {"${A}": {"command": "x", "env": {"${A}": "${A}"}}}}"#.into(),
        folder: String::new(),
        guarded: false,
        unreadable: false,
    };
    let options = ConfigOptions {
        environment: [("A".to_owned(), "a value".to_owned())].into(),
        platform: "linux".into(),
        workspace_folder: "/w".into(),
        user_home: "/home/u".into(),
    };
    let plan = plan(&[source], &options);
    let server = &plan.servers[0];
    let ServerReach::Program { env, .. } = &server.reach else {
        panic!("{:?}", server.reach);
    };
    let value = env[0].value.as_ref().map(Expanded::text);
    assert_eq!(
        (server.name.as_str(), env[0].name.as_str(), value.as_deref()),
        ("${A}", "${A}", Some("a value"))
    );
}

#[test]
fn schemas_reach_the_model_as_they_stand() {
    for schema in [
        r##"{"type":"object","properties":{"a":{"$ref":"#"}}}"##,
        r#"{"type":["object","null"]}"#,
        r#"{"anyOf":[{"type":"object"}]}"#,
        r#"{"properties":{"a":{"pattern":"a(?=b)","maxLength":10000,"format":"uri","const":1.0}}}"#,
        "{}",
    ] {
        assert_eq!(parameters(schema), schema);
    }
    assert_eq!(
        parameters(r#"{"$schema":"x","type":"object","properties":{"$schema":{}}}"#),
        r#"{"type":"object","properties":{"$schema":{}}}"#
    );
}

#[test]
fn a_schema_that_is_none_leaves_out_its_tool_alone() {
    let tools = |schema: &str| {
        let tool =
            |name: &str, schema: &str| format!(r#"{{"name":"{name}","inputSchema":{schema}}}"#);
        let text = format!(
            r#"{{"tools":[{},{}]}}"#,
            tool("odd", schema),
            tool("kept", "{}")
        );
        let page = page(&text).unwrap();
        page.tools
            .into_iter()
            .map(|tool| tool.name)
            .collect::<Vec<_>>()
    };
    let deep = |levels| format!("{}{}", r#"{"a":"#.repeat(levels), "1") + &"}".repeat(levels);
    // `true` takes anything.
    for schema in ["{}", "true", &deep(20)] {
        assert_eq!(tools(schema), ["odd", "kept"], "{schema}");
    }
    for schema in ["false", "[]", "null", "7", r#""x""#, &deep(100_000)] {
        assert_eq!(tools(schema), ["kept"], "{schema:.40}");
    }
}

#[test]
fn a_cursor_that_repeats_ends_the_list() {
    let options: SessionOptions =
        serde_json::from_str(r#"{"clientInfo": {"name": "a", "version": "1"}, "era": "legacy"}"#)
            .unwrap();
    let mut feed = Feed::new(Session::new(options).unwrap());
    feed.session.start().unwrap();
    let mut effects = feed.bytes(
        concat!(
            r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","#,
            r#""capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#,
            "\n"
        )
        .as_bytes(),
    );
    let mut pages = 0;
    while let Some(id) = effects.iter().find_map(asked_for) {
        pages += 1;
        assert!(pages < 10, "the list is asked for without end");
        let page = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{{\"name\":\"t{pages}\",\"inputSchema\":{{}}}}],\"nextCursor\":\"same\"}}}}\n"
        );
        effects = feed.bytes(page.as_bytes());
    }
    let listed = effects.iter().find_map(|effect| match effect {
        Effect::ToolsChanged { tools, .. } => Some(tools.len()),
        _ => None,
    });
    assert_eq!((pages, listed), (2, Some(2)));
}

/// The id of a request for a page of the list.
fn asked_for(effect: &Effect) -> Option<u64> {
    let Effect::Send { line, .. } = effect else {
        return None;
    };
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    (line["method"] == "tools/list")
        .then(|| line["id"].as_u64())
        .flatten()
}

/// What a server says of itself, of a call and of its refusals stands in logs, on cards and in lists,
/// as often as it likes: each time it is one short line.
#[test]
fn a_servers_words_for_people_are_short() {
    let long = "w\u{202e}\n".repeat(20_000);
    let said = serde_json::Value::from(long);
    let begin = |era: &str| {
        let options =
            format!(r#"{{"clientInfo": {{"name": "a", "version": "1"}}, "era": "{era}"}}"#);
        let mut feed = Feed::new(Session::new(serde_json::from_str(&options).unwrap()).unwrap());
        feed.session.start().unwrap();
        feed
    };
    let initialized = format!(
        r#"{{"id":2,"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":{said},"version":{said}}}}}}}"#
    );
    let check = |era: &str, lines: &[String], expected: &[&str]| {
        let mut feed = begin(era);
        let effects: Vec<Effect> = lines
            .iter()
            .flat_map(|line| feed.bytes(format!("{line}\n").as_bytes()))
            .filter(|effect| !matches!(effect, Effect::Send { .. }))
            .collect();
        let text = serde_json::to_string(&effects).unwrap();
        for kind in expected {
            assert!(
                text.contains(&format!("\"kind\":\"{kind}\"")),
                "{kind}: {text:.300}"
            );
        }
        assert!(
            text.len() < 20_000,
            "{expected:?} have {} bytes",
            text.len()
        );
        assert!(text.contains("w w w"), "{text:.300}");
    };
    check("legacy", std::slice::from_ref(&initialized), &["ready"]);
    let refused = format!(r#"{{"id":2,"error":{{"code":-1,"message":{said}}}}}"#);
    check("legacy", &[refused], &["failed", "refused"]);
    let version = format!(r#"{{"id":2,"result":{{"protocolVersion":{said}}}}}"#);
    check("legacy", &[version], &["failed", "unknownVersion"]);
    let versions = format!(r#"{{"id":2,"result":{{"supportedVersions":[{said},{said}]}}}}"#);
    check("modern", &[versions], &["failed", "unknownVersion"]);
    let unlisted = format!(r#"{{"id":3,"error":{{"code":-1,"message":{said}}}}}"#);
    check(
        "legacy",
        &[initialized.clone(), unlisted],
        &["toolsChanged"],
    );
    let message = format!(r#"{{"method":"notifications/message","params":{{"data":{said}}}}}"#);
    check(
        "legacy",
        &[initialized.clone(), message, "w w w".repeat(10_000)],
        &["log"],
    );

    let mut feed = begin("legacy");
    feed.bytes(format!("{initialized}\n").as_bytes());
    let call = feed.session.request("tools/call", "{}").unwrap();
    let progress = format!(
        r#"{{"method":"notifications/progress","params":{{"progressToken":{},"progress":1,"message":{said}}}}}"#,
        call.id
    );
    let told: Vec<usize> = feed
        .bytes(format!("{progress}\n").as_bytes())
        .iter()
        .filter_map(|effect| match effect {
            Effect::Progress { message, .. } => Some(message.chars().count()),
            _ => None,
        })
        .collect();
    assert_eq!(told, [LOG_LINE_CHARACTERS]);
}
