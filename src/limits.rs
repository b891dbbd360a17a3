//! Every number of the core, with who counts it and what happens beyond it.
//!
//! A character is a Unicode scalar value everywhere. The numbers of one room stand together under
//! its heading.

// --- text for a model ---

/// Characters a token is taken to be, times two (3.5), until the server's own count corrects it.
pub const CHARACTERS_PER_TWO_TOKENS: usize = 7;

// --- approval ---

/// Characters of a server's own words about a tool on a card. What is approved, the arguments, is
/// never cut; the words are only the server's claim.
pub const CARD_DESCRIPTION_CHARACTERS: usize = 240;

// --- places in a text ---

/// Bytes between two marks of [`crate::places::Places`]: a place is counted from at most this far
/// away, and marks cost at most a sixteenth of the text beside those at line starts.
pub const PLACE_MARK_BYTES: usize = 256;

// --- config: MCP configuration files ---

/// Levels of nesting that a configuration file may have. Real ones have 5 at most; a reader that
/// follows each level on the stack must end somewhere. Deeper is a syntax error at that bracket.
pub const MAX_JSON_DEPTH: usize = 64;
