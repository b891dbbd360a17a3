//! One configuration file's text → the entries in it, and what is wrong with it.
//!
//! In: the text. Out: every entry by name, as written, variables not yet filled in; a broken entry
//! alone is unusable, and its name is still known, since it shadows; where names may be missing, the
//! report says so. Deliberately not here:
//! variables ([`super::expand`]) and other files ([`super::plan`]).

mod entry;
mod report;
#[cfg(test)]
mod tests;

use super::json::{self, Member, Node, Range, Value, kind_of};
use crate::limits::{MAX_CONFIG_BYTES, MAX_SERVERS_PER_FILE};
use crate::problem::Severity;
use crate::spelling::{self, Known};
pub use report::{Finding, Report, quote};
use std::collections::{HashMap, HashSet};

/// A text and where it stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Text {
    /// As written, escapes resolved, variables not filled in.
    pub value: String,
    /// Where.
    pub at: Range,
}

/// A variable of the environment, or a header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pair {
    /// Its name, never expanded.
    pub name: String,
    /// Where the name stands.
    pub name_at: Range,
    /// Its value; `None` takes a variable away.
    pub value: Option<Text>,
}

/// A program that is started.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Program {
    /// The program.
    pub command: Text,
    /// Its arguments.
    pub args: Vec<Text>,
    /// How many of them stand in a `command` that is a list.
    pub args_in_command: usize,
    /// Its working folder, where the entry says one.
    pub cwd: Option<Text>,
}

/// An address that is called.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Address {
    /// The address.
    pub url: Text,
    /// Headers of every request.
    pub headers: Vec<Pair>,
    /// The older transport: server-sent events.
    pub sse: bool,
}

/// How a server is reached.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reach {
    /// By starting a program.
    Program(Program),
    /// By calling an address.
    Address(Address),
}

/// What a usable entry says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Definition {
    /// How it is reached.
    pub reach: Reach,
    /// What it adds to the environment, in the file's order; the last of a name counts.
    pub env: Vec<Pair>,
    /// What the server is for, in the author's words.
    pub description: String,
    /// Milliseconds a call may take.
    pub timeout_ms: Option<u32>,
    /// Whether it is told the workspace folders.
    pub roots: bool,
}

/// What an entry is good for. Every kind but the last shadows those below.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Content {
    /// It can be planned.
    Usable(Box<Definition>),
    /// Its author switched it off.
    Disabled,
    /// It cannot be used; a problem says why.
    Broken,
    /// No server, but it stands where one could: a misspelled one, or a setting of another program. It
    /// only keeps its name from a repository, where the file is the user's.
    Name,
}

/// An entry of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// Its name, as written.
    pub name: String,
    /// Where the name stands.
    pub name_at: Range,
    /// What it is good for.
    pub content: Content,
}

/// Reads a file. Entries come in the file's order, each name once: the last one counts.
pub fn read(text: &str) -> (Vec<Entry>, Report<'_>) {
    if text.len() > MAX_CONFIG_BYTES {
        let mut report = Report::new("");
        report.incomplete = true;
        report.file(
            Severity::Error,
            "file-too-large",
            format!(
                "The file has {} bytes; {MAX_CONFIG_BYTES} are read at most. Remove what is not a server.",
                text.len()
            ),
        );
        return (Vec::new(), report);
    }
    let document = json::read(text);
    let mut report = Report::new(text);
    let broken = document.broken.is_some();
    if let Some(error) = document.broken {
        report.syntax(&error);
    }
    let mut entries = Vec::new();
    for map in server_maps(document.root.as_ref(), &mut report, broken) {
        for member in map {
            let content = if broken {
                Content::Broken
            } else if entries.len() >= MAX_SERVERS_PER_FILE {
                if entries.len() == MAX_SERVERS_PER_FILE {
                    report.add(
                        Severity::Error,
                        "too-many-servers",
                        member.key_at,
                        format!(
                            "Only the first {MAX_SERVERS_PER_FILE} servers are used. Remove some."
                        ),
                    );
                }
                Content::Broken
            } else {
                report.server = Some(member.key.clone());
                entry::read(member, &mut report)
            };
            report.server = None;
            entries.push(Entry {
                name: member.key.clone(),
                name_at: member.key_at,
                content,
            });
        }
    }
    let mut entries = last_of_each(entries, &mut report, broken);
    entries.extend(mere_names(document.root.as_ref(), &entries, broken));
    (entries, report)
}

/// Members at the top of a file that are no servers of it, but would be if the file were right.
fn mere_names(root: Option<&Node>, entries: &[Entry], broken: bool) -> Vec<Entry> {
    let members = match root.map(|root| &root.value) {
        Some(Value::Object(members)) => members.as_slice(),
        _ => &[],
    };
    let is_map = |member: &&Member| SERVER_MAPS.contains(&member.key.as_str());
    // Where a brace too many closed the map of servers, the rest of them stands at the top.
    if members.iter().any(|member| is_map(&member)) && !broken {
        return Vec::new();
    }
    let known: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    members
        .iter()
        .filter(|member| !is_map(member) && !known.contains(member.key.as_str()))
        .map(|member| Entry {
            name: member.key.clone(),
            name_at: member.key_at,
            content: Content::Name,
        })
        .collect()
}

/// The members of a file that hold servers, lowest precedence first.
const SERVER_MAPS: [&str; 2] = ["servers", "mcpServers"];

/// The same, to find those that are almost spelled so.
static MAPS: [Known; 2] = [Known::new("servers"), Known::new("mcpServers")];

/// The objects of a document whose members are servers, lowest precedence first.
fn server_maps<'n>(
    root: Option<&'n Node>,
    report: &mut Report<'_>,
    broken: bool,
) -> Vec<&'n [Member]> {
    let Some(root) = root else {
        report.file(
            Severity::Info,
            "empty-file",
            "The file is empty, so it defines no servers.".into(),
        );
        return Vec::new();
    };
    // What is not JSON was reported where it breaks.
    if root.value == Value::Unreadable {
        return Vec::new();
    }
    let Value::Object(members) = &root.value else {
        report.incomplete |= root.value != Value::Null;
        report.add(
            Severity::Error,
            "not-an-object",
            root.at,
            format!(
                "The file holds {}. Write {{ \"mcpServers\": {{ … }} }}.",
                kind_of(&root.value)
            ),
        );
        return Vec::new();
    };
    let named: Vec<&Member> = SERVER_MAPS
        .iter()
        .flat_map(|name| members.iter().filter(move |member| member.key == *name))
        .collect();
    if named.is_empty() {
        return bare_map(root.at, members, report, broken);
    }
    if let [first, .., last] = named.as_slice() {
        report.add(
            Severity::Warning,
            "several-server-maps",
            last.key_at,
            format!(
                "Servers stand in several places here, \"{}\" and \"{}\". All are read; keep one.",
                first.key, last.key
            ),
        );
    }
    let mut maps = Vec::new();
    for member in named {
        match &member.value.value {
            Value::Object(servers) => maps.push(servers.as_slice()),
            // What is no JSON was reported where it breaks.
            Value::Unreadable => {}
            value @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::List(_)) => {
                report.incomplete |= *value != Value::Null;
                report.add(
                    Severity::Error,
                    "wrong-type",
                    member.value.at,
                    format!(
                        "\"{}\" must be an object of servers by name, not {}.",
                        member.key,
                        kind_of(value)
                    ),
                );
            }
        }
    }
    maps
}

/// A root that is itself the map of servers, if anything in it looks like one.
fn bare_map<'n>(
    at: Range,
    members: &'n [Member],
    report: &mut Report<'_>,
    broken: bool,
) -> Vec<&'n [Member]> {
    let looks_like_a_server = |member: &Member| match &member.value.value {
        Value::Object(fields) => fields.iter().any(says_how),
        _ => false,
    };
    if members.is_empty() {
        return Vec::new();
    }
    if members.iter().any(looks_like_a_server) {
        report.add(
            Severity::Info,
            "bare-map",
            at,
            "The servers stand at the top of the file. They are read; other programs want them in \"mcpServers\"."
                .into(),
        );
        // What is no object here is a setting of another program, not a server.
        return members
            .iter()
            .filter(|member| matches!(member.value.value, Value::Object(_)))
            .map(std::slice::from_ref)
            .collect();
    }
    if broken {
        return Vec::new();
    }
    let misspelled = members
        .iter()
        .find_map(|member| Some((member, spelling::meant(&member.key, &MAPS)?)));
    if let Some((member, meant)) = misspelled {
        report.misspelled(Severity::Warning, member, meant);
        return Vec::new();
    }
    let message = if members.iter().any(says_how) {
        "The file holds one server without a name. Write { \"mcpServers\": { \"name\": { … } } }."
    } else {
        "There are no servers here. They stand in \"mcpServers\"."
    };
    report.add(Severity::Warning, "no-servers", at, message.into());
    Vec::new()
}

/// True for a field that says how a server is reached.
fn says_how(field: &Member) -> bool {
    let field = (field.key.as_str(), &field.value.value);
    matches!(
        field,
        ("command", Value::Text(_) | Value::List(_)) | ("url", Value::Text(_))
    )
}

/// Drops all but the last entry of each name, and says so.
fn last_of_each(entries: Vec<Entry>, report: &mut Report<'_>, broken: bool) -> Vec<Entry> {
    let mut last = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        last.insert(entry.name.clone(), index);
    }
    let mut kept = Vec::with_capacity(last.len());
    for (index, entry) in entries.into_iter().enumerate() {
        if last.get(&entry.name) == Some(&index) {
            kept.push(entry);
        } else if !broken {
            report.server = Some(entry.name.clone());
            report.add(
                Severity::Warning,
                "duplicate-name",
                entry.name_at,
                "It stands in this file more than once; the last one counts. Remove this one."
                    .into(),
            );
            report.server = None;
        }
    }
    kept
}
