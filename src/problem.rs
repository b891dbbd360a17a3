//! A finding about somebody's file: broken input is data, never an error.
//!
//! In: what a reader noticed, at an offset of the text it read. Out: a record that an editor can
//! draw as a squiggle and a terminal can print. Deliberately not here: who is told, and how.

use crate::tagged::tagged;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The thing the problem is about cannot be used.
    Error,
    /// It is used, but not as the author may think.
    Warning,
    /// Worth knowing.
    Info,
}

/// A place in a text. Lines and columns count from 1; a column counts UTF-16 code units, as
/// editors do. A BOM counts as no column.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in UTF-16 code units, from 1.
    pub column: u32,
}

/// A replacement of the text between two places.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// First place replaced.
    pub start: Position,
    /// First place kept again.
    pub end: Position,
    /// What stands there afterwards.
    pub text: String,
}

/// A change that would remove the problem. The title says what happens, as a button would.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Fix {
    /// Edit the file the problem is in.
    Edit {
        /// What the fix does, for a button.
        title: String,
        /// The edits, none overlapping another.
        edits: Vec<TextEdit>,
    },
    /// Rename the folder that holds the file.
    RenameFolder {
        /// What the fix does, for a button.
        title: String,
        /// The folder's new name.
        to: String,
    },
    /// Save the file again as UTF-8 without a byte order mark. No edit can say this: positions and
    /// edits are about the decoded text, which has no byte order mark.
    SaveAsUtf8 {
        /// What the fix does, for a button.
        title: String,
    },
}

tagged! {
    Fix { title: String, edits: Vec<TextEdit>, to: String }
    "edit" => Edit { title, edits },
    "renameFolder" => RenameFolder { title, to },
    "saveAsUtf8" => SaveAsUtf8 { title },
}

/// A finding about a file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct Problem {
    /// Stable, in kebab case, such as `unquoted-colon`. Programs read this, never the message.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence or two: the fact, the cause, what to do.
    pub message: String,
    /// Where it starts; 1:1 when it is about the whole file.
    pub start: Position,
    /// Where it ends (the first place after it).
    pub end: Position,
    /// A change that removes it, where there is one.
    pub fix: Option<Fix>,
}
