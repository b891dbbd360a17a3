//! (room config/consent)
