//! SKILL.md bytes → fields and body.

mod types;

pub use types::{ParsedSkill, SkillFields};
