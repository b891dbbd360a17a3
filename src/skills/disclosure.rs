//! (room skills/disclosure)
