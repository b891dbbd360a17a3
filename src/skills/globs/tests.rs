use super::*;
use proptest::prelude::*;

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

/// What globset's own engines say, of a path as it is compared.
fn by_globset(glob: &str, path: &str) -> bool {
    understood(glob)
        .unwrap()
        .compile_matcher()
        .is_match(folded(path))
}

#[test]
fn globs_that_would_be_large_match_too() {
    let heavy: Vec<Vec<String>> = (0..700)
        .map(|n| vec![format!("{n}/{}", "*?".repeat(125))])
        .chain(std::iter::once(vec!["*.md".to_owned()]))
        .collect();
    let matched = matching(heavy.iter().map(Vec::as_slice), "a.md");
    assert_eq!(matched.iter().filter(|matches| **matches).count(), 1);
    assert_eq!(matched.last(), Some(&true));
}

#[test]
fn the_work_is_bounded_by_glob_times_path() {
    // A backtracking engine would not come back.
    let glob = format!("{}b", "*a".repeat(120));
    assert_eq!(problem(&glob), None);
    let path = "a".repeat(20_000);
    let matches = filter(&glob, &[path.clone(), format!("{path}b")]).matches;
    assert_eq!(matches, [1]);
}

#[test]
fn states_are_forgotten_where_they_are_too_many() {
    // Every subset of the last twelve letters is a state of its own.
    let glob = format!("*a{}", "?".repeat(12));
    let letters = |n: u32| (0..20).map(move |bit| if n >> bit & 1 == 1 { 'a' } else { 'b' });
    let paths: Vec<String> = (0..5_000_u32)
        .map(|n| letters(n.wrapping_mul(2_654_435_761)).collect())
        .collect();
    let expected: Vec<u32> = (0..)
        .zip(&paths)
        .filter(|(_, path)| path.as_bytes()[7] == b'a')
        .map(|(index, _)| index)
        .collect();
    assert_eq!(filter(&glob, &paths).matches, expected);
}

/// Globs of every construct, and paths that come near to them.
fn a_glob() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop_oneof![Just("a"), Just("b"), Just("/"), Just("."), Just("é"), Just("-"), Just("ab.ts")]
            .prop_map(str::to_owned),
        4 => prop_oneof![Just("*"), Just("?"), Just("**"), Just("**/"), Just("/**"), Just("/**/")]
            .prop_map(str::to_owned),
        2 => prop_oneof![
            Just("[ab]"), Just("[!a]"), Just("[^b-é]"), Just("[a-c.]"), Just("[/]"), Just("[!/]"),
            Just("[]]"), Just("[a-]"), Just("[é]"), Just("[&~#-]"), Just("[[:alpha:]]"), Just("[+-9]"),
        ].prop_map(str::to_owned),
        2 => prop_oneof![
            Just("{a,b}"), Just("{,a}"), Just("{a/**,*.b}"), Just("{a{b,},[a-b]*}"), Just("{}"),
            Just("{**/a,b/**}"),
        ].prop_map(str::to_owned),
        1 => "[ -~éß\\t]".prop_filter("braces and brackets stand above", |c| !"[]{},!".contains(c.as_str())),
    ];
    proptest::collection::vec(piece, 1..7).prop_map(|pieces| pieces.concat())
}

fn a_path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ab]{0,2}",
        2 => prop_oneof![Just("/"), Just(".ts"), Just("é"), Just("-"), Just("ab.ts"), Just(".b")]
            .prop_map(str::to_owned),
        1 => "[ -~éß]",
    ];
    proptest::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// globset has shortcuts for names; those take one that ends in a dot for no name at all, which is
    /// not what its own expression says.
    #[test]
    fn the_same_paths_as_globset(glob in a_glob(), path in a_path()) {
        prop_assume!(!path.ends_with('.'));
        let Ok(understood) = understood(&glob) else {
            return Ok(());
        };
        let automaton = Automaton::new(understood.regex());
        prop_assert!(automaton.is_some(), "{}", understood.regex());
        let automaton = automaton.unwrap();
        let mut many = Many::new(&automaton);
        let path = folded(&path);
        let matches = automaton.matches(path.as_bytes());
        // Twice: found out, and remembered.
        for _ in 0..2 {
            prop_assert_eq!(many.matches(path.as_bytes()), matches);
        }
        prop_assert_eq!(matches, by_globset(&glob, &path), "{} on {:?}: {}", glob, path, understood.regex());
    }
}
