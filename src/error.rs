//! Misuse by a caller, or a peer that broke the protocol: the only things that are `Err` here.

use std::fmt;

/// An error with a stable code. Callers read [`CoreError::code`], people read the message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CoreError {
    code: &'static str,
    message: String,
}

impl CoreError {
    /// `code` is upper snake case and never changes its meaning, such as `INVALID_ARGUMENT`.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The argument `name` of a door has the wrong shape.
    pub fn invalid_argument(name: &str, why: impl fmt::Display) -> Self {
        Self::new("INVALID_ARGUMENT", format!("argument {name}: {why}"))
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for CoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CoreError {}
