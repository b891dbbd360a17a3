//! What a card says.

use crate::{ASK, CAREFUL, asked, check, command, drawn, mcp, read, rules, text, write};
use gbs_agent_core::approval::{
    ApprovalCall, ApprovalDecision, ApprovalRules, HostQuestion, PermissionMode, RepeatQuestion,
    decide, host_card, repeat_card,
};

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
        of_editor: false,
    });
    assert_eq!(text(&card.question), "Send to `models.example:8080`?");
    assert_eq!(
        text(&card.sentence),
        "This model server is on another machine."
    );
    assert!(card.actions.iter().all(|a| !a.primary));
    // Nobody here knows where it runs, so nothing is said of this computer.
    let card = host_card(&HostQuestion {
        host: "VS Code".to_owned(),
        model: "m".to_owned(),
        of_editor: true,
    });
    assert_eq!(text(&card.question), "Send to a model of `VS Code`?");
    assert_eq!(
        text(&card.sentence),
        "Another extension brings this model and decides where it runs: here or elsewhere."
    );
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
