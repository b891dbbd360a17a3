//! What a yes to a server covers, and what changed since.
//!
//! In: a planned server and what the shell found: its program, its folder, the files it names with
//! their digests, and a salt. Out: the canonical form in parts, its SHA-256, and the difference of two
//! forms, part by part. No value that a variable brought in stands in it: such a text is sealed, by
//! a hash that is salted per workspace. Values of `env` and `headers` are not in it at all, only
//! their templates, so a rotated secret does not ask. Deliberately not here: the question
//! ([`super::server_card`]), and where answers are kept.
//!
//! A server of the repository is covered as it would run. A server of the user's is covered as it is
//! written: the question there is who wrote the entry, and it is asked once, not per workspace.

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

use super::expand::{Expanded, Piece};
use super::plan::{ConfigOrigin, ConfiguredServer, NamedValue, ServerReach};
use crate::limits::MAX_CONSENT_COMPARISONS;
use crate::order::{sort, sort_by};
use crate::text::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tsify::Tsify;

/// A file inside the workspace that a server names.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct CoveredFile {
    /// Its path, as [`ConfiguredServer::reads`] gave it.
    pub path: String,
    /// The field that names it.
    #[serde(default)]
    #[tsify(optional)]
    pub field: String,
    /// Whether a value of the environment is part of the path.
    #[serde(default)]
    #[tsify(optional)]
    pub secret: bool,
    /// Where it really lies, links followed; a link that is swapped leads elsewhere.
    #[serde(default)]
    #[tsify(optional)]
    pub real: String,
    /// SHA-256 of its bytes in lower-case hexadecimal; none where it cannot be read or is too large,
    /// so that it cannot be covered.
    pub sha256: Option<String>,
}

/// What the shell found out about a server.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ConsentFacts {
    /// The absolute path at which the program was found; empty for a server that is an address.
    pub resolved: String,
    /// Where the program really lies, links followed, if that is inside the workspace; else empty.
    #[serde(default)]
    #[tsify(optional)]
    pub inside: String,
    /// The working folder, links followed; empty where it is not there.
    #[serde(default)]
    #[tsify(optional)]
    pub real_folder: String,
    /// Those of [`ConfiguredServer::reads`] that are files inside the workspace, in any order.
    pub digests: Vec<CoveredFile>,
    /// At least 16 random bytes in hexadecimal, made once per workspace.
    pub salt: String,
}

/// A line of a part.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ConsentLine {
    /// What is shown: JSON, on one line.
    pub text: String,
    /// A hash of what is not shown; none where the text is all.
    pub seal: Option<String>,
}

/// A part of what is covered.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ConsentPart {
    /// Its name: a field of the entry, or one of `file`, `name`, `values`, `program`, `folder`, `files`.
    pub field: String,
    /// Its lines; none where the entry does not have it.
    pub lines: Vec<ConsentLine>,
}

/// What a yes covers.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ServerConsent {
    /// SHA-256 over the parts, in lower-case hexadecimal.
    pub fingerprint: String,
    /// The parts, in a fixed order.
    pub parts: Vec<ConsentPart>,
    /// False where a file it names cannot be covered: then it asks every time.
    pub covered: bool,
}

/// A line that came or went.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ConsentRow {
    /// True for a line that is new, false for one that is gone.
    pub added: bool,
    /// The line.
    pub text: String,
}

/// What changed in one part.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ConsentChange {
    /// The part.
    pub field: String,
    /// Lines that came or went, in order.
    pub rows: Vec<ConsentRow>,
}

/// What changed between two forms.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ConsentChanges {
    /// The parts that changed.
    pub changed: Vec<ConsentChange>,
    /// How many parts there are.
    pub parts: usize,
}

/// The canonical form of a server and its fingerprint. The order of keys in the file makes no
/// difference; anything else that decides what runs does.
pub fn consent(server: &ConfiguredServer, facts: &ConsentFacts) -> ServerConsent {
    let mut form = Form {
        salt: &facts.salt,
        as_written: server.origin == ConfigOrigin::User,
        values: Vec::new(),
        parts: Vec::new(),
    };
    form.part("file", vec![plain(json(&shown_path(server)))]);
    form.part("name", vec![plain(json(&server.name))]);
    match &server.reach {
        ServerReach::Program {
            command,
            args,
            cwd,
            env,
            ..
        } => {
            form.part("type", vec![plain(json("stdio"))]);
            let line = form.template("command", command);
            form.part("command", vec![line]);
            let lines = args
                .iter()
                .enumerate()
                .map(|(index, arg)| form.template(&format!("args[{index}]"), arg))
                .collect();
            form.part("args", lines);
            form.part("env", named_templates(env));
            let lines = cwd.iter().map(|cwd| form.template("cwd", cwd)).collect();
            form.part("cwd", lines);
        }
        ServerReach::Address { url, headers, sse } => {
            form.part("type", vec![plain(json(if *sse { "sse" } else { "http" }))]);
            let line = form.template("url", url);
            form.part("url", vec![line]);
            form.part("headers", named_templates(headers));
        }
    }
    let files_covered = facts.digests.iter().all(|file| file.sha256.is_some());
    if !form.as_written {
        form.as_it_runs(server, facts);
    }
    ServerConsent {
        fingerprint: fingerprint(&form.parts),
        covered: form.as_written || server.coverable && files_covered,
        parts: form.parts,
    }
}

/// What changed from `before` to `now`.
pub fn compare(before: &ServerConsent, now: &ServerConsent) -> ConsentChanges {
    let lines_of = |consent: &ServerConsent, field: &str| -> Vec<ConsentLine> {
        let part = consent.parts.iter().find(|part| part.field == field);
        part.map(|part| part.lines.clone()).unwrap_or_default()
    };
    let mut fields: Vec<&str> = now.parts.iter().map(|part| part.field.as_str()).collect();
    for part in &before.parts {
        if !fields.contains(&part.field.as_str()) {
            fields.push(&part.field);
        }
    }
    let changed = fields
        .iter()
        .map(|field| ConsentChange {
            field: (*field).to_owned(),
            rows: rows(&lines_of(before, field), &lines_of(now, field)),
        })
        .filter(|change| !change.rows.is_empty())
        .collect();
    ConsentChanges {
        changed,
        parts: fields.len(),
    }
}

struct Form<'a> {
    salt: &'a str,
    as_written: bool,
    values: Vec<ConsentLine>,
    parts: Vec<ConsentPart>,
}

impl Form<'_> {
    fn part(&mut self, field: &str, lines: Vec<ConsentLine>) {
        self.parts.push(ConsentPart {
            field: field.to_owned(),
            lines,
        });
    }

    /// The template's line; what became of it joins the values.
    fn template(&mut self, field: &str, text: &Expanded) -> ConsentLine {
        let expanded = text.text();
        if expanded != text.template {
            let mut names: Vec<&str> = Vec::new();
            for piece in &text.pieces {
                if let Piece::Brought { name, .. } = piece
                    && !names.contains(&name.as_str())
                {
                    names.push(name);
                }
            }
            self.values.push(if names.is_empty() {
                plain(format!("{}: {}", json(field), json(&expanded)))
            } else {
                let names: Vec<String> = names.iter().map(|name| json(name)).collect();
                ConsentLine {
                    text: format!("{}: value of {}", json(field), names.join(", ")),
                    seal: Some(seal(self.salt, &[field, &expanded])),
                }
            });
        }
        plain(json(&text.template))
    }

    fn as_it_runs(&mut self, server: &ConfiguredServer, facts: &ConsentFacts) {
        let values = std::mem::take(&mut self.values);
        self.part("values", values);
        let ServerReach::Program {
            command,
            cwd,
            folder,
            ..
        } = &server.reach
        else {
            return;
        };
        let line = self.path(
            "program",
            &facts.resolved,
            &facts.resolved,
            command.holds_values(),
        );
        self.part("program", vec![line]);
        let secret = cwd.as_ref().is_some_and(Expanded::holds_values);
        let line = self.path("folder", folder, &facts.real_folder, secret);
        self.part("folder", vec![line]);
        let mut files: Vec<ConsentLine> = facts
            .digests
            .iter()
            .map(|file| {
                let shown = if file.secret {
                    format!("a file that {} names", json(&file.field))
                } else {
                    json(within(&file.path, &server.workspace_folder))
                };
                let digest = file.sha256.as_deref().unwrap_or("unreadable");
                ConsentLine {
                    text: shown,
                    seal: Some(seal(self.salt, &[&file.path, &file.real, digest])),
                }
            })
            .collect();
        sort(&mut files);
        files.dedup();
        self.part("files", files);
    }

    fn path(&self, what: &str, path: &str, real: &str, secret: bool) -> ConsentLine {
        if secret {
            return ConsentLine {
                text: format!("the {what} that variables name"),
                seal: Some(seal(self.salt, &[what, path, real])),
            };
        }
        if real == path || real.is_empty() {
            return plain(json(path));
        }
        plain(format!("{} which is {}", json(path), json(real)))
    }
}

/// `"NAME": "template"`, by name. The order in the file makes no difference.
fn named_templates(pairs: &[NamedValue]) -> Vec<ConsentLine> {
    let mut sorted: Vec<&NamedValue> = pairs.iter().collect();
    sort_by(&mut sorted, &|one, other| one.name.cmp(&other.name));
    sorted
        .iter()
        .map(|pair| {
            let value = pair
                .value
                .as_ref()
                .map_or("null".to_owned(), |value| json(&value.template));
            plain(format!("{}: {value}", json(&pair.name)))
        })
        .collect()
}

fn plain(text: String) -> ConsentLine {
    ConsentLine { text, seal: None }
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Where the entry stands, seen from the workspace folder: a repository that is moved stays what it is.
fn shown_path(server: &ConfiguredServer) -> String {
    match server.origin {
        ConfigOrigin::Repository => within(&server.path, &server.workspace_folder).to_owned(),
        ConfigOrigin::User | ConfigOrigin::Agent => server.path.clone(),
    }
}

/// A path without the folder it lies in, if it does.
pub(super) fn within<'p>(path: &'p str, folder: &str) -> &'p str {
    path.strip_prefix(folder)
        .and_then(|rest| rest.strip_prefix(['/', '\\']))
        .filter(|rest| !folder.is_empty() && !rest.is_empty())
        .unwrap_or(path)
}

/// A salted hash of texts, none of which can pose as a part of another.
fn seal(salt: &str, texts: &[&str]) -> String {
    let form: serde_json::Value = std::iter::once(salt).chain(texts.iter().copied()).collect();
    hex(&Sha256::digest(form.to_string()))
}

/// SHA-256 over a form in which every text is a JSON string, so that no two forms read alike.
fn fingerprint(parts: &[ConsentPart]) -> String {
    let parts: Vec<serde_json::Value> = parts
        .iter()
        .map(|part| {
            let lines: Vec<serde_json::Value> = part
                .lines
                .iter()
                .map(|line| serde_json::json!([line.text, line.seal]))
                .collect();
            serde_json::json!([part.field, lines])
        })
        .collect();
    let mut digest = Sha256::new();
    digest.update("gbs server consent 1\n");
    digest.update(serde_json::Value::from(parts).to_string());
    hex(&digest.finalize())
}

/// The shortest list of lines that came and went.
fn rows(before: &[ConsentLine], now: &[ConsentLine]) -> Vec<ConsentRow> {
    if before == now {
        return Vec::new();
    }
    let row = |added: bool, line: &ConsentLine| ConsentRow {
        added,
        text: if line.seal.is_none() {
            line.text.clone()
        } else if added {
            format!("{} (as it is now)", line.text)
        } else {
            format!("{} (as approved)", line.text)
        },
    };
    if before.len().saturating_mul(now.len()) > MAX_CONSENT_COMPARISONS {
        let gone = before.iter().map(|line| row(false, line));
        return gone.chain(now.iter().map(|line| row(true, line))).collect();
    }
    // lengths[i][j]: lines in common from i of `before` and j of `now` on.
    let width = now.len() + 1;
    let mut lengths = vec![0_u32; (before.len() + 1) * width];
    let at = |lengths: &[u32], i: usize, j: usize| lengths.get(i * width + j).copied().unwrap_or(0);
    for (i, one) in before.iter().enumerate().rev() {
        for (j, other) in now.iter().enumerate().rev() {
            let length = if one == other {
                at(&lengths, i + 1, j + 1) + 1
            } else {
                at(&lengths, i + 1, j).max(at(&lengths, i, j + 1))
            };
            if let Some(cell) = lengths.get_mut(i * width + j) {
                *cell = length;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut rows = Vec::new();
    loop {
        match (before.get(i), now.get(j)) {
            (None, None) => return rows,
            (Some(one), Some(other)) if one == other => {
                i += 1;
                j += 1;
            }
            (Some(one), None) => {
                rows.push(row(false, one));
                i += 1;
            }
            (Some(one), Some(_)) if at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) => {
                rows.push(row(false, one));
                i += 1;
            }
            (_, Some(other)) => {
                rows.push(row(true, other));
                j += 1;
            }
        }
    }
}
