//! What a server's skills are called, so that none stands in for another's.
//!
//! In: the server's label and its skills, each with the name of its header. Out: `server:name`, with
//! more where one list has a name twice. Deliberately not here: the label itself, in `mcp::name`.

use super::offered::OfferedSkill;
use crate::limits::{OFFERED_NAME_CHARACTERS, TOOL_NAME_KEPT};
use crate::text::{hex, one_line};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Every skill after its server; those that share a name by their paths, and where these do not tell
/// them apart, by a hash of their address.
pub(super) fn name_all(label: &str, skills: &mut [OfferedSkill]) {
    let path_of = |skill: &OfferedSkill| {
        let path = skill.root.split_once("://").map_or("", |(_, path)| path);
        let is_plain = path.len() <= OFFERED_NAME_CHARACTERS && path.bytes().all(is_path_byte);
        is_plain.then(|| path.to_owned())
    };
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut paths: HashMap<String, usize> = HashMap::new();
    for skill in skills.iter() {
        *names.entry(skill.name.clone()).or_default() += 1;
        if let Some(path) = path_of(skill) {
            *paths.entry(path).or_default() += 1;
        }
    }
    for skill in skills {
        let name = if names.get(&skill.name) == Some(&1) {
            one_line(&skill.name)
        } else if let Some(path) = path_of(skill).filter(|path| paths.get(path) == Some(&1)) {
            path
        } else {
            let hash = hex(&Sha256::digest(&skill.uri));
            format!(
                "{}_{}",
                one_line(&skill.name),
                hash.get(..8).unwrap_or_default()
            )
        };
        skill.name = format!("{label}:{name}");
    }
}

/// Is it `server:name` as [`name_all`] makes it?
pub fn is_offered_name(name: &str) -> bool {
    let Some((label, rest)) = name.split_once(':') else {
        return false;
    };
    let is_label_byte = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    !label.is_empty()
        // A label that was cut has `_` and eight digits behind it.
        && label.len() <= TOOL_NAME_KEPT + 9
        && label.bytes().all(is_label_byte)
        && !rest.is_empty()
        && rest.len() <= OFFERED_NAME_CHARACTERS
        && rest.bytes().all(|b| is_path_byte(b) || b == b'_')
}

/// Of a path that is shown as a name: without `_`, behind which a hash stands.
fn is_path_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'/')
}
