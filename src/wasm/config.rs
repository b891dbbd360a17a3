//! Exports of `crate::config` and of the names of tools.

use crate::mcp::name::ToolName;
use wasm_bindgen::prelude::*;

/// The model-visible name of a server's tool. It depends on the pair alone.
///
/// ```js
/// core.toolName('fs', 'read_file'); // 'mcp__fs__read_file'
/// core.toolName('a.b', 'c'); // 'mcp__a_b__c_8b745bb4'
/// ```
#[wasm_bindgen(js_name = toolName)]
pub fn tool_name(server: &str, tool: &str) -> String {
    ToolName::of(server, tool).as_str().to_owned()
}
