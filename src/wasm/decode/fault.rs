//! What is wrong with a value, in words that name it.

use serde::de::{self, Unexpected};
use std::fmt;

/// Why a value is not what it should be: what is wrong, and where.
#[derive(Debug)]
pub(in crate::wasm) struct Fault(Box<Wrong>);

#[derive(Debug)]
enum Wrong {
    /// Nothing is there; the object that lacks it knows its name.
    Missing,
    Said {
        place: String,
        why: String,
    },
}

impl Fault {
    #[inline(never)]
    pub(super) fn missing() -> Self {
        Self(Box::new(Wrong::Missing))
    }

    #[inline(never)]
    fn said(why: String) -> Self {
        let place = String::new();
        Self(Box::new(Wrong::Said { place, why }))
    }

    #[inline(never)]
    pub(super) fn expected(what: &str, expected: &dyn de::Expected) -> Self {
        Self::said(format!("it is {what}, and must be {expected}"))
    }

    /// Nothing was there.
    pub(super) fn is_missing(&self) -> bool {
        matches!(*self.0, Wrong::Missing)
    }

    /// Says which field of an object is missing, where that is what is wrong.
    #[inline(never)]
    pub(super) fn of_missing(self, name: Option<&'static str>) -> Self {
        match name {
            Some(name) if self.is_missing() => Self::said(format!("{name} is missing")),
            Some(_) | None => self,
        }
    }

    /// The same, one step further out.
    #[inline(never)]
    pub(super) fn within(mut self, step: Step) -> Self {
        if let Wrong::Said { place, .. } = &mut *self.0 {
            let dot = match place.as_bytes().first() {
                None | Some(b'[') => "",
                Some(_) => ".",
            };
            *place = match step {
                Step::Name(name) => format!("{name}{dot}{place}"),
                Step::Index(index) => format!("[{index}]{dot}{place}"),
            };
        }
        self
    }
}

/// From an object or a list to what is in it.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Name(&'static str),
    Index(u32),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Wrong::Missing => f.write_str("it is missing"),
            Wrong::Said { place, why } if place.is_empty() => f.write_str(why),
            Wrong::Said { place, why } => write!(f, "{place}: {why}"),
        }
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    #[inline(never)]
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self::said(why.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::expected(word(&found), expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        match found {
            Unexpected::Signed(n) => Self::expected(&n.to_string(), expected),
            Unexpected::Unsigned(n) => Self::expected(&n.to_string(), expected),
            Unexpected::Str(text) => Self::expected(&format!("{text:?}"), expected),
            other => Self::expected(word(&other), expected),
        }
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        Self::said(format!("it is {found:?}, and must be one of {known:?}"))
    }

    /// A struct's visitor came to a field without a value.
    fn invalid_length(_: usize, _: &dyn de::Expected) -> Self {
        Self::missing()
    }
}

fn word(found: &Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "a whole number",
        Unexpected::Float(_) => "a number",
        Unexpected::Char(_) | Unexpected::Str(_) => "a text",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "a list",
        Unexpected::Map => "an object",
        Unexpected::Bytes(_)
        | Unexpected::NewtypeStruct
        | Unexpected::Enum
        | Unexpected::UnitVariant
        | Unexpected::NewtypeVariant
        | Unexpected::TupleVariant
        | Unexpected::StructVariant
        | Unexpected::Other(_) => "something else",
    }
}
