//! (room mcp/output)
