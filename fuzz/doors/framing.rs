//! Bytes → messages. The first byte says how they are cut; what is found must not depend on it, and
//! a line that `serde_json` reads as an object must be a message with the same parts.

use gbs_agent_core::mcp::framing::{Cursor, Found, Scanner, Span};
use serde_json::Value;

/// A small limit, so that short inputs go over it.
const LIMIT: u64 = 200;

/// What was found and its parts: id, method, params, result, error.
type Seen = (Found, Option<Vec<u8>>, Option<Vec<u8>>, [Option<Span>; 3]);

pub fn run(data: &[u8]) {
    let [size, stream @ ..] = data else { return };
    let whole = scan(stream, stream.len().max(1), LIMIT);
    let cut = scan(stream, usize::from(*size).max(1), LIMIT);
    let bytes = scan(stream, 1, LIMIT);
    assert_eq!(whole, cut);
    assert_eq!(whole, bytes);
    as_another_reader(stream);
}

fn scan(stream: &[u8], size: usize, limit: u64) -> Vec<Seen> {
    let mut scanner = Scanner::new(limit);
    let mut seen = Vec::new();
    let mut fed = 0;
    for chunk in stream.chunks(size) {
        fed += chunk.len() as u64;
        let mut cursor = Cursor::default();
        while let Some(found) = scanner.next(chunk, &mut cursor) {
            seen.push(look(&scanner, found, fed));
        }
        assert_eq!(scanner.position(), fed);
        // Memory is bounded: a message, what stood before it on its line, and this chunk.
        let most = limit.saturating_add(4_096 + chunk.len() as u64);
        assert!(fed - scanner.kept_from() <= most);
    }
    if let Some(found) = scanner.end_line() {
        seen.push(look(&scanner, found, fed));
    }
    seen
}

fn look(scanner: &Scanner, found: Found, fed: u64) -> Seen {
    let envelope = scanner.envelope();
    let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
    let spans = match found {
        Found::Message => [envelope.params, envelope.result, envelope.error],
        // Their spans mean nothing.
        Found::Broken | Found::Noise | Found::TooLong => [None; 3],
    };
    for span in spans.into_iter().flatten() {
        assert!(span.start <= span.end && span.end <= fed);
    }
    let at = scanner.found_at();
    assert!(at.start <= at.end && at.end <= fed);
    (found, owned(envelope.id()), owned(envelope.method()), spans)
}

/// Each line alone, without a limit.
fn as_another_reader(stream: &[u8]) {
    for line in stream.split(|byte| *byte == b'\n') {
        let Ok(Value::Object(object)) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let seen = scan(line, line.len().max(1), u64::MAX);
        assert_eq!(seen.len(), 1, "{:?}", String::from_utf8_lossy(line));
        let (found, _, _, spans) = &seen[0];
        assert_eq!(*found, Found::Message);
        for (key, span) in ["params", "result", "error"].iter().zip(spans) {
            let ours = span.map(|span| {
                let range =
                    usize::try_from(span.start).unwrap()..usize::try_from(span.end).unwrap();
                serde_json::from_slice::<Value>(&line[range]).expect("a span is a value")
            });
            // Of a key that stands twice, readers differ in which one counts.
            let twice =
                String::from_utf8_lossy(line).matches(key).count() > 1 || line.contains(&b'\\');
            // Some servers write both, the error null.
            let theirs = object
                .get(*key)
                .filter(|value| *key != "error" || !is_scalar(value));
            if !twice {
                assert_eq!(ours.as_ref(), theirs, "{key}");
            }
        }
    }
}

/// What is no error, whatever key it stands under.
fn is_scalar(value: &Value) -> bool {
    value.is_null() || value.is_boolean() || value.is_number()
}
