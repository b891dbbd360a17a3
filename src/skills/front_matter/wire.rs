//! Many skills as one JSON text: the cheapest way out of WebAssembly, where two thirds of the time
//! would otherwise go into making JavaScript values one by one.

use super::read;
use std::borrow::Cow;

/// Reads the skills that stand one after the other in `bytes`, each with its length and the name of
/// its folder.
///
/// The JSON is `{"skills": [...], "bodies": [...]}`. The bodies are left empty in the skills: a body
/// is the end of its bytes, which the caller has, and `bodies` says from where on; -1 where the
/// bytes are not UTF-8 and the body is in the skill after all.
///
/// Nothing when the lengths do not add up to `bytes`, or the names are not as many.
pub fn parse_batch(bytes: &[u8], lengths: &[u32], folder_names: &[&str]) -> Option<String> {
    if lengths.len() != folder_names.len() {
        return None;
    }
    let mut rest = bytes;
    let mut skills = Vec::with_capacity(bytes.len() + 64);
    let mut bodies = String::new();
    skills.extend_from_slice(b"{\"skills\":[");
    for (length, folder_name) in std::iter::zip(lengths, folder_names) {
        let (own, after) = rest.split_at_checked(usize::try_from(*length).ok()?)?;
        rest = after;
        let (mut skill, body) = read(own, folder_name);
        if !bodies.is_empty() {
            skills.push(b',');
            bodies.push(',');
        }
        match body {
            Cow::Borrowed(body) => bodies.push_str(&(own.len() - body.len()).to_string()),
            Cow::Owned(body) => {
                skill.body = body;
                bodies.push_str("-1");
            }
        }
        serde_json::to_writer(&mut skills, &skill).ok()?;
    }
    if !rest.is_empty() {
        return None;
    }
    let mut json = String::from_utf8(skills).ok()?;
    json.push_str("],\"bodies\":[");
    json.push_str(&bodies);
    json.push_str("]}");
    Some(json)
}
