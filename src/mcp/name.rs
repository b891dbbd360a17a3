//! What the model calls a server's tool.
//!
//! In: the names of a server and of its tool, hostile ones too. Out: a name that every endpoint
//! takes. It depends on the pair alone, never on lists, order or other servers; and it tells its
//! pair: two pairs share a name only where 32 bits of SHA-256 collide.

use crate::limits::{MAX_TOOL_NAME, TOOL_NAME_KEPT};
use crate::text::hex;
use sha2::{Digest, Sha256};

/// A model-visible name: `^[A-Za-z0-9_-]{1,64}$`.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ToolName(String);

impl ToolName {
    /// The name of `tool` of `server`: `mcp__server__tool`, cleaned; with a hash of the pair
    /// wherever that alone would not tell the pair.
    ///
    /// ```
    /// use gbs_agent_core::mcp::name::ToolName;
    /// assert_eq!(ToolName::of("fs", "read_file").as_str(), "mcp__fs__read_file");
    /// assert_eq!(ToolName::of("a.b", "c").as_str(), "mcp__a_b__c_8b745bb4");
    /// ```
    pub fn of(server: &str, tool: &str) -> Self {
        let plain = format!("mcp__{}__{}", clean(server), clean(tool));
        let changed = clean(server) != server || clean(tool) != tool;
        let unclear = server.is_empty()
            || tool.is_empty()
            || server.contains("__")
            || server.starts_with('_')
            || server.ends_with('_')
            || tool.starts_with('_');
        // A tool of eight hex digits alone ends the name as a hash does, too.
        if changed || unclear || plain.len() > MAX_TOOL_NAME || ends_like_a_hash(&plain) {
            // Cleaned, so every character is one byte.
            let kept = plain.get(..TOOL_NAME_KEPT).unwrap_or(&plain);
            return Self(format!("{kept}_{}", hash(server, tool)));
        }
        Self(plain)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a server is called where its skills are named: its own name where that is plain, else a cleaned
/// one with a hash of it. It depends on the name alone, and two servers share one only where 32 bits of
/// SHA-256 collide.
///
/// ```
/// use gbs_agent_core::mcp::name::server_label;
/// assert_eq!(server_label("docs"), "docs");
/// assert_eq!(server_label("my docs"), "my_docs_ca0a3c2b");
/// ```
pub fn server_label(server: &str) -> String {
    let plain = clean(server);
    let is_plain = plain == server && !plain.is_empty() && plain.len() <= TOOL_NAME_KEPT;
    if is_plain && !ends_like_a_hash(&plain) {
        return plain;
    }
    // Cleaned, so every character is one byte.
    let kept = plain.get(..TOOL_NAME_KEPT).unwrap_or(&plain);
    format!("{kept}_{}", hash(server, ""))
}

/// Every scalar value outside `[A-Za-z0-9_-]` becomes `_`.
pub fn clean(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '_'
            }
        })
        .collect()
}

fn ends_like_a_hash(name: &str) -> bool {
    let Some((rest, last)) = name
        .len()
        .checked_sub(8)
        .and_then(|at| name.split_at_checked(at))
    else {
        return false;
    };
    rest.ends_with('_') && last.bytes().all(|c| c.is_ascii_hexdigit())
}

/// The first eight hex digits of SHA-256 over `server NUL tool`. Where the server's own name holds a
/// NUL, which could pose as the one between, a byte that no UTF-8 text holds leads both in.
fn hash(server: &str, tool: &str) -> String {
    let mut digest = Sha256::new();
    if server.contains('\0') {
        digest.update([0xff]);
        digest.update(server);
        digest.update([0xff]);
    } else {
        digest.update(server);
        digest.update([0]);
    }
    digest.update(tool);
    hex(digest.finalize().get(..4).unwrap_or_default())
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[track_caller]
    fn check(server: &str, tool: &str, expected: &str) {
        let name = ToolName::of(server, tool);
        let shown = match expected.strip_suffix('#') {
            Some(kept) => format!("{kept}{}", hash(server, tool)),
            None => expected.to_owned(),
        };
        assert_eq!(name.as_str(), shown, "{server:?} {tool:?}");
    }

    /// `#` stands for the hash of the pair.
    #[test]
    fn names() {
        check("fs", "read_file", "mcp__fs__read_file");
        check("fs", "read-file", "mcp__fs__read-file");
        check("1fs", "2", "mcp__1fs__2");
        check("a.b", "c", "mcp__a_b__c_#");
        check("a_b", "c", "mcp__a_b__c");
        check("a_b", "c_0123abcd", "mcp__a_b__c_0123abcd_#");
        check("a_b", "c_0123ABCD", "mcp__a_b__c_0123ABCD_#");
        check("a_b", "0123abcd", "mcp__a_b__0123abcd_#");
        check("a_b", "c_0123abcg", "mcp__a_b__c_0123abcg");
        check("a_b", "c0123abcd", "mcp__a_b__c0123abcd");
        check("a__b", "c", "mcp__a__b__c_#");
        check("a", "b__c", "mcp__a__b__c");
        check("a_", "_b", "mcp__a____b_#");
        check("_a", "b", "mcp___a__b_#");
        check("a", "b_", "mcp__a__b_");
        check("", "b", "mcp____b_#");
        check("a", "", "mcp__a___#");
        check("", "", "mcp_____#");
        check("日本", "検索", "mcp_________#");
        check("a", "🙂", "mcp__a____#");
        check("a b", "c/d", "mcp__a_b__c_d_#");
    }

    #[test]
    fn the_hash_is_the_one_documented() {
        // printf 'a.b\0c' | sha256sum
        assert_eq!(hash("a.b", "c"), "8b745bb4");
    }

    #[test]
    fn length() {
        let tool = |length: usize| "t".repeat(length - "mcp__s__".len());
        check("s", &tool(64), &format!("mcp__s__{}", tool(64)));
        check("s", &tool(65), &format!("mcp__s__{}_#", tool(55)));
        let (one, other) = (tool(64) + "one", tool(64) + "other");
        assert_ne!(ToolName::of("s", &one), ToolName::of("s", &other));
    }

    /// Where the cut removes the border between server and tool, a tool named like the hash must
    /// not make two pairs meet.
    #[test]
    fn a_tool_cannot_be_named_like_the_hash_of_another() {
        let server = "s".repeat(49);
        let other = format!("{server}_x");
        let tool = "y".repeat(20);
        let hashed = ToolName::of(&other, &tool);
        let crafted = hash(&other, &tool);
        assert_eq!(hashed.as_str(), format!("mcp__{server}__{crafted}"));
        assert_ne!(ToolName::of(&server, &crafted), hashed);
    }

    #[test]
    fn a_nul_in_a_name_does_not_move_the_border() {
        assert_ne!(ToolName::of("a\0", "b"), ToolName::of("a", "\0b"));
        assert_ne!(ToolName::of("a\0b", "c"), ToolName::of("a", "b\0c"));
    }

    /// A collision of the hash, found by search. Whoever lists both withholds one; that test is in
    /// `tests/node/mcp/contributor.test.ts`.
    #[test]
    fn only_a_collision_of_the_hash_makes_two_names_one() {
        let tool = |end: &str| "t".repeat(60) + end;
        let one = ToolName::of("a.b", &tool("46472"));
        assert_eq!(
            one.as_str(),
            format!("mcp__a_b__{}_cddc6640", "t".repeat(45))
        );
        assert_eq!(one, ToolName::of("a b", &tool("52928")));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_two_pairs_share_a_name(
            pairs in prop::collection::hash_set(
                (
                    // Separators, cut-off lengths, digits like a hash's, other scripts, what is not drawn.
                    r"[ab_.\x00é0]{0,4}|s{48,50}_?[_a]?|[aA日検🙂\u{200b}\u{301}/ -]{0,4}",
                    r"[ab_.\x00é0]{0,4}|[a_]?[0a]{8}|s{50,60}|[aA日検🙂\u{200b}\u{301}/ -]{0,4}",
                ),
                0..60,
            ),
        ) {
            let mut seen: HashMap<ToolName, (String, String)> = HashMap::new();
            for (server, tool) in pairs {
                let name = ToolName::of(&server, &tool);
                prop_assert!((1..=MAX_TOOL_NAME).contains(&name.as_str().len()));
                prop_assert_eq!(clean(name.as_str()), name.as_str());
                if let Some(other) = seen.insert(name, (server.clone(), tool.clone())) {
                    // Only a collision of the hash may do this.
                    prop_assert_eq!(hash(&other.0, &other.1), hash(&server, &tool));
                    prop_assert_ne!(other, (server, tool));
                }
            }
        }

        #[test]
        fn any_pair_has_a_name(server in any::<String>(), tool in any::<String>()) {
            let name = ToolName::of(&server, &tool);
            prop_assert!((1..=MAX_TOOL_NAME).contains(&name.as_str().len()));
            prop_assert_eq!(clean(name.as_str()), name.as_str());
            prop_assert_eq!(ToolName::of(&server, &tool), name);
        }
    }
}
