//! One entry of a file: its fields, each of the right type or named.

mod values;

use super::super::json::{Member, Node, Range, Value, kind_of};
use super::{Address, Content, Definition, Pair, Program, Reach, Report, Text, quote};
use crate::decimal;
use crate::limits::{MAX_CALL_TIMEOUT_MS, MAX_SERVER_NAME_CHARACTERS, MAX_SERVER_VALUES};
use crate::problem::Severity;
use crate::spelling::{self, Known};
use std::collections::BTreeMap;

/// Fields that mean something in an entry.
static FIELDS: [Known; 12] = [
    Known::new("command"),
    Known::new("args"),
    Known::new("env"),
    Known::new("cwd"),
    Known::new("type"),
    Known::new("url"),
    Known::new("headers"),
    Known::new("disabled"),
    Known::new("enabled"),
    Known::new("timeout"),
    Known::new("description"),
    Known::new("roots"),
];

/// What the entry that `member` holds is good for.
pub(super) fn read(member: &Member, report: &mut Report<'_>) -> Content {
    let Value::Object(members) = &member.value.value else {
        report.add(
            Severity::Error,
            "not-a-server",
            member.value.at,
            format!(
                "This is {}, not a server. Write {{ \"command\": … }}.",
                kind_of(&member.value.value)
            ),
        );
        return Content::Broken;
    };
    let mut reader = Reader {
        at: member.key_at,
        fields: BTreeMap::new(),
        report,
        broken: false,
    };
    reader.take_fields(members);
    reader.name(&member.key);
    let disabled = reader.disabled();
    reader.spelling(members, disabled);
    if disabled && !reader.broken {
        return Content::Disabled;
    }
    match reader.definition() {
        Some(definition) if !reader.broken => Content::Usable(Box::new(definition)),
        _ => Content::Broken,
    }
}

struct Reader<'r, 'n, 't> {
    /// Where the entry's name stands.
    at: Range,
    fields: BTreeMap<&'n str, &'n Member>,
    report: &'r mut Report<'t>,
    broken: bool,
}

impl<'n> Reader<'_, 'n, '_> {
    /// Of a field that stands more than once the last counts, as every JSON reader has it.
    fn take_fields(&mut self, members: &'n [Member]) {
        for member in members {
            if self.fields.insert(&member.key, member).is_some() {
                self.warn(
                    "duplicate-field",
                    member.key_at,
                    format!(
                        "{} stands here more than once; this last one counts.",
                        quote(&member.key)
                    ),
                );
            }
        }
    }

    fn name(&mut self, name: &str) {
        let at = self.at;
        if name.trim().is_empty() {
            self.error("bad-name", at, "A server needs a name. Write one.".into());
        } else if name.chars().count() > MAX_SERVER_NAME_CHARACTERS {
            self.error(
                "bad-name",
                at,
                format!(
                    "The name has more than {MAX_SERVER_NAME_CHARACTERS} characters. Shorten it."
                ),
            );
        } else if name.chars().any(char::is_control) {
            self.error(
                "bad-name",
                at,
                "The name holds control characters. Remove them.".into(),
            );
        }
    }

    /// Of a field that nobody reads, and that surely means one that is not there. A server that is
    /// switched off lacks nothing by it.
    fn spelling(&mut self, members: &[Member], disabled: bool) {
        for member in members {
            if let Some(meant) = spelling::meant(&member.key, &FIELDS)
                && !self.fields.contains_key(meant)
            {
                let how = ["command", "url"];
                let severity = if !disabled
                    && how.contains(&meant)
                    && !how.iter().any(|field| self.fields.contains_key(field))
                {
                    // That it has neither need not be said then.
                    self.broken = true;
                    Severity::Error
                } else {
                    Severity::Warning
                };
                self.report.misspelled(severity, member, meant);
            }
        }
    }

    fn disabled(&mut self) -> bool {
        let disabled = self.flag("disabled", true);
        let enabled = self.flag("enabled", true);
        disabled == Some(true) || enabled == Some(false)
    }

    fn definition(&mut self) -> Option<Definition> {
        let (command, mut args) = self.command();
        let args_in_command = args.len();
        args.extend(self.args());
        let env = self.pairs("env", true);
        let cwd = self.text("cwd");
        let url = self.text("url");
        let headers = self.pairs("headers", false);
        let definition = |reach| Definition {
            reach,
            env,
            description: String::new(),
            timeout_ms: None,
            roots: false,
        };
        if args.len() > MAX_SERVER_VALUES {
            let at = self.at;
            self.error(
                "too-many-values",
                at,
                format!("It has more than {MAX_SERVER_VALUES} arguments. Move them into a file."),
            );
        }
        let reach = match self.kind(command.is_some(), url.is_some())? {
            Kind::Program => Reach::Program(Program {
                command: command?,
                args,
                args_in_command,
                cwd,
            }),
            kind => Reach::Address(Address {
                url: url?,
                headers,
                sse: kind == Kind::Sse,
            }),
        };
        let mut definition = definition(reach);
        definition.description = self.description();
        definition.timeout_ms = self.timeout();
        definition.roots = self.flag("roots", false).unwrap_or(false);
        Some(definition)
    }

    /// `command`: a text, or a list whose rest are arguments.
    fn command(&mut self) -> (Option<Text>, Vec<Text>) {
        let Some(field) = self.field("command") else {
            return (None, Vec::new());
        };
        let mut words = match &field.value.value {
            Value::Text(_) => vec![self.argument(&field.value, "command")],
            Value::List(items) => self.arguments(items, "command"),
            _ => {
                self.wrong_type("command", &field.value, "text, or a list of texts");
                return (None, Vec::new());
            }
        }
        .into_iter()
        .flatten();
        let command = words.next();
        if command
            .as_ref()
            .is_none_or(|text| text.value.trim().is_empty())
            && !self.broken
        {
            self.error(
                "empty-command",
                field.value.at,
                "\"command\" is empty. Name the program.".into(),
            );
        }
        (command, words.collect())
    }

    fn args(&mut self) -> Vec<Text> {
        let Some(field) = self.field("args") else {
            return Vec::new();
        };
        if let Value::List(items) = &field.value.value {
            self.arguments(items, "args")
                .into_iter()
                .flatten()
                .collect()
        } else {
            self.wrong_type("args", &field.value, "a list of texts");
            Vec::new()
        }
    }

    /// What `type` says, or what the fields that are there say.
    fn kind(&mut self, command: bool, url: bool) -> Option<Kind> {
        let at = self.at;
        let Some(text) = self.text("type") else {
            if self.fields.contains_key("type") {
                return None;
            }
            return match (command, url) {
                (true, false) => Some(Kind::Program),
                (false, true) => Some(Kind::Http),
                (true, true) => {
                    self.error(
                        "command-and-url",
                        at,
                        "It has both \"command\" and \"url\". Remove one, or say which with \"type\"."
                            .into(),
                    );
                    None
                }
                (false, false) => {
                    if !self.broken {
                        self.error(
                            "missing-command",
                            at,
                            "It has neither \"command\" nor \"url\". Add one.".into(),
                        );
                    }
                    None
                }
            };
        };
        let kind = match text.value.as_str() {
            "stdio" | "local" => Kind::Program,
            "http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote" => {
                Kind::Http
            }
            "sse" => Kind::Sse,
            other => {
                self.error(
                    "unknown-type",
                    text.at,
                    format!(
                        "\"type\" is {}, which is not known. Write stdio, http or sse.",
                        quote(other)
                    ),
                );
                return None;
            }
        };
        let (needed, there, other, other_there) = match kind {
            Kind::Program => ("command", command, "url", url),
            Kind::Http | Kind::Sse => ("url", url, "command", command),
        };
        if !there && !self.broken {
            self.error(
                "missing-command",
                at,
                format!("The type \"{}\" needs \"{needed}\". Add it.", text.value),
            );
        }
        if there && other_there {
            self.warn(
                "ignored-field",
                at,
                format!(
                    "\"{other}\" is ignored, since the type is \"{}\". Remove it.",
                    text.value
                ),
            );
        }
        Some(kind)
    }

    fn timeout(&mut self) -> Option<u32> {
        let field = self.field("timeout")?;
        let milliseconds = match &field.value.value {
            Value::Number(number) => decimal::value(number),
            _ => None,
        };
        let highest = f64::from(MAX_CALL_TIMEOUT_MS);
        let Some(milliseconds) = milliseconds.filter(|ms| *ms >= 1.0) else {
            self.warn(
                "wrong-type",
                field.value.at,
                "\"timeout\" must be a number of milliseconds, 1 or more. It is ignored.".into(),
            );
            return None;
        };
        if milliseconds > highest {
            self.warn(
                "timeout-too-long",
                field.value.at,
                format!("\"timeout\" is longer than a call may take; {MAX_CALL_TIMEOUT_MS} milliseconds count."),
            );
        }
        // Between 1 and the highest, so neither sign nor size is lost.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Some(milliseconds.min(highest) as u32)
    }

    fn description(&mut self) -> String {
        match self.field("description") {
            None => String::new(),
            Some(field) => {
                if let Value::Text(text) = &field.value.value {
                    text.clone()
                } else {
                    self.warn(
                        "wrong-type",
                        field.value.at,
                        "\"description\" must be text. It is ignored.".into(),
                    );
                    String::new()
                }
            }
        }
    }

    fn error(&mut self, code: &str, at: Range, message: String) {
        self.broken = true;
        self.report.add(Severity::Error, code, at, message);
    }

    fn warn(&mut self, code: &str, at: Range, message: String) {
        self.report.add(Severity::Warning, code, at, message);
    }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Kind {
    Program,
    Http,
    Sse,
}
