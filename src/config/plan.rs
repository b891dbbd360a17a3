//! (room config/plan)
