//! (room config/expand)
