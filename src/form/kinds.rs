//! Reading what a field takes: kinds whose bounds and start are of different types under one name.
//!
//! What serde generates for such an enum holds every value in a form of its own first, and reads each
//! type a second time from there; see [`crate::tagged`].

use super::{FieldKind, FieldOption, TextFormat};
use crate::tagged::needed;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use std::fmt;

/// A bound or a start, of whichever kind it is.
enum Loose {
    Truth(bool),
    Count(u32),
    Text(String),
    Texts(Vec<String>),
}

impl Loose {
    #[inline(never)]
    fn count(self) -> Result<u32, &'static str> {
        match self {
            Self::Count(count) => Ok(count),
            Self::Truth(_) | Self::Text(_) | Self::Texts(_) => Err("must be a whole number"),
        }
    }

    #[inline(never)]
    fn text(self) -> Result<String, &'static str> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Truth(_) | Self::Count(_) | Self::Texts(_) => Err("must be a text"),
        }
    }

    fn truth(self) -> Result<bool, &'static str> {
        match self {
            Self::Truth(truth) => Ok(truth),
            Self::Count(_) | Self::Text(_) | Self::Texts(_) => Err("must be true or false"),
        }
    }

    #[inline(never)]
    fn texts(self) -> Result<Vec<String>, &'static str> {
        match self {
            Self::Texts(texts) => Ok(texts),
            Self::Truth(_) | Self::Count(_) | Self::Text(_) => Err("must be a list of texts"),
        }
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, a text, true or false, or a list of texts")
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Loose, E> {
        Ok(Loose::Truth(truth))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Loose, E> {
        let count = u32::try_from(number);
        let wrong = |_| E::invalid_value(de::Unexpected::Signed(number), &self);
        count.map(Loose::Count).map_err(wrong)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Loose, E> {
        let count = u32::try_from(number);
        let wrong = |_| E::invalid_value(de::Unexpected::Unsigned(number), &self);
        count.map(Loose::Count).map_err(wrong)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Loose, E> {
        Ok(Loose::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Loose, E> {
        Ok(Loose::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Loose, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element()? {
            texts.push(text);
        }
        Ok(Loose::Texts(texts))
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(LooseVisitor)
    }
}

/// A value that may be missing, as what it has to be.
fn may<T, E: de::Error>(
    name: &str,
    value: Option<Loose>,
    read: fn(Loose) -> Result<T, &'static str>,
) -> Result<Option<T>, E> {
    let read = value.map(read).transpose();
    read.map_err(|wrong| E::custom(format_args!("{name} {wrong}")))
}

impl<'de> Deserialize<'de> for FieldKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Fields {
            kind: String,
            format: Option<TextFormat>,
            whole: Option<bool>,
            options: Option<Vec<FieldOption>>,
            min: Option<Loose>,
            max: Option<Loose>,
            value: Option<Loose>,
        }
        let Fields {
            kind,
            format,
            whole,
            options,
            min,
            max,
            value,
        } = Fields::deserialize(from)?;
        match kind.as_str() {
            "text" => Ok(Self::Text {
                format,
                min: may("min", min, Loose::count)?,
                max: may("max", max, Loose::count)?,
                value: needed(may("value", value, Loose::text)?, "value")?,
            }),
            "number" => Ok(Self::Number {
                whole: needed(whole, "whole")?,
                min: may("min", min, Loose::text)?,
                max: may("max", max, Loose::text)?,
                value: needed(may("value", value, Loose::text)?, "value")?,
            }),
            "yesNo" => Ok(Self::YesNo {
                value: needed(may("value", value, Loose::truth)?, "value")?,
            }),
            "choice" => Ok(Self::Choice {
                options: needed(options, "options")?,
                value: may("value", value, Loose::text)?,
            }),
            "choices" => Ok(Self::Choices {
                options: needed(options, "options")?,
                min: may("min", min, Loose::count)?,
                max: may("max", max, Loose::count)?,
                value: needed(may("value", value, Loose::texts)?, "value")?,
            }),
            other => Err(de::Error::unknown_variant(
                other,
                &["text", "number", "yesNo", "choice", "choices"],
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldKind, FieldOption};

    #[track_caller]
    fn same(kind: FieldKind) {
        let json = serde_json::to_string(&kind).unwrap();
        assert_eq!(serde_json::from_str::<FieldKind>(&json).unwrap(), kind);
    }

    #[track_caller]
    fn refused(json: &str, why: &str) {
        let error = serde_json::from_str::<FieldKind>(json).unwrap_err();
        assert!(error.to_string().starts_with(why), "{error}");
    }

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        let options = vec![FieldOption {
            value: "a".to_owned(),
            label: "A".to_owned(),
        }];
        same(FieldKind::Text {
            format: None,
            min: Some(1),
            max: None,
            value: "x".to_owned(),
        });
        same(FieldKind::Number {
            whole: true,
            min: Some("1".to_owned()),
            max: None,
            value: String::new(),
        });
        same(FieldKind::YesNo { value: true });
        same(FieldKind::Choice {
            options: options.clone(),
            value: None,
        });
        same(FieldKind::Choices {
            options,
            min: Some(0),
            max: Some(u32::MAX),
            value: vec!["a".to_owned()],
        });
    }

    #[test]
    fn what_is_of_another_type_is_refused() {
        refused(r#"{"kind":"text"}"#, "value is missing");
        refused(
            r#"{"kind":"text","value":"","min":"1"}"#,
            "min must be a whole number",
        );
        refused(
            r#"{"kind":"text","value":"","min":-1}"#,
            "invalid value: integer `-1`",
        );
        refused(
            r#"{"kind":"number","whole":true,"value":"","max":1}"#,
            "max must be a text",
        );
        refused(
            r#"{"kind":"yesNo","value":"yes"}"#,
            "value must be true or false",
        );
        refused(
            r#"{"kind":"choices","options":[],"value":"a"}"#,
            "value must be a list",
        );
        refused(r#"{"kind":"color"}"#, "unknown variant `color`");
    }
}
