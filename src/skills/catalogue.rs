//! (room skills/catalogue)
