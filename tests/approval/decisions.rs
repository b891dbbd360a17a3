//! What runs, asks or is refused.

use crate::{
    ASK, CAREFUL, EDIT, OUTSIDE, RUN, call, check, command, connect, drawn, mcp, read, rules, word,
    write,
};
use gbs_agent_core::approval::{
    ApprovalCall, ApprovalDecision, ApprovalRules, CallKind, PermissionMode, SessionRule, decide,
};

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
