//! (room mcp/drift)
