//! The pages of `tools/list`, one after the other → a whole list.
//!
//! In: the pages as they come. Out: the cursor to ask for next, or the list with its problems. A
//! missing cursor ends it, an empty one does not; a list that would never end is ended here.

use crate::limits::{MAX_CURSOR_BYTES, MAX_LIST_PROBLEMS, MAX_PAGES, MAX_TOOL_BYTES, MAX_TOOLS};
use crate::mcp::tool::{Page, ToolDefinition, short};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// A list as far as it has come.
#[derive(Debug, Default)]
pub struct Listing {
    tools: Vec<ToolDefinition>,
    names: BTreeSet<String>,
    bytes: usize,
    pages: usize,
    /// Digests, so that long cursors take no memory.
    cursors: BTreeSet<[u8; 32]>,
    problems: Vec<String>,
    untold: usize,
}

impl Listing {
    /// Takes a page in. The cursor of the next one, if there is one to be asked for.
    pub fn add(&mut self, page: Page) -> Option<String> {
        self.pages += 1;
        for problem in page.problems {
            self.problem(problem);
        }
        for tool in page.tools {
            if !self.add_tool(tool) {
                return None;
            }
        }
        let cursor = page.next_cursor?;
        let digest: [u8; 32] = Sha256::digest(cursor.as_bytes()).into();
        let why = if self.pages >= MAX_PAGES {
            format!("The list of tools goes on after {MAX_PAGES} pages; the rest is left out.")
        } else if cursor.len() > MAX_CURSOR_BYTES {
            format!(
                "The list of tools has a cursor over {MAX_CURSOR_BYTES} bytes; the rest is left out."
            )
        } else if !self.cursors.insert(digest) {
            "The list of tools comes back to a page it had already; it ends there.".to_owned()
        } else {
            return Some(cursor);
        };
        self.problem(why);
        None
    }

    /// Whether the list may go on.
    fn add_tool(&mut self, tool: ToolDefinition) -> bool {
        let bytes = tool.name.len() + tool.title.len() + tool.description.len();
        self.bytes += bytes + tool.input_schema.len();
        if self.tools.len() >= MAX_TOOLS {
            self.problem(format!("Over {MAX_TOOLS} tools; the rest is left out."));
            return false;
        }
        if self.bytes > MAX_TOOL_BYTES {
            self.problem(format!(
                "The definitions of the tools are over {MAX_TOOL_BYTES} bytes; the rest is left out."
            ));
            return false;
        }
        if self.names.insert(tool.name.clone()) {
            self.tools.push(tool);
        } else {
            self.problem(format!(
                "The tool {} stands in the list twice; the first counts.",
                short(&tool.name)
            ));
        }
        true
    }

    /// Notes something for people.
    pub fn problem(&mut self, text: String) {
        if self.problems.len() < MAX_LIST_PROBLEMS {
            self.problems.push(text);
        } else {
            self.untold += 1;
        }
    }

    /// The tools in their order, and what is wrong with the list.
    pub fn finish(mut self) -> (Vec<ToolDefinition>, Vec<String>) {
        if self.untold > 0 {
            self.problems
                .push(format!("There are {} further problems.", self.untold));
        }
        (self.tools, self.problems)
    }
}
