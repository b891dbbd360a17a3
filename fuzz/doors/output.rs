//! A call's result → text for the model. Parts: the result, the tool's name, how many characters.

use super::parts;
use gbs_agent_core::mcp::output::{OutputLimits, tool_error, tool_output};

pub fn run(data: &[u8]) {
    let parts = parts(data);
    let part = |index: usize| parts.get(index).map_or("", String::as_str);
    let max_characters = part(2).trim().parse().ok();
    let limits = OutputLimits {
        server: "s".to_owned(),
        tool: part(1).to_owned(),
        max_characters,
    };
    let outputs = [
        tool_output(part(0), &limits),
        tool_error(part(0), Some(part(1)), &limits),
    ];
    for output in outputs {
        let whole = output.whole.as_deref().unwrap_or(&output.shown);
        assert_eq!(output.characters as usize, whole.chars().count());
        if let Some(limit) = max_characters {
            let limit: u32 = limit;
            // And the line that says how much is left out.
            assert!(output.shown.chars().count() <= (limit as usize).saturating_add(50));
        }
    }
}
