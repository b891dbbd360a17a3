//! Memory in long conversations: what a session keeps is bounded by its limits, whatever comes.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use gbs_agent_core::limits::NOISE_BYTES;
use gbs_agent_core::mcp::effect::{Effect, Era, Outcome, SessionOptions};
use gbs_agent_core::mcp::feed::Feed;
use gbs_agent_core::mcp::session::Session;

const CHUNK: usize = 64 * 1024;

/// A session that is ready; without a limit of its own it has the usual one.
fn ready(max_message_bytes: Option<u32>) -> Feed {
    let options = SessionOptions {
        client_info: serde_json::from_str(r#"{"name":"c","version":"1"}"#).unwrap(),
        capabilities: String::new(),
        limits: serde_json::from_value(serde_json::json!({ "maxMessageBytes": max_message_bytes }))
            .unwrap(),
        roots: Vec::new(),
        elicitation: false,
        era: Some(Era::Legacy),
        http: None,
    };
    let mut feed = Feed::new(Session::new(options).unwrap());
    feed.session.start().unwrap();
    let answer = r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
    let effects = feed.bytes(format!("{answer}\n").as_bytes());
    let is_ready = |effect: &Effect| matches!(effect, Effect::Ready { .. });
    assert!(effects.iter().any(is_ready), "{effects:?}");
    feed
}

/// Feeds all of it; the most bytes that were kept at any time between two chunks.
fn most_kept(feed: &mut Feed, bytes: &[u8]) -> (usize, Vec<Effect>) {
    let mut most = 0;
    let mut effects = Vec::new();
    for chunk in bytes.chunks(CHUNK) {
        effects.extend(feed.bytes(chunk));
        most = most.max(feed.kept());
    }
    (most, effects)
}

fn settled(effects: &[Effect]) -> Vec<&Outcome> {
    let outcomes = effects.iter().filter_map(|effect| match effect {
        Effect::Settled { outcome, .. } => Some(outcome),
        _ => None,
    });
    outcomes.collect()
}

#[test]
fn a_message_of_30_mb_arrives_whole_and_nothing_of_it_stays() {
    let mut feed = ready(None);
    let id = feed.session.request("tools/call", "{}").unwrap().id;
    let words = "größe 🙂 \\\"x\\\" ".repeat(30 * 1024 * 1024 / 19);
    let result = format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"{words}\"}}]}}");
    assert!(result.len() > 30_000_000);
    let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
    let (most, effects) = most_kept(&mut feed, message.as_bytes());
    assert!(most <= message.len());
    assert_eq!(settled(&effects), [&Outcome::Result { text: result }]);
    assert_eq!(feed.kept(), 0);
}

#[test]
fn a_hundred_thousand_small_messages_leave_nothing() {
    let mut feed = ready(None);
    let mut bytes = String::new();
    for n in 0..100_000 {
        let line = match n % 4 {
            0 => format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x{n}\",\"params\":{{\"n\":{n}}}}}\n"
            ),
            1 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"result\":{{}}}}\n"),
            2 => format!("junk {n}\n"),
            _ => {
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n".to_owned()
            }
        };
        bytes.push_str(&line);
    }
    let (most, effects) = most_kept(&mut feed, bytes.as_bytes());
    // Between two chunks no more is kept than a half message.
    assert!(most < 100, "{most}");
    assert_eq!(feed.kept(), 0);
    let told = effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Notification { .. }))
        .count();
    assert_eq!(told, 25_000);
}

/// What never ends: a line without an end, an unfinished message of every kind, noise.
#[test]
fn what_never_ends_is_kept_to_the_limit() {
    const LIMIT: u32 = 200_000;
    for (begin, repeated) in [
        ("", "x"),
        ("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"", "y"),
        ("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":", "["),
        ("{\"jsonrpc\":\"2.0\",\"result\":{\"a\":[", "{\"b\":1},"),
        ("{\"", "k"),
        ("{\"method\":\"", "m"),
        ("{\"id\":\"", "9"),
        ("[", "{\"jsonrpc\":\"2.0\",\"method\":\"n\"},"),
        ("[", "["),
        ("", " "),
        ("", "\t{"),
        ("{\"id\":3,\"result\":\"\\", "u"),
    ] {
        let mut feed = ready(Some(LIMIT));
        let _call = feed.session.request("tools/call", "{}").unwrap();
        let bytes = format!("{begin}{}", repeated.repeat(2_000_000 / repeated.len()));
        let (most, _) = most_kept(&mut feed, bytes.as_bytes());
        let limit = usize::try_from(LIMIT).unwrap() + usize::try_from(NOISE_BYTES).unwrap() + CHUNK;
        assert!(most <= limit, "{begin} {repeated}: {most}");
        // The server lives on.
        let id = feed.session.request("tools/call", "{}").unwrap().id;
        let answer = format!("\n{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
        let effects = feed.bytes(answer.as_bytes());
        let text = "{}".to_owned();
        assert_eq!(
            settled(&effects),
            [&Outcome::Result { text }],
            "{begin} {repeated}"
        );
        assert_eq!(feed.kept(), 0);
    }
}

/// A caller that goes on after the end gets no wrong bytes: what was dropped stays dropped.
#[test]
fn bytes_after_the_end_are_read_from_there() {
    let mut feed = ready(Some(200_000));
    let _noise = feed.bytes("x".repeat(100_000).as_bytes());
    let _over = feed.bytes("y".repeat(200_000).as_bytes());
    let _ended = feed.end();
    assert_eq!(feed.bytes(b"{\"jsonrpc\""), []);
    assert_eq!(feed.kept(), 10);
}
