use super::*;
use crate::problem::Severity;

mod agent;
mod properties;
mod spelling;
mod unknown_names;

fn options(platform: &str) -> ConfigOptions {
    let windows = platform == "win32";
    ConfigOptions {
        environment: [
            ("PATH", "/bin"),
            ("TOKEN", "s3cret"),
            ("HOME", "/home/u"),
            ("EMPTY", ""),
            ("BROKEN", "key\n"),
            ("VSCODE_PID", "1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        platform: platform.to_owned(),
        workspace_folder: if windows { "C:\\w" } else { "/w" }.to_owned(),
        user_home: "/home/u".to_owned(),
    }
}

fn source(origin: ConfigOrigin, path: &str, text: &str) -> ConfigSource {
    ConfigSource {
        origin,
        path: path.to_owned(),
        text: text.to_owned(),
        folder: String::new(),
        guarded: false,
        unreadable: false,
    }
}

use ConfigOrigin::{Agent, Repository, User};

/// One line for each thing a plan says.
fn show(plan: &ServersPlan) -> Vec<String> {
    let origin = |origin| match origin {
        Repository => "repository",
        User => "user",
        Agent => "agent",
    };
    let mut lines: Vec<String> = plan
        .servers
        .iter()
        .map(|server| {
            let what = match &server.reach {
                ServerReach::Program {
                    command,
                    args,
                    folder,
                    ..
                } => {
                    let args: Vec<String> = args.iter().map(Expanded::text).collect();
                    format!("{:?} {args:?} in {folder}", command.text())
                }
                ServerReach::Address { url, .. } => url.text(),
            };
            format!(
                "{} {} {}: {what}",
                origin(server.origin),
                server.path,
                server.name
            )
        })
        .collect();
    for (word, idle) in [("shadowed", &plan.shadowed), ("disabled", &plan.disabled)] {
        lines.extend(idle.iter().map(|entry| {
            let by = match (&entry.by_name, &entry.by_path) {
                (Some(name), Some(path)) => format!(" by {name} of {path}"),
                _ => String::new(),
            };
            format!(
                "{word} {} {} {}{by}",
                origin(entry.origin),
                entry.path,
                entry.name
            )
        }));
    }
    lines.extend(plan.problems.iter().map(|problem| {
        let Position { line, column } = problem.problem.start;
        let severity = match problem.problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        format!(
            "{}:{line}:{column} {severity} {}",
            problem.path, problem.problem.message
        )
    }));
    lines
}

fn check(sources: &[ConfigSource], expected: &[&str]) {
    assert_eq!(show(&plan(sources, &options("linux"))), expected);
}

#[test]
fn later_files_win_by_name_and_the_users_always() {
    let entry =
        |command: &str| format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"{command}\"}}}}}}");
    let one = source(Repository, ".mcp.json", &entry("one"));
    let two = source(Repository, ".gbs/mcp.json", &entry("two"));
    let three = source(User, "~/.gbs/mcp.json", &entry("three"));
    let four = source(User, "gbsAgent.mcpServers", &entry("four"));
    check(
        &[one.clone(), two.clone()],
        &[
            r#"repository .gbs/mcp.json a: "two" [] in /w"#,
            "shadowed repository .mcp.json a by a of .gbs/mcp.json",
        ],
    );
    let all = [
        r#"user gbsAgent.mcpServers a: "four" [] in /w"#,
        "shadowed repository .mcp.json a by a of gbsAgent.mcpServers",
        "shadowed repository .gbs/mcp.json a by a of gbsAgent.mcpServers",
        "shadowed user ~/.gbs/mcp.json a by a of gbsAgent.mcpServers",
    ];
    check(
        &[one.clone(), two.clone(), three.clone(), four.clone()],
        &all,
    );
    check(
        &[three, four, one, two],
        &[
            all[0],
            "shadowed user ~/.gbs/mcp.json a by a of gbsAgent.mcpServers",
            "shadowed repository .mcp.json a by a of gbsAgent.mcpServers",
            "shadowed repository .gbs/mcp.json a by a of gbsAgent.mcpServers",
        ],
    );
}

#[test]
fn switched_off_and_broken_entries_shadow_too() {
    let repository = source(
        Repository,
        ".mcp.json",
        r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}, "c": {"command": "x"}}}"#,
    );
    check(
        &[
            repository.clone(),
            source(
                User,
                "u",
                r#"{"mcpServers": {"a": {"disabled": true}, "b": {}}}"#,
            ),
        ],
        &[
            r#"repository .mcp.json c: "x" [] in /w"#,
            "shadowed repository .mcp.json a by a of u",
            "shadowed repository .mcp.json b by b of u",
            "disabled user u a",
            r#"u:1:42 error Server "b": It has neither "command" nor "url". Add one."#,
        ],
    );
    // A file that is no JSON starts nothing, and its names still count.
    check(
        &[
            repository,
            source(
                User,
                "u",
                "{\"mcpServers\": {\"a\": {\"command\": \"y\"} \"b\": {}, \"C\": {",
            ),
        ],
        &[
            "shadowed repository .mcp.json a by a of u",
            "shadowed repository .mcp.json b by b of u",
            "shadowed repository .mcp.json c by C of u",
            "u:1:38 error A comma is missing here. Until then no server of this file starts.",
        ],
    );
}

#[test]
fn every_name_in_a_users_file_shadows_however_wrong_the_file_is() {
    let repository = source(
        Repository,
        ".mcp.json",
        r#"{"mcpServers": {"fs": {"command": "x"}}}"#,
    );
    let shadowed = |text: &str| {
        let found = plan(
            &[repository.clone(), source(User, "u", text)],
            &options("linux"),
        );
        let users = found.servers.iter().all(|server| server.origin == User);
        users && found.shadowed.len() == 1
    };
    for text in [
        // Misspelled, not an object, a map that is closed too early, nested too deep before it.
        r#"{"fs": {"comand": "npx"}}"#,
        r#"{"fs": 7, "other": {"command": "npx"}}"#,
        r#"{"mcpServers": {"a": {"command": "x"}}}, "fs": {"command": "x"}}}"#,
        r#"{"mcpServers": {"a": {"command": "x"} }, "FS": {"command": "x"}, }, }"#,
        &format!(
            r#"{{"mcpServers": {{"a": {}{}, "fs": {{"command": "x"}}}}}}"#,
            "[".repeat(80),
            "]".repeat(80)
        ),
    ] {
        assert!(shadowed(text), "{text}");
    }
    // A setting of another program takes no server of the user's away.
    let user = source(User, "one", r#"{"mcpServers": {"fs": {"command": "x"}}}"#);
    let found = plan(
        &[
            user,
            source(User, "two", r#"{"fs": 7, "b": {"command": "x"}}"#),
        ],
        &options("linux"),
    );
    let names: Vec<&str> = found.servers.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(
        (names.as_slice(), found.shadowed.len()),
        (["fs", "b"].as_slice(), 0)
    );
}

#[test]
fn a_folder_belongs_to_its_file() {
    let text = r#"{"mcpServers": {"a": {"command": "${workspaceFolder}/x", "cwd": "sub"}, "b": {"command": "x", "cwd": "/abs"},
        "c": {"command": "x"}}}"#;
    let mut second = source(Repository, "/w2/.mcp.json", text);
    second.folder = "/w2".to_owned();
    check(
        &[second],
        &[
            r#"repository /w2/.mcp.json a: "/w2/x" [] in /w2/sub"#,
            r#"repository /w2/.mcp.json b: "x" [] in /abs"#,
            r#"repository /w2/.mcp.json c: "x" [] in /w2"#,
        ],
    );
    let mut none = options("linux");
    none.workspace_folder.clear();
    let found = plan(
        &[source(
            User,
            "u",
            r#"{"mcpServers": {"c": {"command": "x"}}}"#,
        )],
        &none,
    );
    assert_eq!(show(&found), [r#"user u c: "x" [] in /home/u"#]);
}

#[test]
fn variables_without_value_keep_from_starting_where_they_decide() {
    let config = |fields: &str| {
        source(
            Repository,
            "f",
            &format!("{{\"mcpServers\": {{\n\"a\": {{\n{fields}\n}}}}}}"),
        )
    };
    check(
        &[config(r#""command": "${NO}/x", "args": ["ok"]"#)],
        &[
            r#"f:3:12 error Server "a": "NO" in "command" is not set and has no default, so the server is not started. Set it, or write ${NO:-default}."#,
        ],
    );
    check(
        &[config(
            r#""command": "x", "args": ["${NO}"], "env": {"E": "${A%x}"}"#,
        )],
        &[
            r#"repository f a: "x" ["${NO}"] in /w"#,
            r#"f:3:26 warning Server "a": "NO" in "args[0]" is not set and has no default, so it stays as it stands. Set it, or write ${NO:-default}."#,
            r#"f:3:49 warning Server "a": "${A%x}" in "env.E" is not a variable, so it stays as it stands. Write ${NAME} or ${NAME:-default}."#,
        ],
    );
    check(
        &[config(r#""url": "https://h/${input:key}""#)],
        &[
            r#"f:3:8 error Server "a": "${input:key}" in "url" is filled in by other programs, not here, so the server is not started. Use a variable of the environment."#,
        ],
    );
    check(
        &[config(
            r#""url": "https://h", "headers": {"Authorization": "Bearer ${NO}"}"#,
        )],
        &[
            r#"f:3:50 error Server "a": "NO" in "headers.Authorization" is not set and has no default, so the server is not started. Set it, or write ${NO:-default}."#,
        ],
    );
    check(
        &[config(r#""command": ["${EMPTY}", "${NO}"]"#)],
        &[
            r#"f:3:13 error Server "a": "command" is empty once variables are filled in."#,
            r#"f:3:25 warning Server "a": "NO" in "command[1]" is not set and has no default, so it stays as it stands. Set it, or write ${NO:-default}."#,
        ],
    );
    check(
        &[config(r#""url": "ftp://h""#)],
        &[
            r#"f:3:8 error Server "a": "url" must be an address that begins with https:// or http://."#,
        ],
    );
    for (entry, expected) in [
        (
            r#""url": "https://me:${TOKEN}@h""#,
            r#"f:3:8 error Server "a": "url" holds a user name or a password, and addresses are shown and logged. Send it as a header: "headers": { "Authorization": "Basic ${VARIABLE}" }."#,
        ),
        (
            r#""url": "http://h:99999/mcp""#,
            r#"f:3:8 error Server "a": The port in "url" must be a number from 1 to 65535."#,
        ),
        (
            r#""url": "http://h", "headers": {"X Key": "v"}"#,
            r#"f:3:32 error Server "a": "X Key" is not the name of a header: letters, digits and hyphens. Correct it."#,
        ),
        (
            r#""url": "http://h", "headers": {"X-Key": "v\r\nHost: other"}"#,
            r#"f:3:41 error Server "a": The header "X-Key" holds what no header may hold, such as a line break. Remove that."#,
        ),
        (
            r#""url": "http://h", "headers": {"X-Key": "Bearer ${BROKEN}"}"#,
            r#"f:3:41 error Server "a": The header "X-Key" holds what no header may hold, such as a line break, and variables bring some in. Remove that."#,
        ),
    ] {
        check(&[config(entry)], &[expected]);
    }
    check(
        &[config(
            r#""url": "http://h", "headers": {"Content-Length": "3", "X-A": "1", "x-a": "2"}"#,
        )],
        &[
            "repository f a: http://h",
            r#"f:3:32 warning Server "a": The header "Content-Length" says how messages are carried, and is not taken from here. Remove it."#,
            r#"f:3:67 warning Server "a": The header "x-a" stands here twice; the last one counts."#,
        ],
    );
    check(
        &[config(r#""command": "~/bin/x""#)],
        &[
            r#"repository f a: "~/bin/x" [] in /w"#,
            r#"f:3:12 warning Server "a": ~ in "command" is not a folder here. Write ${userHome}."#,
        ],
    );
}

#[test]
fn every_variable_is_listed_with_its_places() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "args": ["${TOKEN}${TOKEN}", "${NO:-d}", "${workspaceFolder}"],
        "env": {"T": "${TOKEN}", "N": "${NO}"}}}}"#;
    let found = plan(&[source(Repository, "f", text)], &options("linux"));
    let reads: Vec<String> = found.servers[0]
        .variables
        .iter()
        .map(|read| format!("{} {:?} {}", read.name, read.found, read.fields.join(",")))
        .collect();
    assert_eq!(reads, ["NO Unset args[1],env.N", "TOKEN Set args[0],env.T"]);
}

#[test]
fn a_path_is_seen_from_the_working_folder_and_a_name_is_looked_up() {
    let program = |command: &str, platform: &str| {
        let text =
            serde_json::json!({ "mcpServers": { "a": { "command": command, "cwd": "sub" } } });
        let found = plan(
            &[source(Repository, "f", &text.to_string())],
            &options(platform),
        );
        match &found.servers[0].reach {
            ServerReach::Program { program, .. } => program.clone(),
            ServerReach::Address { .. } => panic!("a program"),
        }
    };
    assert_eq!(program("npx", "linux"), "");
    assert_eq!(program("./bin/../x", "linux"), "/w/sub/bin/../x");
    assert_eq!(program("/x", "linux"), "/x");
    assert_eq!(program("npx", "win32"), "");
    assert_eq!(program(".\\bin\\..\\x", "win32"), "C:\\w\\sub\\x");
}

#[test]
fn environments() {
    let environment = |origin: ConfigOrigin, platform: &str, env: &str| {
        let text = format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"x\", \"env\": {env}}}}}}}");
        let found = plan(&[source(origin, "f", &text)], &options(platform));
        let ServerReach::Program { environment, .. } = &found.servers[0].reach else {
            panic!("a program")
        };
        let pairs: Vec<String> = environment
            .iter()
            .map(|e| format!("{}={}", e.name, e.value))
            .collect();
        pairs.join(" ")
    };
    assert_eq!(
        environment(Repository, "linux", "{}"),
        "HOME=/home/u PATH=/bin"
    );
    assert_eq!(
        environment(
            Repository,
            "linux",
            r#"{"T": "${TOKEN}", "HOME": null, "__proto__": "p"}"#
        ),
        "PATH=/bin T=s3cret __proto__=p"
    );
    assert_eq!(
        environment(User, "linux", "{}"),
        "BROKEN=key\n EMPTY= HOME=/home/u PATH=/bin TOKEN=s3cret"
    );
    assert_eq!(
        environment(Repository, "win32", r#"{"Path": "p"}"#),
        "HOME=/home/u NoDefaultCurrentDirectoryInExePath=1 Path=p"
    );
}

#[test]
fn only_a_users_file_is_guarded() {
    let text = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let guarded = |origin| {
        let mut source = source(origin, "f", text);
        source.guarded = true;
        plan(&[source], &options("linux")).servers[0].guarded
    };
    assert!(guarded(User));
    assert!(!guarded(Repository));
}
