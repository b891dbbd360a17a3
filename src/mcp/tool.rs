//! (room mcp/tool)
