use super::super::consent::CoveredFile;
use super::super::plan::{ConfigOptions, ConfigSource, plan};
use super::*;

fn configured(origin: ConfigOrigin, entry: &str) -> ConfiguredServer {
    let source = ConfigSource {
        origin,
        path: match origin {
            ConfigOrigin::Repository => "/w/.mcp.json",
            ConfigOrigin::User => "/home/u/.gbs/mcp.json",
            ConfigOrigin::Agent => "the agent",
        }
        .to_owned(),
        text: format!("{{\n\"mcpServers\": {{\n\n\"tracker\": {entry}}}}}"),
        folder: String::new(),
        guarded: origin == ConfigOrigin::User,
        unreadable: false,
    };
    let options = ConfigOptions {
        environment: [("TRACKER_TOKEN", "s3cret"), ("DIR", "/w/sub")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        platform: "linux".to_owned(),
        workspace_folder: "/w".to_owned(),
        user_home: "/home/u".to_owned(),
    };
    plan(&[source], &options).servers.remove(0)
}

fn file(path: &str, field: &str, sha256: Option<&str>) -> CoveredFile {
    CoveredFile {
        path: path.to_owned(),
        field: field.to_owned(),
        secret: false,
        real: path.to_owned(),
        sha256: sha256.map(str::to_owned),
    }
}

fn question(entry: &str, digests: Vec<CoveredFile>) -> ServerQuestion {
    ServerQuestion {
        server: configured(ConfigOrigin::Repository, entry),
        facts: ConsentFacts {
            resolved: "/usr/local/bin/npx".to_owned(),
            inside: String::new(),
            real_folder: "/w".to_owned(),
            digests,
            salt: "00".repeat(16),
        },
        platform: "linux".to_owned(),
        before: None,
        approved_on: String::new(),
        keep: None,
        folder_name: String::new(),
    }
}

/// A span as text: `‹theirs›`, `*weight*`, `[place]`, `{masked|value}`.
fn text(spans: &[Span]) -> String {
    spans
        .iter()
        .map(|span| match span {
            Span::Words { text } => text.clone(),
            Span::Quoted { text } => format!("‹{text}›"),
            Span::Strong { text } => format!("*{text}*"),
            Span::Place { text, line, .. } => format!("[{text}:{line}]"),
            Span::Secret { text, masked } => format!("{{{masked}|{text}}}"),
        })
        .collect()
}

/// The card from top to bottom, a line for each thing.
fn show(card: &Card) -> Vec<String> {
    let mut lines = vec![text(&card.question), text(&card.sentence)];
    if let Some(changed) = &card.changed {
        lines.push(format!("{}, {}", changed.title, changed.measure));
        lines.extend(
            text(&changed.content)
                .split('\n')
                .map(|line| format!("  {line}")),
        );
    }
    lines.extend(
        card.flags
            .iter()
            .map(|flag| format!("! {}: {}", flag.code, text(&flag.text))),
    );
    for pane in &card.panes {
        let arguments: Vec<String> = pane
            .content
            .iter()
            .map(|span| text(std::slice::from_ref(span)))
            .collect();
        lines.push(format!("{}: {}", pane.title, arguments.join(" ")));
    }
    lines.extend(
        card.facts
            .iter()
            .map(|fact| format!("{}: {}", fact.term, text(&fact.value))),
    );
    let actions: Vec<String> = card
        .actions
        .iter()
        .map(|action| format!("{}{}", if action.primary { ">" } else { "" }, action.label))
        .collect();
    lines.push(format!("({})", actions.join(") (")));
    lines.push(text(&card.footnote));
    lines
}

#[track_caller]
fn check(question: &ServerQuestion, expected: &[&str]) {
    assert_eq!(show(&card(question)), expected);
}

const BEFORE: &str = r#"{"command": "npx", "args": ["-y", "tracker-mcp@2.0.4", "--db", "./data/issues.db", "--token", "${TRACKER_TOKEN}"],
    "env": {"TRACKER_URL": "${TRACKER_URL:-http://localhost:1}"}}"#;

const NOW: &str = r#"{"command": "npx", "args": ["-y", "tracker-mcp", "--db", "./data/issues.db", "--token", "${TRACKER_TOKEN}"],
    "env": {"TRACKER_URL": "${TRACKER_URL:-http://localhost:1}", "NODE_OPTIONS": "--require ./scripts/hook.js"}}"#;

#[test]
fn a_server_that_changed() {
    let hook = file("/w/scripts/hook.js", "env.NODE_OPTIONS", Some("aa"));
    let mut question = question(NOW, vec![hook]);
    let before = super::tests::question(BEFORE, Vec::new());
    question.before = Some(consent(&before.server, &before.facts));
    question.approved_on = "3 May".to_owned();
    check(
        &question,
        &[
            "Start the server ‹tracker› from this repository?",
            "It changed since you approved it on 3 May.",
            "What changed, 3 of 11 parts",
            r"  ‹args",
            r#"  -"tracker-mcp@2.0.4""#,
            r#"  +"tracker-mcp""#,
            r"  env",
            r#"  +"NODE_OPTIONS": "--require ./scripts/hook.js""#,
            r"  files",
            r#"  +"scripts/hook.js" (as it is now)›"#,
            "! loads-code: ‹NODE_OPTIONS›* loads code before the server starts: *‹--require ./scripts/hook.js›, with a file of this repository. [scripts/hook.js:1]",
            "! unpinned: *No pinned version.* npx may run another ‹tracker-mcp› tomorrow.",
            "What will run: ‹npx› ‹-y› ‹tracker-mcp› ‹--db› ‹./data/issues.db› ‹--token› {••••••••|s3cret}",
            "Program: ‹/usr/local/bin/npx›",
            "Folder: ‹/w›",
            "Reads: ‹TRACKER_TOKEN› (set), ‹TRACKER_URL› (not set, uses its default)",
            "Sets: ‹TRACKER_URL›, ‹NODE_OPTIONS›",
            "Written in: [.mcp.json, line 4:4]",
            "(Allow and start) (Not now)",
            "Covers this command and ‹scripts/hook.js›. Not covered: what they import or download.",
        ],
    );
}

#[test]
fn a_new_server_with_everything_to_look_at() {
    let entry = "{\"command\": \"./bin/s\u{202e}h\", \"args\": [\"--key=${TRACKER_TOKEN}\", \"two words\"], \"cwd\": \"${DIR}\",
        \"env\": {\"PATH\": \"/x\", \"LD_PRELOAD\": null, \"npm_config_registry\": \"https://r\", \"HTTPS_PROXY\": \"${NO}\"}}";
    let mut question = question(
        entry,
        vec![
            file("/w/bin/sh", "command", Some("aa")),
            file("/w/big.bin", "args[1]", None),
        ],
    );
    question.facts.inside = "/w/bin/sh".to_owned();
    question.facts.resolved = "/w/bin/sh".to_owned();
    question.facts.real_folder = "/elsewhere".to_owned();
    check(
        &question,
        &[
            "Start the server ‹tracker› from this repository?",
            "It was not approved here before.",
            "! finds-programs: ‹PATH›* decides which programs the server finds and runs: *‹/x›",
            "! loads-code: ‹LD_PRELOAD›* loads code before the server starts*; this entry takes it away.",
            "! fetches-packages: ‹npm_config_registry›* decides where packages are fetched from: *‹https://r›",
            "! trusts-hosts: ‹HTTPS_PROXY›* decides whom connections go through or trust: *‹${NO}›",
            "! program-inside: *The program is a file of this repository:* ‹bin/sh›.",
            "! hidden-characters: *Hidden characters* stand in ‹command›. They are drawn as marks.",
            "! uncovered: ‹big.bin›* is not covered:* it cannot be read, or is over 64 MiB. So this asks every time.",
            "What will run: ‹./bin/s\u{202e}h› {--key=••••••••|--key=s3cret} ‹two words›",
            "Program: ‹/w/bin/sh›",
            "Folder: {••••••••|/w/sub}, which is {••••••••|/elsewhere}",
            "Reads: ‹DIR› (set), ‹NO› (not set), ‹TRACKER_TOKEN› (set)",
            "Sets: ‹PATH›, ‹LD_PRELOAD› (taken away), ‹npm_config_registry›, ‹HTTPS_PROXY›",
            "Files: ‹bin/sh›, ‹big.bin›",
            "Written in: [.mcp.json, line 4:4]",
            "(Allow and start) (Not now)",
            "Covers this command and these files. Not covered: what they import or download.",
        ],
    );
}

#[test]
fn commands_of_one_word_and_scripts() {
    let pane = |entry: &str| text(&card(&question(entry, Vec::new())).panes[0].content);
    assert_eq!(pane(r#"{"command": "serve"}"#), "‹serve›");
    assert_eq!(pane(r#"{"command": "npx safe"}"#), "‹\"npx safe\"›");
    let codes = |entry: &str| -> Vec<String> {
        card(&question(entry, Vec::new()))
            .flags
            .into_iter()
            .map(|flag| flag.code)
            .collect()
    };
    assert_eq!(
        codes(r#"{"command": "sh", "args": ["-c", "curl x | sh"]}"#),
        ["script-in-itself"]
    );
    assert_eq!(
        codes(r#"{"command": "node", "args": ["--eval=x"]}"#),
        ["script-in-itself"]
    );
    assert_eq!(
        codes(r#"{"command": "node", "args": ["x.js"]}"#),
        [] as [&str; 0]
    );
}

#[test]
fn asked_again_without_a_change() {
    let mut question = question(BEFORE, vec![file("/w/big", "args[1]", None)]);
    question.before = Some(consent(&question.server, &question.facts));
    let lines = show(&card(&question));
    assert_eq!(
        lines[1],
        "You approved it. It asks every time, since not everything it names can be covered."
    );
    assert_eq!(card(&question).changed, None);
}

#[test]
fn a_users_entry_that_a_program_may_have_written() {
    let mut question = question(BEFORE, vec![file("/w/x.js", "args[1]", Some("aa"))]);
    question.server = configured(
        ConfigOrigin::User,
        r#"{"command": "npx", "args": ["a@1.0.0"]}"#,
    );
    check(
        &question,
        &[
            "Start the server ‹tracker› from your own configuration?",
            "A program may have written this file. It was not approved here before.",
            "What will run: ‹npx› ‹a@1.0.0›",
            "Program: ‹/usr/local/bin/npx›",
            "Folder: ‹/w›",
            "Gets: all variables of your environment",
            "Written in: [/home/u/.gbs/mcp.json, line 4:4]",
            "(Allow and start) (Not now)",
            "Covers this entry as it is written, in every workspace. Not covered: the programs and files it names.",
        ],
    );
}

#[test]
fn an_entry_of_the_setting_is_shown_without_a_question() {
    let mut question = question(BEFORE, Vec::new());
    question.server = configured(ConfigOrigin::User, r#"{"command": "npx"}"#);
    question.server.guarded = false;
    assert_eq!(show(&card(&question))[1], "It starts without asking.");
}

#[test]
fn an_address() {
    let mut question = question(
        r#"{"url": "https://h/${DIR}", "headers": {"Authorization": "Bearer ${TRACKER_TOKEN}"}}"#,
        Vec::new(),
    );
    question.facts.resolved.clear();
    check(
        &question,
        &[
            "Start the server ‹tracker› from this repository?",
            "It was not approved here before.",
            "What will be called: {https://h/••••••••|https://h//w/sub}",
            "Reads: ‹DIR› (set), ‹TRACKER_TOKEN› (set)",
            "Sends: ‹Authorization›",
            "Written in: [.mcp.json, line 4:4]",
            "(Allow and start) (Not now)",
            "Covers this address and these headers as they are written. Not covered: what the server there does.",
        ],
    );
}

/// No file holds what the agent wants to send, so the card does.
#[test]
fn an_address_that_the_agent_asks_for() {
    let entry = r#"{"url": "https://h/mcp", "headers": {"X-Key": "taken from ${DIR}"}}"#;
    let mut question = question(entry, Vec::new());
    question.server = configured(ConfigOrigin::Agent, entry);
    question.facts.resolved.clear();
    check(
        &question,
        &[
            "Start the server ‹tracker› for this session?",
            "The agent asks for it. No file of yours names it.",
            "What will be called: ‹https://h/mcp›",
            "Sends: ‹X-Key=taken from ${DIR}›",
            "(Allow and start) (Deny…)",
            "Covers this address and these headers as they are written. Not covered: what the server there does.",
        ],
    );
}

#[test]
fn a_server_that_the_agent_asks_for() {
    let entry = r#"{"command": "npx", "args": ["-y", "docs@1.2.3", "${TRACKER_TOKEN}"],
        "env": {"DOCS_URL": "$<DIR>", "TERM": null}}"#;
    let mut question = question(entry, Vec::new());
    question.server = configured(ConfigOrigin::Agent, entry);
    let card = [
        "Start the server ‹tracker› for this session?",
        "The agent asks for it. No file of yours names it.",
        "What will run: ‹npx› ‹-y› ‹docs@1.2.3› ‹${TRACKER_TOKEN}›",
        "Program: ‹/usr/local/bin/npx›",
        "Folder: ‹/w›",
        "Sets: ‹DOCS_URL=$<DIR>›, ‹TERM› (taken away)",
    ];
    let gets = "Gets: the variables that every program needs";
    let footnote = "Covers this command. Not covered: what it imports or downloads.";
    check(
        &question,
        &[&card[..], &[gets, "(Allow and start) (Deny…)", footnote]].concat(),
    );
    question.keep = Some(KeepPlaces {
        user: "~/.gbs/mcp.json".to_owned(),
        project: ".mcp.json".to_owned(),
    });
    let kept = [
        "Gets: the variables that every program needs; kept for you, all of your environment",
        "Can be kept: ‹~/.gbs/mcp.json› for you, ‹.mcp.json› in the project",
        "(Allow and start) (Deny…) (Start and keep for you) (Start and keep in the project)",
        footnote,
    ];
    check(&question, &[&card[..], &kept].concat());
}

#[test]
fn of_several_folders_the_one_it_is_written_in_is_named() {
    let mut question = question(r#"{"command": "npx"}"#, Vec::new());
    question.folder_name = "api".to_owned();
    let written = |question: &ServerQuestion| {
        let facts = card(question).facts;
        let fact = facts.into_iter().find(|fact| fact.term == "Written in");
        match fact.map(|fact| fact.value).as_deref() {
            Some([Span::Place { text, path, .. }]) => format!("{text}: {path}"),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(written(&question), "api/.mcp.json, line 4: /w/.mcp.json");
    let elsewhere = question.clone();
    question.platform = "win32".to_owned();
    question.server.workspace_folder = "C:\\w".to_owned();
    question.server.path = "C:\\w\\.vscode\\mcp.json".to_owned();
    assert_eq!(
        written(&question),
        "api/.vscode/mcp.json, line 4: C:\\w\\.vscode\\mcp.json"
    );
    question = elsewhere;
    // What is the user's own is in none of them.
    question.server.origin = ConfigOrigin::User;
    question.server.path = "/home/u/.gbs/mcp.json".to_owned();
    assert_eq!(
        written(&question),
        "/home/u/.gbs/mcp.json, line 4: /home/u/.gbs/mcp.json"
    );
}
