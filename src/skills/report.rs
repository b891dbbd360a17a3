//! What became of a skill, in the words that trees and terminals show.

use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// How a skill stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum SkillState {
    /// The model is told of it, with the whole description.
    Full,
    /// The model is told of it, with a part of the description.
    Shortened,
    /// The model is not told of it, but may find and load it.
    Hidden,
    /// Only the user's `/name` loads it.
    UserOnly,
    /// It waits for the user's consent.
    HeldBack,
    /// Another one of the same name comes first.
    Shadowed,
    /// It is past the number of skills that are used.
    OverLimit,
    /// It cannot be used.
    Unusable,
}

/// One skill and what became of it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ReportedSkill {
    /// As it was given.
    pub path: String,
    /// Index of its source.
    pub source: u32,
    /// Its name, valid or not; its folder's name when it has none.
    pub name: String,
    /// How it stands.
    pub state: SkillState,
    /// Its globs match the open file.
    pub fits: bool,
    /// Tokens its line costs; 0 when it has none.
    pub tokens: u32,
    /// Tokens its line would cost with the whole description.
    pub full_tokens: u32,
    /// Why it stands so, where that is not plain: `over budget`, the reason it is unusable, the
    /// label of the source that shadows it.
    pub why: String,
    /// State and reason for people, such as `shortened, 31 of 74 tokens`.
    pub text: String,
    /// The path of the skill that shadows it.
    pub shadowed_by: Option<String>,
    /// Problems that only the merge can see; those of its file are not repeated.
    pub problems: Vec<Problem>,
}

/// State and reason, as a tree's description says them: the state first.
pub fn describe(skill: &ReportedSkill, file_name: &str) -> String {
    let cost = |tokens: u32| match tokens {
        1 => "1 token".to_owned(),
        n => format!("{n} tokens"),
    };
    let state = match skill.state {
        SkillState::Full if skill.fits => {
            return format!("fits {file_name}, {}", cost(skill.tokens));
        }
        SkillState::Full => format!("full, {}", cost(skill.tokens)),
        SkillState::Shortened => {
            format!("shortened, {} of {}", skill.tokens, cost(skill.full_tokens))
        }
        SkillState::Hidden => format!("hidden: {}, {}", skill.why, cost(skill.full_tokens)),
        SkillState::UserOnly => format!("only by /{}", skill.name),
        SkillState::HeldBack => format!("waits for you: {}", skill.why),
        SkillState::Shadowed => format!("shadowed by {}", skill.why),
        SkillState::OverLimit => format!("not used: over the limit of {}", skill.why),
        SkillState::Unusable => format!("unusable: {}", skill.why),
    };
    if skill.fits {
        format!("fits {file_name}, {state}")
    } else {
        state
    }
}
