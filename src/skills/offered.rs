//! Skills that a running MCP server offers (extension `io.modelcontextprotocol/skills`, SEP-2640).
//!
//! In: the server's name and the results of `skills/list`, page by page, hostile ones too. Out: skills
//! as the catalogue takes them, each named after its server, with the address, digest and size of every
//! file; what cannot be one, with the reason. And whether a fetched SKILL.md says what its entry said.
//! Deliberately not here: asking the server, digests of bytes, consent.
//!
//! An entry's header is JSON, which is YAML, so the one reader of headers reads it, too.

use super::containment::resource_path;
use super::front_matter::{ParsedSkill, SkillFields, parse_skill};
use super::offered_names::name_all;
use crate::limits::{
    OFFERED_BYTES, OFFERED_FILES, OFFERED_MANIFEST_BYTES, OFFERED_PROBLEMS, OFFERED_SKILLS,
    OFFERED_URI_CHARACTERS,
};
use crate::mcp::name::server_label;
use crate::problem::{Position, Problem, Severity};
use crate::text::{is_hidden, lower, one_line};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use tsify::Tsify;

/// Results of `skills/list` as JSON text, in the order in which they came.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct OfferedPages(pub Vec<String>);

/// What a server offers.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct OfferedSkills {
    /// What the server is called in the names of its skills.
    pub label: String,
    /// Its skills, usable or not, in the order of its list.
    pub skills: Vec<OfferedSkill>,
    /// What of the list is no skill at all, in sentences.
    pub problems: Vec<String>,
}

/// A skill of a server. With a `path` it is a skill of the catalogue.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct OfferedSkill {
    /// Address of its SKILL.md; with the server it is the skill's identity.
    pub uri: String,
    /// Address of its folder, without a slash at the end.
    pub root: String,
    /// Everything that may be said of it is right.
    pub usable: bool,
    /// `server:name`; with more of its path where the list has that name twice.
    pub name: String,
    /// The whole description.
    pub description: Option<String>,
    /// The version as text.
    pub version: Option<String>,
    /// The header as the server sent it, as JSON text.
    pub front_matter: String,
    /// The fields of the format, in their types.
    pub fields: SkillFields,
    /// Every file, SKILL.md among them, by path. Empty when they cannot be told.
    pub files: Vec<OfferedFile>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A file of a skill of a server, as its list promises it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct OfferedFile {
    /// Relative to the skill's folder, with `/`.
    pub path: String,
    /// Where the server has it.
    pub uri: String,
    /// SHA-256 of its bytes in lower-case hexadecimal.
    pub sha256: String,
    /// Bytes.
    pub size: u32,
}

const MANIFEST: &str = "SKILL.md";

/// Reads what a server lists.
///
/// ```
/// use gbs_agent_core::skills::offered::read;
/// let digest = format!("sha256:{}", "0".repeat(64));
/// let page = serde_json::json!({ "skills": [{
///     "uri": "skill://refunds/SKILL.md",
///     "frontmatter": { "name": "refunds", "description": "Pays back." },
///     "resources": [{ "uri": "skill://refunds/SKILL.md", "digest": digest, "size": 60 }],
/// }] });
/// let offered = read("shop", &[page.to_string()]);
/// assert_eq!(offered.skills[0].name, "shop:refunds");
/// assert!(offered.skills[0].usable);
/// ```
pub fn read(server: &str, pages: &[String]) -> OfferedSkills {
    let label = server_label(server);
    let mut skills: Vec<OfferedSkill> = Vec::new();
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    let mut count = 0;
    'pages: for page in pages {
        let page: Option<Value> = serde_json::from_str(page).ok();
        let Some(entries) = page
            .as_ref()
            .and_then(|page| page.get("skills")?.as_array())
        else {
            problems.push("A page of its list has no array `skills`; it is left out.".to_owned());
            continue;
        };
        for entry in entries {
            count += 1;
            if skills.len() == OFFERED_SKILLS {
                problems.push(format!(
                    "It lists more than {OFFERED_SKILLS} skills; what follows is left out."
                ));
                break 'pages;
            }
            match read_entry(entry) {
                Ok(skill) if seen.insert(skill.uri.clone()) => skills.push(skill),
                Ok(skill) => problems.push(format!(
                    "Entry {count} of its list has the address {} again; it is left out.",
                    one_line(&skill.uri)
                )),
                Err(why) => problems.push(format!("Entry {count} of its list is left out: {why}.")),
            }
        }
    }
    let more = problems.len().saturating_sub(OFFERED_PROBLEMS);
    if more > 1 {
        problems.truncate(OFFERED_PROBLEMS);
        problems.push(format!("{more} more entries of its list are left out."));
    }
    name_all(&label, &mut skills);
    OfferedSkills {
        label,
        skills,
        problems,
    }
}

/// Does the header of a fetched SKILL.md say, field by field, what its entry said? Numbers are equal by
/// value; the order of fields is nothing.
pub fn same_header(entry: &str, bytes: &[u8]) -> bool {
    let now = parse_skill(bytes, "").front_matter;
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (parsed(entry), parsed(&now)) {
        (Some(entry), Some(now)) => same(&entry, &now),
        (None, _) | (_, None) => false,
    }
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        (one, other) => one == other,
    }
}

/// An entry, or why it is no skill at all: one that has no address of its own cannot be told of.
fn read_entry(entry: &Value) -> Result<OfferedSkill, String> {
    let Some(uri) = entry.get("uri").and_then(Value::as_str) else {
        return Err("it has no address (uri)".to_owned());
    };
    let path = address(uri)?;
    let Some((root, folder)) = uri
        .strip_suffix(MANIFEST)
        .and_then(|root| root.strip_suffix('/'))
        .zip(
            path.strip_suffix(MANIFEST)
                .and_then(|path| path.strip_suffix('/')),
        )
    else {
        return Err(format!("its address {uri} does not end in /{MANIFEST}"));
    };
    let header = entry.get("frontmatter").filter(|header| header.is_object());
    let text = header.map_or_else(|| "{}".to_owned(), Value::to_string);
    let ParsedSkill {
        usable,
        name,
        description,
        version,
        fields,
        mut problems,
        ..
    } = parse_skill(format!("---\n{text}\n---\n").as_bytes(), "");
    for problem in &mut problems {
        // Places in a header that nobody wrote so, and changes to it, are nothing to anybody.
        (problem.start, problem.end) = (START, START);
        problem.fix = None;
    }
    let mut files = Vec::new();
    let name = name.unwrap_or_default();
    let last = folder.rsplit('/').next().unwrap_or_default();
    let wrong = if header.is_none() {
        Some(error(
            "offered-no-header",
            "Its entry has no header (frontmatter).",
        ))
    } else if usable && last != name {
        Some(error(
            "offered-other-name",
            &format!("Its address ends in {last}, but its header has another name."),
        ))
    } else {
        match read_files(entry.get("resources"), uri, root) {
            Ok(read) => {
                files = read;
                None
            }
            Err((code, message)) => Some(error(code, &message)),
        }
    };
    let is_wrong = wrong.is_some();
    // The first error is what the catalogue gives as the reason.
    problems.splice(0..0, wrong);
    Ok(OfferedSkill {
        uri: uri.to_owned(),
        root: root.to_owned(),
        usable: usable && !is_wrong,
        name,
        description,
        version,
        front_matter: text,
        fields,
        files,
        problems,
    })
}

type Wrong = (&'static str, String);

fn read_files(resources: Option<&Value>, uri: &str, root: &str) -> Result<Vec<OfferedFile>, Wrong> {
    let broken = |message: String| ("offered-files-broken", message);
    let list = match resources {
        Some(Value::Array(list)) => list,
        Some(Value::String(word)) if word == "dynamic" => {
            return Err((
                "offered-dynamic",
                "Its content is made anew at each reading, so there is nothing to allow."
                    .to_owned(),
            ));
        }
        Some(_) | None => {
            return Err(broken(
                "Its entry has no list of files (resources).".to_owned(),
            ));
        }
    };
    if list.len() > OFFERED_FILES {
        return Err((
            "offered-too-many-files",
            format!("It has {} files, more than {OFFERED_FILES}.", list.len()),
        ));
    }
    let mut files: Vec<OfferedFile> = Vec::new();
    let mut paths = HashSet::new();
    let mut bytes: u64 = 0;
    for (index, file) in list.iter().enumerate() {
        let number = index + 1;
        let file = read_file(file, uri, root)
            .map_err(|why| broken(format!("File {number} of its list {why}.")))?;
        if !paths.insert(lower(&file.path)) {
            return Err(broken(format!(
                "Its list names the file {} twice.",
                file.path
            )));
        }
        bytes += u64::from(file.size);
        files.push(file);
    }
    if bytes > OFFERED_BYTES {
        return Err((
            "offered-too-large",
            format!("Its files have {bytes} bytes, more than {OFFERED_BYTES}."),
        ));
    }
    let Some(manifest) = files.iter().find(|file| file.uri == uri) else {
        return Err(broken(format!("Its list of files lacks {MANIFEST}.")));
    };
    if u64::from(manifest.size) > OFFERED_MANIFEST_BYTES {
        return Err((
            "offered-too-large",
            format!(
                "{MANIFEST} has {} bytes, more than {OFFERED_MANIFEST_BYTES}.",
                manifest.size
            ),
        ));
    }
    crate::order::sort_by(&mut files, &|one, other| one.path.cmp(&other.path));
    Ok(files)
}

/// A file, or what is wrong with it as the end of a sentence.
fn read_file(file: &Value, uri: &str, root: &str) -> Result<OfferedFile, String> {
    let Some(at) = file.get("uri").and_then(Value::as_str) else {
        return Err("has no address (uri)".to_owned());
    };
    let inside = at
        .strip_prefix(root)
        .and_then(|rest| rest.strip_prefix('/'));
    let path = inside.filter(|_| address(at).is_ok()).and_then(decoded);
    let Some(path) = path.filter(|path| resource_path(path).is_ok_and(|one| one == *path)) else {
        return Err(format!(
            "has the address {}, which is not in the skill's folder",
            one_line(at)
        ));
    };
    let digest = file
        .get("digest")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let sha256 = digest.strip_prefix("sha256:").unwrap_or_default();
    let is_digest = sha256.len() == 64
        && sha256
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if !is_digest {
        return Err("has no digest of the form sha256: and 64 hexadecimal digits".to_owned());
    }
    let size = file.get("size").and_then(Value::as_u64);
    let Some(size) = size.and_then(|size| u32::try_from(size).ok()) else {
        return Err("has no size in bytes".to_owned());
    };
    Ok(OfferedFile {
        path: if at == uri { MANIFEST.to_owned() } else { path },
        uri: at.to_owned(),
        sha256: sha256.to_owned(),
        size,
    })
}

/// The path behind `scheme://`, decoded, where every segment is a name; or why it is no address of ours.
fn address(uri: &str) -> Result<String, String> {
    if uri.chars().nth(OFFERED_URI_CHARACTERS).is_some() {
        return Err(format!(
            "its address has over {OFFERED_URI_CHARACTERS} characters"
        ));
    }
    if uri
        .chars()
        .any(|c| c.is_whitespace() || is_hidden(c) || matches!(c, '?' | '#' | '\\'))
    {
        return Err(format!(
            "its address {} is not that of a file",
            one_line(uri)
        ));
    }
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
    };
    uri.split_once("://")
        .filter(|(scheme, _)| is_scheme(scheme))
        .and_then(|(_, path)| decoded(path))
        .filter(|path| resource_path(path).is_ok_and(|one| one == *path))
        .ok_or_else(|| format!("its address {uri} is not that of a file"))
}

/// `%20` and the like as what they stand for; none where they stand for a slash, or for no text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let value = digit(rest.next())? * 16 + digit(rest.next())?;
        let value = u8::try_from(value).ok()?;
        if matches!(value, b'/' | b'\\' | b'%') {
            return None;
        }
        bytes.push(value);
    }
    String::from_utf8(bytes).ok()
}

const START: Position = Position { line: 1, column: 1 };

fn error(code: &str, message: &str) -> Problem {
    Problem {
        code: code.to_owned(),
        severity: Severity::Error,
        message: message.to_owned(),
        start: START,
        end: START,
        fix: None,
    }
}
