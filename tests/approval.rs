//! The permission table, and what cards say, as data.
#![cfg(not(target_arch = "wasm32"))]
// A test fails by panicking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use gbs_agent_core::approval::{
    ApprovalCall, ApprovalDecision, ApprovalRules, CallKind, CommandCall, HostQuestion,
    PermissionMode, RepeatQuestion, ServerCall, SessionRule, ShellKind, decide, host_card,
    repeat_card,
};
use gbs_agent_core::card::{Answer, Card, Span};
use gbs_agent_core::config::consent::ConsentFacts;
use gbs_agent_core::config::plan::{ConfigOptions, ConfigOrigin, ConfigSource, plan};
use gbs_agent_core::config::server_card::ServerQuestion;

const MODES: [PermissionMode; 3] = [
    PermissionMode::Ask,
    PermissionMode::AcceptEdits,
    PermissionMode::Auto,
];

fn call(kind: CallKind) -> ApprovalCall {
    ApprovalCall {
        tool: "t".to_owned(),
        kind,
        arguments: "{}".to_owned(),
        paths: Vec::new(),
        creates: false,
        diff: None,
        command: None,
        server: None,
        connect: None,
        repaired_from: None,
        quoted_from: None,
    }
}

fn read(path: &str) -> ApprovalCall {
    ApprovalCall {
        paths: vec![path.to_owned()],
        ..call(CallKind::Read)
    }
}

fn write(path: &str) -> ApprovalCall {
    ApprovalCall {
        paths: vec![path.to_owned()],
        diff: Some("@@ -1,1 +1,1 @@\n-a\n+b".to_owned()),
        ..call(CallKind::Write)
    }
}

/// A server that the agent asks for.
fn connect() -> ApprovalCall {
    let text = r#"{"mcpServers": {"docs": {"command": "docs-mcp"}}}"#;
    let source = ConfigSource {
        origin: ConfigOrigin::Agent,
        path: String::new(),
        text: text.to_owned(),
        folder: String::new(),
        guarded: false,
        unreadable: false,
    };
    let options = ConfigOptions {
        environment: [].into(),
        platform: "linux".to_owned(),
        workspace_folder: "/w".to_owned(),
        user_home: "/home/u".to_owned(),
    };
    ApprovalCall {
        connect: Some(ServerQuestion {
            server: plan(&[source], &options).servers.remove(0),
            facts: ConsentFacts::default(),
            platform: "linux".to_owned(),
            before: None,
            approved_on: String::new(),
            keep: None,
        }),
        ..call(CallKind::Connect)
    }
}

fn command(line: &str) -> ApprovalCall {
    ApprovalCall {
        command: Some(CommandCall {
            line: line.to_owned(),
            shell: ShellKind::Posix,
            folder: "/w/packages/http".to_owned(),
            timeout_seconds: 120,
            repository_programs: false,
        }),
        ..call(CallKind::Command)
    }
}

fn mcp(arguments: &str) -> ApprovalCall {
    ApprovalCall {
        tool: "mcp__tracker__create_issue".to_owned(),
        arguments: arguments.to_owned(),
        server: Some(ServerCall {
            server: "tracker".to_owned(),
            tool: "create_issue".to_owned(),
            description: "Create an\nissue.".to_owned(),
            read_only: false,
            goes_to: "a program on this computer".to_owned(),
            from: ".mcp.json".to_owned(),
        }),
        ..call(CallKind::Mcp)
    }
}

fn rules() -> ApprovalRules {
    ApprovalRules {
        folders: vec!["/w".to_owned()],
        readable: vec!["/state/outputs".to_owned()],
        session: Vec::new(),
    }
}

fn word(decision: &ApprovalDecision) -> &str {
    match decision {
        ApprovalDecision::Run { .. } => "run",
        ApprovalDecision::Ask { .. } => "ask",
        ApprovalDecision::Refuse { code, .. } => code,
    }
}

/// What the three modes decide, Ask first to Full auto.
#[track_caller]
fn check(call: &ApprovalCall, expected: [&str; 3]) {
    let decided = MODES.map(|mode| decide(call, mode, &rules()));
    assert_eq!(
        [word(&decided[0]), word(&decided[1]), word(&decided[2])],
        expected,
        "{call:?}"
    );
}

const RUN: [&str; 3] = ["run"; 3];
const ASK: [&str; 3] = ["ask"; 3];
const EDIT: [&str; 3] = ["ask", "run", "run"];
const CAREFUL: [&str; 3] = ["ask", "ask", "run"];
const OUTSIDE: [&str; 3] = ["OUTSIDE_WORKSPACE"; 3];

#[test]
fn the_table() {
    check(&read("/w/src/a.ts"), RUN);
    check(&read("/w"), RUN);
    check(&call(CallKind::Harmless), RUN);
    check(&write("/w/src/a.ts"), EDIT);
    check(&command("npm test"), CAREFUL);
    check(&mcp("{}"), CAREFUL);
    check(&read("/w/.env"), CAREFUL);
    check(&write("/w/.env"), CAREFUL);
    check(&write("/w/.vscode/settings.json"), ASK);
    check(&connect(), ASK);
    check(&call(CallKind::Connect), ["INCOMPLETE_CALL"; 3]);
    // Reading what is protected is a read.
    check(&read("/w/.vscode/settings.json"), RUN);
}

#[test]
fn a_call_quoted_from_data_always_asks() {
    for call in [
        read("/w/a"),
        write("/w/a"),
        command("git status"),
        mcp("{}"),
        call(CallKind::Harmless),
    ] {
        let quoted = ApprovalCall {
            quoted_from: Some("README.md".to_owned()),
            ..call
        };
        check(&quoted, ASK);
    }
}

#[test]
fn a_server_the_agent_asks_for_shows_what_is_odd_about_the_call() {
    let quoted = ApprovalCall {
        quoted_from: Some("README.md".to_owned()),
        ..connect()
    };
    check(&quoted, ASK);
    assert!(drawn(&quoted).contains("quoted"), "{}", drawn(&quoted));
}

#[test]
fn files_only_inside_the_folders() {
    check(&read("/etc/passwd"), OUTSIDE);
    check(&read("/w2/a"), OUTSIDE);
    check(&read("/w/../etc/passwd"), OUTSIDE);
    check(&write("/state/outputs/a.txt"), OUTSIDE);
    check(&read("/state/outputs/a.txt"), RUN);
    check(&read("/state/outputs2/a.txt"), OUTSIDE);
    check(&read("/state/consent.json"), OUTSIDE);
}

#[test]
fn a_call_that_does_not_say_what_it_does_is_refused() {
    check(&call(CallKind::Command), ["INCOMPLETE_CALL"; 3]);
    check(&call(CallKind::Mcp), ["INCOMPLETE_CALL"; 3]);
    check(&call(CallKind::Write), ["INCOMPLETE_CALL"; 3]);
    check(&command("  "), ["EMPTY_COMMAND"; 3]);
    check(&command("a\0b"), ["NUL_IN_COMMAND"; 3]);
}

#[test]
fn protected_paths_at_any_depth_in_any_spelling() {
    for path in [
        "/w/.git/hooks/pre-commit",
        "/w/a/.GIT/config",
        "/w/.git",
        "/w/sub/.mcp.json",
        "/w/.MCP.json",
        "/w/.gbs/mcp.json",
        "/w/.claude/skills/a/SKILL.md",
        "/w/.agents/x",
        "/w/.github/workflows/ci.yml",
        "/w/pkg/.vscode/tasks.json",
        "/w/.devcontainer/devcontainer.json",
        "/w/.husky/pre-push",
        "/w/team.code-workspace",
        "/w/.npmrc",
        "/w/.envrc",
        // Their like in other tools.
        "/w/.cursor/mcp.json",
        "/w/.idea/runConfigurations/x.xml",
        "/w/.pre-commit-config.yaml",
        "/w/.gitlab-ci.yml",
        "/w/Jenkinsfile",
        "/w/.circleci/config.yml",
        "/w/a/.pnpmfile.cjs",
        "/w/.yarn/releases/yarn-4.cjs",
        "/w/.cargo/config.toml",
        "/w/mise.toml",
        "/w/.gitmodules",
        // As Windows and macOS read names.
        "/w/.git./config",
        "/w/.git /config",
        "/w/.git::$INDEX_ALLOCATION/config",
        "/w/GIT~1/config",
        "/w/.g\u{200c}it/config",
        "/w/.v\u{17f}code/settings.json",
        "/w\\.vscode\\settings.json",
    ] {
        check(&write(path), ASK);
    }
    for path in [
        "/w/.gitignore",
        "/w/git/a",
        "/w/.gitattributes",
        "/w/mcp.json",
    ] {
        check(&write(path), EDIT);
    }
    // A workspace below such a folder is not protected as a whole.
    let below = ApprovalRules {
        folders: vec!["/home/u/.claude/worktrees/x".to_owned()],
        ..rules()
    };
    let call = write("/home/u/.claude/worktrees/x/src/a.ts");
    assert_eq!(word(&decide(&call, PermissionMode::Auto, &below)), "run");
    // A folder inside another hides nothing.
    let nested = ApprovalRules {
        folders: vec!["/w/.vscode".to_owned(), "/w".to_owned()],
        ..rules()
    };
    let call = write("/w/.vscode/tasks.json");
    assert_eq!(word(&decide(&call, PermissionMode::Auto, &nested)), "ask");
}

#[test]
fn credential_looking_files() {
    for path in [
        "/w/.env",
        "/w/.env.local",
        "/w/prod.env",
        "/w/a/.netrc",
        "/w/key.pem",
        "/w/server.KEY",
        "/w/id_rsa",
        "/w/.ssh/config",
        "/w/.aws/credentials",
        "/w/secrets.yml",
        "/w/credentials.json",
        "/w/.npmrc",
        "/w/app.p12",
        "/w/x.tfvars",
        "/w/client_secret_1.json",
        "/w/.git-credentials",
    ] {
        check(&read(path), CAREFUL);
    }
    for path in [
        "/w/.env.example",
        "/w/id_rsa.pub",
        "/w/environment.ts",
        "/w/keys.ts",
        "/w/token.ts",
    ] {
        check(&read(path), RUN);
    }
}

#[test]
fn harmless_commands_are_an_exact_list() {
    check(&command("git status"), RUN);
    check(&command(" git diff "), RUN);
    check(&command("ls -la"), RUN);
    check(&command("pwd"), RUN);
    for line in [
        "git status; rm -rf .",
        "git status\nrm -rf .",
        "git status &",
        "git  status",
        "git\u{a0}status",
        "git status\u{200b}",
        "gi\u{0}t status".trim_matches('\u{0}'),
        "git status --porcelain=$(x)",
        "git diff --ext-diff",
        "git -c core.fsmonitor=x status",
        "GIT STATUS",
        "ls ..",
        "/bin/ls",
        "ls > a",
        "\tls",
    ] {
        if line.contains('\0') {
            check(&command(line), ["NUL_IN_COMMAND"; 3]);
        } else {
            check(&command(line), CAREFUL);
        }
    }
}

#[test]
fn git_asks_where_the_repository_itself_names_programs() {
    let mut status = command("git status");
    status
        .command
        .as_mut()
        .expect("a command")
        .repository_programs = true;
    check(&status, CAREFUL);
    let ApprovalDecision::Ask { card, .. } = decide(&status, PermissionMode::Ask, &rules()) else {
        panic!("it did not ask");
    };
    assert!(card.flags.iter().any(|f| f.code == "repository-programs"));
}

#[test]
fn git_runs_without_what_a_repository_can_hook_into() {
    let line = |typed: &str| match decide(&command(typed), PermissionMode::Ask, &rules()) {
        ApprovalDecision::Run { command, .. } => command,
        ApprovalDecision::Ask { .. } | ApprovalDecision::Refuse { .. } => None,
    };
    assert_eq!(
        line("git status").as_deref(),
        Some(
            "git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c safe.bareRepository=explicit -c status.submoduleSummary=false --no-optional-locks --no-pager status --ignore-submodules=dirty"
        )
    );
    assert_eq!(
        line("git diff").as_deref(),
        Some(
            "git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c safe.bareRepository=explicit -c status.submoduleSummary=false --no-optional-locks --no-pager diff --ignore-submodules=dirty --no-ext-diff --no-textconv"
        )
    );
    assert_eq!(line("pwd").as_deref(), Some("pwd"));
}

#[test]
fn what_was_allowed_for_the_session() {
    let allowed = |session: Vec<SessionRule>, call: &ApprovalCall| {
        let rules = ApprovalRules { session, ..rules() };
        match decide(call, PermissionMode::Ask, &rules) {
            ApprovalDecision::Run { allowed_by, .. } => allowed_by,
            other => word(&other).to_owned(),
        }
    };
    let edits = || vec![SessionRule::Edits];
    assert_eq!(
        allowed(edits(), &write("/w/a")),
        "Allowed by you for this session"
    );
    assert_eq!(allowed(edits(), &write("/w/.env")), "ask");
    assert_eq!(allowed(edits(), &write("/w/.git/config")), "ask");
    assert_eq!(allowed(edits(), &command("npm test")), "ask");
    let exact = |line: &str, folder: &str| {
        vec![SessionRule::Command {
            line: line.to_owned(),
            folder: folder.to_owned(),
        }]
    };
    let test = command("npm test");
    assert_eq!(
        allowed(exact("npm test", "/w/packages/http"), &test),
        "Allowed by you for this session"
    );
    assert_eq!(allowed(exact("npm test", "/w"), &test), "ask");
    assert_eq!(allowed(exact("npm", "/w/packages/http"), &test), "ask");
    assert_eq!(
        allowed(exact("npm test ", "/w/packages/http"), &test),
        "ask"
    );
}

/// The card of a call in a mode in which it asks, and its rule.
#[track_caller]
fn asked(call: &ApprovalCall) -> (Card, Option<SessionRule>) {
    match decide(call, PermissionMode::Ask, &rules()) {
        ApprovalDecision::Ask { card, rule } => (*card, rule),
        other => panic!("{other:?}"),
    }
}

fn text(spans: &[Span]) -> String {
    spans
        .iter()
        .map(|span| match span {
            Span::Quoted { text } => format!("`{text}`"),
            Span::Words { text } | Span::Strong { text } => text.clone(),
            Span::Place { .. } | Span::Secret { .. } => "?".to_owned(),
        })
        .collect()
}

/// Question, sentence, flags' codes, buttons with the primary one starred, whether "this session" is
/// offered: a card as one text.
fn drawn(call: &ApprovalCall) -> String {
    let (card, rule) = asked(call);
    let buttons: Vec<String> = card
        .actions
        .iter()
        .map(|a| format!("{}{}", if a.primary { "*" } else { "" }, a.label))
        .collect();
    let session = card
        .actions
        .iter()
        .any(|a| a.answer == Answer::AllowSession);
    assert_eq!(
        session,
        rule.is_some(),
        "a session button and a rule go together"
    );
    let flags: Vec<&str> = card.flags.iter().map(|f| f.code.as_str()).collect();
    assert!(
        flags.is_empty() || card.actions.iter().all(|a| !a.primary),
        "a card with a flag has no primary button"
    );
    format!(
        "{} | {} | {} | {}",
        text(&card.question),
        text(&card.sentence),
        flags.join(" "),
        buttons.join(", ")
    )
}

#[test]
fn cards() {
    let check = |call: &ApprovalCall, expected: &str| assert_eq!(drawn(call), expected);
    check(
        &command("npm test -- retry"),
        "Run this command? | In `packages/http`, 120 s at most. |  | *Run once, Deny…, Allow this exact command this session",
    );
    check(
        &write("/w/src/http/retry.ts"),
        "Change `src/http/retry.ts`? | +1 −1 in 1 place. Undo turn puts it back. |  | *Apply edit, Deny…, Allow edits this session",
    );
    check(
        &ApprovalCall {
            creates: true,
            ..write("/w/a.ts")
        },
        "Create `a.ts`? | +1 in a new file. Undo turn takes it away. |  | *Create file, Deny…, Allow edits this session",
    );
    check(
        &write("/w/.vscode/settings.json"),
        "Change `.vscode/settings.json`? | +1 −1 in 1 place. Undo turn puts it back. | protected-path | Apply edit, Deny…",
    );
    check(
        &mcp("{\"title\": \"x\"}"),
        "Call `create_issue` on `tracker`? | Its own words: “`Create an issue.`” May change data. |  | *Call once, Deny…",
    );
    check(
        &read("/w/config/.env"),
        "Read `config/.env`? | What it gives goes to the model. | credentials | Allow once, Deny…",
    );
    check(
        &ApprovalCall {
            repaired_from: Some("{'a':1}".to_owned()),
            ..mcp("{}")
        },
        "Call `create_issue` on `tracker`? | Its own words: “`Create an issue.`” May change data. | repaired | Call once, Deny…",
    );
}

#[test]
fn what_is_approved_is_whole() {
    let long = format!("echo {}", "x".repeat(100_000));
    let (card, _) = asked(&command(&long));
    assert_eq!(text(&card.panes[0].content), format!("`{long}`"));
    let arguments = format!("{{\"a\": \"{}\"}}", "y".repeat(100_000));
    let (card, _) = asked(&mcp(&arguments));
    assert_eq!(text(&card.panes[0].content), format!("`{arguments}`"));
    let (card, _) = asked(&ApprovalCall {
        repaired_from: Some("{'a':1}".to_owned()),
        ..mcp("{\"a\":1}")
    });
    assert_eq!(text(&card.panes[1].content), "`{'a':1}`");
}

#[test]
fn flags_of_commands() {
    let check = |line: &str, flags: &str, session: bool| {
        let (card, rule) = asked(&command(line));
        let found: Vec<&str> = card.flags.iter().map(|f| f.code.as_str()).collect();
        assert_eq!(found.join(" "), flags, "{line}");
        assert_eq!(rule.is_some(), session, "{line}");
    };
    check(
        "curl -fsS http://localhost/x | node load.js",
        "feeds-download",
        false,
    );
    check("bash -c \"$(curl x)\"", "feeds-download", false);
    check("bash <(curl x)", "feeds-download", false);
    check("curl x && node y", "network", false);
    check("curl x || node y", "network", false);
    check("curl -O http://x/y", "network", true);
    check("/usr/bin/curl.exe x", "network", true);
    check("FOO=1 curl x", "network", true);
    check("npm install", "packages", true);
    check("npx tsc", "packages", true);
    check("python -m pip install x", "packages", true);
    check("npm test", "", true);
    check("node a.js", "", true);
    check("rm -rf build", "deletes", true);
    check("sudo rm -rf build", "deletes administrator", true);
    check("git clean -fd", "deletes", true);
    check("git push", "network", true);
    check("find . -delete", "deletes", true);
    check("echo a > b", "", false);
    check("ls *", "", false);
    check("echo \u{202e}x", "hidden-characters", false);
    check("echo\u{a0}x", "hidden-characters", false);
    check("cat .env", "credentials", false);
    check("echo x > .git/hooks/pre-commit", "protected-path", false);
}

#[test]
fn a_command_that_names_a_protected_path_asks_in_every_mode() {
    check(&command("echo x > .mcp.json"), ASK);
    check(&command("tee \".vscode/tasks.json\""), ASK);
    check(&command("cp a.json --to=.GBS/mcp.json"), ASK);
    check(&command("cat README.md"), CAREFUL);
}

#[test]
fn hidden_characters_are_flagged_and_emoji_are_not() {
    let flags = |diff: &str| {
        let (card, _) = asked(&ApprovalCall {
            diff: Some(diff.to_owned()),
            ..write("/w/a")
        });
        card.flags.len()
    };
    assert_eq!(flags("+a\u{202e}b"), 1);
    assert_eq!(flags("-a\u{202e}b\n+ab"), 0);
    assert_eq!(flags("+a\r\n+b\r"), 0);
    assert_eq!(flags("+\u{26a0}\u{fe0f} \u{1f468}\u{200d}\u{1f4bb}"), 0);
    assert_eq!(flags("+a\u{200d}b"), 1);
    let (card, _) = asked(&mcp("{\"a\": \"\u{200b}\"}"));
    assert_eq!(card.flags.len(), 1);
}

#[test]
fn a_servers_words_are_quoted_and_bounded() {
    let mut call = mcp("{}");
    let server = call.server.as_mut().unwrap();
    server.description = format!("Safe.\u{202e}\n{}", "x".repeat(10_000));
    let (card, _) = asked(&call);
    let sentence = text(&card.sentence);
    assert!(sentence.chars().count() < 300);
    assert!(!sentence.contains(['\n', '\u{202e}']));
    server_only_says(&mut call);
}

fn server_only_says(call: &mut ApprovalCall) {
    let server = call.server.as_mut().unwrap();
    server.description = String::new();
    server.read_only = true;
    let (card, _) = asked(call);
    assert_eq!(text(&card.sentence), "It says that it only reads.");
    // The claim changes nothing about asking.
    check(call, CAREFUL);
}

#[test]
fn the_loops_own_questions() {
    let card = host_card(&HostQuestion {
        host: "models.example:8080".to_owned(),
        model: "m".to_owned(),
    });
    assert_eq!(text(&card.question), "Send to `models.example:8080`?");
    assert!(card.actions.iter().all(|a| !a.primary));
    let card = repeat_card(&RepeatQuestion {
        tool: "grep".to_owned(),
        arguments: "{}".to_owned(),
        times: 5,
    });
    assert_eq!(
        text(&card.sentence),
        "It called `grep` 5 times with these arguments and got the same result."
    );
}

#[test]
fn several_folders_are_named() {
    let rules = ApprovalRules {
        folders: vec!["/w/app".to_owned(), "/w/lib".to_owned()],
        ..rules()
    };
    match decide(&write("/w/lib/a.ts"), PermissionMode::Ask, &rules) {
        ApprovalDecision::Ask { card, .. } => {
            assert_eq!(text(&card.question), "Change `lib/a.ts`?");
            assert_eq!(card.about, ["lib/a.ts"]);
        }
        other => panic!("{other:?}"),
    }
}
