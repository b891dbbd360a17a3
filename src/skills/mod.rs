//! Agent Skills: SKILL.md → fields and body; many → the catalogue; bodies and resources.
pub mod catalogue;
pub mod consent;
pub mod consent_card;
mod consent_flags;
pub mod containment;
pub mod disclosure;
pub mod front_matter;
pub mod globs;
pub mod guidance;
pub mod hidden;
pub mod media;
mod merge;
pub mod offered;
pub mod offered_names;
pub mod report;
pub mod search;

#[cfg(test)]
mod catalogue_tests;
#[cfg(test)]
mod consent_card_tests;
#[cfg(test)]
mod disclosure_tests;
#[cfg(test)]
mod offered_tests;
