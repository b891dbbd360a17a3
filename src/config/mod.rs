//! MCP configuration: texts of files → servers to run, with problems, consent and launch.
pub mod consent;
pub mod environment;
pub mod expand;
pub mod json;
pub mod launch;
pub mod named_files;
pub mod paths;
pub mod pinned;
pub mod plan;
pub mod server_card;
pub mod source;
