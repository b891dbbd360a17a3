//! (room mcp/framing)
