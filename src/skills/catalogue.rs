//! Level 1: many skills → which are used, which the model is told of, and in which words.
//!
//! In: sources in precedence order, each with what reading its skills gave; the file in front of the
//! user; the model's context window. Out: the `# Skills` block of the system prompt, a hint for the
//! user's message, and a report that says of every skill given what became of it and why.
//! Deliberately not here: bodies, consent (a skill that waits for it comes in as held back), files.

use super::globs;
use super::merge::{Fate, Merged, count, is_skill_name, limit, line, merge, shown};
use super::offered_names::is_offered_name;
use super::report::ReportedSkill;
use super::search::SearchEntry;
use crate::limits::{
    CATALOGUE_BUDGET_FLOOR, CATALOGUE_BUDGET_PERCENT, CATALOGUE_DESCRIPTION,
    CATALOGUE_DESCRIPTION_FLOOR, CATALOGUE_LINES, CHARACTERS_PER_TWO_TOKENS,
    DEFAULT_CONTEXT_WINDOW, HINT_NAMES,
};
use crate::order::{sort, sort_by};
use crate::problem::Problem;
use crate::text::{one_line, tokens};
use serde::{Deserialize, Serialize};
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
    /// A running MCP server.
    Server,
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
    sort_by(&mut listed, &|a, b| {
        (!a.fits, &a.name).cmp(&(!b.fits, &b.name))
    });
    let all = listed.len();
    let mut kept = all.min(CATALOGUE_LINES);
    for skill in listed.iter_mut().skip(kept) {
        skill.fate = Fate::Hidden {
            why: "more skills than lines",
        };
    }
    let room = budget.saturating_mul(CHARACTERS_PER_TWO_TOKENS) / 2;
    let cost = |listed: &[&mut Merged], kept: usize, cap: usize| -> usize {
        let lines: usize = listed
            .iter()
            .take(kept)
            .map(|skill| 1 + skill.line(cap).chars().count())
            .sum();
        INTRODUCTION.chars().count() + lines + closing(all - kept).chars().count()
    };
    let mut cap = CATALOGUE_DESCRIPTION;
    while cap > CATALOGUE_DESCRIPTION_FLOOR && cost(&listed, kept, cap) > room {
        cap -= 1;
    }
    while cost(&listed, kept, cap) > room {
        let Some(last) = kept.checked_sub(1).and_then(|at| listed.get_mut(at)) else {
            break;
        };
        if last.fits || kept == 1 {
            break;
        }
        last.fate = Fate::Hidden { why: "over budget" };
        kept -= 1;
    }
    let mut block = INTRODUCTION.to_owned();
    for skill in listed.iter_mut().take(kept) {
        skill.fate = if skill.description.chars().nth(cap).is_some() {
            Fate::Shortened { characters: cap }
        } else {
            Fate::Full
        };
        block.push('\n');
        block.push_str(&skill.line(cap));
    }
    block.push_str(&closing(all - kept));
    block
}

/// Lines as the catalogue has them, for skills that were searched for. Names must be valid.
pub fn lines(entries: &[SearchEntry]) -> String {
    let lines: Vec<String> = entries
        .iter()
        .filter(|entry| is_skill_name(&entry.name) || is_offered_name(&entry.name))
        .map(|entry| {
            line(
                &entry.name,
                &shown(&entry.description),
                CATALOGUE_DESCRIPTION,
            )
        })
        .collect();
    lines.join("\n")
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
    sort(&mut names);
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
