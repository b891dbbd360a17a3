//! A conversation over HTTP. Parts: how it begins (`modern`, `legacy`, `sse` or anything else), then
//! inputs, each told by its first byte: `<` a message of the server, `r` a request, `c` a call given up,
//! `x` a timer, `a` an answer to a question, `h` the head of a response (number, status, content type,
//! then `session=` and `to=`), `f` what it refuses with, `p` where the older transport posts, `d` the
//! end of an exchange (number, trouble, then `event=` and `retry=`), `q` the leave that is taken.

use super::byte_parts;
use gbs_agent_core::mcp::effect::{
    AskAction, ClientInfo, Effect, Era, SessionLimits, SessionOptions,
};
use gbs_agent_core::mcp::feed::Feed;
use gbs_agent_core::mcp::http::{
    HttpEnd, HttpMethod, HttpOptions, HttpPlace, HttpResponse, HttpTrouble,
};
use gbs_agent_core::mcp::session::Session;
use std::collections::BTreeSet;

/// What an address of another origin holds here.
const ELSEWHERE: &str = "elsewhere";

pub fn run(data: &[u8]) {
    let inputs = byte_parts(data);
    let (begin, inputs) = inputs.split_first().expect("at least one part");
    let options = SessionOptions {
        client_info: ClientInfo {
            name: "c".to_owned(),
            version: "1".to_owned(),
        },
        capabilities: String::new(),
        limits: SessionLimits::default(),
        roots: Vec::new(),
        elicitation: true,
        era: match *begin {
            b"modern" => Some(Era::Modern),
            b"legacy" => Some(Era::Legacy),
            _ => None,
        },
        http: Some(HttpOptions {
            sse: *begin == b"sse",
        }),
    };
    let mut feed = Feed::new(Session::new(options).expect("options that are right"));
    let mut effects = feed.session.start().expect("the first start");
    for input in inputs {
        if let [kind, rest @ ..] = input {
            effects.extend(give(&mut feed, *kind, rest));
        }
    }
    effects.extend(feed.session.close());
    effects.extend(feed.end());
    hold(&effects);
}

fn give(feed: &mut Feed, kind: u8, rest: &[u8]) -> Vec<Effect> {
    let text = String::from_utf8_lossy(rest).into_owned();
    let (first, after) = text.split_once(' ').unwrap_or((&text, ""));
    let number = first.trim().parse().unwrap_or(0);
    let word = |prefix: &str| {
        let mut words = after.split(' ');
        words
            .find_map(|word| word.strip_prefix(prefix))
            .map(str::to_owned)
    };
    let place = |href: String| HttpPlace {
        same_origin: !href.contains(ELSEWHERE),
        href,
    };
    let mut words = after.split(' ');
    let session = &mut feed.session;
    match kind {
        b'<' => feed.bytes(&[rest, b"\n"].concat()),
        b'r' => session
            .request(first, after)
            .map(|r| r.effects)
            .unwrap_or_default(),
        b'c' => session.cancel(number),
        b'x' => session.expire(number),
        b'a' => session
            .answer(number, AskAction::Accept, after)
            .unwrap_or_default(),
        b'h' => session.responded(
            number,
            &HttpResponse {
                status: words.next().and_then(|s| s.parse().ok()).unwrap_or(0),
                content_type: words.next().unwrap_or_default().to_owned(),
                session_id: word("session="),
                location: word("to=").map(place),
            },
        ),
        b'f' => session.refused(number, after),
        b'p' => session.endpoint(number, &place(after.to_owned())),
        b'd' => session.ended(
            number,
            HttpEnd {
                trouble: match words.next() {
                    Some("dropped") => Some(HttpTrouble::Dropped),
                    Some("unreached") => Some(HttpTrouble::Unreached),
                    Some("tooLong") => Some(HttpTrouble::TooLong),
                    _ => None,
                },
                code: String::new(),
                last_event_id: word("event="),
                retry_ms: word("retry=").and_then(|ms| ms.parse().ok()),
            },
        ),
        _ => session.close(),
    }
}

/// What holds for every conversation: an exchange is opened once, a POST carries one JSON value and the
/// others nothing, headers are ones that can be sent, nothing goes to another origin, a call is settled
/// at most once, and it fails at most once.
fn hold(effects: &[Effect]) {
    let mut opened = BTreeSet::new();
    let mut settled = BTreeSet::new();
    let mut over = false;
    for effect in effects {
        match effect {
            Effect::Open {
                exchange,
                method,
                url,
                headers,
                body,
            } => {
                assert!(opened.insert(*exchange), "exchange {exchange} twice");
                assert!(url.as_ref().is_none_or(|url| !url.contains(ELSEWHERE)));
                if *method == HttpMethod::Post {
                    let value: serde_json::Value = serde_json::from_str(body).expect("JSON");
                    assert_eq!(value["jsonrpc"], "2.0");
                } else {
                    assert_eq!(body, "");
                }
                for header in headers {
                    let token =
                        |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
                    assert!(!header.name.is_empty() && header.name.bytes().all(token));
                    let sendable = |b: u8| (0x20..0x7f).contains(&b) || b == b'\t';
                    assert!(header.value.bytes().all(sendable), "{header:?}");
                }
            }
            Effect::Abort { exchange } => assert!(opened.contains(exchange), "{exchange}"),
            Effect::Settled { id, .. } => assert!(settled.insert(*id), "call {id} twice"),
            Effect::Failed { .. } => {
                assert!(!over, "failed twice");
                over = true;
            }
            Effect::Ready { .. } => assert!(!over, "ready after it failed"),
            Effect::Send { .. } => panic!("a line over HTTP"),
            Effect::Read { .. }
            | Effect::Progress { .. }
            | Effect::Asked { .. }
            | Effect::Withdrawn { .. }
            | Effect::Wait { .. }
            | Effect::StopWaiting { .. }
            | Effect::ToolsChanged { .. }
            | Effect::Notification { .. }
            | Effect::Log { .. } => {}
        }
    }
}
