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
