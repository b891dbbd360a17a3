//! (room config/source)
