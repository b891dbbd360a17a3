//! Many sources → one list: who wins a name, who waits, who is past the limit.
//!
//! In: sources in precedence order. Out: every skill once, by source and path, each with its fate so
//! far; those still used are for the catalogue to tell of.

use super::catalogue::{CatalogueFields, CatalogueSkill, CatalogueSource, SkillOrigin};
use super::guidance::defused;
use super::offered_names::is_offered_name;
use super::report::{ReportedSkill, SkillState, describe};
use crate::limits::SKILL_NAME_CHARACTERS;
use crate::order::sort_by;
use crate::problem::{Position, Problem, Severity};
use crate::text::{one_line, tokens};
use std::collections::HashMap;

/// A skill on its way through the catalogue.
pub(super) struct Merged {
    pub(super) source: usize,
    pub(super) label: String,
    pub(super) path: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) fields: CatalogueFields,
    pub(super) fits: bool,
    pub(super) fate: Fate,
    /// Found here, beside those of the file itself.
    pub(super) problems: Vec<Problem>,
}

/// What became of it so far.
pub(super) enum Fate {
    /// Used; how the model is told of it is decided last.
    Used,
    Full,
    Shortened {
        characters: usize,
    },
    Hidden {
        why: &'static str,
    },
    UserOnly,
    HeldBack {
        why: String,
    },
    Shadowed {
        by: String,
        label: String,
    },
    OverLimit {
        limit: u32,
    },
    Unusable {
        why: String,
    },
}

/// Names: the first usable one wins, over all sources. One that is held back takes nothing from
/// those after it that are not: nothing a repository does counts before the user said yes.
pub(super) fn merge(sources: Vec<CatalogueSource>) -> Vec<Merged> {
    let mut merged: Vec<Merged> = Vec::new();
    let mut used: HashMap<String, usize> = HashMap::new();
    let mut waiting: HashMap<String, usize> = HashMap::new();
    for (source, folder) in sources.into_iter().enumerate() {
        let mut skills = folder.skills;
        sort_by(&mut skills, &|a, b| a.path.cmp(&b.path));
        let mut here: HashMap<String, usize> = HashMap::new();
        for skill in skills {
            let index = merged.len();
            let mut next = Merged::new(source, &folder.label, folder.origin, skill);
            if !matches!(next.fate, Fate::Unusable { .. }) {
                if let Some(first) = here.get(&next.name).and_then(|at| merged.get_mut(*at)) {
                    first.problems.push(duplicate(&next.name, &next.path));
                    let problem = duplicate(&next.name, &first.path);
                    next.problems.push(problem);
                }
                here.entry(next.name.clone()).or_insert(index);
                let held = matches!(next.fate, Fate::HeldBack { .. });
                let winner = used
                    .get(&next.name)
                    .or_else(|| waiting.get(&next.name).filter(|_| held))
                    .and_then(|at| merged.get(*at));
                if let Some(winner) = winner {
                    next.fate = Fate::Shadowed {
                        by: winner.path.clone(),
                        label: winner.label.clone(),
                    };
                } else if held {
                    waiting.insert(next.name.clone(), index);
                } else {
                    used.insert(next.name.clone(), index);
                }
            }
            merged.push(next);
        }
    }
    merged
}

impl Merged {
    fn new(source: usize, label: &str, origin: SkillOrigin, skill: CatalogueSkill) -> Self {
        let name = skill.name.as_deref().unwrap_or("");
        let description = shown(skill.description.as_deref().unwrap_or(""));
        let error = skill
            .problems
            .iter()
            .find(|problem| problem.severity == Severity::Error);
        let why = if let Some(error) = error.filter(|_| !skill.usable) {
            Some(first_sentence(&error.message))
        } else if !is_name_of(origin, name) {
            Some("it has no valid name".to_owned())
        } else if description.is_empty() {
            Some("it has no description".to_owned())
        } else if !skill.usable {
            Some("it could not be read".to_owned())
        } else {
            None
        };
        let fate = match (why, skill.held_back) {
            (Some(why), _) => Fate::Unusable { why },
            (None, Some(why)) => Fate::HeldBack { why },
            (None, None) => Fate::Used,
        };
        let folder = skill.path.rsplit(['/', '\\']).next().unwrap_or("");
        Self {
            source,
            label: label.to_owned(),
            name: if name.is_empty() { folder } else { name }.to_owned(),
            path: skill.path,
            description,
            fields: skill.fields,
            fits: false,
            fate,
            problems: Vec::new(),
        }
    }

    pub(super) fn line(&self, characters: usize) -> String {
        line(&self.name, &self.description, characters)
    }

    pub(super) fn reported(self, file_name: &str) -> ReportedSkill {
        let full = tokens(&self.line(usize::MAX));
        let (state, shown, why, shadowed_by) = match self.fate {
            Fate::Used | Fate::Full => (SkillState::Full, full, String::new(), None),
            Fate::Shortened { characters } => (
                SkillState::Shortened,
                tokens(&self.line(characters)),
                String::new(),
                None,
            ),
            Fate::Hidden { why } => (SkillState::Hidden, 0, why.to_owned(), None),
            Fate::UserOnly => (SkillState::UserOnly, 0, String::new(), None),
            Fate::HeldBack { ref why } => (SkillState::HeldBack, 0, why.clone(), None),
            Fate::Shadowed { ref by, ref label } => {
                (SkillState::Shadowed, 0, label.clone(), Some(by.clone()))
            }
            Fate::OverLimit { limit } => (SkillState::OverLimit, 0, limit.to_string(), None),
            Fate::Unusable { ref why } => (SkillState::Unusable, 0, why.clone(), None),
        };
        let mut reported = ReportedSkill {
            path: self.path,
            source: count(self.source),
            name: self.name,
            state,
            fits: self.fits,
            tokens: count(shown),
            full_tokens: count(full),
            why,
            text: String::new(),
            shadowed_by,
            problems: self.problems,
        };
        reported.text = describe(&reported, file_name);
        reported
    }
}

/// A server's skill has the server's name in front, so that it never stands in for another's.
fn is_name_of(origin: SkillOrigin, name: &str) -> bool {
    match origin {
        SkillOrigin::Project | SkillOrigin::Package | SkillOrigin::User => is_skill_name(name),
        SkillOrigin::Server => is_offered_name(name),
    }
}

/// The Agent Skills format: lower-case letters, digits and single hyphens between them.
pub(super) fn is_skill_name(name: &str) -> bool {
    name.len() <= SKILL_NAME_CHARACTERS
        && name.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// The fact, without what to do about it: a tree has one line.
fn first_sentence(message: &str) -> String {
    let fact = message.split_once(". ").map_or(message, |(fact, _)| fact);
    fact.trim_end_matches('.').to_owned()
}

fn duplicate(name: &str, other: &str) -> Problem {
    let start = Position { line: 1, column: 1 };
    Problem {
        code: "duplicate-name".to_owned(),
        severity: Severity::Warning,
        message: format!(
            "Two skills in this folder are called {name}; the other is {other}. Only the first by \
             path is used: rename one."
        ),
        start,
        end: start,
        fix: None,
    }
}

/// Keeps the first `limit` used skills, by precedence, then name.
pub(super) fn limit(skills: &mut [Merged], limit: Option<u32>) {
    let Some(limit) = limit else { return };
    let mut used: Vec<&mut Merged> = skills
        .iter_mut()
        .filter(|skill| matches!(skill.fate, Fate::Used))
        .collect();
    sort_by(&mut used, &|a, b| {
        (a.source, &a.name).cmp(&(b.source, &b.name))
    });
    let keep = usize::try_from(limit).unwrap_or(usize::MAX);
    for skill in used.into_iter().skip(keep) {
        skill.fate = Fate::OverLimit { limit };
    }
}

/// A description on one line, in which nothing of ours can be opened or closed.
pub(super) fn shown(description: &str) -> String {
    defused(&one_line(description))
}

pub(super) fn line(name: &str, description: &str, characters: usize) -> String {
    format!("- {name}: {}", shortened(description, characters))
}

/// `text` in at most `characters`; the last of them says that it was cut.
fn shortened(text: &str, characters: usize) -> String {
    if text.chars().nth(characters).is_none() {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(characters.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
