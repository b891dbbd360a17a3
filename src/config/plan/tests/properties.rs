//! What holds for every file: a repository never replaces a user's server, and nothing disappears.

use super::*;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

proptest! {
    /// Whatever a repository writes: no server of its has the spelling of a user's entry, and the
    /// user's servers are the same as without it.
    #[test]
    fn a_repository_never_replaces_a_users_server(
        users in prop::collection::vec("[aAbB._ é\u{301}\u{200b}ſsK]{1,3}", 1..4),
        repositorys in prop::collection::vec("[aAbB._ é\u{301}\u{200b}ſsK]{1,3}", 1..6),
        kinds in prop::collection::vec(0..3_usize, 4),
        first in any::<bool>(),
    ) {
        let contents = [r#"{"command": "user"}"#, r#"{"disabled": true}"#, "7"];
        let file = |names: &[String], content: &dyn Fn(usize) -> &'static str| {
            let entries: Vec<String> = names
                .iter()
                .enumerate()
                .map(|(index, name)| format!("{}: {}", serde_json::Value::from(name.as_str()), content(index)))
                .collect();
            format!("{{\"mcpServers\": {{{}}}}}", entries.join(","))
        };
        let user = source(User, "u", &file(&users, &|index| contents[kinds[index % 4]]));
        let repository = source(Repository, "r", &file(&repositorys, &|_| r#"{"command": "repository"}"#));
        let alone = plan(std::slice::from_ref(&user), &options("linux"));
        let both = if first { vec![repository, user] } else { vec![user, repository] };
        let together = plan(&both, &options("linux"));
        let of_user: Vec<&ConfiguredServer> = together.servers.iter().filter(|s| s.origin == User).collect();
        prop_assert_eq!(of_user, alone.servers.iter().collect::<Vec<_>>());
        for server in together.servers.iter().filter(|server| server.origin == Repository) {
            prop_assert!(users.iter().all(|name| spelling(name) != spelling(&server.name)));
        }
        let told = together.servers.iter().filter(|s| s.origin == Repository).count()
            + together.shadowed.iter().filter(|s| s.origin == Repository).count();
        let mut names = repositorys.clone();
        names.sort();
        names.dedup();
        prop_assert!(told + together.problems.len() >= names.len(), "nothing disappears unseen");
    }

    /// However a repository writes the name of a user's server, in other case, decomposed, with what is
    /// not drawn, with blanks around it, with other characters that a tool's name does not have.
    #[test]
    fn no_spelling_of_a_users_name_is_another_server(
        name in r"[a-cA-C0-9._ éüÅßẞΐŉǰİςſ日ñκ-]{1,8}",
        changes in prop::collection::vec((0..40_usize, 0..6_usize), 0..6),
    ) {
        prop_assume!(!name.trim().is_empty());
        let mut spelled: Vec<char> = name.chars().collect();
        for (at, change) in changes {
            let at = at % spelled.len();
            let c = spelled[at];
            let new: Vec<char> = match change {
                0 => c.to_uppercase().collect(),
                1 => c.to_lowercase().collect(),
                2 => std::iter::once(c).nfd().collect(),
                3 => vec![['\u{200b}', '\u{202e}', '\u{ad}', '\u{feff}', '\u{fe0f}'][at % 5], c],
                4 if !c.is_alphanumeric() && !matches!(c, '_' | '-' | ' ') && c.is_ascii() => vec!['_'],
                _ => vec![c],
            };
            spelled.splice(at..=at, new);
        }
        let spelled: String = spelled.into_iter().chain([' ']).collect();
        let file = |name: &str| format!("{{\"servers\": {{{}: {{\"command\": \"x\"}}}}}}", serde_json::Value::from(name));
        let sources = [source(User, "u", &file(&name)), source(Repository, "r", &file(&spelled))];
        let found = plan(&sources, &options("linux"));
        prop_assert!(found.servers.iter().all(|server| server.origin == User), "{spelled:?}");
    }

    #[test]
    fn any_file_is_planned(text in any::<String>(), json in r#"[\[\]{},:"a-e$<> \\]{0,60}"#) {
        for text in [text, json.clone(), format!("{{\"mcpServers\": {{\"a\": {json}}}}}")] {
            let found = plan(&[source(Repository, "f", &text)], &options("win32"));
            prop_assert!(found.problems.iter().all(|p| p.problem.start <= p.problem.end));
        }
    }
}
