//! SKILL.md: fields and body.
