//! Which skills fit the file in front of the user: the globs of `autoAttach`.
//!
//! In: globs as authors wrote them and one path relative to the workspace folder. Out: whose globs
//! match. Case does not count, `\` is `/`, `*` stays within a folder, and a glob without a slash
//! matches the file's name in any folder. Deliberately not here: walking folders.

use crate::limits::{GLOB_BRACES, GLOB_CHARACTERS, GLOBS_PER_SKILL};
use crate::text::composed;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
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
    let mut owners = Vec::new();
    let mut globs = Vec::new();
    let mut count = 0;
    for list in lists {
        for glob in list.iter().take(GLOBS_PER_SKILL) {
            if let Ok(glob) = compiled(glob) {
                owners.push(count);
                globs.push(glob);
            }
        }
        count += 1;
    }
    let mut matched = vec![false; count];
    if outside || globs.is_empty() {
        return matched;
    }
    for index in hits(&globs, path) {
        let owner = owners.get(index).and_then(|owner| matched.get_mut(*owner));
        if let Some(matches) = owner {
            *matches = true;
        }
    }
    matched
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
    let set = match compiled(glob).and_then(|g| together(&[g]).map_err(|e| e.to_string())) {
        Ok(set) => set,
        Err(problem) => {
            return GlobMatches {
                problem: Some(problem),
                matches: Vec::new(),
            };
        }
    };
    let matches = (0..)
        .zip(paths)
        .filter(|(_, path)| set.is_match(folded(path)))
        .map(|(index, _)| index)
        .collect();
    GlobMatches {
        problem: None,
        matches,
    }
}

/// The indexes of the globs that match. All are compiled into one set; where they are too large for
/// one, each is tried alone, so that no skill can switch off the globs of another.
fn hits(globs: &[Glob], path: &str) -> Vec<usize> {
    if let Ok(set) = together(globs) {
        return set.matches(path);
    }
    globs
        .iter()
        .enumerate()
        .filter(|(_, glob)| {
            together(std::slice::from_ref(glob)).is_ok_and(|set| set.is_match(path))
        })
        .map(|(index, _)| index)
        .collect()
}

fn together(globs: &[Glob]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob.clone());
    }
    set.build()
}

fn compiled(glob: &str) -> Result<Glob, String> {
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
    composed(text)
        .chars()
        .map(|c| if c == '\\' { '/' } else { c })
        .collect::<String>()
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(glob: &str, path: &str, expected: bool) {
        assert_eq!(problem(glob), None, "{glob}");
        let list = [glob.to_owned()];
        assert_eq!(
            matching(std::iter::once(list.as_slice()), path),
            [expected],
            "{glob} on {path}"
        );
    }

    #[test]
    fn globs() {
        check("*.sql", "a.sql", true);
        check("*.sql", "db/deep/a.sql", true);
        check("src/*.ts", "src/a.ts", true);
        check("src/*.ts", "src/b/a.ts", false);
        check("src/**/*.ts", "src/a.ts", true);
        check("src/**/*.ts", "src/b/c/a.ts", true);
        check("**/*.ts", "a.ts", true);
        check("**", "a/b", true);
        check("docs/", "docs/a/b.md", true);
        check("./src/*.ts", "src/a.ts", true);
        check("/src/*.ts", "src/a.ts", true);
        check("src\\*.ts", "src/a.ts", true);
        check("src/*.ts", "src\\a.ts", true);
        check("SRC/*.TS", "src/A.ts", true);
        check("*.ÄÖ", "x.äö", true);
        check("caf\u{e9}/*.md", "cafe\u{301}/a.md", true);
        check("*.{ts,tsx}", "a.tsx", true);
        check("*.{t{s,sx},js}", "a.tsx", true);
        check("{src,test}/**", "test/a/b.ts", true);
        check("[a-c].md", "b.md", true);
        check("[!a-c].md", "b.md", false);
        check("file?.md", "file1.md", true);
        check("Dockerfile", "deploy/Dockerfile", true);
        check("src/**", "../src/a.ts", false);
        check("**", "../a", false);
        check("**", "/etc/passwd", false);
    }

    #[test]
    fn one_glob_on_many_paths() {
        let paths = ["a.ts", "src/B.TS", "src/c.md"].map(str::to_owned);
        assert_eq!(
            filter("*.ts", &paths),
            GlobMatches {
                problem: None,
                matches: vec![0, 1]
            }
        );
        assert_eq!(filter("src/[", &paths).matches, Vec::<u32>::new());
        assert!(filter("src/[", &paths).problem.is_some());
    }

    fn refused(glob: &str) {
        assert!(problem(glob).is_some(), "{glob}");
        let list = [glob.to_owned(), "*.md".to_owned()];
        // A glob that is ignored leaves the others alone.
        assert_eq!(matching(std::iter::once(list.as_slice()), "a.md"), [true]);
    }

    #[test]
    fn what_is_not_understood_is_ignored_alone() {
        refused("");
        refused("src/[a");
        refused("{a,b");
        refused("a}");
        refused("!*.md.x");
        refused(&"{a,b}".repeat(GLOB_BRACES));
        refused(&format!("{}{}", "{".repeat(33), "}".repeat(33)));
        refused(&"x".repeat(GLOB_CHARACTERS + 1));
    }

    #[test]
    fn every_list_is_answered() {
        let lists = [
            vec!["*.ts".to_owned()],
            vec![],
            vec!["*.md".to_owned(), "src/**".to_owned()],
        ];
        let matched = matching(lists.iter().map(Vec::as_slice), "src/a.ts");
        assert_eq!(matched, [true, false, true]);
    }

    #[test]
    fn globs_beyond_the_limit_are_ignored() {
        let mut list = vec!["*.md".to_owned(); GLOBS_PER_SKILL];
        list.push("*.ts".to_owned());
        assert_eq!(matching(std::iter::once(list.as_slice()), "a.ts"), [false]);
    }

    #[test]
    fn globs_that_are_too_large_together_still_match_apart() {
        let heavy: Vec<Vec<String>> = (0..700)
            .map(|n| vec![format!("{n}/{}", "*?".repeat(125))])
            .chain(std::iter::once(vec!["*.md".to_owned()]))
            .collect();
        let globs: Vec<Glob> = heavy
            .iter()
            .flatten()
            .map(|glob| compiled(glob).unwrap())
            .collect();
        assert!(together(&globs).is_err());
        let matched = matching(heavy.iter().map(Vec::as_slice), "a.md");
        assert_eq!(matched.iter().filter(|matches| **matches).count(), 1);
        assert_eq!(matched.last(), Some(&true));
    }
}
