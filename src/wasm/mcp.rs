//! Exports of `crate::mcp`.
