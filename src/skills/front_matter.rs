//! (room skills/front_matter)
