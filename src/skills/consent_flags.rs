//! What to look at before answering the consent card: links that lead out, text that nobody sees.

use super::consent::FileState;
use super::consent_card::{ConsentFile, ConsentSkill, counted};
use super::hidden::{HiddenKind, HiddenText, find_hidden};
use crate::card::{Flag, Span, quoted, strong, words};
use crate::limits::HIDDEN_LINES_NAMED;

/// What is to be looked at in a skill.
pub(super) fn skill_flags(skill: &ConsentSkill) -> Vec<Flag> {
    let mut flags = Vec::new();
    if let Some(folder) = &skill.outside {
        flags.push(Flag {
            code: "outside-workspace".to_owned(),
            text: vec![
                strong("A link leads out of the repository. "),
                words("The skill "),
                quoted(&skill.name),
                words(" lies in "),
                quoted(folder),
                words("."),
            ],
        });
    }
    if let Some(header) = &skill.header {
        let place = ConsentFile {
            path: "header".to_owned(),
            place: String::new(),
            state: FileState::New,
            text: Some(header.clone()),
            diff: None,
        };
        flags.extend(file_flags(&skill.name, &place));
    }
    for file in &skill.files {
        flags.extend(file_flags(&skill.name, file));
    }
    flags
}

/// What is hidden in a file that was not allowed as it is.
pub(super) fn file_flags(skill: &str, file: &ConsentFile) -> Vec<Flag> {
    let text = match (file.state, &file.text) {
        (FileState::New | FileState::Changed, Some(text)) => text,
        (FileState::Same | FileState::Removed, _) | (_, None) => return Vec::new(),
    };
    find_hidden(text)
        .into_iter()
        .map(|hidden| hidden_flag(&shown_path(skill, file), file, &hidden))
        .collect()
}

fn hidden_flag(path: &str, file: &ConsentFile, hidden: &HiddenText) -> Flag {
    let n = usize::try_from(hidden.count).unwrap_or(usize::MAX);
    let (code, what) = match hidden.kind {
        HiddenKind::Comment => (
            "hidden-comment",
            format!(
                "{}: the model reads it, a preview does not show it.",
                counted(n, "comment", "comments")
            ),
        ),
        HiddenKind::ZeroWidth => (
            "hidden-zero-width",
            format!(
                "{} without width: the model reads what no editor shows.",
                counted(n, "character", "characters")
            ),
        ),
        HiddenKind::Bidi => (
            "hidden-bidi",
            format!(
                "{} of text direction: what is shown is not the order in which the model reads.",
                counted(n, "mark", "marks")
            ),
        ),
        HiddenKind::Tag => (
            "hidden-tag",
            format!(
                "{} that nothing draws: they can spell words for the model alone.",
                counted(n, "character", "characters")
            ),
        ),
        HiddenKind::Control => (
            "hidden-control",
            format!(
                "{}: a terminal may act on it.",
                counted(n, "control character", "control characters")
            ),
        ),
    };
    let first = hidden.lines.first().copied().unwrap_or(1);
    let named: Vec<String> = hidden
        .lines
        .iter()
        .take(HIDDEN_LINES_NAMED)
        .map(u32::to_string)
        .collect();
    let line = if named.len() == 1 { "line" } else { "lines" };
    let place = format!("{path}, {line} {}", named.join(", "));
    let more = hidden.lines.len().saturating_sub(HIDDEN_LINES_NAMED);
    let mut text = vec![
        strong("Hidden text in "),
        if file.place.is_empty() {
            quoted(place)
        } else {
            Span::Place {
                text: place,
                path: file.place.clone(),
                line: first,
            }
        },
    ];
    if more > 0 {
        text.push(words(format!(
            " and {}",
            counted(more, "line more", "lines more")
        )));
    }
    text.push(strong(". "));
    text.push(words(what));
    Flag {
        code: code.to_owned(),
        text,
    }
}

pub(super) fn shown_path(skill: &str, file: &ConsentFile) -> String {
    if skill.is_empty() {
        file.path.clone()
    } else {
        format!("{skill}/{}", file.path)
    }
}
