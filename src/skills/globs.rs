//! Which skills fit the file in front of the user: the globs of `autoAttach`.
//!
//! In: globs as authors wrote them and one path relative to the workspace folder. Out: whose globs
//! match. Case does not count, `\` is `/`, `*` stays within a folder, and a glob without a slash
//! matches the file's name in any folder. Deliberately not here: walking folders.

mod automaton;
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

use crate::limits::{GLOB_BRACES, GLOB_CHARACTERS, GLOBS_PER_SKILL};
use crate::text::{composed, lower};
use automaton::{Automaton, Many};
use globset::{Glob, GlobBuilder};
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// Why a glob is ignored, or nothing when it is understood.
///
/// ```
/// use gbs_agent_core::skills::globs::problem;
/// assert_eq!(problem("src/**/*.{ts,tsx}"), None);
/// assert!(problem("src/[a").is_some());
/// ```
pub fn problem(glob: &str) -> Option<String> {
    compiled(glob).err()
}

/// For each list of globs, whether one of them matches `path`.
pub fn matching<'a>(lists: impl Iterator<Item = &'a [String]>, path: &str) -> Vec<bool> {
    let path = folded(path);
    let path = path.strip_prefix("./").unwrap_or(&path);
    let outside =
        path.is_empty() || path.starts_with('/') || path.split('/').any(|part| part == "..");
    lists
        .map(|list| {
            let globs = list.iter().take(GLOBS_PER_SKILL);
            !outside
                && globs
                    .filter_map(|glob| compiled(glob).ok())
                    .any(|glob| glob.matches(path.as_bytes()))
        })
        .collect()
}

/// Which of many paths one glob matches.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct GlobMatches {
    /// Why the glob is not understood; then nothing matches.
    pub problem: Option<String>,
    /// Indexes of the paths that match, ascending.
    pub matches: Vec<u32>,
}

/// The paths (relative, of files in one folder tree) that `glob` matches.
pub fn filter(glob: &str, paths: &[String]) -> GlobMatches {
    let glob = match compiled(glob) {
        Ok(glob) => glob,
        Err(problem) => {
            return GlobMatches {
                problem: Some(problem),
                matches: Vec::new(),
            };
        }
    };
    let mut many = Many::new(&glob);
    let matches = (0..)
        .zip(paths)
        .filter(|(_, path)| many.matches(folded(path).as_bytes()))
        .map(|(index, _)| index)
        .collect();
    GlobMatches {
        problem: None,
        matches,
    }
}

fn compiled(glob: &str) -> Result<Automaton, String> {
    let glob = understood(glob)?;
    Automaton::new(glob.regex()).ok_or_else(|| "it is not understood".to_owned())
}

/// The glob in the spelling that paths are compared in.
fn understood(glob: &str) -> Result<Glob, String> {
    if glob.chars().nth(GLOB_CHARACTERS).is_some() {
        return Err(format!("it is longer than {GLOB_CHARACTERS} characters"));
    }
    let braces = glob.matches(['{', ',', '}']).count();
    if braces > GLOB_BRACES {
        return Err(format!("it has more than {GLOB_BRACES} braces and commas"));
    }
    let glob = folded(glob.trim());
    let glob = glob.strip_prefix("./").unwrap_or(&glob);
    let glob = glob.strip_prefix('/').unwrap_or(glob);
    if glob.is_empty() {
        return Err("it is empty".to_owned());
    }
    if glob.starts_with('!') {
        return Err("a leading ! is not understood here".to_owned());
    }
    let pattern = if glob.ends_with('/') {
        format!("{glob}**")
    } else if glob.contains('/') {
        glob.to_owned()
    } else {
        format!("**/{glob}")
    };
    GlobBuilder::new(&pattern)
        .literal_separator(true)
        .backslash_escape(false)
        .empty_alternates(true)
        .build()
        .map_err(|error| error.kind().to_string())
}

/// One spelling for globs and paths: `/`, lower case, composed letters. Folding both is what makes
/// case not count beyond ASCII, and it leaves plain globs plain, which are matched without a regex.
fn folded(text: &str) -> String {
    lower(&composed(text).replace('\\', "/"))
}
