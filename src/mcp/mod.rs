//! The Model Context Protocol: bytes → messages → state → effects; tools and results.
pub mod by_id;
pub mod drift;
pub mod effect;
pub mod elicitation;
pub mod feed;
pub mod framing;
pub mod http;
pub mod listing;
pub mod message;
pub mod mirror;
pub mod name;
pub mod output;
pub mod prompt_card;
pub mod session;
pub mod tool;
