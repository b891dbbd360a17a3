//! Calls, lost sessions, and the modern era.

use super::{check, feed, give, initialized, legacy, short};
use crate::limits::{MAX_OPEN_NOTICES, MAX_WAITING_NOTICES};
use crate::mcp::effect::{Effect, Era};

#[test]
fn a_stream_that_breaks_off_is_taken_up() {
    check(
        legacy(),
        &[
            (
                "call {\"name\":\"t\"}",
                &["9 Post tools/call v=2025-06-18 s=abc"],
            ),
            ("head 9 200 text/event-stream", &["read 9 Events"]),
            ("end 9 - event=e1 retry=500", &["wait 10 500"]),
            ("expire 10", &["11 Get v=2025-06-18 s=abc e=e1"]),
            ("head 11 200 text/event-stream", &["read 11 Events"]),
            ("end 11 dropped event=e1", &["wait 12 2000"]),
            ("expire 12", &["13 Get v=2025-06-18 s=abc e=e1"]),
            ("head 13 200 text/event-stream", &["read 13 Events"]),
            ("end 13 dropped event=e2", &["wait 14 1000"]),
            ("expire 14", &["15 Get v=2025-06-18 s=abc e=e2"]),
            // It was taken, so it is not made again, and not said not to have been made.
            (
                "head 15 404",
                &["read 15 Nothing", "17 Post initialize", "settled 8 Dropped"],
            ),
        ],
    );
    // Without an event to go on from, the call may have taken effect.
    check(
        legacy(),
        &[
            (
                "call {\"name\":\"t\"}",
                &["9 Post tools/call v=2025-06-18 s=abc"],
            ),
            ("head 9 200 text/event-stream", &["read 9 Events"]),
            ("end 9", &["settled 8 Dropped"]),
            (
                "call {\"name\":\"t\"}",
                &["11 Post tools/call v=2025-06-18 s=abc"],
            ),
            ("end 11 dropped", &["settled 10 Dropped"]),
            (
                "call {\"name\":\"t\"}",
                &["13 Post tools/call v=2025-06-18 s=abc"],
            ),
            (
                "end 13 unreached code=ECONNREFUSED",
                &[r#"settled 12 Unreached { code: "ECONNREFUSED" }"#],
            ),
            (
                "call {\"name\":\"t\"}",
                &["15 Post tools/call v=2025-06-18 s=abc"],
            ),
            ("head 15 200 application/json", &["read 15 Message"]),
            (
                "end 15 tooLong",
                &["settled 14 TooLong { bytes: 67108864 }"],
            ),
            (
                "call {\"name\":\"t\"}",
                &["17 Post tools/call v=2025-06-18 s=abc"],
            ),
            ("head 17 200 application/json", &["read 17 Message"]),
            ("end 17", &["settled 16 Broken"]),
        ],
    );
}

#[test]
fn calls_wait_for_the_stream_on_which_the_server_asks() {
    let call = "9 Post tools/call v=2025-06-18 s=abc";
    for (input, expected) in [
        ("head 7 200 text/event-stream", vec!["read 7 Events", call]),
        ("head 7 405", vec!["read 7 Nothing", call]),
        ("end 7 dropped", vec![call, "wait 10 1000"]),
        ("expire 7", vec![call]),
    ] {
        let mut feed = feed(Some(Era::Legacy), false);
        for input in [
            "start",
            "head 3 200 application/json session=abc",
            &initialized(2),
            "end 3",
            "head 5 202",
        ] {
            give(&mut feed, input);
        }
        check(feed, &[("call {\"name\":\"t\"}", &[]), (input, &expected)]);
    }
}

#[test]
fn a_session_that_is_lost_is_begun_anew() {
    let renewed = initialized(10);
    check(
        legacy(),
        &[
            (
                "call {\"name\":\"t\"}",
                &["9 Post tools/call v=2025-06-18 s=abc"],
            ),
            ("head 9 404", &["read 9 Nothing", "11 Post initialize"]),
            (
                "head 11 200 application/json session=def",
                &["read 11 Message"],
            ),
            (
                &renewed,
                &[
                    "12 Post notifications/initialized v=2025-06-18 s=def",
                    "wait 13 200",
                ],
            ),
            (
                "head 12 202",
                &["read 12 Nothing", "14 Get v=2025-06-18 s=def"],
            ),
            (
                "head 14 405",
                &["read 14 Nothing", "15 Post tools/call v=2025-06-18 s=def"],
            ),
            (
                "head 15 404",
                &[
                    "read 15 Nothing",
                    r#"settled 8 Error { code: 404, message: "the server answered with status 404", data: None }"#,
                ],
            ),
        ],
    );
    // Servers that say so with 400, and to nobody.
    check(
        legacy(),
        &[
            (
                "call {\"name\":\"t\"}",
                &["9 Post tools/call v=2025-06-18 s=abc"],
            ),
            ("head 9 400", &["read 9 Refusal"]),
            (
                r#"refuse 9 {"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID provided"},"id":null}"#,
                &["11 Post initialize"],
            ),
            (
                "end 11 unreached code=ECONNREFUSED",
                &[
                    r#"settled 8 Unreached { code: "" }"#,
                    r#"failed Unreached { code: "ECONNREFUSED" }"#,
                ],
            ),
        ],
    );
    check(
        legacy(),
        &[
            (
                "call {\"name\":\"t\"}",
                &["9 Post tools/call v=2025-06-18 s=abc"],
            ),
            ("head 9 400", &["read 9 Refusal"]),
            (
                r#"refuse 9 {"jsonrpc":"2.0","error":{"code":-32602,"message":"bad"},"id":8}"#,
                &[r#"settled 8 Error { code: -32602, message: "bad", data: None }"#],
            ),
        ],
    );
}

#[test]
fn calls_that_are_given_up() {
    let mut feed = legacy();
    give(&mut feed, "call {\"name\":\"t\"}");
    let mut found: Vec<String> = give(&mut feed, "cancel 8")
        .iter()
        .filter_map(short)
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "10 Post notifications/cancelled v=2025-06-18 s=abc",
            "abort 9",
            "settled 8 Cancelled"
        ]
    );
}

#[test]
fn the_modern_era() {
    let tools = r#"say {"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}}]}}"#;
    let again = r#"say {"jsonrpc":"2.0","id":13,"result":{"tools":[]}}"#;
    let mut feed = feed(Some(Era::Modern), false);
    for input in [
        "start",
        r#"say {"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#,
        "end 3",
    ] {
        give(&mut feed, input);
    }
    check(
        feed,
        &[
            (
                tools,
                &[
                    r#"tools 1 The tool "bad" is left out: its input schema has an x-mcp-header on what is not a string, integer or boolean."#,
                ],
            ),
            ("end 5", &[]),
            (
                r#"call {"name":"t","arguments":{"region":"Zürich"}}"#,
                &["7 Post tools/call v=2026-07-28 m=tools/call n=t p==?base64?WsO8cmljaA==?="],
            ),
            // The end of the connection is what tells the server.
            ("cancel 6", &["abort 7", "settled 6 Cancelled"]),
            (
                "call {\"name\":\"t\"}",
                &["9 Post tools/call v=2026-07-28 m=tools/call n=t"],
            ),
            ("head 9 200 text/event-stream", &["read 9 Events"]),
            // Nothing is taken up in this era.
            ("end 9 dropped event=1", &["settled 8 Dropped"]),
            (
                "call {\"name\":\"t\"}",
                &["11 Post tools/call v=2026-07-28 m=tools/call n=t"],
            ),
            ("head 11 400", &["read 11 Refusal"]),
            (
                r#"refuse 11 {"jsonrpc":"2.0","id":10,"error":{"code":-32020,"message":"mismatch"}}"#,
                &["wait 12 200"],
            ),
            (
                "expire 12",
                &["14 Post tools/list v=2026-07-28 m=tools/list"],
            ),
            // Nothing was done of it: it goes out once more, by the list as it is now.
            (
                again,
                &[
                    "tools 0",
                    "15 Post tools/call v=2026-07-28 m=tools/call n=t",
                ],
            ),
            ("head 15 400", &["read 15 Refusal"]),
            (
                r#"refuse 15 {"jsonrpc":"2.0","id":10,"error":{"code":-32020,"message":"mismatch"}}"#,
                &[
                    "wait 16 200",
                    r#"settled 10 Error { code: -32020, message: "mismatch", data: None }"#,
                ],
            ),
        ],
    );
}

#[test]
fn a_flood_of_pings_is_answered_a_few_at_a_time() {
    let mut feed = legacy();
    let most = MAX_OPEN_NOTICES + MAX_WAITING_NOTICES;
    let mut open = Vec::new();
    let mut logged = 0;
    for id in 0..most + 3 {
        let ping = format!(r#"say {{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        for effect in give(&mut feed, &ping) {
            match effect {
                Effect::Open { exchange, .. } => open.push(exchange),
                Effect::Log { .. } => logged += 1,
                _ => {}
            }
        }
    }
    assert_eq!(open.len(), MAX_OPEN_NOTICES);
    assert_eq!(logged, 1, "what is left out is said once");
    // Each that ends makes room for the next, in their order, until none is left.
    let mut answered = Vec::new();
    while let Some(exchange) = open.pop() {
        let input = match answered.len() % 3 {
            0 => format!("head {exchange} 202"),
            1 => format!("head {exchange} 500"),
            _ => format!("expire {exchange}"),
        };
        answered.push(exchange);
        for effect in give(&mut feed, &input) {
            if let Effect::Open { exchange, .. } = effect {
                open.push(exchange);
            }
        }
    }
    assert_eq!(answered.len(), most);
}

#[test]
fn what_waits_behind_a_flood_goes_with_the_session() {
    let mut feed = legacy();
    for id in 0..100 {
        let ping = format!(r#"say {{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        give(&mut feed, &ping);
    }
    let opened = |effects: Vec<Effect>| {
        let opened = effects.iter().filter_map(|effect| match effect {
            Effect::Open { method, .. } => Some(format!("{method:?}")),
            _ => None,
        });
        opened.collect::<Vec<_>>()
    };
    assert_eq!(opened(give(&mut feed, "close")), ["Delete"]);
}

#[test]
fn a_server_cannot_make_us_ask_without_a_pause() {
    for (retry, pause) in [
        ("0", "wait 10 100"),
        ("1", "wait 10 100"),
        ("101", "wait 10 101"),
    ] {
        check(
            legacy(),
            &[
                (
                    "call {\"name\":\"t\"}",
                    &["9 Post tools/call v=2025-06-18 s=abc"],
                ),
                ("head 9 200 text/event-stream", &["read 9 Events"]),
                (&format!("end 9 - event=e1 retry={retry}"), &[pause]),
            ],
        );
    }
}
