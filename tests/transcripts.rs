//! Transcripts of servers: inputs and the effects they must have, however the bytes are cut.
//!
//! Each file of `tests/golden/transcripts` holds a session's options and its steps; every step has
//! one input and the effects of it. `UPDATE_GOLDEN=1 cargo test --test transcripts` writes the
//! effects anew. The Node tests run the same files through the package.
#![cfg(not(target_arch = "wasm32"))]
// A test reads files and fails by panicking.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use gbs_agent_core::mcp::effect::{AskAction, Effect, Root, SessionOptions};
use gbs_agent_core::mcp::feed::Feed;
use gbs_agent_core::mcp::session::Session;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Transcript {
    about: String,
    options: serde_json::Value,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Step {
    input: Input,
    effects: Option<serde_json::Value>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Input {
    /// Always `true`, as a unit variant would be a bare string.
    Start(bool),
    /// Text of the server's stdout.
    Text(String),
    /// Bytes of it that are not text.
    Bytes(Vec<u8>),
    /// Method and parameters.
    Request(String, String),
    Notify(String, String),
    Cancel(u32),
    /// A question, what became of it, and the content.
    Answer(u32, AskAction, String),
    Expire(u32),
    /// The folders from now on.
    Roots(Vec<Root>),
    End(bool),
}

fn feed_of(transcript: &Transcript) -> Feed {
    let options: SessionOptions = serde_json::from_value(transcript.options.clone()).unwrap();
    Feed::new(Session::new(options).unwrap())
}

/// The effects of one input; bytes are cut where `cuts` says.
fn effects(feed: &mut Feed, input: &Input, cuts: &[usize]) -> Vec<Effect> {
    let in_pieces = |feed: &mut Feed, bytes: &[u8]| {
        let mut all = Vec::new();
        let mut from = 0;
        for &cut in cuts.iter().chain([&bytes.len()]) {
            all.extend(feed.bytes(&bytes[from..cut]));
            from = cut;
        }
        all
    };
    match input {
        Input::Start(_) => feed.session.start().unwrap(),
        Input::Text(text) => in_pieces(feed, text.as_bytes()),
        Input::Bytes(bytes) => in_pieces(feed, bytes),
        Input::Request(method, params) => feed.session.request(method, params).unwrap().effects,
        Input::Notify(method, params) => feed.session.notify(method, params).unwrap(),
        Input::Answer(ask, action, content) => feed.session.answer(*ask, *action, content).unwrap(),
        Input::Cancel(id) => feed.session.cancel(*id),
        Input::Expire(id) => feed.session.expire(*id),
        Input::Roots(roots) => feed.session.set_roots(roots.clone()),
        Input::End(_) => feed.end(),
    }
}

fn length(input: &Input) -> usize {
    match input {
        Input::Text(text) => text.len(),
        Input::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Runs all steps; the bytes of step `at` are cut at `cuts`.
fn run(transcript: &Transcript, at: usize, cuts: &[usize]) -> Vec<serde_json::Value> {
    let mut feed = feed_of(transcript);
    let mut all = Vec::new();
    for (n, step) in transcript.steps.iter().enumerate() {
        let cuts = if n == at { cuts } else { &[] };
        let made = effects(&mut feed, &step.input, cuts);
        all.push(serde_json::to_value(made).unwrap());
    }
    all
}

fn transcripts() -> Vec<(PathBuf, Transcript)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/transcripts");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
        .into_iter()
        .map(|file| {
            let text = std::fs::read_to_string(&file).unwrap();
            let transcript =
                serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            (file, transcript)
        })
        .collect()
}

#[test]
fn transcripts_have_their_effects() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for (file, mut transcript) in transcripts() {
        let made = run(&transcript, usize::MAX, &[]);
        if update {
            for (step, effects) in transcript.steps.iter_mut().zip(made) {
                step.effects = Some(effects);
            }
            let text = serde_json::to_string_pretty(&transcript).unwrap();
            std::fs::write(&file, text + "\n").unwrap();
            continue;
        }
        for (n, (step, effects)) in transcript.steps.iter().zip(made).enumerate() {
            let expected = step.effects.clone().unwrap_or_default();
            assert_eq!(effects, expected, "{} step {n}", file.display());
        }
    }
}

#[test]
fn a_cut_anywhere_changes_nothing() {
    for (file, transcript) in transcripts() {
        let whole = run(&transcript, usize::MAX, &[]);
        for (n, step) in transcript.steps.iter().enumerate() {
            let length = length(&step.input);
            // At every byte: of a short input alone, of a long one together with every 97th, so that
            // a run has many cuts and every cut its run.
            if length < 1_000 {
                for cut in 0..=length {
                    let made = run(&transcript, n, &[cut]);
                    assert!(made == whole, "{} step {n} cut at {cut}", file.display());
                }
            }
            for first in 0..97.min(length) {
                let cuts: Vec<usize> = (first..=length).step_by(97).collect();
                let made = run(&transcript, n, &cuts);
                assert!(made == whole, "{} step {n} from {first}", file.display());
            }
            let every: Vec<usize> = (1..length).collect();
            let made = run(&transcript, n, &every);
            assert!(made == whole, "{} step {n} byte by byte", file.display());
        }
    }
}
