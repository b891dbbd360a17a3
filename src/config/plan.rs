//! Configuration files in precedence order → the servers to run.
//!
//! In: the text of each file with its origin, lowest precedence first, and what variables are. Out:
//! the servers, each with its exact command, environment and the files its consent covers; what was
//! shadowed or switched off; every problem. A server of the repository never replaces one that the
//! user defined, whatever order, spelling or state either has; while it is not known what the user
//! defined, none of a repository is planned. Deliberately not here: whether
//! anything exists on disk, and whether it may start.

mod address;
mod build;
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

use super::expand::{Expanded, Found, Variables};
use super::named_files::NamedFile;
use super::paths::style_of;
use super::source::{self, Content, Entry, Report, quote};
use crate::mcp::name::clean;
use crate::problem::{Position, Problem, Severity};
use crate::skills::containment::PathStyle;
use crate::tagged::tagged;
use crate::text::{composed, is_hidden, lower, upper};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use tsify::Tsify;

/// Who wrote a file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum ConfigOrigin {
    /// Whoever wrote the repository.
    Repository,
    /// The user.
    User,
    /// Nobody's file: the agent asks for it. Its texts stay as they stand, `${…}` too.
    Agent,
}

/// A configuration file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSource {
    /// Who wrote it.
    pub origin: ConfigOrigin,
    /// Where it lies, or the setting's name; only shown and compared.
    pub path: String,
    /// What stands in it.
    pub text: String,
    /// The workspace folder it belongs to, absolute: the working folder of its servers. Without it,
    /// the one of the options.
    #[serde(default)]
    #[tsify(optional)]
    pub folder: String,
    /// True for a user's file that programs may have written: its servers ask when they are new or
    /// changed.
    #[serde(default)]
    #[tsify(optional)]
    pub guarded: bool,
    /// True for a file that is there and cannot be read: `text` is empty then. While one of the user's
    /// is so, no server of a repository is planned, since it could take the name of one in it.
    #[serde(default)]
    #[tsify(optional)]
    pub unreadable: bool,
}

/// Configuration files, lowest precedence first.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct ConfigSources(pub Vec<ConfigSource>);

/// What the files are read against.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ConfigOptions {
    /// The environment, whole, as Node's `process.env` gives it.
    #[tsify(type = "Record<string, string | undefined>")]
    pub environment: BTreeMap<String, String>,
    /// As Node's `process.platform` names it; `win32` is Windows, all others are POSIX.
    pub platform: String,
    /// The first workspace folder, absolute; empty for none.
    pub workspace_folder: String,
    /// The user's home folder, absolute.
    pub user_home: String,
}

/// A variable of the environment that an entry sets, or a header.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct NamedValue {
    /// Its name, as written.
    pub name: String,
    /// Its value; none takes a variable away.
    pub value: Option<Expanded>,
}

/// A variable of a process.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentEntry {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// How a server is reached.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[tsify(missing_as_null)]
pub enum ServerReach {
    /// A program is started.
    Program {
        /// The program: a path, or a name that is looked up.
        command: Expanded,
        /// Where the program lies, absolute, if the entry names a path; empty for a name.
        program: String,
        /// Its arguments.
        args: Vec<Expanded>,
        /// The working folder as the entry says it; none where it says nothing.
        cwd: Option<Expanded>,
        /// The working folder, absolute.
        folder: String,
        /// What the entry does to the environment.
        env: Vec<NamedValue>,
        /// The complete environment of the process.
        environment: Vec<EnvironmentEntry>,
    },
    /// An address is called.
    Address {
        /// The address.
        url: Expanded,
        /// Headers of every request.
        headers: Vec<NamedValue>,
        /// The older transport: server-sent events.
        sse: bool,
    },
}

tagged! {
    ServerReach {
        command: Expanded, program: String, args: Vec<Expanded>, cwd: Expanded, folder: String,
        env: Vec<NamedValue>, environment: Vec<EnvironmentEntry>,
        url: Expanded, headers: Vec<NamedValue>, sse: bool
    }
    "program" => Program { command, program, args, folder, env, environment [cwd] },
    "address" => Address { url, headers, sse },
}

/// A variable that an entry reads, and where.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct VariableRead {
    /// Its name, as the entry writes it.
    pub name: String,
    /// How it stands.
    pub found: Found,
    /// The fields it stands in, such as `args[2]`.
    pub fields: Vec<String>,
}

/// A server to run.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ConfiguredServer {
    /// Its name, as written.
    pub name: String,
    /// Who wrote its entry.
    pub origin: ConfigOrigin,
    /// See [`ConfigSource::guarded`].
    pub guarded: bool,
    /// The file its entry stands in.
    pub path: String,
    /// The workspace folder that its file belongs to, absolute; empty for none.
    pub workspace_folder: String,
    /// Where its name stands in the file.
    pub place: Position,
    /// What it is for, in its author's words.
    pub description: String,
    /// How it is reached.
    pub reach: ServerReach,
    /// Variables it reads, by name; folders of ours are not among them.
    pub variables: Vec<VariableRead>,
    /// Paths that its command line and environment may name. Those that are files inside the
    /// workspace belong to what is approved.
    pub reads: Vec<NamedFile>,
    /// False where it names too many paths to cover: then it asks every time.
    pub coverable: bool,
    /// Milliseconds a call may take, where the entry says so.
    pub timeout_ms: Option<u32>,
    /// Whether it is told the workspace folders.
    pub roots: bool,
}

/// An entry that does not run.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct IdleEntry {
    /// Its name, as written.
    pub name: String,
    /// Who wrote it.
    pub origin: ConfigOrigin,
    /// The file it stands in.
    pub path: String,
    /// Where its name stands in the file.
    pub place: Position,
    /// The name of the entry in its place; none where it is only switched off.
    pub by_name: Option<String>,
    /// The file of the entry in its place.
    pub by_path: Option<String>,
}

/// A problem, its file and its entry.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ConfigProblem {
    /// The file.
    pub path: String,
    /// The entry's name; none when it is about the file.
    pub server: Option<String>,
    /// The problem.
    pub problem: Problem,
}

/// What the files say.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ServersPlan {
    /// Servers to run: files lowest precedence first, entries as written.
    pub servers: Vec<ConfiguredServer>,
    /// Entries that another replaces.
    pub shadowed: Vec<IdleEntry>,
    /// Entries that are switched off.
    pub disabled: Vec<IdleEntry>,
    /// Every problem: files in order, then as they stand.
    pub problems: Vec<ConfigProblem>,
}

/// Plans the servers of all files.
pub fn plan(sources: &[ConfigSource], options: &ConfigOptions) -> ServersPlan {
    let style = style_of(&options.platform);
    let variables = Variables::new(
        &options.environment,
        style == PathStyle::Windows,
        &options.workspace_folder,
        &options.user_home,
    );
    let mut read: Vec<(&ConfigSource, Vec<Entry>, Report<'_>)> = sources
        .iter()
        .map(|source| {
            if source.unreadable {
                let mut report = Report::new("");
                report.incomplete = true;
                return (source, Vec::new(), report);
            }
            let (entries, report) = source::read(&source.text);
            (source, entries, report)
        })
        .collect();
    let unknown = read.iter().find_map(|(source, _, report)| {
        let users = source.origin == ConfigOrigin::User;
        (users && report.incomplete).then(|| source.path.clone())
    });
    let winners = Winners::among(&read);
    let mut plan = ServersPlan::default();
    for (source_index, (source, entries, report)) in read.iter_mut().enumerate() {
        let surroundings = build::Surroundings {
            source,
            options,
            style,
            variables: &variables,
        };
        for (entry_index, entry) in entries.iter().enumerate() {
            let place = report.position(entry.name_at.start);
            let idle = |by: Option<&Winner>| IdleEntry {
                name: entry.name.clone(),
                origin: source.origin,
                path: source.path.clone(),
                place,
                by_name: by.map(|winner| winner.name.clone()),
                by_path: by.map(|winner| winner.path.clone()),
            };
            let index = (source_index, entry_index);
            if entry.content == Content::Name {
                continue;
            }
            if let Some(winner) = winners.over(source.origin, &entry.name, index) {
                plan.shadowed.push(idle(Some(winner)));
                continue;
            }
            match &entry.content {
                Content::Disabled => plan.disabled.push(idle(None)),
                Content::Broken | Content::Name => {}
                Content::Usable(definition) => {
                    report.server = Some(entry.name.clone());
                    let held = unknown
                        .as_deref()
                        .and_then(|path| held_back(source.origin, path));
                    if let Some(why) = held {
                        report.add(Severity::Error, "users-names-unknown", entry.name_at, why);
                    } else {
                        let server = build::server(entry, definition, &surroundings, report);
                        plan.servers.extend(server);
                    }
                    report.server = None;
                }
            }
        }
    }
    for (source, _, report) in read {
        plan.problems
            .extend(report.finish().into_iter().map(|finding| ConfigProblem {
                path: source.path.clone(),
                server: finding.server,
                problem: finding.problem,
            }));
    }
    plan
}

/// Why no server of this origin starts while the names in the user's file at `path` are not all known:
/// any of them may stand there. `None` for the user's own.
fn held_back(origin: ConfigOrigin, path: &str) -> Option<String> {
    let path = quote(path);
    match origin {
        ConfigOrigin::Repository => Some(format!(
            "It does not start while your file {path} cannot be read: a server of this name may stand there. Mend that file."
        )),
        // The reader is the model, and the file is not its own.
        ConfigOrigin::Agent => Some(format!(
            "It does not start while the user's file {path} cannot be read: a server of this name may stand there. The user must mend that file."
        )),
        ConfigOrigin::User => None,
    }
}

/// The entry that counts of all that share a name.
#[derive(Clone, Debug)]
struct Winner {
    /// Which source, which entry of it.
    index: (usize, usize),
    name: String,
    path: String,
}

/// Who wins by name: the last of the same origin, any of the user's over a repository's, and any of a
/// file over one that the agent asks for.
#[derive(Default)]
struct Winners {
    same_origin: HashMap<(ConfigOrigin, String), Winner>,
    users: HashMap<String, Winner>,
    files: HashMap<String, Winner>,
}

impl Winners {
    fn among(read: &[(&ConfigSource, Vec<Entry>, Report<'_>)]) -> Self {
        let mut winners = Self::default();
        for (source_index, (source, entries, _)) in read.iter().enumerate() {
            for (entry_index, entry) in entries.iter().enumerate() {
                let winner = Winner {
                    index: (source_index, entry_index),
                    name: entry.name.clone(),
                    path: source.path.clone(),
                };
                if source.origin != ConfigOrigin::Agent {
                    winners.files.insert(spelling(&entry.name), winner.clone());
                }
                if entry.content == Content::Name {
                    if source.origin == ConfigOrigin::User {
                        let users = winners.users.entry(spelling(&entry.name));
                        users.or_insert(winner);
                    }
                    continue;
                }
                if source.origin == ConfigOrigin::User {
                    winners.users.insert(spelling(&entry.name), winner.clone());
                }
                let name = composed(&entry.name).into_owned();
                winners.same_origin.insert((source.origin, name), winner);
            }
        }
        winners
    }

    /// The entry that replaces the one at `index`, if any does.
    fn over(&self, origin: ConfigOrigin, name: &str, index: (usize, usize)) -> Option<&Winner> {
        let above = match origin {
            ConfigOrigin::Repository => self.users.get(&spelling(name)),
            ConfigOrigin::Agent => self.files.get(&spelling(name)),
            ConfigOrigin::User => None,
        };
        let name = composed(name).into_owned();
        above
            .or_else(|| self.same_origin.get(&(origin, name)))
            .filter(|winner| winner.index != index)
    }
}

/// A name without its spelling: what a reader or a tool's name would take for the same. Without what is
/// not drawn (first, since it may stand between a letter and its accent), composed, without case,
/// without blanks at the ends, composed again (ΐ has no capital of its own, and is three characters in
/// between), cleaned as tool names are.
fn spelling(name: &str) -> String {
    let drawn: String = name.chars().filter(|c| !is_hidden(*c)).collect();
    // Down, up and down again: ẞ, ß and SS, ſ and s, K (Kelvin) and k are then the same.
    let folded = lower(&upper(&lower(&composed(&drawn))));
    clean(composed(&folded).trim())
}
