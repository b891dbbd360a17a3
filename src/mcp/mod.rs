//! The Model Context Protocol: bytes → lines → messages → state → effects; tools and results.
pub mod drift;
pub mod framing;
pub mod message;
pub mod output;
pub mod session;
pub mod tool;
