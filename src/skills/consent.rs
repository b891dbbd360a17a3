//! What a yes to a skill covers: every byte of every file it has.
//!
//! In: the files of a skill with their SHA-256, as the shell computed them; those of the version that
//! was allowed. Out: one fingerprint, and what changed between the two. Deliberately not here: reading
//! files, remembering answers; the question itself is `consent_card`.

use crate::order::sort;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use tsify::Tsify;

/// A file of a skill and what is in it.
#[derive(Clone, Debug, Eq, PartialEq, Ord, PartialOrd, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct FileDigest {
    /// Relative to the skill's folder, with `/`.
    pub path: String,
    /// SHA-256 of its bytes in lower-case hexadecimal.
    pub sha256: String,
}

/// The files of one skill, in any order.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct FileDigests(pub Vec<FileDigest>);

/// What became of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum FileState {
    /// It was not there.
    New,
    /// Its content is another.
    Changed,
    /// It is gone.
    Removed,
    /// As it was.
    Same,
}

/// What became of one file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// What became of it.
    pub state: FileState,
}

/// Every file of both versions, by path.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(transparent)]
pub struct FileChanges(pub Vec<FileChange>);

/// SHA-256, in hexadecimal, over every path and every digest. Order makes no difference; a file added,
/// removed, renamed or changed by one byte does. Lengths stand before paths, so that no two lists
/// read alike.
///
/// ```
/// use gbs_agent_core::skills::consent::{fingerprint, FileDigest};
/// let file = |path: &str| FileDigest { path: path.into(), sha256: "00".repeat(32) };
/// assert_eq!(fingerprint(&[file("a"), file("b")]), fingerprint(&[file("b"), file("a")]));
/// assert_ne!(fingerprint(&[file("a")]), fingerprint(&[file("b")]));
/// ```
pub fn fingerprint(files: &[FileDigest]) -> String {
    let mut sorted: Vec<&FileDigest> = files.iter().collect();
    sort(&mut sorted);
    let mut hash = Sha256::new();
    hash.update(b"gbs skill files 1\n");
    for file in sorted {
        hash.update(format!(
            "{} {} {}\n",
            file.path.len(),
            file.path,
            file.sha256
        ));
    }
    hex(&hash.finalize())
}

/// What changed from `before` to `now`, file by file, sorted by path.
pub fn compare(before: &[FileDigest], now: &[FileDigest]) -> Vec<FileChange> {
    let mut files: BTreeMap<&str, (Option<&str>, Option<&str>)> = BTreeMap::new();
    for file in before {
        files.entry(&file.path).or_default().0 = Some(&file.sha256);
    }
    for file in now {
        files.entry(&file.path).or_default().1 = Some(&file.sha256);
    }
    files
        .into_iter()
        .map(|(path, versions)| FileChange {
            path: path.to_owned(),
            state: match versions {
                (None, _) => FileState::New,
                (Some(_), None) => FileState::Removed,
                (Some(before), Some(now)) if before == now => FileState::Same,
                (Some(_), Some(_)) => FileState::Changed,
            },
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> FileDigest {
        FileDigest {
            path: path.to_owned(),
            sha256: hex(&Sha256::digest(content)),
        }
    }

    #[test]
    fn every_meaningful_change_changes_the_fingerprint() {
        let base = [file("SKILL.md", "a"), file("references/x.md", "b")];
        let others = [
            vec![],
            vec![file("SKILL.md", "a")],
            vec![file("SKILL.md", "A"), file("references/x.md", "b")],
            vec![file("SKILL.md", "b"), file("references/x.md", "a")],
            vec![file("SKILL.md", "a"), file("references/y.md", "b")],
            vec![file("SKILL.md", "a"), file("references/X.md", "b")],
            vec![
                file("SKILL.md", "a"),
                file("references/x.md", "b"),
                file("z", ""),
            ],
            // One file whose path is the text of two lines.
            vec![FileDigest {
                path: format!("SKILL.md {}\n15 references/x.md", base[0].sha256),
                sha256: base[1].sha256.clone(),
            }],
            // The same letters, composed differently, are another file.
            vec![file("SKILL.md", "a"), file("references/x\u{301}.md", "b")],
        ];
        let mut seen = vec![fingerprint(&base)];
        for other in others {
            let next = fingerprint(&other);
            assert!(!seen.contains(&next), "{other:?}");
            seen.push(next);
        }
        let turned = [base[1].clone(), base[0].clone()];
        assert_eq!(fingerprint(&turned), fingerprint(&base));
    }

    #[test]
    fn the_form_is_fixed() {
        // A new form would ask every user again about every skill: it is changed on purpose only.
        assert_eq!(
            fingerprint(&[file("SKILL.md", "a")]),
            hex(&Sha256::digest(format!(
                "gbs skill files 1\n8 SKILL.md {}\n",
                "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
            )))
        );
    }

    #[test]
    fn changes_by_file() {
        let before = [file("a", "1"), file("b", "1"), file("c", "1")];
        let now = [file("d", "1"), file("c", "1"), file("b", "2")];
        let found: Vec<(String, FileState)> = compare(&before, &now)
            .into_iter()
            .map(|change| (change.path, change.state))
            .collect();
        assert_eq!(
            found,
            [
                ("a".to_owned(), FileState::Removed),
                ("b".to_owned(), FileState::Changed),
                ("c".to_owned(), FileState::Same),
                ("d".to_owned(), FileState::New),
            ]
        );
    }
}
