//! Which skills fit some words: scores that need no model and no file.
//!
//! In: an index built once from ids, names, tags and descriptions, and a query. Out: ids with their
//! scores, best first. Deliberately not here: bodies, meaning, embeddings.

use crate::limits::{
    SEARCH_DESCRIPTION_CONTAINS, SEARCH_ID_CONTAINS, SEARCH_ID_EQUAL, SEARCH_NAME_CONTAINS,
    SEARCH_NAME_EQUAL, SEARCH_TAG_CONTAINS, SEARCH_TAG_EQUAL, SEARCH_WORDS,
};
use crate::order::sort_by;
use crate::text::{composed, lower};
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// What is searched of one skill.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SearchEntry {
    /// Unique in the index; what a hit gives back.
    pub id: String,
    /// The name, or a title.
    pub name: String,
    /// The whole description.
    pub description: String,
    /// Tags, in any order.
    #[serde(default)]
    #[tsify(optional)]
    pub tags: Vec<String>,
}

/// The entries of an index.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct SearchEntries(pub Vec<SearchEntry>);

/// A skill that fits.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// The entry's id.
    pub id: String,
    /// Its score, from 2 up.
    pub score: u32,
}

/// Hits, best first.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct SearchHits(pub Vec<SearchHit>);

/// Entries made ready for searching: folded once, so that a search compares bytes.
#[derive(Clone, Debug)]
pub struct Index {
    entries: Vec<Folded>,
}

#[derive(Clone, Debug)]
struct Folded {
    id: String,
    key: String,
    name: String,
    description: String,
    tags: Vec<String>,
}

impl Index {
    /// Keeps what is searched. Ids are taken as they come; of two equal ones both are found.
    pub fn new(entries: &[SearchEntry]) -> Self {
        Self {
            entries: entries
                .iter()
                .map(|entry| Folded {
                    id: entry.id.clone(),
                    key: fold(&entry.id),
                    name: fold(&entry.name),
                    description: fold(&entry.description),
                    tags: entry.tags.iter().map(|tag| fold(tag)).collect(),
                })
                .collect(),
        }
    }

    /// The entries that fit `query`, best first, ties by id, at most `limit`.
    ///
    /// The query is split on white space and each word scored on its own: a field gives its best
    /// match only, tags their best tag; a repeated word counts again.
    ///
    /// ```
    /// use gbs_agent_core::skills::search::{Index, SearchEntry};
    /// let index = Index::new(&[SearchEntry {
    ///     id: "review-sql".into(),
    ///     name: "review-sql".into(),
    ///     description: "Check a migration before it runs".into(),
    ///     tags: vec!["sql".into()],
    /// }]);
    /// assert_eq!(index.search("SQL migration", 10)[0].score, (3 + 5 + 4) + 2);
    /// ```
    pub fn search(&self, query: &str, limit: usize) -> Vec<SearchHit> {
        let query = fold(query);
        let words: Vec<Finder<'_>> = query
            .split_whitespace()
            .take(SEARCH_WORDS)
            .map(Finder::new)
            .collect();
        let mut hits: Vec<SearchHit> = self
            .entries
            .iter()
            .filter_map(|entry| {
                let score = words.iter().map(|word| entry.score(word)).sum();
                (score > 0).then(|| SearchHit {
                    id: entry.id.clone(),
                    score,
                })
            })
            .collect();
        sort_by(&mut hits, &|a, b| {
            b.score.cmp(&a.score).then_with(|| a.id.cmp(&b.id))
        });
        hits.truncate(limit);
        hits
    }
}

impl Folded {
    fn score(&self, word: &Finder<'_>) -> u32 {
        let id = best(&self.key, word, SEARCH_ID_EQUAL, SEARCH_ID_CONTAINS);
        let name = best(&self.name, word, SEARCH_NAME_EQUAL, SEARCH_NAME_CONTAINS);
        let tag = self
            .tags
            .iter()
            .map(|tag| best(tag, word, SEARCH_TAG_EQUAL, SEARCH_TAG_CONTAINS))
            .max()
            .unwrap_or(0);
        let description = if word.find(self.description.as_bytes()).is_some() {
            SEARCH_DESCRIPTION_CONTAINS
        } else {
            0
        };
        id + name + tag + description
    }
}

fn best(field: &str, word: &Finder<'_>, equal: u32, contains: u32) -> u32 {
    let field = field.as_bytes();
    if field == word.needle() {
        equal
    } else if word.find(field).is_some() {
        contains
    } else {
        0
    }
}

/// Without case, and with one spelling of composed letters.
fn fold(text: &str) -> String {
    lower(&composed(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, name: &str, description: &str, tags: &[&str]) -> SearchEntry {
        SearchEntry {
            id: id.into(),
            name: name.into(),
            description: description.into(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        }
    }

    fn check(query: &str, limit: usize, expected: &[(&str, u32)]) {
        let index = Index::new(&[
            entry(
                "incident-response",
                "Incident Response",
                "Steps for an outage; who is called.",
                &["ops", "on-call"],
            ),
            entry(
                "sql",
                "sql",
                "Check a migration before it runs.",
                &["sql", "sqlite", "ops"],
            ),
            entry("b", "Runbook", "", &[]),
            entry("a", "runbook", "", &["opsgenie"]),
            entry("cafe", "Cafe\u{301}", "", &[]),
        ]);
        let expected: Vec<SearchHit> = expected
            .iter()
            .map(|(id, score)| SearchHit {
                id: (*id).to_owned(),
                score: *score,
            })
            .collect();
        assert_eq!(index.search(query, limit), expected, "{query:?}");
    }

    #[test]
    fn scores() {
        // id equal 10, name equal 10, tag equal 4.
        check("sql", 9, &[("sql", 24)]);
        check("SQL", 9, &[("sql", 24)]);
        // id contains 3, name contains 5.
        check("incident", 9, &[("incident-response", 8)]);
        // The words are scored apart: the name is no match for two of them at once.
        check("incident response", 9, &[("incident-response", 16)]);
        // Tag equal 4 against tag contains 2; ties by id.
        check("ops", 9, &[("incident-response", 4), ("sql", 4), ("a", 2)]);
        check("runbook", 9, &[("a", 10), ("b", 10)]);
        check("runbook", 1, &[("a", 10)]);
        // Description contains 2.
        check("migration", 9, &[("sql", 2)]);
        // A repeated word counts again.
        check("migration migration", 9, &[("sql", 4)]);
        // Equal beats contains, and is not added to it.
        check(
            "a",
            9,
            &[("a", 10), ("cafe", 8), ("incident-response", 4), ("sql", 2)],
        );
        check("caf\u{e9}", 9, &[("cafe", 10)]);
        check("", 9, &[]);
        check(" \t", 9, &[]);
        check("sql", 0, &[]);
        check("zebra", 9, &[]);
    }
}
