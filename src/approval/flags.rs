//! What a card points at before it is answered.
//!
//! In: a call and what was found in it. Out: flags, each with the fact and what it does.

use super::commands::Risk;
use super::{ApprovalCall, Findings};
use crate::card::{Flag, Span, quoted, strong, words};
use crate::text::is_hidden;

/// The flags of a call, the gravest first.
pub(super) fn flags(call: &ApprovalCall, findings: &Findings) -> Vec<Flag> {
    let flag = |code: &str, text: Vec<Span>| Flag {
        code: code.to_owned(),
        text,
    };
    let mut flags = Vec::new();
    if let Some(source) = &call.quoted_from {
        flags.push(flag(
            "quoted",
            vec![
                strong("This call was read, not thought of. "),
                words("Its text stands word for word in "),
                quoted(source),
                words(", so whoever wrote that may want it, not you."),
            ],
        ));
    }
    for found in &findings.protected {
        flags.push(flag(
            "protected-path",
            vec![
                quoted(&found.name),
                words(found.does),
                words(" Asked in every mode."),
            ],
        ));
    }
    for path in &findings.credentials {
        flags.push(flag(
            "credentials",
            vec![
                quoted(path),
                words(" looks like it holds credentials. What is read of it goes to the model."),
            ],
        ));
    }
    if let Some(command) = &findings.command {
        flags.extend(command.risks.iter().map(|r| {
            let (code, fact, rest) = risk_words(*r, command.metacharacters || command.hidden);
            flag(code, vec![strong(fact), words(rest)])
        }));
    }
    if hidden(call) {
        flags.push(flag(
            "hidden-characters",
            vec![
                strong("Hidden characters. "),
                words("It holds characters that are not seen, shown here as marks."),
            ],
        ));
    }
    if call.repaired_from.is_some() {
        flags.push(flag(
            "repaired",
            vec![
                strong("Repaired. "),
                words("The model's arguments were not valid JSON. What is shown is what will be used."),
            ],
        ));
    }
    flags
}

fn risk_words(risk: Risk, never: bool) -> (&'static str, &'static str, &'static str) {
    let session = if never {
        " Can\u{2019}t be allowed for the session."
    } else {
        ""
    };
    match risk {
        Risk::FeedsDownload => (
            "feeds-download",
            "Feeds downloaded data to a program.",
            session,
        ),
        Risk::Network => ("network", "Sends or fetches data over the network.", ""),
        Risk::Packages => (
            "packages",
            "Downloads packages.",
            " Their scripts may run as well.",
        ),
        Risk::Deletes => (
            "deletes",
            "Deletes or overwrites files.",
            " Undo turn may not bring all of them back.",
        ),
        Risk::Administrator => ("administrator", "Runs with more rights than your own.", ""),
        Risk::RepositoryPrograms => (
            "repository-programs",
            "Git may start programs here.",
            " This repository\u{2019}s own .git/config names them.",
        ),
    }
}

/// True where something to approve holds characters that are not seen. What belongs to an emoji, and
/// the carriage return of a line's end, is not counted.
fn hidden(call: &ApprovalCall) -> bool {
    let added = call
        .diff
        .iter()
        .flat_map(|d| d.lines())
        .filter(|l| l.starts_with('+'));
    if call.diff.is_some() {
        return added.map(|l| l.trim_end_matches('\r')).any(unseen);
    }
    match (&call.command, &call.connect) {
        (Some(command), _) => unseen(&command.line),
        // Its own card looks at each field.
        (None, Some(_)) => false,
        (None, None) => unseen(&call.arguments),
    }
}

fn unseen(text: &str) -> bool {
    let mut symbol = false;
    for c in text.chars() {
        let joins = matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200d}');
        if joins && symbol {
            continue;
        }
        let blank = c.is_whitespace() && !matches!(c, ' ' | '\t' | '\n');
        if is_hidden(c) || blank {
            return true;
        }
        // Emoji begin above the general punctuation and are no letters.
        symbol = c > '\u{203b}' && !c.is_alphabetic();
    }
    false
}
