//! (room skills/consent)
