//! Files of the user's whose names are not all known.

use super::*;
use crate::limits::MAX_CONFIG_BYTES;

#[test]
fn while_a_users_file_cannot_be_read_no_repository_takes_a_name_of_it() {
    let repository = source(
        Repository,
        ".mcp.json",
        r#"{"mcpServers": {"fs": {"command": "x"}}}"#,
    );
    let other = source(User, "other", r#"{"mcpServers": {"b": {"command": "y"}}}"#);
    let starts = |user: ConfigSource| {
        let found = plan(
            &[repository.clone(), other.clone(), user],
            &options("linux"),
        );
        let names: Vec<String> = found.servers.into_iter().map(|s| s.name).collect();
        let shadowed = !found.shadowed.is_empty();
        let told = found.problems.iter().any(|problem| {
            problem.path == ".mcp.json" && problem.problem.code == "users-names-unknown"
        });
        // Another file of the user's is not held back.
        assert!(names.contains(&"b".to_owned()));
        let starts = names.contains(&"fs".to_owned());
        assert_eq!(told || shadowed, !starts);
        starts
    };
    let huge = format!(
        r#"{{"a": "{}", "mcpServers": {{"fs": {{"command": "y"}}}}}}"#,
        "x".repeat(MAX_CONFIG_BYTES)
    );
    for text in [
        huge.as_str(),
        // No JSON: a name may be lost to a brace too few, a comment or a string without end.
        r#"{"mcpServers": {"a": {"command": "y", "fs": {"command": "y"}}}"#,
        r#"{"mcpServers": {"a": {}, /* "fs": {"command": "y"}}}"#,
        "{\"mcpServers\": {\"a\": \"b, \"fs\": {}}}",
        r#"x {"mcpServers": {"fs": {"command": "y"}}}"#,
        // JSON of another shape.
        r#"[{"name": "fs", "command": "y"}]"#,
        r#"{"mcpServers": [{"name": "fs", "command": "y"}]}"#,
        "7",
    ] {
        assert!(!starts(source(User, "u", text)), "{text}");
    }
    let unreadable = ConfigSource {
        unreadable: true,
        ..source(User, "u", "")
    };
    assert!(!starts(unreadable));
    for text in [
        "",
        "// nothing yet",
        "null",
        "{}",
        r#"{"mcpServers": null}"#,
    ] {
        assert!(starts(source(User, "u", text)), "{text}");
    }
    // Another repository's file holds nothing back.
    check(
        &[repository.clone(), source(Repository, "r", "{")],
        &[
            r#"repository .mcp.json fs: "x" [] in /w"#,
            "r:1:1 error This { is never closed. Add } at its end. Until then no server of this file starts.",
        ],
    );
    check(
        &[repository, source(User, "u", "{")],
        &[
            r#".mcp.json:1:17 error Server "fs": It does not start while your file "u" cannot be read: a server of this name may stand there. Mend that file."#,
            "u:1:1 error This { is never closed. Add } at its end. Until then no server of this file starts.",
        ],
    );
}

#[test]
fn while_a_users_file_cannot_be_read_the_agent_takes_no_name_of_it() {
    let agent = source(
        Agent,
        "this session",
        r#"{"mcpServers": {"fs": {"command": "x"}}}"#,
    );
    check(
        &[agent.clone(), source(User, "u", "{")],
        &[
            r#"this session:1:17 error Server "fs": It does not start while the user's file "u" cannot be read: a server of this name may stand there. The user must mend that file."#,
            "u:1:1 error This { is never closed. Add } at its end. Until then no server of this file starts.",
        ],
    );
    // A repository cannot keep the agent from it by a broken file.
    check(
        &[agent, source(Repository, "r", "{")],
        &[
            r#"agent this session fs: "x" [] in /w"#,
            "r:1:1 error This { is never closed. Add } at its end. Until then no server of this file starts.",
        ],
    );
}
