//! Levels 2 and 3: a skill's body and its bundled files, as text for a model.
//!
//! In: the body or a file's bytes, whose skill it is, which part is asked for. Out: that part between
//! its wrapper, saying `part i of n` and how to get the next, or a refusal with a code. The parts of a
//! text joined are the text: nothing of a skill is unreachable. Deliberately not here: reading files,
//! and whether the user allowed them.

use super::catalogue::SkillOrigin;
use super::containment::resource_path;
use super::guidance::{Wrapper, defused};
use super::media::{Media, media};
use crate::limits::{
    ATTRIBUTE_CHARACTERS, BODY_PART_CHARACTERS, CHARACTERS_PER_TWO_TOKENS, FILE_LIST_SHARE,
    INSTRUCTIONS_CHARACTERS, INSTRUCTIONS_WINDOW_SHARE, PART_FLOOR_CHARACTERS, PART_WINDOW_SHARE,
    RESOURCE_PART_CHARACTERS,
};
use crate::text::one_line;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// A file of a skill besides SKILL.md.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct BundledFile {
    /// Relative to the skill's folder, with `/`.
    pub path: String,
    /// Bytes.
    pub size: u32,
}

/// Which part of which text of a skill is asked for.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct PartRequest {
    /// The skill's name.
    pub name: String,
    /// Whose words it is; project and package skills are marked as guidance.
    pub origin: SkillOrigin,
    /// From 1; the first when missing.
    #[serde(default)]
    #[tsify(optional, type = "number | null")]
    pub part: Option<u32>,
    /// Tokens of the model's context window; a part is at most a quarter of it.
    #[serde(default)]
    #[tsify(optional, type = "number | null")]
    pub context_window: Option<u32>,
}

/// Asks for a part of a body.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct BodyRequest {
    /// Which part of which skill.
    pub of: PartRequest,
    /// The text after the front matter.
    pub body: String,
    /// The bundled files; they are listed under the first part.
    #[serde(default)]
    #[tsify(optional)]
    pub files: Vec<BundledFile>,
}

/// Asks for a part of a bundled file, or for the list of a folder's files.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRequest {
    /// Which part of which skill.
    pub of: PartRequest,
    /// The path as the model wrote it.
    pub resource: String,
}

/// Asks for the list of a folder's files.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct FolderRequest {
    /// Which part of which skill.
    pub of: PartRequest,
    /// The folder as the model wrote it; `.` is the skill's own.
    pub folder: String,
    /// All bundled files.
    pub files: Vec<BundledFile>,
}

/// What the model gets.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Disclosed {
    /// A part.
    Text {
        /// For the model, wrapper included.
        text: String,
        /// From 1.
        part: u32,
        /// How many there are.
        parts: u32,
    },
    /// Nothing, with the reason and what to do instead.
    Refused {
        /// Stable, in kebab case.
        code: String,
        /// For the model.
        message: String,
    },
}

/// Level 2: a part of the body, with the bundled files listed under the first.
///
/// ```
/// use gbs_agent_core::skills::{catalogue::SkillOrigin, disclosure::*};
/// let request = BodyRequest {
///     of: PartRequest {
///         name: "plain".into(),
///         origin: SkillOrigin::User,
///         part: None,
///         context_window: None,
///     },
///     body: "Write short sentences.\n".into(),
///     files: vec![],
/// };
/// let Disclosed::Text { text, .. } = load_body(&request) else { panic!() };
/// assert_eq!(text, "<skill name=\"plain\">\nWrite short sentences.\n</skill>");
/// ```
pub fn load_body(request: &BodyRequest) -> Disclosed {
    let limit = part_limit(BODY_PART_CHARACTERS, request.of.context_window);
    let list = file_list(&request.of.name, &request.files, limit / FILE_LIST_SHARE);
    give(&request.of, "", &request.body, &list, limit)
}

/// Level 3: a part of a bundled file; of a binary one its type and size.
pub fn load_resource(request: &ResourceRequest, bytes: &[u8]) -> Disclosed {
    let path = match resource_path(&request.resource) {
        Ok(path) => path,
        Err(refusal) => {
            return refused(
                refusal.code(),
                format!(
                    "{}: give a path inside the skill, as its list of files has it.",
                    refusal.reason()
                ),
            );
        }
    };
    let limit = part_limit(RESOURCE_PART_CHARACTERS, request.of.context_window);
    let text = match media(&path, bytes) {
        Media::Text { text } => text,
        Media::Binary { media_type } => format!(
            "A binary file: {media_type}, {} bytes. Its content is not text and is not shown.",
            bytes.len()
        ),
    };
    let what = format!("file=\"{}\"", attribute(&path));
    give(&request.of, &what, &text, "", limit)
}

/// Level 3 for a folder: its files, so that none stays unknown where the list under the body was cut.
pub fn list_resources(request: &FolderRequest) -> Disclosed {
    let folder = match resource_path(&request.folder) {
        Ok(path) => path,
        Err(refusal) => return refused(refusal.code(), format!("{}.", refusal.reason())),
    };
    let mut list = String::new();
    for file in &request.files {
        let inside = folder.is_empty()
            || file
                .path
                .strip_prefix(&folder)
                .is_some_and(|rest| rest.starts_with('/'));
        if inside {
            list.push_str(&file_line(file));
        }
    }
    if list.is_empty() {
        return refused(
            "no-such-resource",
            "The skill has no such file or folder.".to_owned(),
        );
    }
    let limit = part_limit(RESOURCE_PART_CHARACTERS, request.of.context_window);
    let what = format!("folder=\"{}\"", attribute(&folder));
    give(&request.of, &what, &list, "", limit)
}

/// In place of a text that still stands in the history.
pub fn pointer(name: &str, resource: &str, part: u32, parts: u32) -> String {
    let what = if resource.is_empty() {
        format!("The skill {name}")
    } else {
        format!("{} of the skill {name}", attribute(resource))
    };
    if parts > 1 {
        format!("{what}, part {part} of {parts}, already stands above, unchanged: read it there.")
    } else {
        format!("{what} already stands above, unchanged: read it there.")
    }
}

/// A project's own instructions file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct InstructionsFile {
    /// Relative to the workspace folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Instructions files in the order in which they are read.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct InstructionsFiles(pub Vec<InstructionsFile>);

/// The instructions as they join the system prompt: defused, equal ones once, together within the
/// limit; where one is cut it says so.
pub fn project_instructions(
    files: &[InstructionsFile],
    context_window: Option<u32>,
) -> Vec<InstructionsFile> {
    let mut room = share(
        INSTRUCTIONS_CHARACTERS,
        context_window,
        INSTRUCTIONS_WINDOW_SHARE,
    );
    let mut seen: Vec<String> = Vec::new();
    let mut kept = Vec::new();
    for file in files {
        let text = defused(&unix_lines(&file.text)).trim().to_owned();
        if text.is_empty() || seen.contains(&text) {
            continue;
        }
        let whole = text.chars().count();
        let shown = if whole <= room {
            text.clone()
        } else {
            let note = format!(
                "\n[{whole} characters; the rest is left out here. Read the file {} for it.]",
                one_line(&file.path)
            );
            let Some(capacity) = room.checked_sub(note.chars().count()).filter(|n| *n > 0) else {
                room = 0;
                continue;
            };
            let (head, _) = split(&text, capacity);
            format!("{}{note}", head.trim_end())
        };
        room = room.saturating_sub(shown.chars().count());
        seen.push(text);
        kept.push(InstructionsFile {
            path: file.path.clone(),
            text: shown,
        });
    }
    kept
}

/// A part of `text` in its wrapper, with `under` below the first.
fn give(of: &PartRequest, what: &str, text: &str, under: &str, limit: usize) -> Disclosed {
    let text = defused(&unix_lines(text));
    let text = text.trim_matches('\n');
    let note = next_note(&of.name, u32::MAX);
    let longest = attributes(what, u32::MAX, u32::MAX);
    let wrapper = Wrapper::of_skill(of.origin, &of.name, &longest).characters();
    let overhead = wrapper + note.chars().count();
    let rest = limit.saturating_sub(overhead).max(1);
    let first = rest.saturating_sub(under.chars().count()).max(1);
    let pieces = pieces(text, first, rest);
    let parts = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    let part = of.part.unwrap_or(1);
    let index = usize::try_from(part).unwrap_or(usize::MAX).checked_sub(1);
    let Some(piece) = index.and_then(|index| pieces.get(index)) else {
        let has = match parts {
            1 => "1 part".to_owned(),
            n => format!("{n} parts"),
        };
        return refused(
            "no-such-part",
            format!("There is no part {part}: {has}, counted from 1."),
        );
    };
    let what = if parts > 1 {
        attributes(what, part, parts)
    } else {
        what.to_owned()
    };
    let mut inside = (*piece).to_owned();
    if part == 1 {
        inside = format!("{}{under}", inside.trim_end_matches('\n'));
    }
    let mut text = Wrapper::of_skill(of.origin, &of.name, &what).around(&inside);
    if part < parts {
        text.push_str(&next_note(&of.name, part + 1));
    }
    Disclosed::Text { text, part, parts }
}

fn attributes(what: &str, part: u32, parts: u32) -> String {
    let blank = if what.is_empty() { "" } else { " " };
    format!("{what}{blank}part {part} of {parts}")
}

fn next_note(name: &str, next: u32) -> String {
    format!("\nThe text goes on: call skill again with name {name} and part {next}.")
}

/// `text` cut into the pieces that its parts show; joined they are the text.
fn pieces(text: &str, first: usize, rest: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut left = text;
    let mut capacity = first;
    loop {
        let (head, tail) = split(left, capacity);
        pieces.push(head);
        if tail.is_empty() {
            return pieces;
        }
        left = tail;
        capacity = rest;
    }
}

/// At most `capacity` characters of `text`, and what is left: cut after a paragraph, else a line,
/// else a blank, where one of these stands in the second half; else anywhere.
fn split(text: &str, capacity: usize) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(capacity) else {
        return (text, "");
    };
    let (window, _) = text.split_at(end);
    let half = end / 2;
    let at = ["\n\n", "\n", " "]
        .into_iter()
        .find_map(|mark| {
            window
                .rfind(mark)
                .map(|at| at + mark.len())
                .filter(|at| *at > half)
        })
        .unwrap_or(end);
    text.split_at(at)
}

/// The list under a body; what does not fit is counted, and can be listed by its folder.
fn file_list(name: &str, files: &[BundledFile], limit: usize) -> String {
    if files.is_empty() {
        return String::new();
    }
    let head = format!("\n\nFiles of this skill (call skill with name {name} and resource):\n");
    let mut list = String::new();
    let mut used = head.chars().count();
    for (index, file) in files.iter().enumerate() {
        let line = file_line(file);
        let left = files.len() - index;
        let more = format!("and {left} more: call skill with resource . to list them all.\n");
        let closing = if left > 1 { more.chars().count() } else { 0 };
        let length = line.chars().count();
        if used + length + closing > limit {
            list.push_str(&more);
            break;
        }
        used += length;
        list.push_str(&line);
    }
    format!("{head}{list}")
}

fn file_line(file: &BundledFile) -> String {
    let bytes = match file.size {
        1 => "1 byte".to_owned(),
        n => format!("{n} bytes"),
    };
    format!("- {} ({bytes})\n", defused(&one_line(&file.path)))
}

/// A path between quotation marks in a tag of ours; of a long one the end.
fn attribute(path: &str) -> String {
    let path = defused(&one_line(path)).replace('"', "'").replace('>', "›");
    let from = path
        .char_indices()
        .rev()
        .nth(ATTRIBUTE_CHARACTERS - 1)
        .map_or(0, |(at, _)| at);
    path.get(from..).unwrap_or_default().to_owned()
}

fn part_limit(characters: usize, context_window: Option<u32>) -> usize {
    share(characters, context_window, PART_WINDOW_SHARE).max(PART_FLOOR_CHARACTERS)
}

/// `characters`, or what a share of the window holds if that is less.
fn share(characters: usize, context_window: Option<u32>, share: usize) -> usize {
    let Some(window) = context_window.filter(|window| *window > 0) else {
        return characters;
    };
    let tokens = usize::try_from(window).unwrap_or(usize::MAX) / share;
    characters.min(tokens.saturating_mul(CHARACTERS_PER_TWO_TOKENS) / 2)
}

fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn refused(code: &str, message: String) -> Disclosed {
    Disclosed::Refused {
        code: code.to_owned(),
        message,
    }
}
