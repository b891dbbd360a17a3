//! A conversation. Parts: an era (`modern`, `legacy` or anything else), then inputs, each told by
//! its first byte: `<` bytes of the server, `r` a request, `n` a notification, `c` a call given up,
//! `x` a timer, `a` an answer to a question, accepted with what follows its number, `e` the end.

use super::byte_parts;
use gbs_agent_core::mcp::effect::{
    AskAction, ClientInfo, Effect, Era, SessionLimits, SessionOptions,
};
use gbs_agent_core::mcp::feed::Feed;
use gbs_agent_core::mcp::session::Session;
use std::collections::BTreeSet;

/// A small limit, so that short inputs go over it.
const LIMIT: u32 = 2_000;

pub fn run(data: &[u8]) {
    let inputs = byte_parts(data);
    let (era, inputs) = inputs.split_first().expect("at least one part");
    let whole = converse(era, inputs, usize::MAX);
    assert_eq!(whole, converse(era, inputs, 1));
    assert_eq!(whole, converse(era, inputs, 7));
    hold(&whole);
}

fn converse(era: &[u8], inputs: &[&[u8]], size: usize) -> Vec<Effect> {
    let options = SessionOptions {
        client_info: ClientInfo {
            name: "c".to_owned(),
            version: "1".to_owned(),
        },
        capabilities: String::new(),
        limits: SessionLimits {
            max_message_bytes: Some(LIMIT),
            ..SessionLimits::default()
        },
        roots: Vec::new(),
        elicitation: true,
        era: match era {
            b"modern" => Some(Era::Modern),
            b"legacy" => Some(Era::Legacy),
            _ => None,
        },
        http: None,
    };
    let mut feed = Feed::new(Session::new(options).expect("options that are right"));
    let mut effects = feed.session.start().expect("the first start");
    for input in inputs {
        let [kind, rest @ ..] = input else { continue };
        let text = String::from_utf8_lossy(rest);
        let number = text.trim().parse().unwrap_or(0);
        let (method, params) = text.split_once(' ').unwrap_or((&text, ""));
        match kind {
            b'<' => {
                for chunk in rest.chunks(size.min(rest.len().max(1))) {
                    effects.extend(feed.bytes(chunk));
                    assert!(feed.kept() <= LIMIT as usize + 4_096 + chunk.len());
                }
            }
            b'r' => {
                if let Ok(requested) = feed.session.request(method, params) {
                    effects.extend(requested.effects);
                }
            }
            b'n' => effects.extend(feed.session.notify(method, params).unwrap_or_default()),
            b'a' => {
                let ask = method.parse().unwrap_or(0);
                let answered = feed.session.answer(ask, AskAction::Accept, params);
                effects.extend(answered.unwrap_or_default());
            }
            b'c' => effects.extend(feed.session.cancel(number)),
            b'x' => effects.extend(feed.session.expire(number)),
            _ => effects.extend(feed.end()),
        }
    }
    effects.extend(feed.end());
    effects
}

/// What holds for every conversation: lines are one JSON value each, a call is settled at most once,
/// and every timer that was set is taken back or fired at most once.
fn hold(effects: &[Effect]) {
    let mut settled = BTreeSet::new();
    let mut asked = BTreeSet::new();
    let mut over = false;
    for effect in effects {
        match effect {
            Effect::Send { line } => {
                let json = line.strip_suffix('\n').expect("a line feed at its end");
                assert!(!json.contains('\n'));
                let value: serde_json::Value = serde_json::from_str(json).expect("a JSON line");
                assert_eq!(value["jsonrpc"], "2.0");
            }
            Effect::Settled { id, .. } => assert!(settled.insert(*id), "call {id} twice"),
            Effect::Progress { id, .. } => assert!(!settled.contains(id), "call {id} is over"),
            Effect::Asked { ask, .. } => assert!(asked.insert(*ask), "question {ask} twice"),
            Effect::Withdrawn { ask } => assert!(asked.remove(ask), "question {ask} is not open"),
            Effect::Failed { .. } => {
                assert!(!over, "failed twice");
                over = true;
            }
            Effect::Ready { .. } => assert!(!over, "ready after it failed"),
            Effect::Open { .. } | Effect::Read { .. } | Effect::Abort { .. } => {
                panic!("an exchange without HTTP")
            }
            Effect::Wait { .. }
            | Effect::StopWaiting { .. }
            | Effect::ToolsChanged { .. }
            | Effect::Notification { .. }
            | Effect::Log { .. } => {}
        }
    }
}
