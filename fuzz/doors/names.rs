//! Pairs of server and tool → names. Parts: the pairs, server and tool in turn.

use super::parts;
use gbs_agent_core::mcp::name::ToolName;
use std::collections::HashMap;

pub fn run(data: &[u8]) {
    let parts = parts(data);
    let mut seen: HashMap<ToolName, (&str, &str)> = HashMap::new();
    for pair in parts.chunks_exact(2) {
        let (server, tool) = (pair[0].as_str(), pair[1].as_str());
        let name = ToolName::of(server, tool);
        let allowed = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
        assert!((1..=64).contains(&name.as_str().len()));
        assert!(name.as_str().bytes().all(allowed));
        assert_eq!(name, ToolName::of(server, tool));
        if let Some(other) = seen.insert(name, (server, tool)) {
            assert_eq!(other, (server, tool), "two pairs share a name");
        }
    }
}
