//! What each fuzz target does with its bytes.
//!
//! In: any bytes. Out: nothing, or a panic where something does not hold that must hold for every
//! input. `fuzz_targets` hands in what libFuzzer makes; `tests/seeds.rs` hands in the seeds and what
//! is near them, so that the targets stay built and the seeds stay passed.

mod approval;
mod catalogue;
mod config;
mod disclosure;
mod expansion;
mod framing;
mod front_matter;
mod http;
mod json;
mod launch;
mod names;
mod output;
mod session;
mod shown;
mod tools;
#[path = "../../src/config/launch/windows.rs"]
mod windows;

/// A target: its name and what it does.
pub type Door = (&'static str, fn(&[u8]));

/// Every target, by name.
pub const DOORS: [Door; 15] = [
    ("approval", approval::run),
    ("catalogue", catalogue::run),
    ("config", config::run),
    ("disclosure", disclosure::run),
    ("expansion", expansion::run),
    ("framing", framing::run),
    ("front_matter", front_matter::run),
    ("http", http::run),
    ("json", json::run),
    ("launch", launch::run),
    ("names", names::run),
    ("output", output::run),
    ("session", session::run),
    ("shown", shown::run),
    ("tools", tools::run),
];

/// The parts of an input: what stands between lines of `===`.
fn parts(data: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(data);
    text.split("\n===\n").map(str::to_owned).collect()
}

/// The same, as bytes.
fn byte_parts(data: &[u8]) -> Vec<&[u8]> {
    const MARK: &[u8] = b"\n===\n";
    let mut parts = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(MARK.len()).position(|window| window == MARK) {
        parts.push(&rest[..at]);
        rest = &rest[at + MARK.len()..];
    }
    parts.push(rest);
    parts
}

/// Gives `data` to the door of that name.
pub fn run(name: &str, data: &[u8]) {
    let door = DOORS.iter().find(|(door, _)| *door == name);
    door.expect("a door of that name").1(data);
}
