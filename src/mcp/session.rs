//! (room mcp/session)
