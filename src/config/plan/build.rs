//! One usable entry → a server with its exact command, environment and reads.

use super::super::environment::{self, Change};
use super::super::expand::{Expanded, Expansion, Found, Literal, Piece, Variables, expand};
use super::super::json::Range;
use super::super::named_files::{NamedFile, Naming, Start, named_files};
use super::super::paths::{join, names_a_path};
use super::super::source::{Address, Definition, Entry, Pair, Program, Reach, Report, Text, quote};
use super::address::{check_url, is_header_value, is_ours, is_token};
use super::{
    ConfigOptions, ConfigOrigin, ConfigSource, ConfiguredServer, EnvironmentEntry, NamedValue,
    ServerReach, VariableRead,
};
use crate::problem::Severity;
use crate::skills::containment::PathStyle;
use std::collections::BTreeMap;

/// What an entry is read against.
pub(super) struct Surroundings<'a> {
    pub source: &'a ConfigSource,
    pub options: &'a ConfigOptions,
    pub style: PathStyle,
    pub variables: &'a Variables,
}

/// The server, or none where a problem keeps it from starting.
pub(super) fn server(
    entry: &Entry,
    definition: &Definition,
    surroundings: &Surroundings<'_>,
    report: &mut Report<'_>,
) -> Option<ConfiguredServer> {
    let Surroundings {
        source, options, ..
    } = surroundings;
    let workspace_folder = if source.folder.is_empty() {
        &options.workspace_folder
    } else {
        &source.folder
    };
    let mut builder = Builder {
        variables: surroundings.variables.within(workspace_folder),
        report,
        style: surroundings.style,
        reads: BTreeMap::new(),
        startable: true,
        literal: source.origin == ConfigOrigin::Agent,
    };
    let (reach, reads) = match &definition.reach {
        Reach::Program(program) => {
            builder.program(program, &definition.env, workspace_folder, surroundings)
        }
        Reach::Address(address) => (builder.address(address), Some(Vec::new())),
    };
    let place = builder.report.position(entry.name_at.start);
    builder.startable.then(|| ConfiguredServer {
        name: entry.name.clone(),
        origin: source.origin,
        guarded: source.guarded && source.origin == ConfigOrigin::User,
        path: source.path.clone(),
        workspace_folder: workspace_folder.clone(),
        place,
        description: definition.description.clone(),
        reach,
        variables: builder.variable_reads(),
        coverable: reads.is_some(),
        reads: reads.unwrap_or_default(),
        timeout_ms: definition.timeout_ms,
        roots: definition.roots,
    })
}

struct Builder<'r, 't> {
    variables: Variables,
    report: &'r mut Report<'t>,
    style: PathStyle,
    reads: BTreeMap<String, (Found, Vec<String>)>,
    startable: bool,
    /// No variable is filled in.
    literal: bool,
}

impl Builder<'_, '_> {
    fn program(
        &mut self,
        program: &Program,
        env: &[Pair],
        workspace_folder: &str,
        surroundings: &Surroundings<'_>,
    ) -> (ServerReach, Option<Vec<NamedFile>>) {
        let options = surroundings.options;
        let Program {
            command,
            args,
            args_in_command,
            cwd,
        } = program;
        let field_of = |index: usize| match index.checked_sub(*args_in_command) {
            None => format!("command[{}]", index + 1),
            Some(index) => format!("args[{index}]"),
        };
        let at = command.at;
        let command = self.text("command", command, true);
        if command.text().trim().is_empty() {
            self.refuse(
                "empty-command",
                at,
                "\"command\" is empty once variables are filled in.",
            );
        }
        let fields: Vec<String> = (0..args.len()).map(field_of).collect();
        let args: Vec<Expanded> = args
            .iter()
            .zip(&fields)
            .map(|(arg, field)| self.text(field, arg, false))
            .collect();
        let default_folder = if workspace_folder.is_empty() {
            &options.user_home
        } else {
            workspace_folder
        };
        let cwd = cwd.as_ref().map(|cwd| self.text("cwd", cwd, true));
        let folder = match &cwd {
            Some(cwd) => join(default_folder, &cwd.text(), self.style),
            None => default_folder.to_owned(),
        };
        let env: Vec<NamedValue> = env
            .iter()
            .map(|pair| self.pair("env", pair, false))
            .collect();
        let reads = self.named_files(&command, &args, &fields, &env, &folder, workspace_folder);
        let changes: Vec<Change> = env
            .iter()
            .map(|pair| (pair.name.clone(), pair.value.as_ref().map(Expanded::text)))
            .collect();
        let environment = environment::of_process(
            &options.environment,
            surroundings.source.origin != ConfigOrigin::User,
            &changes,
            self.style,
        )
        .into_iter()
        .map(|(name, value)| EnvironmentEntry { name, value })
        .collect();
        let reach = ServerReach::Program {
            program: if names_a_path(&command.text(), self.style) {
                join(&folder, &command.text(), self.style)
            } else {
                String::new()
            },
            command,
            args,
            cwd,
            folder,
            env,
            environment,
        };
        (reach, reads)
    }

    fn named_files(
        &self,
        command: &Expanded,
        args: &[Expanded],
        fields: &[String],
        env: &[NamedValue],
        cwd: &str,
        workspace_folder: &str,
    ) -> Option<Vec<NamedFile>> {
        let command_text = command.text();
        let texts: Vec<String> = args.iter().map(Expanded::text).collect();
        let env: Vec<(String, String, bool)> = env
            .iter()
            .filter_map(|pair| {
                let value = pair.value.as_ref()?;
                Some((
                    format!("env.{}", pair.name),
                    value.text(),
                    value.holds_values(),
                ))
            })
            .collect();
        let args: Vec<Naming<'_>> = texts
            .iter()
            .zip(fields)
            .zip(args)
            .map(|((text, field), arg)| Naming {
                field,
                text,
                secret: arg.holds_values(),
            })
            .collect();
        let env: Vec<Naming<'_>> = env
            .iter()
            .map(|(field, text, secret)| Naming {
                field,
                text,
                secret: *secret,
            })
            .collect();
        named_files(&Start {
            command: Naming {
                field: "command",
                text: &command_text,
                secret: command.holds_values(),
            },
            args: &args,
            env: &env,
            cwd,
            workspace_folder,
            style: self.style,
        })
    }

    fn address(&mut self, address: &Address) -> ServerReach {
        ServerReach::Address {
            url: self.url(&address.url),
            headers: self.headers(&address.headers),
            sse: address.sse,
        }
    }

    fn url(&mut self, url: &Text) -> Expanded {
        let expanded = self.text("url", url, true);
        if self.startable
            && let Err(bad) = check_url(&expanded.text())
        {
            let (code, message) = bad.words();
            self.refuse(code, url.at, message);
        }
        expanded
    }

    fn headers(&mut self, headers: &[Pair]) -> Vec<NamedValue> {
        let mut names: Vec<String> = Vec::new();
        let mut filled_in = Vec::new();
        for header in headers {
            let pair = self.pair("headers", header, true);
            let name = quote(&header.name);
            if !is_token(&header.name) {
                let message = format!(
                    "{name} is not the name of a header: letters, digits and hyphens. Correct it."
                );
                self.refuse("bad-header-name", header.name_at, &message);
            } else if is_ours(&header.name) {
                let message = format!(
                    "The header {name} says how messages are carried, and is not taken from here. Remove it."
                );
                self.report
                    .add(Severity::Warning, "ignored-header", header.name_at, message);
            }
            let lower = header.name.to_ascii_lowercase();
            if names.contains(&lower) {
                let message = format!("The header {name} stands here twice; the last one counts.");
                self.report.add(
                    Severity::Warning,
                    "duplicate-header",
                    header.name_at,
                    message,
                );
            }
            names.push(lower);
            if let (Some(value), Some(text)) = (&pair.value, &header.value)
                && !is_header_value(&value.text())
            {
                let from = if value.holds_values() {
                    ", and variables bring some in"
                } else {
                    ""
                };
                let message = format!(
                    "The header {name} holds what no header may hold, such as a line break{from}. Remove that."
                );
                self.refuse("bad-header-value", text.at, &message);
            }
            filled_in.push(pair);
        }
        filled_in
    }

    fn pair(&mut self, field: &str, pair: &Pair, decides: bool) -> NamedValue {
        let field = format!("{field}.{}", pair.name);
        NamedValue {
            name: pair.name.clone(),
            value: pair
                .value
                .as_ref()
                .map(|text| self.text(&field, text, decides)),
        }
    }

    /// Fills in a field's variables. One that has no value keeps the server from starting where the
    /// field `decides` what is run or called.
    fn text(&mut self, field: &str, text: &Text, decides: bool) -> Expanded {
        let expansion = if self.literal {
            as_it_stands(&text.value)
        } else {
            expand(&text.value, &self.variables)
        };
        let folders: Vec<&str> = expansion
            .expanded
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Folder { name, .. } => Some(name.as_str()),
                Piece::Written { .. } | Piece::Brought { .. } => None,
            })
            .collect();
        for read in &expansion.reads {
            if folders.contains(&read.name.as_str()) {
                continue;
            }
            let (found, fields) = self
                .reads
                .entry(read.name.clone())
                .or_insert((read.found, Vec::new()));
            *found = (*found).max(read.found);
            if fields.last().is_none_or(|last| last != field) {
                fields.push(field.to_owned());
            }
        }
        for literal in &expansion.literals {
            self.literal(field, text.at, literal, decides);
        }
        let home =
            text.value.starts_with("~/") || text.value == "~" || text.value.starts_with("~\\");
        if home && !field.starts_with("headers") {
            self.report.add(
                Severity::Warning,
                "tilde",
                text.at,
                format!(
                    "~ in {} is not a folder here. Write ${{userHome}}.",
                    quote(field)
                ),
            );
        }
        expansion.expanded
    }

    fn literal(&mut self, field: &str, at: Range, literal: &Literal, decides: bool) {
        let (code, fact, remedy) = match literal {
            Literal::Unset { name } => (
                "unset-variable",
                format!(
                    "{} in {} is not set and has no default",
                    quote(name),
                    quote(field)
                ),
                format!("Set it, or write ${{{name}:-default}}."),
            ),
            Literal::Foreign { form } => (
                "foreign-variable",
                format!(
                    "{} in {} is filled in by other programs, not here",
                    quote(form),
                    quote(field)
                ),
                "Use a variable of the environment.".to_owned(),
            ),
            Literal::Malformed { form } => (
                "malformed-variable",
                format!("{} in {} is not a variable", quote(form), quote(field)),
                "Write ${NAME} or ${NAME:-default}.".to_owned(),
            ),
        };
        if decides {
            self.startable = false;
            let message = format!("{fact}, so the server is not started. {remedy}");
            self.report.add(Severity::Error, code, at, message);
        } else {
            let message = format!("{fact}, so it stays as it stands. {remedy}");
            self.report.add(Severity::Warning, code, at, message);
        }
    }

    fn refuse(&mut self, code: &str, at: Range, message: &str) {
        self.startable = false;
        self.report
            .add(Severity::Error, code, at, message.to_owned());
    }

    fn variable_reads(&self) -> Vec<VariableRead> {
        self.reads
            .iter()
            .map(|(name, (found, fields))| VariableRead {
                name: name.clone(),
                found: *found,
                fields: fields.clone(),
            })
            .collect()
    }
}

/// `text` with nothing filled in.
fn as_it_stands(text: &str) -> Expansion {
    let written = Piece::Written {
        text: text.to_owned(),
    };
    Expansion {
        expanded: Expanded {
            template: text.to_owned(),
            pieces: (!text.is_empty()).then_some(written).into_iter().collect(),
        },
        ..Expansion::default()
    }
}
