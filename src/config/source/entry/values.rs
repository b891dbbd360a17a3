//! Values of an entry's fields: of the right type, or named.

use super::{Member, Node, Pair, Reader, Text, Value, kind_of, quote};
use crate::limits::MAX_SERVER_VALUES;
use std::collections::HashSet;

impl<'n> Reader<'_, 'n, '_> {
    pub(super) fn arguments(&mut self, items: &'n [Node], field: &str) -> Vec<Option<Text>> {
        items
            .iter()
            .enumerate()
            .map(|(index, item)| self.argument(item, &format!("{field}[{index}]")))
            .collect()
    }

    /// Text, or a number or truth value taken as its text, with a warning.
    pub(super) fn argument(&mut self, node: &Node, field: &str) -> Option<Text> {
        let value = match &node.value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.clone(),
            Value::Bool(truth) => truth.to_string(),
            Value::Null | Value::List(_) | Value::Object(_) | Value::Unreadable => {
                self.wrong_type(field, node, "text");
                return None;
            }
        };
        if !matches!(node.value, Value::Text(_)) {
            self.warn(
                "not-text",
                node.at,
                format!(
                    "{} is {}, taken as the text {}. Write it in double quotes.",
                    quote(field),
                    kind_of(&node.value),
                    quote(&value)
                ),
            );
        }
        if value.contains('\0') {
            self.error(
                "nul-character",
                node.at,
                format!(
                    "{} holds a NUL character, which no program can be given. Remove it.",
                    quote(field)
                ),
            );
        }
        Some(Text { value, at: node.at })
    }

    /// `env` or `headers`, each name once.
    pub(super) fn pairs(&mut self, field: &'static str, null_unsets: bool) -> Vec<Pair> {
        let Some(member) = self.field(field) else {
            return Vec::new();
        };
        let members = match &member.value.value {
            Value::Object(members) => members,
            Value::Null => return Vec::new(),
            _ => {
                self.wrong_type(field, &member.value, "an object of texts");
                return Vec::new();
            }
        };
        if members.len() > MAX_SERVER_VALUES {
            self.error(
                "too-many-values",
                member.key_at,
                format!("\"{field}\" has more than {MAX_SERVER_VALUES} entries. Remove some."),
            );
            return Vec::new();
        }
        let mut pairs = Vec::with_capacity(members.len());
        let mut seen = HashSet::new();
        for pair in members.iter().rev() {
            let path = format!("{field}.{}", pair.key);
            if !seen.insert(pair.key.as_str()) {
                self.warn(
                    "duplicate-field",
                    pair.key_at,
                    format!(
                        "{} stands here more than once; the last one counts. Remove this one.",
                        quote(&path)
                    ),
                );
                continue;
            }
            if pair.key.is_empty() || pair.key.contains(['=', '\0']) {
                self.error(
                    "bad-variable-name",
                    pair.key_at,
                    format!(
                        "{} is not a usable name: it must neither be empty nor hold = or NUL.",
                        quote(&path)
                    ),
                );
            }
            let value = match &pair.value.value {
                Value::Null if null_unsets => None,
                _ => match self.argument(&pair.value, &path) {
                    None => continue,
                    text => text,
                },
            };
            pairs.push(Pair {
                name: pair.key.clone(),
                name_at: pair.key_at,
                value,
            });
        }
        pairs.reverse();
        pairs
    }

    /// A truth value. Of the wrong type it breaks the entry where `decides` what runs.
    pub(super) fn flag(&mut self, field: &'static str, decides: bool) -> Option<bool> {
        let member = self.field(field)?;
        match &member.value.value {
            Value::Bool(truth) => Some(*truth),
            _ if decides => {
                self.wrong_type(field, &member.value, "true or false");
                None
            }
            _ => {
                self.warn(
                    "wrong-type",
                    member.value.at,
                    format!("\"{field}\" must be true or false. It is ignored."),
                );
                None
            }
        }
    }

    /// A field that must be text; `null` counts as not there.
    pub(super) fn text(&mut self, field: &'static str) -> Option<Text> {
        let member = self.field(field)?;
        match &member.value.value {
            Value::Text(_) => self.argument(&member.value, field),
            Value::Null => None,
            _ => {
                self.wrong_type(field, &member.value, "text");
                None
            }
        }
    }

    pub(super) fn field(&self, name: &str) -> Option<&'n Member> {
        self.fields.get(name).copied()
    }

    pub(super) fn wrong_type(&mut self, field: &str, node: &Node, wanted: &str) {
        self.error(
            "wrong-type",
            node.at,
            format!(
                "{} must be {wanted}, not {}.",
                quote(field),
                kind_of(&node.value)
            ),
        );
    }
}
