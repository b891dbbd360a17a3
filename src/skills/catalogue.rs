//! Level 1: many skills → which are used, which the model is told of, and in which words.
//!
//! In: sources in precedence order, each with what reading its skills gave; the file in front of the
//! user; the model's context window. Out: the `# Skills` block of the system prompt, a hint for the
//! user's message, and a report that says of every skill given what became of it and why.
//! Deliberately not here: bodies, consent (a skill that waits for it comes in as held back), files.

use super::globs;
use super::guidance::defused;
use super::report::{ReportedSkill, SkillState, describe};
use crate::limits::{
    CATALOGUE_BUDGET_FLOOR, CATALOGUE_BUDGET_PERCENT, CATALOGUE_DESCRIPTION,
    CATALOGUE_DESCRIPTION_FLOOR, CATALOGUE_LINES, CHARACTERS_PER_TWO_TOKENS,
    DEFAULT_CONTEXT_WINDOW, HINT_NAMES, SKILL_NAME_CHARACTERS,
};
use crate::problem::{Position, Problem, Severity};
use crate::text::{one_line, tokens};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tsify::Tsify;

/// Who put a skill where it is; it decides precedence, consent and how its text is marked.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum SkillOrigin {
    /// A folder of the repository.
    Project,
    /// A dependency of the repository.
    Package,
    /// The user's own.
    User,
}

/// One skills folder.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueSource {
    /// Who put it there.
    pub origin: SkillOrigin,
    /// As people know it, such as `.gbs/skills` or `chart-kit 3.1.0`.
    pub label: String,
    /// Its skills, in any order.
    pub skills: Vec<CatalogueSkill>,
}

/// Sources, highest precedence first.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct CatalogueSources(pub Vec<CatalogueSource>);

/// What the catalogue needs of one skill. A parsed skill with a `path` is one: `{ path, ...parsed }`.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct CatalogueSkill {
    /// Of its folder; identifies it in the report, and orders the skills of one source.
    pub path: String,
    /// As the reader of SKILL.md found.
    pub usable: bool,
    /// The name.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub name: Option<String>,
    /// The whole description.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub description: Option<String>,
    /// The fields that matter here.
    #[serde(default)]
    #[tsify(optional)]
    pub fields: CatalogueFields,
    /// What is wrong with it; the first error is why it is not usable.
    #[serde(default)]
    #[tsify(optional)]
    pub problems: Vec<Problem>,
    /// Why it waits for the user's consent, such as `new` or `2 files changed`; none when it does
    /// not.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub held_back: Option<String>,
}

/// The header's fields that the catalogue reads.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueFields {
    /// Globs of files that the skill is for.
    #[serde(default)]
    #[tsify(optional)]
    pub auto_attach: Vec<String>,
    /// Only the user's `/name` loads it.
    #[serde(default)]
    #[tsify(optional)]
    pub disable_model_invocation: bool,
}

/// What else the catalogue depends on.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct CatalogueOptions {
    /// The file in front of the user, relative to its workspace folder.
    #[serde(default)]
    #[tsify(optional, type = "string | null")]
    pub open_file: Option<String>,
    /// Tokens of the model's context window; 32,768 when nobody knows.
    #[serde(default)]
    #[tsify(optional, type = "number | null")]
    pub context_window: Option<u32>,
    /// Use at most so many skills; all when missing.
    #[serde(default)]
    #[tsify(optional, type = "number | null")]
    pub limit: Option<u32>,
}

/// What the model is told, and what became of every skill.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Catalogue {
    /// The `# Skills` block, without a line feed at its end; empty when there is no line.
    pub block: String,
    /// One line for the user's message when skills fit the open file; else empty.
    pub hint: String,
    /// Tokens the block costs.
    pub tokens: u32,
    /// Tokens it may cost. Lines whose globs match are kept even beyond it.
    pub budget: u32,
    /// Every skill given, by source, then path.
    pub skills: Vec<ReportedSkill>,
}

const INTRODUCTION: &str = "# Skills\nGuidance for certain tasks, one a line. When a task fits a \
                            line, load that skill with the tool skill before you start.";

/// Merges the sources and writes the catalogue.
///
/// ```
/// use gbs_agent_core::skills::catalogue::*;
/// let skill = CatalogueSkill {
///     path: ".gbs/skills/review-sql".into(),
///     usable: true,
///     name: Some("review-sql".into()),
///     description: Some("Check a migration\nbefore it runs.".into()),
///     ..CatalogueSkill::default()
/// };
/// let source = CatalogueSource {
///     origin: SkillOrigin::Project,
///     label: ".gbs/skills".into(),
///     skills: vec![skill],
/// };
/// let catalogue = build(vec![source], &CatalogueOptions::default());
/// assert!(catalogue.block.ends_with("\n- review-sql: Check a migration before it runs."));
/// ```
pub fn build(sources: Vec<CatalogueSource>, options: &CatalogueOptions) -> Catalogue {
    let mut skills = merge(sources);
    limit(&mut skills, options.limit);
    let open_file = options.open_file.as_deref().unwrap_or("");
    if !open_file.is_empty() {
        find_fitting(&mut skills, open_file);
    }
    let window = options.context_window.filter(|window| *window > 0);
    let window = usize::try_from(window.unwrap_or(DEFAULT_CONTEXT_WINDOW)).unwrap_or(usize::MAX);
    let budget =
        (window.saturating_mul(CATALOGUE_BUDGET_PERCENT) / 100).max(CATALOGUE_BUDGET_FLOOR);
    let block = write(&mut skills, budget);
    let file_name = open_file.rsplit(['/', '\\']).next().unwrap_or("");
    Catalogue {
        hint: hint(&skills),
        tokens: count(tokens(&block)),
        budget: count(budget),
        block,
        skills: skills
            .into_iter()
            .map(|skill| skill.reported(&one_line(file_name)))
            .collect(),
    }
}

/// A skill on its way through the catalogue.
struct Merged {
    source: usize,
    label: String,
    path: String,
    name: String,
    description: String,
    fields: CatalogueFields,
    fits: bool,
    fate: Fate,
    /// Found here, beside those of the file itself.
    problems: Vec<Problem>,
}

/// What became of it so far.
enum Fate {
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
fn merge(sources: Vec<CatalogueSource>) -> Vec<Merged> {
    let mut merged: Vec<Merged> = Vec::new();
    let mut used: HashMap<String, usize> = HashMap::new();
    let mut waiting: HashMap<String, usize> = HashMap::new();
    for (source, folder) in sources.into_iter().enumerate() {
        let mut skills = folder.skills;
        skills.sort_by(|a, b| a.path.cmp(&b.path));
        let mut here: HashMap<String, usize> = HashMap::new();
        for skill in skills {
            let index = merged.len();
            let mut next = Merged::new(source, &folder.label, skill);
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
    fn new(source: usize, label: &str, skill: CatalogueSkill) -> Self {
        let name = skill.name.as_deref().unwrap_or("");
        let description = defused(&one_line(skill.description.as_deref().unwrap_or("")));
        let error = skill
            .problems
            .iter()
            .find(|problem| problem.severity == Severity::Error);
        let why = if let Some(error) = error.filter(|_| !skill.usable) {
            Some(error.message.clone())
        } else if !is_skill_name(name) {
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

    fn line(&self, characters: usize) -> String {
        format!(
            "- {}: {}",
            self.name,
            shortened(&self.description, characters)
        )
    }

    fn reported(self, file_name: &str) -> ReportedSkill {
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

/// The Agent Skills format: lower-case letters, digits and single hyphens between them.
fn is_skill_name(name: &str) -> bool {
    name.len() <= SKILL_NAME_CHARACTERS
        && name.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
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
fn limit(skills: &mut [Merged], limit: Option<u32>) {
    let Some(limit) = limit else { return };
    let mut used: Vec<&mut Merged> = skills
        .iter_mut()
        .filter(|skill| matches!(skill.fate, Fate::Used))
        .collect();
    used.sort_by(|a, b| (a.source, &a.name).cmp(&(b.source, &b.name)));
    let keep = usize::try_from(limit).unwrap_or(usize::MAX);
    for skill in used.into_iter().skip(keep) {
        skill.fate = Fate::OverLimit { limit };
    }
}

fn find_fitting(skills: &mut [Merged], open_file: &str) {
    let mut used: Vec<&mut Merged> = skills
        .iter_mut()
        .filter(|skill| matches!(skill.fate, Fate::Used))
        .collect();
    let fits = globs::matching(
        used.iter().map(|skill| skill.fields.auto_attach.as_slice()),
        open_file,
    );
    for (skill, fits) in used.iter_mut().zip(fits) {
        skill.fits = fits;
    }
}

/// The block, after deciding for every used skill how the model is told of it.
fn write(skills: &mut [Merged], budget: usize) -> String {
    let mut listed: Vec<&mut Merged> = Vec::new();
    for skill in skills {
        if matches!(skill.fate, Fate::Used) {
            if skill.fields.disable_model_invocation {
                skill.fate = Fate::UserOnly;
            } else {
                listed.push(skill);
            }
        }
    }
    if listed.is_empty() {
        return String::new();
    }
    listed.sort_by(|a, b| (!a.fits, &a.name).cmp(&(!b.fits, &b.name)));
    let all = listed.len();
    let mut shown = all.min(CATALOGUE_LINES);
    for skill in listed.iter_mut().skip(shown) {
        skill.fate = Fate::Hidden {
            why: "more skills than lines",
        };
    }
    let room = budget.saturating_mul(CHARACTERS_PER_TWO_TOKENS) / 2;
    let cost = |listed: &[&mut Merged], shown: usize, cap: usize| -> usize {
        let lines: usize = listed
            .iter()
            .take(shown)
            .map(|skill| 1 + skill.line(cap).chars().count())
            .sum();
        INTRODUCTION.chars().count() + lines + closing(all - shown).chars().count()
    };
    let mut cap = CATALOGUE_DESCRIPTION;
    while cap > CATALOGUE_DESCRIPTION_FLOOR && cost(&listed, shown, cap) > room {
        cap -= 1;
    }
    while cost(&listed, shown, cap) > room {
        let Some(last) = shown.checked_sub(1).and_then(|at| listed.get_mut(at)) else {
            break;
        };
        if last.fits || shown == 1 {
            break;
        }
        last.fate = Fate::Hidden { why: "over budget" };
        shown -= 1;
    }
    let mut block = INTRODUCTION.to_owned();
    for skill in listed.iter_mut().take(shown) {
        skill.fate = if skill.description.chars().nth(cap).is_some() {
            Fate::Shortened { characters: cap }
        } else {
            Fate::Full
        };
        block.push('\n');
        block.push_str(&skill.line(cap));
    }
    block.push_str(&closing(all - shown));
    block
}

/// How many the model is not told of, and how it finds them all the same.
fn closing(hidden: usize) -> String {
    match hidden {
        0 => String::new(),
        1 => "\n1 more skill is not listed: call skill with a word for the task to find it."
            .to_owned(),
        _ => format!(
            "\n{hidden} more skills are not listed: call skill with a word for the task to find \
             one."
        ),
    }
}

fn hint(skills: &[Merged]) -> String {
    let mut names: Vec<&str> = skills
        .iter()
        .filter(|skill| skill.fits)
        .filter(|skill| {
            matches!(
                skill.fate,
                Fate::Full | Fate::Shortened { .. } | Fate::Hidden { .. }
            )
        })
        .map(|skill| skill.name.as_str())
        .collect();
    names.sort_unstable();
    names.truncate(HINT_NAMES);
    match names.as_slice() {
        [] => String::new(),
        [name] => format!("Hint: the skill {name} fits the open file."),
        [first @ .., last] => format!(
            "Hint: the skills {} and {last} fit the open file.",
            first.join(", ")
        ),
    }
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

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
