//! (room skills/containment)
