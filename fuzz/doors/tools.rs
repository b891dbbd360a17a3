//! Pages of `tools/list` → definitions, drift. Parts: two pages, then instructions.

use super::parts;
use gbs_agent_core::mcp::drift::{PinnedTools, compare_tools};
use gbs_agent_core::mcp::listing::Listing;
use gbs_agent_core::mcp::tool::{page, parameters};

pub fn run(data: &[u8]) {
    let parts = parts(data);
    let part = |index: usize| parts.get(index).map_or("", String::as_str);
    let account = |index: usize| PinnedTools {
        server: "s".to_owned(),
        version: String::new(),
        approved_on: String::new(),
        instructions: part(index + 2).to_owned(),
        tools: page(part(index)).map(|page| page.tools).unwrap_or_default(),
    };
    let (before, now) = (account(0), account(1));
    for tool in &before.tools {
        let parameters: serde_json::Value =
            serde_json::from_str(&parameters(&tool.input_schema)).expect("parameters are JSON");
        assert!(parameters.is_object() && parameters.get("$schema").is_none());
    }
    let drift = compare_tools(&before, &now);
    let same = before.tools == now.tools && before.instructions == now.instructions;
    if same {
        assert!(drift.changes.is_empty() && drift.card.is_none() && !drift.instructions);
    }
    // Whatever is not letter for letter what was approved is withheld, or is no longer there.
    for tool in &now.tools {
        let pinned = before.tools.iter().find(|pinned| pinned.name == tool.name);
        let told = drift.changes.iter().any(|change| change.tool == tool.name);
        if pinned.is_none() {
            assert!(told, "{}", tool.name);
        }
    }
    let mut listing = Listing::default();
    for text in [part(0), part(1)] {
        if let Some(page) = page(text) {
            let _next = listing.add(page);
        }
    }
    let (tools, _problems) = listing.finish();
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), tools.len(), "a tool stands twice");
}
