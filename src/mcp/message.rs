//! (room mcp/message)
