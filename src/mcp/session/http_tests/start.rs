//! From the first request to `ready`.

use super::{check, feed, give, initialized, short};
use crate::mcp::effect::{Effect, Era};

#[test]
fn the_handshake_of_the_older_era() {
    check(
        feed(Some(Era::Legacy), false),
        &[
            ("start", &["3 Post initialize"]),
            (
                "head 3 200 application/json;charset=utf-8 session=abc",
                &["read 3 Message"],
            ),
            // The list waits until the server took `initialized`.
            (
                &initialized(2),
                &[
                    "5 Post notifications/initialized v=2025-06-18 s=abc",
                    "ready Legacy 2025-06-18",
                ],
            ),
            ("end 3", &[]),
            (
                "head 5 202",
                &[
                    "read 5 Nothing",
                    "6 Post tools/list v=2025-06-18 s=abc",
                    "7 Get v=2025-06-18 s=abc",
                ],
            ),
            ("head 7 405", &["read 7 Nothing"]),
            ("head 6 200 text/event-stream", &["read 6 Events"]),
            (
                r#"say {"jsonrpc":"2.0","id":4,"result":{"tools":[]}}"#,
                &["tools 0"],
            ),
            ("end 6", &[]),
            ("close", &["8 Delete v=2025-06-18 s=abc"]),
        ],
    );
}

#[test]
fn which_era() {
    // What a server of the older era may say to the probe.
    for refusal in [
        "head 3 400 application/json",
        "head 3 404",
        "head 3 405",
        "head 3 406",
        "head 3 500",
    ] {
        check(
            feed(None, false),
            &[
                (
                    "start",
                    &["3 Post server/discover v=2026-07-28 m=server/discover"],
                ),
                (refusal, &["read 3 Refusal"]),
                ("refuse 3 Bad Request", &["5 Post initialize"]),
            ],
        );
    }
    let modern = r#"say {"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}}"#;
    check(
        feed(None, false),
        &[
            (
                "start",
                &["3 Post server/discover v=2026-07-28 m=server/discover"],
            ),
            (
                "head 3 200 application/json session=ignored",
                &["read 3 Message"],
            ),
            (
                modern,
                &[
                    "ready Modern 2026-07-28",
                    "6 Post subscriptions/listen v=2026-07-28 m=subscriptions/listen",
                    "7 Post tools/list v=2026-07-28 m=tools/list",
                ],
            ),
            ("close", &["abort 3", "abort 6", "abort 7"]),
        ],
    );
}

#[test]
fn answers_to_the_probe_that_decide_nothing() {
    // An empty result says nothing: servers give one for every method that they do not know.
    check(
        feed(None, false),
        &[
            (
                "start",
                &["3 Post server/discover v=2026-07-28 m=server/discover"],
            ),
            ("head 3 200 application/json", &["read 3 Message"]),
            (
                r#"say {"jsonrpc":"2.0","id":2,"result":{}}"#,
                &["5 Post initialize"],
            ),
        ],
    );
    // A version that it refused and names among its own is asked for once more, and no more than once.
    let refused = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}"#;
    let (first, second) = (format!("refuse 3 {refused}"), format!("refuse 5 {refused}"));
    check(
        feed(None, false),
        &[
            (
                "start",
                &["3 Post server/discover v=2026-07-28 m=server/discover"],
            ),
            ("head 3 400 application/json", &["read 3 Refusal"]),
            (
                &first,
                &["5 Post server/discover v=2026-07-28 m=server/discover"],
            ),
            ("head 5 400 application/json", &["read 5 Refusal"]),
            (
                &second,
                &[r#"failed UnknownVersion { version: "2026-07-28" }"#],
            ),
        ],
    );
}

#[test]
fn errors_that_only_modern_servers_send() {
    // A body that only modern servers send decides.
    check(
        feed(None, false),
        &[
            (
                "start",
                &["3 Post server/discover v=2026-07-28 m=server/discover"],
            ),
            ("head 3 400 application/json", &["read 3 Refusal"]),
            (
                r#"refuse 3 {"jsonrpc":"2.0","id":null,"error":{"code":-32021,"message":"needs sampling"}}"#,
                &[r#"failed Refused { code: -32021, message: "needs sampling" }"#],
            ),
        ],
    );
    check(
        feed(Some(Era::Legacy), false),
        &[
            ("start", &["3 Post initialize"]),
            ("head 3 400 application/json", &["read 3 Refusal"]),
            (
                r#"refuse 3 {"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}"#,
                &["5 Post server/discover v=2026-07-28 m=server/discover"],
            ),
        ],
    );
}

#[test]
fn failures_of_the_start() {
    let first: (&str, &[&str]) = ("start", &["3 Post initialize"]);
    for (input, failed) in [
        (
            "end 3 unreached code=ECONNREFUSED",
            r#"failed Unreached { code: "ECONNREFUSED" }"#,
        ),
        ("end 3 dropped", "failed Dropped"),
        (
            "head 3 302 text/html to=http://elsewhere/mcp",
            r#"failed Redirected { to: "http://elsewhere/mcp" }"#,
        ),
        (
            "head 3 200 text/html",
            r#"failed NotMcp { content_type: "text/html" }"#,
        ),
        ("head 3 202", r#"failed NotMcp { content_type: "" }"#),
    ] {
        let mut feed = feed(Some(Era::Legacy), false);
        assert_eq!(give(&mut feed, first.0).iter().filter_map(short).count(), 1);
        let found: Vec<String> = give(&mut feed, input).iter().filter_map(short).collect();
        assert_eq!(found.last().map(String::as_str), Some(failed), "{input}");
    }
    for (status, text, failed) in [
        (
            401,
            "{\"error\":\"invalid_token\"}",
            r#"failed Status { status: 401, text: "invalid_token" }"#,
        ),
        (500, "<html>", r#"failed Status { status: 500, text: "" }"#),
        (
            400,
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#,
            r#"failed Refused { code: -32600, message: "no" }"#,
        ),
    ] {
        let head = format!("head 3 {status}");
        let refusal = format!("refuse 3 {text}");
        check(
            feed(Some(Era::Legacy), false),
            &[first, (&head, &["read 3 Refusal"]), (&refusal, &[failed])],
        );
    }
    // A probe that is answered by a drop is no end; one without any connection is.
    check(
        feed(None, false),
        &[
            (
                "start",
                &["3 Post server/discover v=2026-07-28 m=server/discover"],
            ),
            ("end 3 dropped", &["5 Post initialize"]),
            ("end 5 dropped", &["failed Dropped"]),
        ],
    );
    check(
        feed(None, false),
        &[
            (
                "start",
                &["3 Post server/discover v=2026-07-28 m=server/discover"],
            ),
            (
                "end 3 unreached code=ENOTFOUND",
                &[r#"failed Unreached { code: "ENOTFOUND" }"#],
            ),
        ],
    );
}

#[test]
fn redirections_within_the_origin() {
    check(
        feed(Some(Era::Legacy), false),
        &[
            ("start", &["3 Post initialize"]),
            (
                "head 3 307 text/plain to=http://h/mcp/",
                &["read 3 Nothing", "4 Post initialize http://h/mcp/"],
            ),
            (
                "head 4 307 x to=http://h/a",
                &["read 4 Nothing", "5 Post initialize http://h/a"],
            ),
            (
                "head 5 307 x to=http://h/a",
                &["read 5 Nothing", "6 Post initialize http://h/a"],
            ),
            (
                "head 6 307 x to=http://h/a",
                &["read 6 Nothing", "7 Post initialize http://h/a"],
            ),
            (
                "head 7 307 x to=http://h/a",
                &["read 7 Nothing", "8 Post initialize http://h/a"],
            ),
            (
                "head 8 307 x to=http://h/a",
                &[
                    "read 8 Nothing",
                    r#"failed Redirected { to: "http://h/a" }"#,
                ],
            ),
        ],
    );
}

#[test]
fn the_older_transport() {
    check(
        feed(None, true),
        &[
            ("start", &["3 Get"]),
            ("head 3 200 text/event-stream", &["read 3 Events"]),
            (
                "endpoint 3 http://h/messages?s=1",
                &["4 Post initialize http://h/messages?s=1"],
            ),
            ("head 4 202", &["read 4 Nothing"]),
            (
                &initialized(2),
                &[
                    "6 Post notifications/initialized http://h/messages?s=1 v=2025-06-18",
                    "ready Legacy 2025-06-18",
                ],
            ),
            (
                "head 6 202",
                &[
                    "read 6 Nothing",
                    "7 Post tools/list http://h/messages?s=1 v=2025-06-18",
                ],
            ),
            (
                "call {}",
                &["9 Post tools/call http://h/messages?s=1 v=2025-06-18"],
            ),
            ("end 3", &["settled 8 Dropped", "failed Dropped"]),
        ],
    );
    check(
        feed(None, true),
        &[
            ("start", &["3 Get"]),
            ("head 3 200 text/event-stream", &["read 3 Events"]),
            (
                "endpoint 3 http://elsewhere/m",
                &[
                    "abort 3",
                    r#"failed Redirected { to: "http://elsewhere/m" }"#,
                ],
            ),
        ],
    );
    // A server that knows nothing of the newer one.
    check(
        feed(Some(Era::Legacy), false),
        &[
            ("start", &["3 Post initialize"]),
            ("head 3 405", &["read 3 Refusal"]),
            ("refuse 3 no", &["4 Get"]),
            ("head 4 200 text/event-stream", &["read 4 Events"]),
            ("endpoint 4 http://h/m", &["5 Post initialize http://h/m"]),
        ],
    );
    // And one that is not there at all.
    check(
        feed(Some(Era::Legacy), false),
        &[
            ("start", &["3 Post initialize"]),
            ("head 3 404", &["read 3 Refusal"]),
            ("refuse 3 no", &["4 Get"]),
            (
                "head 4 200 text/html",
                &[
                    "read 4 Nothing",
                    r#"failed Status { status: 404, text: "" }"#,
                ],
            ),
        ],
    );
}

#[test]
fn streams_that_end_are_no_unrest_of_the_servers() {
    let mut feed = feed(None, false);
    for input in [
        "start",
        "head 3 200 application/json",
        r#"say {"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}}"#,
    ] {
        give(&mut feed, input);
    }
    let mut stream = "6".to_owned();
    for round in 0..12 {
        give(&mut feed, &format!("head {stream} 200 text/event-stream"));
        let ended = give(&mut feed, &format!("end {stream} - retry=1000"));
        let again = ended.iter().find_map(|effect| match effect {
            Effect::Wait { id, ms: 1_000, .. } => Some(*id),
            _ => None,
        });
        let opened = give(&mut feed, &format!("expire {}", again.unwrap()));
        // Each stream that is there anew is followed by a list, as soon as after the first.
        let list = opened.iter().find_map(|effect| match effect {
            Effect::Wait { id, ms: 200, .. } => Some(*id),
            _ => None,
        });
        assert!(list.is_some(), "round {round}: {opened:?}");
        let listed = give(&mut feed, &format!("expire {}", list.unwrap()));
        for effect in ended.iter().chain(&opened).chain(&listed) {
            assert!(!matches!(effect, Effect::Log { .. }), "{effect:?}");
            if let Effect::Open { exchange, body, .. } = effect
                && body.contains("subscriptions/listen")
            {
                stream = exchange.to_string();
            }
        }
    }
}
