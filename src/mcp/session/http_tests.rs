//! Conversations over HTTP: inputs, each with the effects it brings, in short.

mod addresses;
mod calls;
mod start;

use crate::mcp::effect::{Effect, Era, SessionOptions};
use crate::mcp::feed::Feed;
use crate::mcp::http::{HttpEnd, HttpOptions, HttpPlace, HttpResponse, HttpTrouble};
use crate::mcp::session::Session;
use std::fmt::Write;

const INITIALIZED: &str = r#"say {"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;

fn feed(era: Option<Era>, sse: bool) -> Feed {
    let options = SessionOptions {
        client_info: serde_json::from_str(r#"{"name":"c","version":"1"}"#).unwrap(),
        capabilities: String::new(),
        limits: serde_json::from_str("{}").unwrap(),
        roots: Vec::new(),
        era,
        elicitation: false,
        http: Some(HttpOptions { sse }),
    };
    Feed::new(Session::new(options).unwrap())
}

fn number(word: Option<&str>) -> u32 {
    word.and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// `head 3 200 application/json session=abc`, `end 3 dropped event=7`, `say {…}`, `refuse 3 …`.
fn give(feed: &mut Feed, input: &str) -> Vec<Effect> {
    let (verb, rest) = input.split_once(' ').unwrap_or((input, ""));
    let mut words = rest.split(' ');
    let session = &mut feed.session;
    let after = |prefix: &str| {
        let mut all = rest.split(' ');
        all.find_map(|word| word.strip_prefix(prefix))
            .map(str::to_owned)
    };
    match verb {
        "start" => session.start().unwrap(),
        "call" => session.request("tools/call", rest).unwrap().effects,
        "cancel" => session.cancel(number(words.next())),
        "expire" => session.expire(number(words.next())),
        "close" => session.close(),
        "say" => feed.bytes(format!("{rest}\n").as_bytes()),
        "refuse" => session.refused(
            number(words.next()),
            rest.split_once(' ').map_or("", |(_, text)| text),
        ),
        "endpoint" => {
            let exchange = number(words.next());
            let href = words.next().unwrap().to_owned();
            let same_origin = !href.contains("elsewhere");
            session.endpoint(exchange, &HttpPlace { href, same_origin })
        }
        "head" => {
            let exchange = number(words.next());
            let status = u16::try_from(number(words.next())).unwrap();
            let content_type = words.next().unwrap_or_default().to_owned();
            let location = after("to=").map(|href| HttpPlace {
                same_origin: !href.contains("elsewhere"),
                href,
            });
            session.responded(
                exchange,
                &HttpResponse {
                    status,
                    content_type,
                    session_id: after("session="),
                    location,
                },
            )
        }
        _ => {
            let exchange = number(words.next());
            let trouble = match words.next() {
                Some("dropped") => Some(HttpTrouble::Dropped),
                Some("unreached") => Some(HttpTrouble::Unreached),
                Some("tooLong") => Some(HttpTrouble::TooLong),
                _ => None,
            };
            let end = HttpEnd {
                trouble,
                code: after("code=").unwrap_or_default(),
                last_event_id: after("event="),
                retry_ms: after("retry=").map(|ms| number(Some(&ms))),
            };
            session.ended(exchange, end)
        }
    }
}

/// Timers of calls and what is logged stay out.
fn short(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Open {
            exchange,
            method,
            url,
            headers,
            body,
        } => {
            let value: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
            let mut text = format!("{exchange} {method:?}");
            for part in [value["method"].as_str(), url.as_deref()]
                .into_iter()
                .flatten()
            {
                let _ = write!(text, " {part}");
            }
            for (name, mark) in [
                ("MCP-Protocol-Version", "v"),
                ("Mcp-Session-Id", "s"),
                ("Last-Event-ID", "e"),
                ("Mcp-Method", "m"),
                ("Mcp-Name", "n"),
                ("Mcp-Param-Region", "p"),
            ] {
                if let Some(header) = headers.iter().find(|header| header.name == name) {
                    let _ = write!(text, " {mark}={}", header.value);
                }
            }
            text
        }
        Effect::Read { exchange, body } => format!("read {exchange} {body:?}"),
        Effect::Abort { exchange } => format!("abort {exchange}"),
        Effect::Ready { peer } => format!("ready {:?} {}", peer.era, peer.protocol_version),
        Effect::ToolsChanged { tools, problems } => {
            format!("tools {} {}", tools.len(), problems.join(" "))
        }
        Effect::Settled { id, outcome } => format!("settled {id} {outcome:?}"),
        Effect::Failed { failure } => format!("failed {failure:?}"),
        Effect::Wait { id, ms, at_most_ms } if ms == at_most_ms && *ms < 5_000 => {
            format!("wait {id} {ms}")
        }
        Effect::Send { .. }
        | Effect::Wait { .. }
        | Effect::StopWaiting { .. }
        | Effect::Progress { .. }
        | Effect::Notification { .. }
        | Effect::Asked { .. }
        | Effect::Withdrawn { .. }
        | Effect::Log { .. } => return None,
    })
}

fn check(mut feed: Feed, script: &[(&str, &[&str])]) {
    for (input, expected) in script {
        let effects = give(&mut feed, input);
        let found: Vec<String> = effects.iter().filter_map(short).collect();
        let trimmed: Vec<&str> = found.iter().map(|line| line.trim_end()).collect();
        assert_eq!(&trimmed, expected, "after {input}");
    }
}

fn initialized(id: u32) -> String {
    INITIALIZED.replace("ID", &id.to_string())
}

/// A server of the older era with a session, up to its first list of tools.
fn ready(feed: &mut Feed) {
    for input in [
        "start",
        "head 3 200 application/json session=abc",
        &initialized(2),
        "end 3",
        "head 5 202",
        r#"say {"jsonrpc":"2.0","id":4,"result":{"tools":[]}}"#,
        "end 6",
        "head 7 405",
    ] {
        give(feed, input);
    }
}

fn legacy() -> Feed {
    let mut feed = feed(Some(Era::Legacy), false);
    ready(&mut feed);
    feed
}
