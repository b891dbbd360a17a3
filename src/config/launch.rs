//! (room config/launch)
