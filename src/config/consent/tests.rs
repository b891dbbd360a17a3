use super::super::plan::{ConfigOptions, ConfigSource, plan};
use super::*;

mod properties;

fn plan_one(
    origin: ConfigOrigin,
    path: &str,
    text: &str,
    environment: &[(&str, &str)],
) -> ConfiguredServer {
    let source = ConfigSource {
        origin,
        path: path.to_owned(),
        text: text.to_owned(),
        folder: String::new(),
        guarded: origin == ConfigOrigin::User,
        unreadable: false,
    };
    let options = ConfigOptions {
        environment: environment
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        platform: "linux".to_owned(),
        workspace_folder: "/w".to_owned(),
        user_home: "/home/u".to_owned(),
    };
    let mut found = plan(&[source], &options);
    assert_eq!(found.servers.len(), 1, "{text} {:?}", found.problems);
    found.servers.remove(0)
}

fn facts() -> ConsentFacts {
    ConsentFacts {
        resolved: "/bin/node".to_owned(),
        real_folder: "/w".to_owned(),
        digests: vec![file("/w/a.js", "aa"), file("/w/b.js", "bb")],
        salt: "00".repeat(16),
        ..ConsentFacts::default()
    }
}

fn file(path: &str, digest: &str) -> CoveredFile {
    CoveredFile {
        path: path.to_owned(),
        field: "args[0]".to_owned(),
        secret: false,
        real: path.to_owned(),
        sha256: Some(digest.to_owned()),
    }
}

const ENTRY: &str = r#"{"command": "node", "args": ["a.js", "--key", "${KEY}", "${workspaceFolder}/x", "${NO:-d}"],
    "env": {"A": "1", "TOKEN": "${TOKEN}"}, "cwd": "."}"#;

fn repository(entry: &str, environment: &[(&str, &str)]) -> ConfiguredServer {
    let text = format!("{{\"mcpServers\": {{\"s\": {entry}}}}}");
    plan_one(ConfigOrigin::Repository, "/w/.mcp.json", &text, environment)
}

const ENVIRONMENT: [(&str, &str); 2] = [("KEY", "k3y"), ("TOKEN", "t0ken")];

fn base() -> ServerConsent {
    consent(&repository(ENTRY, &ENVIRONMENT), &facts())
}

/// What changed, one line each.
fn changes(before: &ServerConsent, now: &ServerConsent) -> Vec<String> {
    let found = compare(before, now);
    assert_eq!(
        found.changed.is_empty(),
        before.fingerprint == now.fingerprint
    );
    found
        .changed
        .iter()
        .flat_map(|change| {
            change.rows.iter().map(|row| {
                format!(
                    "{} {}{}",
                    change.field,
                    if row.added { '+' } else { '-' },
                    row.text
                )
            })
        })
        .collect()
}

fn check(now: &ServerConsent, expected: &[&str]) {
    assert_eq!(changes(&base(), now), expected);
}

#[test]
fn the_form_is_fixed() {
    // A new form would ask every user again about every server: it is changed on purpose only.
    let base = base();
    let lines: Vec<String> = base
        .parts
        .iter()
        .map(|part| {
            let lines: Vec<&str> = part.lines.iter().map(|line| line.text.as_str()).collect();
            format!("{}: {}", part.field, lines.join(" | "))
        })
        .collect();
    assert_eq!(
        lines,
        [
            r#"file: ".mcp.json""#,
            r#"name: "s""#,
            r#"type: "stdio""#,
            r#"command: "node""#,
            r#"args: "a.js" | "--key" | "${KEY}" | "${workspaceFolder}/x" | "${NO:-d}""#,
            r#"env: "A": "1" | "TOKEN": "${TOKEN}""#,
            r#"cwd: ".""#,
            r#"values: "args[2]": value of "KEY" | "args[3]": "/w/x" | "args[4]": "d""#,
            r#"program: "/bin/node""#,
            r#"folder: "/w""#,
            r#"files: "a.js" | "b.js""#,
        ]
    );
    assert_eq!(
        base.fingerprint,
        "60850680ba51a278e69b4d10d21476309d108c6cc5d17879a4046d21bce98864"
    );
    assert!(base.covered);
    let kept = serde_json::to_string(&base).unwrap();
    assert!(
        !kept.contains("k3y") && !kept.contains("t0ken"),
        "no value is kept"
    );
}

#[test]
fn the_order_of_keys_makes_no_difference() {
    let turned = r#"{"cwd": ".", "env": {"TOKEN": "${TOKEN}", "A": "1"}, "description": "new", "x": 1,
        "args": ["a.js", "--key", "${KEY}", "${workspaceFolder}/x", "${NO:-d}"], "command": "node"}"#;
    check(&consent(&repository(turned, &ENVIRONMENT), &facts()), &[]);
    let mut turned = facts();
    turned.digests.reverse();
    check(&consent(&repository(ENTRY, &ENVIRONMENT), &turned), &[]);
    // A list for `command` says the same as `args`.
    let listed = ENTRY.replace(r#""node", "args": ["#, r#"["node"], "args": ["#);
    check(&consent(&repository(&listed, &ENVIRONMENT), &facts()), &[]);
}

#[test]
fn a_rotated_secret_asks_only_on_the_command_line() {
    let rotated = repository(ENTRY, &[("KEY", "k3y"), ("TOKEN", "other")]);
    check(&consent(&rotated, &facts()), &[]);
    let rotated = repository(ENTRY, &[("KEY", "other"), ("TOKEN", "t0ken")]);
    check(
        &consent(&rotated, &facts()),
        &[
            r#"values -"args[2]": value of "KEY" (as approved)"#,
            r#"values +"args[2]": value of "KEY" (as it is now)"#,
        ],
    );
}

#[test]
fn each_change_is_shown_in_its_field() {
    let changed = |from: &str, to: &str| {
        let entry = ENTRY.replacen(from, to, 1);
        assert_ne!(entry, ENTRY);
        consent(&repository(&entry, &ENVIRONMENT), &facts())
    };
    check(
        &changed(r#""--key""#, r#""--key", "-v""#),
        &[
            r#"args +"-v""#,
            // Places move along.
            r#"values -"args[2]": value of "KEY" (as approved)"#,
            r#"values -"args[3]": "/w/x""#,
            r#"values -"args[4]": "d""#,
            r#"values +"args[3]": value of "KEY" (as it is now)"#,
            r#"values +"args[4]": "/w/x""#,
            r#"values +"args[5]": "d""#,
        ],
    );
    check(
        &changed(r#""node""#, r#""NODE""#),
        &[r#"command -"node""#, r#"command +"NODE""#],
    );
    check(
        &changed(r#""A": "1""#, r#""A": "2""#),
        &[r#"env -"A": "1""#, r#"env +"A": "2""#],
    );
    check(
        &changed(r#""A": "1""#, r#""A": null"#),
        &[r#"env -"A": "1""#, r#"env +"A": null"#],
    );
    // The template counts, though the value is the same.
    check(
        &changed(r#""${TOKEN}""#, r#""t0ken""#),
        &[r#"env -"TOKEN": "${TOKEN}""#, r#"env +"TOKEN": "t0ken""#],
    );
    check(
        &changed(r#""a.js""#, "\"e\u{301}.js\""),
        &[r#"args -"a.js""#, "args +\"e\u{301}.js\""],
    );
    assert_ne!(
        changed("a.js", "e\u{301}.js").fingerprint,
        changed("a.js", "\u{e9}.js").fingerprint
    );
    check(&changed(r#", "cwd": ".""#, ""), &[r#"cwd -".""#]);
}

#[test]
fn what_was_found_counts() {
    let server = repository(ENTRY, &ENVIRONMENT);
    let with = |change: &dyn Fn(&mut ConsentFacts)| {
        let mut facts = facts();
        change(&mut facts);
        consent(&server, &facts)
    };
    check(
        &with(&|facts| facts.resolved = "/opt/node".into()),
        &[r#"program -"/bin/node""#, r#"program +"/opt/node""#],
    );
    check(
        &with(&|facts| facts.real_folder = "/elsewhere".into()),
        &[r#"folder -"/w""#, r#"folder +"/w" which is "/elsewhere""#],
    );
    let content = [
        r#"files -"a.js" (as approved)"#,
        r#"files +"a.js" (as it is now)"#,
    ];
    check(
        &with(&|facts| facts.digests[0].sha256 = Some("ab".into())),
        &content,
    );
    // A link that leads elsewhere, to the same bytes.
    check(
        &with(&|facts| facts.digests[0].real = "/w/other/a.js".into()),
        &content,
    );
    let unreadable = with(&|facts| facts.digests[0].sha256 = None);
    check(&unreadable, &content);
    assert!(!unreadable.covered);
    check(
        &with(&|facts| facts.digests.truncate(1)),
        &[r#"files -"b.js" (as approved)"#],
    );
    check(
        &with(&|facts| facts.digests.push(file("/w/c.js", "cc"))),
        &[r#"files +"c.js" (as it is now)"#],
    );
    let other_salt = with(&|facts| facts.salt = "11".repeat(16));
    assert_ne!(
        other_salt.fingerprint,
        base().fingerprint,
        "hashes are of this workspace alone"
    );
    let mut uncoverable = repository(ENTRY, &ENVIRONMENT);
    uncoverable.coverable = false;
    assert!(!consent(&uncoverable, &facts()).covered);
}

#[test]
fn paths_that_hold_values_are_sealed() {
    let entry = r#"{"command": "${KEY}/bin/node", "args": ["${KEY}/a.js"], "cwd": "/w/${KEY}"}"#;
    let mut facts = facts();
    facts.resolved = "/w/k3y/bin/node".to_owned();
    facts.digests = vec![CoveredFile {
        secret: true,
        ..file("/w/k3y/a.js", "aa")
    }];
    let found = consent(&repository(entry, &ENVIRONMENT), &facts);
    assert!(!serde_json::to_string(&found).unwrap().contains("k3y"));
    facts.resolved = "/w/other".to_owned();
    let other = consent(&repository(entry, &ENVIRONMENT), &facts);
    assert_eq!(
        changes(&found, &other),
        [
            "program -the program that variables name (as approved)",
            "program +the program that variables name (as it is now)",
        ]
    );
}

#[test]
fn where_and_how_it_is_written_counts() {
    let text = |name: &str| format!("{{\"mcpServers\": {{\"{name}\": {ENTRY}}}}}");
    let moved = plan_one(
        ConfigOrigin::Repository,
        "/w/.gbs/mcp.json",
        &text("s"),
        &ENVIRONMENT,
    );
    check(
        &consent(&moved, &facts()),
        &[r#"file -".mcp.json""#, r#"file +".gbs/mcp.json""#],
    );
    let renamed = plan_one(
        ConfigOrigin::Repository,
        "/w/.mcp.json",
        &text("S"),
        &ENVIRONMENT,
    );
    check(
        &consent(&renamed, &facts()),
        &[r#"name -"s""#, r#"name +"S""#],
    );
}

#[test]
fn addresses() {
    let address = |entry: &str| consent(&repository(entry, &ENVIRONMENT), &ConsentFacts::default());
    let base = address(r#"{"url": "https://h/a", "headers": {"B": "${TOKEN}", "A": "1"}}"#);
    let same = address(r#"{"headers": {"A": "1", "B": "${TOKEN}"}, "url": "https://h/a"}"#);
    assert_eq!(changes(&base, &same), [] as [&str; 0]);
    let other = |entry: &str| changes(&base, &address(entry));
    assert_eq!(
        other(r#"{"url": "https://H/a", "headers": {"B": "${TOKEN}", "A": "1"}}"#),
        [r#"url -"https://h/a""#, r#"url +"https://H/a""#]
    );
    assert_eq!(
        other(r#"{"url": "https://h/a", "headers": {"B": "${TOKEN}"}}"#),
        [r#"headers -"A": "1""#]
    );
    assert_eq!(
        other(r#"{"type": "sse", "url": "https://h/a", "headers": {"B": "${TOKEN}", "A": "1"}}"#),
        [r#"type -"http""#, r#"type +"sse""#]
    );
}

#[test]
fn a_users_entry_is_covered_as_it_is_written() {
    let text = format!("{{\"mcpServers\": {{\"s\": {ENTRY}}}}}");
    let user = plan_one(
        ConfigOrigin::User,
        "/home/u/.gbs/mcp.json",
        &text,
        &ENVIRONMENT,
    );
    let here = consent(&user, &facts());
    let elsewhere = plan_one(ConfigOrigin::User, "/home/u/.gbs/mcp.json", &text, &[]);
    assert_eq!(consent(&elsewhere, &ConsentFacts::default()), here);
    assert!(here.covered);
    let fields: Vec<&str> = here.parts.iter().map(|part| part.field.as_str()).collect();
    assert_eq!(
        fields,
        ["file", "name", "type", "command", "args", "env", "cwd"]
    );
}
