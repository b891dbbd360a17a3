//! A question to the user, as data: the shell only draws it.
//!
//! In: what [`crate::approval`], [`crate::config`], [`crate::mcp`] and [`crate::skills`] want to
//! ask. Out: one shape with the parts in the order in which they are read: question, what changed,
//! flags, what will run, what is to be filled in, facts, buttons, what is not covered. The exact thing comes before the
//! button. Deliberately not here: colours, keys, widgets.

use crate::form::Field;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// A stretch of a sentence. Our words and theirs never look alike: a name or text that comes from a
/// repository, a server or a model is always [`Span::Quoted`] and drawn in the editor's font.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Span {
    /// Our own words.
    Words {
        /// The words.
        text: String,
    },
    /// Somebody else's, shown as they are; hidden characters are drawn as marks.
    Quoted {
        /// The text.
        text: String,
    },
    /// Our own words with weight.
    Strong {
        /// The words.
        text: String,
    },
    /// A place in a file that can be opened.
    Place {
        /// What to show, such as `.mcp.json, line 4`.
        text: String,
        /// The file's path as it was given to the core.
        path: String,
        /// Line, from 1.
        line: u32,
    },
    /// Text that holds values which are masked until the user reveals them.
    Secret {
        /// All of it, values included.
        text: String,
        /// What stands in its place until then, such as `--token=••••••••`: only values are dots.
        masked: String,
    },
}

/// What kind of thing is asked about; it chooses the icon and groups answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum CardKind {
    /// A call of an MCP server's tool.
    Call,
    /// A change of a file.
    Edit,
    /// A command in the user's shell.
    Command,
    /// Reading something that looks like credentials, or another guarded read.
    Read,
    /// Starting a server.
    Server,
    /// Using skills or instructions of a repository.
    Skill,
    /// A tool that changed since it was approved.
    Drift,
    /// The first request to a model server that is not on this machine.
    Host,
    /// The agent repeats itself.
    Repeat,
    /// A server asks the user for answers.
    Form,
    /// A server wants an address to be opened.
    Address,
}

/// What a pane shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum PaneKind {
    /// A command line: each span is one argument, drawn with a blank between them and quoted where
    /// it would not read as one; a single span is a line for a shell, drawn as it is.
    Command,
    /// JSON text.
    Json,
    /// A unified diff without header: lines begin with ` `, `+`, `-`; hunks with `@@`. Without hunks
    /// no line has a number, and a line that begins otherwise is a heading.
    Diff,
    /// Plain text.
    Text,
}

/// A stretch of a card that shows the exact thing, whole, never cut.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Pane {
    /// Our words above it, such as "What will run"; empty for none.
    pub title: String,
    /// Muted, at the right of the title, such as "2 of 9 parts"; empty for none.
    pub measure: String,
    /// How it is drawn.
    pub kind: PaneKind,
    /// The content. Values to mask are [`Span::Secret`].
    pub content: Vec<Span>,
    /// May the user change it before allowing? What comes back is checked again.
    pub editable: bool,
}

/// Something to look at before answering. A card with a flag has no primary button.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Flag {
    /// Stable, in kebab case, such as `loads-code`.
    pub code: String,
    /// The fact and what it does.
    pub text: Vec<Span>,
}

/// A short term and its value.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// Our word, such as "Program".
    pub term: String,
    /// The value.
    pub value: Vec<Span>,
}

/// What an answer does.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// This once, or this very version.
    Allow,
    /// For this session, as the button says.
    AllowSession,
    /// And keep it in the user's own file.
    KeepForUser,
    /// And keep it in the project's file.
    KeepInProject,
    /// No; a reason may go with it.
    Deny,
    /// Ask again when something changed.
    NotNow,
    /// No, and whoever asked is told so.
    Decline,
    /// Neither yes nor no: the question is put away, and whoever asked is told that.
    Dismiss,
}

/// A button. Its label is always ours.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    /// What it does.
    pub answer: Answer,
    /// What it says, such as "Allow and start".
    pub label: String,
    /// The letter that answers in a terminal, lower case.
    pub letter: char,
    /// Drawn as the ordinary choice. Never so where there is risk.
    pub primary: bool,
}

/// A question to the user.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct Card {
    /// What it is about.
    pub kind: CardKind,
    /// The names of the things it is about, so that an answer given beforehand (`--yes-mcp NAME`)
    /// can be matched without reading words: servers, skills, hosts by name, a call by the tool's
    /// model-visible name, an edit or read by its path, a command by itself.
    pub about: Vec<String>,
    /// The question, naming the act: "Run this command?".
    pub question: Vec<Span>,
    /// One muted sentence under it; empty for none.
    pub sentence: Vec<Span>,
    /// What changed since the last answer; none on the first.
    pub changed: Option<Pane>,
    /// What to look at.
    pub flags: Vec<Flag>,
    /// What will run, be written or be sent.
    pub panes: Vec<Pane>,
    /// What is to be filled in; none for most cards. [`crate::form::read_form`] reads it.
    pub form: Vec<Field>,
    /// Facts, each a short term and a value.
    pub facts: Vec<Fact>,
    /// The buttons, from left to right.
    pub actions: Vec<Action>,
    /// What the answer covers and what it does not; empty for none.
    pub footnote: Vec<Span>,
}

/// Our own words, as a span.
pub fn words(text: impl Into<String>) -> Span {
    Span::Words { text: text.into() }
}

/// Somebody else's words, as a span.
pub fn quoted(text: impl Into<String>) -> Span {
    Span::Quoted { text: text.into() }
}

/// Our own words with weight, as a span.
pub fn strong(text: impl Into<String>) -> Span {
    Span::Strong { text: text.into() }
}
