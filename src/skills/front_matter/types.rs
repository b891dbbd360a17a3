//! What reading one SKILL.md gives.

use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// One SKILL.md, read. Broken input is data: what could be kept is here, and `problems` says the
/// rest.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ParsedSkill {
    /// It has a valid name and a description. What is not usable is never sent to a model; one of
    /// `problems` is then an error that says why.
    pub usable: bool,
    /// The name as the text that stood there (`3000` and `yes` stay text), valid or not.
    pub name: Option<String>,
    /// The description as text, whole.
    pub description: Option<String>,
    /// The version as the text that stood there (`1.0` stays `1.0`).
    pub version: Option<String>,
    /// The whole header as JSON text, an object with the keys in the order of the file; `{}` when
    /// there is none.
    pub front_matter: String,
    /// The fields of the format, in their types.
    pub fields: SkillFields,
    /// The text after the header, as it stands in the file.
    pub body: String,
    /// The line of the file, from 1, on which the body begins.
    pub body_line: u32,
    /// Everything found, in the order of the file.
    pub problems: Vec<Problem>,
}

/// The fields of the format beside name, description and version. A field that is missing, or could
/// not be understood, has its default.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct SkillFields {
    /// Globs of `autoAttach`, `auto_attach`, `paths` and `globs`, in the order of the file, each
    /// once. Those with unknown syntax are in it too; a problem names them.
    pub auto_attach: Vec<String>,
    /// `license`.
    pub license: Option<String>,
    /// `compatibility`.
    pub compatibility: Option<String>,
    /// `author`.
    pub author: Option<String>,
    /// `tags`, from a list or a comma-separated text.
    pub tags: Vec<String>,
    /// `allowed-tools`, from a list or a text separated by commas or blanks. Shown, never a grant.
    pub allowed_tools: Vec<String>,
    /// `disable-model-invocation`; false when missing.
    pub disable_model_invocation: bool,
    /// `user-invocable` or `user-invokable`; true when missing.
    pub user_invocable: bool,
    /// `argument-hint` as the text that stood there.
    pub argument_hint: Option<String>,
    /// `metadata` as JSON text, whatever its type.
    pub metadata: Option<String>,
}

impl Default for SkillFields {
    fn default() -> Self {
        Self {
            auto_attach: Vec::new(),
            license: None,
            compatibility: None,
            author: None,
            tags: Vec::new(),
            allowed_tools: Vec::new(),
            disable_model_invocation: false,
            user_invocable: true,
            argument_hint: None,
            metadata: None,
        }
    }
}
