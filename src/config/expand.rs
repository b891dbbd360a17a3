//! Variables in a text of a configuration file.
//!
//! In: a template and what the variables are. Out: the text in pieces, each knowing where it came
//! from, since a value that a variable brought in is masked on cards and hashed in fingerprints;
//! every variable read; every form that stayed as it stands. One pass: what a value brings in is
//! not looked at again. A default may hold variables, whose own defaults may not. Time is linear.
//!
//! `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${workspaceFolder}`, `${userHome}`, and each with
//! `$<` and `>` in the place of `${` and `}`.

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
mod variables;

use crate::tagged::tagged;
use serde::{Deserialize, Serialize};
use tsify::Tsify;
use variables::FOREIGN;
pub use variables::Variables;

/// A stretch of an expanded text.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Piece {
    /// It stands in the file: the text itself, or a variable's default.
    Written {
        /// The text.
        text: String,
    },
    /// A folder of ours, which is no secret: the workspace folder or the user's home.
    Folder {
        /// `workspaceFolder` or `userHome`.
        name: String,
        /// The folder.
        text: String,
    },
    /// A variable of the environment brought it in.
    Brought {
        /// The variable, as the file writes it.
        name: String,
        /// The value.
        text: String,
    },
}

tagged! {
    Piece { name: String, text: String }
    "written" => Written { text },
    "folder" => Folder { name, text },
    "brought" => Brought { name, text },
}

impl Piece {
    /// The text it stands for.
    pub fn text(&self) -> &str {
        match self {
            Self::Written { text } | Self::Folder { text, .. } | Self::Brought { text, .. } => text,
        }
    }
}

/// A template and what became of it.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Expanded {
    /// As written.
    pub template: String,
    /// The expanded text, in pieces none of which is empty.
    pub pieces: Vec<Piece>,
}

impl Expanded {
    /// The expanded text.
    pub fn text(&self) -> String {
        self.pieces.iter().map(Piece::text).collect()
    }

    /// True where a value of the environment stands in it.
    pub fn holds_values(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Brought { .. }))
    }
}

/// How a variable that was read stands.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Found {
    /// It has a value, perhaps an empty one.
    Set,
    /// It has none; its default is used.
    Default,
    /// It has none and no default; it stays as it stands.
    Unset,
}

/// A variable that was read.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Read {
    /// Its name, as the file writes it.
    pub name: String,
    /// How it stands.
    pub found: Found,
}

/// A form that stayed as it stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Literal {
    /// A variable without value and default.
    Unset {
        /// Its name.
        name: String,
    },
    /// A form that other programs know, such as `${input:key}`.
    Foreign {
        /// The form, as written.
        form: String,
    },
    /// Something that begins like a variable and is none.
    Malformed {
        /// The form, as written; to the end of the text where it is not closed.
        form: String,
    },
}

/// An expanded text with what was noticed on the way.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Expansion {
    /// The text.
    pub expanded: Expanded,
    /// Every variable read, in the order of the text, each time it stands there.
    pub reads: Vec<Read>,
    /// Every form that stayed as it stands.
    pub literals: Vec<Literal>,
}

/// Fills in the variables of `template`.
pub fn expand(template: &str, variables: &Variables) -> Expansion {
    let mut expansion = Expansion {
        expanded: Expanded {
            template: template.to_owned(),
            pieces: Vec::new(),
        },
        ..Expansion::default()
    };
    fill(template, variables, true, &mut expansion);
    expansion
}

/// Appends `template`, expanded. Only the outermost may have defaults that hold variables.
fn fill(template: &str, variables: &Variables, outermost: bool, out: &mut Expansion) {
    let mut rest = template;
    while let Some(start) = rest.find('$') {
        let (before, from) = rest.split_at(start);
        push(
            out,
            Piece::Written {
                text: before.to_owned(),
            },
        );
        match Form::at(from) {
            None => {
                push(
                    out,
                    Piece::Written {
                        text: "$".to_owned(),
                    },
                );
                rest = from.get(1..).unwrap_or("");
            }
            Some(form) => {
                resolve(&form, variables, outermost, out);
                rest = from.get(form.text.len()..).unwrap_or("");
            }
        }
    }
    push(
        out,
        Piece::Written {
            text: rest.to_owned(),
        },
    );
}

fn resolve(form: &Form<'_>, variables: &Variables, outermost: bool, out: &mut Expansion) {
    let stay = |literal: Literal, out: &mut Expansion| {
        out.literals.push(literal);
        push(
            out,
            Piece::Written {
                text: form.text.to_owned(),
            },
        );
    };
    let (value, name, default) = match &form.meaning {
        Meaning::Malformed => {
            return stay(
                Literal::Malformed {
                    form: form.text.to_owned(),
                },
                out,
            );
        }
        Meaning::Foreign => {
            return stay(
                Literal::Foreign {
                    form: form.text.to_owned(),
                },
                out,
            );
        }
        Meaning::Variable { name, default } => (variables.value(name), name, default),
        Meaning::Environment { name, default } => (variables.of_environment(name), name, default),
    };
    let found = match (&value, default) {
        (Some(_), _) => Found::Set,
        (None, Some(_)) => Found::Default,
        (None, None) => Found::Unset,
    };
    out.reads.push(Read {
        name: (*name).to_owned(),
        found,
    });
    match (value, default) {
        (Some(piece), _) => push(out, piece),
        (None, None) => stay(
            Literal::Unset {
                name: (*name).to_owned(),
            },
            out,
        ),
        (None, Some(default)) if outermost => fill(default, variables, false, out),
        (None, Some(default)) => {
            if let Some(inner) = default.char_indices().find_map(|(at, c)| {
                (c == '$')
                    .then(|| default.get(at..).and_then(Form::at))
                    .flatten()
            }) {
                out.literals.push(Literal::Malformed {
                    form: inner.text.to_owned(),
                });
            }
            push(
                out,
                Piece::Written {
                    text: (*default).to_owned(),
                },
            );
        }
    }
}

/// Appends a piece; what is written joins what was written before it.
fn push(out: &mut Expansion, piece: Piece) {
    if piece.text().is_empty() {
        return;
    }
    if let (Some(Piece::Written { text }), Piece::Written { text: more }) =
        (out.expanded.pieces.last_mut(), &piece)
    {
        text.push_str(more);
    } else {
        out.expanded.pieces.push(piece);
    }
}

/// Something that begins with `${` or `$<`.
struct Form<'t> {
    text: &'t str,
    meaning: Meaning<'t>,
}

enum Meaning<'t> {
    Variable {
        name: &'t str,
        default: Option<&'t str>,
    },
    Environment {
        name: &'t str,
        default: Option<&'t str>,
    },
    Foreign,
    Malformed,
}

impl<'t> Form<'t> {
    /// The form at the start of `text`, which begins with `$`; none where the `$` is just a `$`.
    fn at(text: &'t str) -> Option<Self> {
        let inner = text.get(2..)?;
        let close = match text.as_bytes().get(1)? {
            b'{' => '}',
            b'<' if begins_variable(inner) => '>',
            _ => return None,
        };
        // What is not closed takes the rest of the text with it, so that nothing is looked at twice.
        let Some(end) = closing(inner, close) else {
            return Some(Self {
                text,
                meaning: Meaning::Malformed,
            });
        };
        Some(Self {
            text: text.get(..2 + end + 1)?,
            meaning: Meaning::of(inner.get(..end)?),
        })
    }
}

/// True where a name follows that ends as one does after `$<`. A `$<` before anything else is too
/// common in texts to be called a mistake.
fn begins_variable(inner: &str) -> bool {
    let from = inner.strip_prefix("env:").unwrap_or(inner);
    let length = from
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '(' | ')'))
        .unwrap_or(from.len());
    let (name, rest) = from.split_at(length);
    is_name(name) && (rest.starts_with('>') || rest.starts_with(":-"))
}

impl<'t> Meaning<'t> {
    fn of(content: &'t str) -> Self {
        let (name, default) = match content.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (content, None),
        };
        if let Some(name) = name.strip_prefix("env:") {
            return if is_name(name) {
                Self::Environment { name, default }
            } else {
                Self::Malformed
            };
        }
        if is_name(name) {
            if default.is_none() && name == FOREIGN {
                return Self::Foreign;
            }
            return Self::Variable { name, default };
        }
        match name.split_once(':') {
            Some((prefix, rest))
                if is_name(prefix) && rest.starts_with(|c: char| c.is_ascii_alphanumeric()) =>
            {
                Self::Foreign
            }
            _ => Self::Malformed,
        }
    }
}

/// Where the form that `inner` is the inside of ends: its own closing mark, past those of the forms
/// within.
fn closing(inner: &str, close: char) -> Option<usize> {
    let mut open = Vec::new();
    let mut before = ' ';
    for (at, c) in inner.char_indices() {
        if before == '$' && c == '{' {
            open.push('}');
        } else if before == '$' && c == '<' && begins_variable(inner.get(at + 1..).unwrap_or("")) {
            open.push('>');
        } else if open.last() == Some(&c) {
            open.pop();
        } else if open.is_empty() && c == close {
            return Some(at);
        }
        before = c;
    }
    None
}

/// A name as environments have them; `ProgramFiles(x86)` is one.
fn is_name(name: &str) -> bool {
    let plain = name.strip_suffix("(x86)").unwrap_or(name);
    !plain.is_empty()
        && !plain.starts_with(|c: char| c.is_ascii_digit())
        && plain
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || c == b'_')
}
