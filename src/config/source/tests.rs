mod spelling;

use super::*;
use crate::limits::{MAX_PROBLEMS_PER_FILE, MAX_SERVER_NAME_CHARACTERS};
use crate::problem::Position;

/// An entry on one line, such as `a = stdio npx ["-y"] env A="1" B- cwd "x"`.
fn line(entry: &Entry) -> String {
    let definition = match &entry.content {
        Content::Disabled => return format!("{} disabled", entry.name),
        Content::Broken => return format!("{} broken", entry.name),
        Content::Name => return format!("{} name", entry.name),
        Content::Usable(definition) => definition,
    };
    let pairs = |pairs: &[Pair]| {
        pairs
            .iter()
            .map(|p| match &p.value {
                None => format!(" {}-", p.name),
                Some(value) => format!(" {}={:?}", p.name, value.value),
            })
            .collect::<String>()
    };
    let mut line = match &definition.reach {
        Reach::Program(Program {
            command, args, cwd, ..
        }) => {
            let args: Vec<&str> = args.iter().map(|a| a.value.as_str()).collect();
            let cwd = cwd.as_ref().map(|c| format!(" cwd {:?}", c.value));
            format!(
                "{} = {:?} {args:?}{}",
                entry.name,
                command.value,
                cwd.unwrap_or_default()
            )
        }
        Reach::Address(Address { url, headers, sse }) => {
            let kind = if *sse { "sse" } else { "http" };
            format!("{} = {kind} {}{}", entry.name, url.value, pairs(headers))
        }
    };
    if !definition.env.is_empty() {
        line.push_str(" env");
        line.push_str(&pairs(&definition.env));
    }
    if let Some(timeout) = definition.timeout_ms {
        line.extend([" timeout ", &timeout.to_string()]);
    }
    if definition.roots {
        line.push_str(" roots");
    }
    if !definition.description.is_empty() {
        line.extend([" # ", &definition.description]);
    }
    line
}

/// `expected`: a line for each entry, then one for each problem: `place severity code message`.
fn check(text: &str, expected: &[&str]) {
    let (entries, report) = read(text);
    let mut found: Vec<String> = entries.iter().map(line).collect();
    found.extend(report.finish().into_iter().map(|finding| {
        let Position { line, column } = finding.problem.start;
        let severity = match finding.problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        format!(
            "{line}:{column} {severity} {} {}",
            finding.problem.code, finding.problem.message
        )
    }));
    assert_eq!(found, expected, "{text}");
}

#[test]
fn the_three_roots() {
    check(
        r#"{"mcpServers": {"a": {"command": "x"}}}"#,
        &[r#"a = "x" []"#],
    );
    check(
        r#"{"inputs": [], "servers": {"a": {"command": "x"}}}"#,
        &[r#"a = "x" []"#],
    );
    check(
        r#"{"$schema": "s", "a": {"command": "x"}, "b": {"url": 1}}"#,
        &[
            r#"a = "x" []"#,
            "b broken",
            "$schema name",
            "1:1 info bare-map The servers stand at the top of the file. They are read; other programs want them in \"mcpServers\".",
            "1:54 error wrong-type Server \"b\": \"url\" must be text, not a number.",
        ],
    );
    check(
        r#"{"mcpServers": {"a": {"command": "x"}}, "servers": {"a": {"command": "y"}, "b": {"command": "z"}}}"#,
        &[
            r#"b = "z" []"#,
            r#"a = "x" []"#,
            "1:2 warning several-server-maps Servers stand in several places here, \"servers\" and \"mcpServers\". All are read; keep one.",
            "1:53 warning duplicate-name Server \"a\": It stands in this file more than once; the last one counts. Remove this one.",
        ],
    );
    check("{}", &[]);
    check(r#"{"mcpServers": {}}"#, &[]);
}

#[test]
fn files_without_servers() {
    let empty = "1:1 info empty-file The file is empty, so it defines no servers.";
    check("", &[empty]);
    check(" // later\n", &[empty]);
    let object = |kind: &str, place: &str| {
        format!(
            "{place} error not-an-object The file holds {kind}. Write {{ \"mcpServers\": {{ … }} }}."
        )
    };
    check("null", &[&object("null", "1:1")]);
    check(" []", &[&object("a list", "1:2")]);
    check("\"x\"", &[&object("text", "1:1")]);
    check(
        r#"{"mcpServers": []}"#,
        &["1:16 error wrong-type \"mcpServers\" must be an object of servers by name, not a list."],
    );
    check(
        r#"{"mcpServers": "#,
        &[
            "1:16 error invalid-json The file ends where a value should stand. Until then no server of this file starts.",
        ],
    );
    check(
        r#"{"version": 1, "tools": [{"name": "x"}]}"#,
        &[
            "version name",
            "tools name",
            "1:1 warning no-servers There are no servers here. They stand in \"mcpServers\".",
        ],
    );
    check(
        r#"{"name": "n", "command": "x"}"#,
        &[
            "name name",
            "command name",
            "1:1 warning no-servers The file holds one server without a name. Write { \"mcpServers\": { \"name\": { … } } }.",
        ],
    );
}

#[test]
fn a_broken_file_starts_nothing_and_keeps_its_names() {
    check(
        "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }\n    \"b\": { \"command\": \"y\" }\n  }\n}",
        &[
            "a broken",
            "b broken",
            "3:28 error invalid-json A comma is missing here. Until then no server of this file starts.",
        ],
    );
    check(
        r#"{"mcpServers": {"a": {"command": "x""#,
        &[
            "a broken",
            "1:22 error invalid-json This { is never closed. Add } at its end. Until then no server of this file starts.",
        ],
    );
}

#[test]
fn fields_of_the_right_type() {
    check(
        r#"{"mcpServers": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "p"], "env": {"A": "1", "B": null},
            "cwd": "sub", "timeout": 2500, "description": "d", "roots": true, "alwaysAllow": [1], "enabled": true}}}"#,
        &[r#"a = "npx" ["-y", "p"] cwd "sub" env A="1" B- timeout 2500 roots # d"#],
    );
    check(
        r#"{"mcpServers": {"a": {"command": ["npx", "-y"], "args": ["p"]}, "b": {"type": "local", "command": ["x"]}}}"#,
        &[r#"a = "npx" ["-y", "p"]"#, r#"b = "x" []"#],
    );
    check(
        r#"{"mcpServers": {"a": {"url": "https://h/x", "headers": {"A": "b"}}, "b": {"type": "sse", "url": "u"},
            "c": {"type": "streamable-http", "url": "u"}}}"#,
        &[r#"a = http https://h/x A="b""#, "b = sse u", "c = http u"],
    );
    check(
        r#"{"mcpServers": {"a": {"disabled": true, "enabled": true}, "b": {"enabled": false, "command": 1},
            "c": {"disabled": false, "enabled": false, "command": "x"}, "d": {"enabled": true, "command": "x"}}}"#,
        &["a disabled", "b disabled", "c disabled", r#"d = "x" []"#],
    );
    check(
        r#"{"mcpServers": {"a": {"command": "x", "args": [8080, true], "env": {"PORT": 3000}}}}"#,
        &[
            r#"a = "x" ["8080", "true"] env PORT="3000""#,
            "1:48 warning not-text Server \"a\": \"args[0]\" is a number, taken as the text \"8080\". Write it in double quotes.",
            "1:54 warning not-text Server \"a\": \"args[1]\" is true or false, taken as the text \"true\". Write it in double quotes.",
            "1:77 warning not-text Server \"a\": \"env.PORT\" is a number, taken as the text \"3000\". Write it in double quotes.",
        ],
    );
}

/// One entry with these fields; its problems without the lead.
fn check_entry(fields: &str, expected: &[&str]) {
    let text = format!("{{\"mcpServers\": {{\"a\": {fields}}}}}");
    let (entries, report) = read(&text);
    let mut found = vec![line(&entries[0]).replacen("a ", "", 1)];
    found.extend(report.finish().into_iter().map(|finding| {
        assert_eq!(finding.server.as_deref(), Some("a"));
        let message = finding.problem.message.replacen("Server \"a\": ", "", 1);
        format!("{}: {message}", finding.problem.code)
    }));
    assert_eq!(found, expected, "{fields}");
}

#[test]
fn a_broken_entry_names_its_field() {
    check_entry(
        "1",
        &[
            "broken",
            "not-a-server: This is a number, not a server. Write { \"command\": … }.",
        ],
    );
    check_entry(
        "{}",
        &[
            "broken",
            "missing-command: It has neither \"command\" nor \"url\". Add one.",
        ],
    );
    check_entry(
        r#"{"command": ""}"#,
        &[
            "broken",
            "empty-command: \"command\" is empty. Name the program.",
        ],
    );
    check_entry(
        r#"{"command": []}"#,
        &[
            "broken",
            "empty-command: \"command\" is empty. Name the program.",
        ],
    );
    check_entry(
        r#"{"command": 7}"#,
        &[
            "broken",
            "wrong-type: \"command\" must be text, or a list of texts, not a number.",
        ],
    );
    check_entry(
        r#"{"command": ["x", {}]}"#,
        &[
            "broken",
            "wrong-type: \"command[1]\" must be text, not an object.",
        ],
    );
    check_entry(
        r#"{"command": "x", "args": "-y p"}"#,
        &[
            "broken",
            "wrong-type: \"args\" must be a list of texts, not text.",
        ],
    );
    check_entry(
        r#"{"command": "x", "args": ["a", null]}"#,
        &["broken", "wrong-type: \"args[1]\" must be text, not null."],
    );
}

#[test]
fn values_of_the_wrong_type_break_what_they_decide_and_no_more() {
    check_entry(
        r#"{"command": "x", "env": ["A=1"], "cwd": 1}"#,
        &[
            "broken",
            "wrong-type: \"env\" must be an object of texts, not a list.",
            "wrong-type: \"cwd\" must be text, not a number.",
        ],
    );
    check_entry(
        r#"{"command": "x", "env": {"A=B": "1", "": "2", "C": {}}}"#,
        &[
            "broken",
            "bad-variable-name: \"env.A=B\" is not a usable name: it must neither be empty nor hold = or NUL.",
            "bad-variable-name: \"env.\" is not a usable name: it must neither be empty nor hold = or NUL.",
            "wrong-type: \"env.C\" must be text, not an object.",
        ],
    );
    check_entry(
        r#"{"url": "u", "headers": {"A": null}}"#,
        &[
            "broken",
            "wrong-type: \"headers.A\" must be text, not null.",
        ],
    );
    check_entry(
        r#"{"type": 1, "command": "x"}"#,
        &["broken", "wrong-type: \"type\" must be text, not a number."],
    );
    check_entry(
        r#"{"command": "x", "disabled": "true"}"#,
        &[
            "broken",
            "wrong-type: \"disabled\" must be true or false, not text.",
        ],
    );
    check_entry(
        r#"{"command": "x", "args": ["a\u0000b"]}"#,
        &[
            "broken",
            "nul-character: \"args[0]\" holds a NUL character, which no program can be given. Remove it.",
        ],
    );
    check_entry(
        r#"{"command": "x", "command": "y", "env": {"A": "1", "A": "2"}}"#,
        &[
            r#"= "y" [] env A="2""#,
            "duplicate-field: \"command\" stands here more than once; this last one counts.",
            "duplicate-field: \"env.A\" stands here more than once; the last one counts. Remove this one.",
        ],
    );
    check_entry(
        r#"{"command": "x", "timeout": "1", "description": 1, "roots": 1}"#,
        &[
            r#"= "x" []"#,
            "wrong-type: \"timeout\" must be a number of milliseconds, 1 or more. It is ignored.",
            "wrong-type: \"description\" must be text. It is ignored.",
            "wrong-type: \"roots\" must be true or false. It is ignored.",
        ],
    );
    check_entry(
        r#"{"command": "x", "timeout": 1e12}"#,
        &[
            r#"= "x" [] timeout 600000"#,
            "timeout-too-long: \"timeout\" is longer than a call may take; 600000 milliseconds count.",
        ],
    );
}

#[test]
fn the_type_decides_where_fields_disagree() {
    check_entry(
        r#"{"command": "x", "url": "u"}"#,
        &[
            "broken",
            "command-and-url: It has both \"command\" and \"url\". Remove one, or say which with \"type\".",
        ],
    );
    check_entry(
        r#"{"type": "http", "command": "x", "url": "u"}"#,
        &[
            "= http u",
            "ignored-field: \"command\" is ignored, since the type is \"http\". Remove it.",
        ],
    );
    check_entry(
        r#"{"type": "http", "command": "x"}"#,
        &[
            "broken",
            "missing-command: The type \"http\" needs \"url\". Add it.",
        ],
    );
    check_entry(
        r#"{"type": "ws", "url": "x"}"#,
        &[
            "broken",
            "unknown-type: \"type\" is \"ws\", which is not known. Write stdio, http or sse.",
        ],
    );
}

#[test]
fn names_are_ordinary_texts() {
    check(
        r#"{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "x"}, "a b/c.d@e": {"command": "x"},
            "日本": {"command": "x"}}}"#,
        &[
            r#"__proto__ = "x" []"#,
            r#"constructor = "x" []"#,
            r#"a b/c.d@e = "x" []"#,
            r#"日本 = "x" []"#,
        ],
    );
    let long = "n".repeat(MAX_SERVER_NAME_CHARACTERS + 1);
    let text = format!(
        "{{\"mcpServers\": {{\"{long}\": {{\"command\": \"x\"}}, \" \": {{\"command\": \"x\"}}, \"a\\nb\": {{\"command\": \"x\"}}}}}}"
    );
    let (entries, report) = read(&text);
    assert!(entries.iter().all(|entry| entry.content == Content::Broken));
    let codes: Vec<String> = report
        .finish()
        .into_iter()
        .map(|f| f.problem.code)
        .collect();
    assert_eq!(codes, ["bad-name", "bad-name", "bad-name"]);
}

#[test]
fn limits_hold_and_are_told() {
    let servers: Vec<String> = (0..=MAX_SERVERS_PER_FILE)
        .map(|n| format!("\"s{n}\": {{\"command\": \"x\"}}"))
        .collect();
    let text = format!("{{\"mcpServers\": {{{}}}}}", servers.join(","));
    let (entries, report) = read(&text);
    assert_eq!(entries.len(), MAX_SERVERS_PER_FILE + 1);
    assert_eq!(entries.last().unwrap().content, Content::Broken);
    assert_eq!(report.finish()[0].problem.code, "too-many-servers");

    let wrong: Vec<String> = (0..150).map(|n| format!("\"s{n}\": 1")).collect();
    let text = format!("{{\"mcpServers\": {{{}}}}}", wrong.join(","));
    let found = read(&text).1.finish();
    assert_eq!(found.len(), MAX_PROBLEMS_PER_FILE + 1);
    assert_eq!(
        found.last().unwrap().problem.message,
        "50 more problems are not listed."
    );

    let text = " ".repeat(MAX_CONFIG_BYTES + 1);
    let (entries, report) = read(&text);
    assert!(entries.is_empty());
    assert_eq!(report.finish()[0].problem.code, "file-too-large");
}
