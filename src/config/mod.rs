//! MCP configuration: texts of files → servers to run, with problems, consent and launch.
pub mod consent;
pub mod expand;
pub mod json;
pub mod launch;
pub mod plan;
pub mod source;
