//! A call that fails because the user has to go to an address first (-32042, revision 2025-11-25).

use super::{INITIALIZED, give};
use crate::mcp::effect::{AskAction, Effect, Era, Outcome, SessionOptions};
use crate::mcp::feed::Feed;
use crate::mcp::http::HttpOptions;
use crate::mcp::session::Session;

/// Both addresses are asked for; what is no address is not.
const NEEDED: &str = r#"say {"jsonrpc":"2.0","id":8,"error":{"code":-32042,"message":"Sign in first","data":{"elicitations":[{"mode":"url","elicitationId":"1","url":"https://a.example/x","message":"Go"},{"mode":"form","message":"No","requestedSchema":{"type":"object","properties":{}}},{"mode":"url","elicitationId":"2","url":"https://b.example/","message":"And there"}]}}}"#;

fn called(elicitation: bool) -> Feed {
    let options = SessionOptions {
        client_info: serde_json::from_str(r#"{"name":"c","version":"1"}"#).unwrap(),
        capabilities: String::new(),
        limits: serde_json::from_str("{}").unwrap(),
        roots: Vec::new(),
        era: Some(Era::Legacy),
        elicitation,
        http: Some(HttpOptions { sse: false }),
    };
    let mut feed = Feed::new(Session::new(options).unwrap());
    for input in [
        "start",
        "head 3 200 application/json session=abc",
        &INITIALIZED.replace("ID", "2"),
        "end 3",
        "head 5 202",
        r#"say {"jsonrpc":"2.0","id":4,"result":{"tools":[]}}"#,
        "end 6",
        "head 7 405",
        "call {\"name\":\"t\"}",
        "head 9 200 application/json",
    ] {
        give(&mut feed, input);
    }
    feed
}

fn settled(effects: &[Effect]) -> Option<&Outcome> {
    effects.iter().find_map(|effect| match effect {
        Effect::Settled { outcome, .. } => Some(outcome),
        _ => None,
    })
}

#[test]
fn the_user_is_asked_and_the_call_ends_with_the_last_answer() {
    for (second, then) in [
        (
            AskAction::Accept,
            "The user opened what the server named. Call it again when that is done.",
        ),
        (
            AskAction::Decline,
            "The user did not open what the server named.",
        ),
    ] {
        let mut feed = called(true);
        let effects = give(&mut feed, NEEDED);
        let asks: Vec<u32> = effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Asked { ask, call, .. } => {
                    assert_eq!(*call, Some(8));
                    Some(*ask)
                }
                _ => None,
            })
            .collect();
        assert_eq!((asks.len(), settled(&effects)), (2, None));
        let first = feed.session.answer(asks[0], AskAction::Accept, "").unwrap();
        assert_eq!(settled(&first), None);
        let last = feed.session.answer(asks[1], second, "").unwrap();
        let Some(Outcome::Error { code, message, .. }) = settled(&last) else {
            panic!("{last:?}")
        };
        assert_eq!(
            (*code, message.as_str()),
            (-32042, format!("Sign in first ({then})").as_str())
        );
    }
}

#[test]
fn a_call_that_is_given_up_withdraws_its_questions() {
    let mut feed = called(true);
    give(&mut feed, NEEDED);
    let effects = feed.session.cancel(8);
    let withdrawn = effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Withdrawn { .. }))
        .count();
    assert_eq!(
        (withdrawn, settled(&effects)),
        (2, Some(&Outcome::Cancelled))
    );
}

#[test]
fn where_nobody_can_be_asked_it_is_an_error_like_any_other() {
    let effects = give(&mut called(false), NEEDED);
    assert!(matches!(
        settled(&effects),
        Some(Outcome::Error { code: -32042, message, .. }) if message == "Sign in first"
    ));
}
