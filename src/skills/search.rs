//! (room skills/search)
