//! The core of GBS Agent, in reading order.
//!
//! Everything here is pure: no file, clock, process, environment, randomness or promise outside
//! [`wasm`]. What goes in is text, bytes and maps; what comes out is data.
//!
//! 1. [`problem`]: a finding about somebody's file. [`error`]: misuse by a caller or a broken peer.
//!    [`places`]: offsets → lines and columns. [`limits`]: every number with its reason. [`order`]: one sort for all. [`decimal`]: text → numbers. `tagged`: reading enums. `spelling`: names that are almost right. [`card`]: a question to the user, ready to draw.
//! 2. [`config`]: MCP configuration files → the servers to run, what they read, their fingerprint.
//! 3. [`mcp`]: bytes → lines → messages → the protocol's state → effects; tools and their results.
//! 4. [`skills`]: SKILL.md bytes → fields and body; many skills → the catalogue; levels 2 and 3.
//! 5. [`approval`]: a call, the mode and the rules → run, ask with a card, or refuse.
//! 6. [`prompt`]: the system prompt.
//! 7. [`wasm`]: the exports; decode, call, encode.
#![forbid(unsafe_code)]

pub mod approval;
pub mod card;
pub mod config;
pub mod decimal;
pub mod error;
pub mod form;
pub mod limits;
pub mod mcp;
pub mod order;
pub mod places;
pub mod problem;
pub mod prompt;
pub mod skills;
mod spelling;
mod tagged;
pub mod text;
pub mod wasm;
