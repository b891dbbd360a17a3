//! The problems of one file, with their places.

use super::super::json::{Member, Range, SyntaxError};
use crate::limits::{MAX_PROBLEMS_PER_FILE, PROBLEM_QUOTE_CHARACTERS};
use crate::order::sort_by;
use crate::places::Places;
use crate::problem::{Fix, Position, Problem, Severity, TextEdit};
use crate::text::is_hidden;

/// Somebody's text in a sentence of ours: in double quotes, on one line, nothing in it hidden, its
/// end left out where it is long.
pub fn quote(text: &str) -> String {
    let mut shown = String::from("\"");
    for (index, c) in text.chars().enumerate() {
        if index == PROBLEM_QUOTE_CHARACTERS {
            shown.push('…');
            break;
        }
        if is_hidden(c) || c.is_control() || c == '"' {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown.push('"');
    shown
}

/// A problem and the entry it is about; none when it is about the file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// The entry's name.
    pub server: Option<String>,
    /// The problem.
    pub problem: Problem,
}

/// Gathers the problems of a file.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    places: Places<'a>,
    found: Vec<Finding>,
    left_out: usize,
    /// The file may define more servers than are known by name.
    pub incomplete: bool,
    /// The entry that what follows is about.
    pub server: Option<String>,
}

impl<'a> Report<'a> {
    /// For the file with this text.
    pub fn new(text: &'a str) -> Self {
        Self {
            places: Places::new(text),
            found: Vec::new(),
            left_out: 0,
            incomplete: false,
            server: None,
        }
    }

    /// Where a byte offset stands.
    pub fn position(&self, offset: usize) -> Position {
        self.places.position(offset)
    }

    /// Adds a problem. The message is led in by the entry's name.
    pub fn add(&mut self, severity: Severity, code: &str, at: Range, message: String) {
        self.push(severity, code, at, message, None);
    }

    /// Adds a problem about the whole file.
    pub fn file(&mut self, severity: Severity, code: &str, message: String) {
        self.push(severity, code, Range { start: 0, end: 0 }, message, None);
    }

    /// Adds what makes the file no JSON.
    pub fn syntax(&mut self, error: &SyntaxError) {
        self.incomplete = true;
        let fix = error.repair.as_ref().map(|repair| Fix::Edit {
            title: repair.title.to_owned(),
            edits: vec![TextEdit {
                start: self.position(repair.at.start),
                end: self.position(repair.at.end),
                text: repair.text.clone(),
            }],
        });
        let message = format!(
            "{} Until then no server of this file starts.",
            error.message
        );
        self.push(Severity::Error, "invalid-json", error.at, message, fix);
    }

    /// Adds that nothing reads this member, and that its name surely means `meant`.
    pub fn misspelled(&mut self, severity: Severity, member: &Member, meant: &str) {
        let message = format!(
            "Nothing reads {}. Did you mean \"{meant}\"?",
            quote(&member.key)
        );
        let Range { start, end } = member.key_at;
        let fix = Fix::Edit {
            title: "Correct the name of the field".to_owned(),
            edits: vec![TextEdit {
                start: self.position(start),
                end: self.position(end),
                text: format!("\"{meant}\""),
            }],
        };
        self.push(
            severity,
            "misspelled-field",
            member.key_at,
            message,
            Some(fix),
        );
    }

    /// All that was found, in the order of the file.
    pub fn finish(self) -> Vec<Finding> {
        let mut found = self.found;
        sort_by(&mut found, &|one, other| {
            let place = |finding: &Finding| (finding.problem.start, finding.problem.end);
            place(one).cmp(&place(other))
        });
        if self.left_out > 0 {
            let start = Position { line: 1, column: 1 };
            found.push(Finding {
                server: None,
                problem: Problem {
                    code: "more-problems".into(),
                    severity: Severity::Info,
                    message: format!("{} more problems are not listed.", self.left_out),
                    start,
                    end: start,
                    fix: None,
                },
            });
        }
        found
    }

    fn push(
        &mut self,
        severity: Severity,
        code: &str,
        at: Range,
        message: String,
        fix: Option<Fix>,
    ) {
        if self.found.len() >= MAX_PROBLEMS_PER_FILE {
            self.left_out += 1;
            return;
        }
        let message = match &self.server {
            Some(server) => format!("Server {}: {message}", quote(server)),
            None => message,
        };
        self.found.push(Finding {
            server: self.server.clone(),
            problem: Problem {
                code: code.to_owned(),
                severity,
                message,
                start: self.position(at.start),
                end: self.position(at.end),
                fix,
            },
        });
    }
}
