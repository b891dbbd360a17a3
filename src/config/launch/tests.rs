use super::windows;
use super::*;
use proptest::prelude::*;

const NPX: &str = "C:\\Program Files\\nodejs\\npx.cmd";
const EXE: &str = "C:\\Program Files\\nodejs\\node.exe";

fn server(args: &[String]) -> ConfiguredServer {
    let text =
        serde_json::json!({ "mcpServers": { "a": { "command": "x", "args": args } } }).to_string();
    // No variables: what is tested is what becomes of the texts.
    let text = text.replace('$', "\\u0024");
    let source = super::super::plan::ConfigSource {
        origin: super::super::plan::ConfigOrigin::User,
        path: "f".into(),
        text,
        folder: String::new(),
        guarded: false,
        unreadable: false,
    };
    let options = super::super::plan::ConfigOptions {
        environment: std::collections::BTreeMap::new(),
        platform: "win32".into(),
        workspace_folder: "C:\\w".into(),
        user_home: "C:\\u".into(),
    };
    super::super::plan::plan(&[source], &options)
        .servers
        .remove(0)
}

fn line(platform: &str, resolved: &str, args: &[String]) -> CommandLine {
    let options = LaunchOptions {
        platform: platform.into(),
        resolved: resolved.into(),
        system_root: String::new(),
    };
    command_line(&server(args), &options).unwrap()
}

fn check(platform: &str, resolved: &str, args: &[&str], expected: &str) {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let found = match line(platform, resolved, &args) {
        CommandLine::Run {
            file,
            argv,
            windows_verbatim,
        } => {
            let verbatim = if windows_verbatim { "verbatim " } else { "" };
            format!("{verbatim}{file} {argv:?}")
        }
        CommandLine::Refused { code, message, .. } => format!("{code}: {message}"),
    };
    assert_eq!(found, expected);
}

#[test]
fn posix_gets_the_list_itself() {
    check(
        "linux",
        "/bin/x",
        &["a b", "$HOME", "\"", ""],
        r#"/bin/x ["a b", "$HOME", "\"", ""]"#,
    );
    check("darwin", "/w/x.cmd", &["%A%"], r#"/w/x.cmd ["%A%"]"#);
}

#[test]
fn windows_programs_get_the_list_and_batch_files_one_quoted_line() {
    check(
        "win32",
        EXE,
        &["a b", "%A%", "\""],
        &format!(r#"{EXE} ["a b", "%A%", "\""]"#),
    );
    check(
        "win32",
        NPX,
        &["-y", "name", "C:\\dir\\", ""],
        r#"verbatim C:\Windows\System32\cmd.exe ["/d", "/s", "/c", "\"\"C:\\Program Files\\nodejs\\npx.cmd\" \"-y\" \"name\" \"C:\\dir\\\\\" \"\"\""]"#,
    );
    check(
        "win32",
        "C:\\x\\RUN.BAT",
        &["a & b | c > d ^ (e)"],
        r#"verbatim C:\Windows\System32\cmd.exe ["/d", "/s", "/c", "\"\"C:\\x\\RUN.BAT\" \"a & b | c > d ^ (e)\"\""]"#,
    );
    check(
        "win32",
        NPX,
        &["{\"a\": 1}"],
        r#"verbatim C:\Windows\System32\cmd.exe ["/d", "/s", "/c", "\"\"C:\\Program Files\\nodejs\\npx.cmd\" \"{\\\"a\\\": 1}\"\""]"#,
    );
}

#[test]
fn what_cannot_be_quoted_is_refused() {
    let interpreted = |what: &str, c: &str| {
        format!(
            "unquotable-argument: {what} holds {c} where cmd.exe, which runs .cmd and .bat files, would interpret it."
        )
    };
    check(
        "win32",
        NPX,
        &["ok", "100%"],
        &interpreted("Argument 2", "%"),
    );
    check("win32", NPX, &["hi!"], &interpreted("Argument 1", "!"));
    check(
        "win32",
        NPX,
        &["a\nb"],
        &interpreted("Argument 1", "a line break"),
    );
    for control in ["a\u{1a}", "\u{1}", "\u{7f}", "\u{85}"] {
        let expected = interpreted("Argument 1", "a control character");
        check("win32", NPX, &[control], &expected);
    }
    check("win32", NPX, &["\"&calc"], &interpreted("Argument 1", "&"));
    check(
        "win32",
        NPX,
        &["\"", "&calc"],
        &interpreted("Argument 2", "&"),
    );
    check(
        "win32",
        "C:\\100%\\x.cmd",
        &[],
        &interpreted("The program's path", "%"),
    );
    for path in [
        "C:\\x.bat.",
        "C:\\x.cmd ",
        "C:\\x.exe:y.cmd",
        "C:\\x\".exe",
        "C:\\x\u{7}.exe",
    ] {
        check(
            "win32",
            path,
            &[],
            "bad-program-name: Windows would read the program's name as another one.",
        );
    }
    for path in ["C:\\x.js", "C:\\x", "C:\\x.ps1", "C:\\dir.exe\\x"] {
        check(
            "win32",
            path,
            &[],
            "not-a-program: Windows cannot start this file by itself; it starts .exe, .com, .cmd and .bat files.",
        );
    }
    let long = "x".repeat(MAX_CMD_COMMAND_LINE);
    check(
        "win32",
        NPX,
        &[&long],
        "command-line-too-long: The command line is longer than the 8191 characters that Windows takes.",
    );
    assert!(matches!(
        line("win32", EXE, std::slice::from_ref(&long)),
        CommandLine::Run { .. }
    ));
    check(
        "win32",
        EXE,
        &[&"x".repeat(MAX_WINDOWS_COMMAND_LINE)],
        "command-line-too-long: The command line is longer than the 32767 characters that Windows takes.",
    );
}

#[test]
fn a_program_that_was_not_found_is_a_callers_mistake() {
    for (platform, resolved) in [
        ("win32", ""),
        ("win32", "npx.cmd"),
        ("win32", ".\\npx.cmd"),
        ("win32", "C:npx.cmd"),
        ("win32", "\\npx.cmd"),
        ("win32", "€\".exe"),
        ("win32", "1:\\x.exe"),
        ("linux", ""),
        ("linux", "node"),
        ("darwin", "./node"),
    ] {
        let options = LaunchOptions {
            platform: platform.into(),
            resolved: resolved.into(),
            system_root: String::new(),
        };
        let refused = command_line(&server(&[]), &options).unwrap_err();
        assert_eq!(
            (refused.code(), resolved),
            ("INVALID_ARGUMENT", resolved),
            "{refused}"
        );
    }
    check("win32", "\\\\host\\s\\x.exe", &[], r"\\host\s\x.exe []");
}

#[test]
fn the_system_root_is_a_plain_path_or_the_usual_one() {
    for (told, expected) in [
        ("D:\\WINNT", "D:\\WINNT"),
        ("", "C:\\Windows"),
        ("C:\\w & calc", "C:\\Windows"),
        ("..\\x", "C:\\Windows"),
        ("\\\\host\\share", "C:\\Windows"),
    ] {
        assert_eq!(system_root(told), expected);
    }
}

#[test]
fn batch_files_need_a_folder_with_a_drive() {
    let mut network = server(&[]);
    if let ServerReach::Program { folder, .. } = &mut network.reach {
        *folder = "\\\\host\\share".into();
    }
    let options = LaunchOptions {
        platform: "win32".into(),
        resolved: NPX.into(),
        system_root: String::new(),
    };
    let found = command_line(&network, &options).unwrap();
    assert!(matches!(found, CommandLine::Refused { code, .. } if code == "network-folder"));
}

#[test]
fn a_masked_value_is_only_text_to_a_line_for_cmd() {
    let mut entry = server(&["/c".to_owned()]);
    let options = LaunchOptions {
        platform: "win32".into(),
        resolved: "C:\\Windows\\System32\\CMD.exe".into(),
        system_root: String::new(),
    };
    let mut runs = |value: &str, resolved: &str| {
        if let ServerReach::Program { args, .. } = &mut entry.reach {
            args.truncate(1);
            args.push(Expanded {
                template: "npx x --key ${KEY}".into(),
                pieces: vec![
                    Piece::Written {
                        text: "npx x --key ".into(),
                    },
                    Piece::Brought {
                        name: "KEY".into(),
                        text: value.into(),
                    },
                ],
            });
        }
        let options = LaunchOptions {
            resolved: resolved.into(),
            ..options.clone()
        };
        matches!(
            command_line(&entry, &options).unwrap(),
            CommandLine::Run { .. }
        )
    };
    let cmd = options.resolved.clone();
    assert!(runs("plain-1/2:3", &cmd));
    for value in ["a&calc", "%PATH%", "\"", "a^b", "(", "!x!", "a\nb"] {
        assert!(!runs(value, &cmd), "{value}");
        assert!(runs(value, EXE), "{value}");
    }
}

#[test]
fn the_model_reads_as_documented() {
    // The examples of "Parsing C command-line arguments" that do not rest on doubled quotes.
    let arguments = |line: &str| windows::arguments(line);
    assert_eq!(arguments(r#""a b c" d e"#), ["a b c", "d", "e"]);
    assert_eq!(arguments(r#""ab\"c" "\\" d"#), ["ab\"c", "\\", "d"]);
    assert_eq!(arguments(r#"a\\\b d"e f"g h"#), ["a\\\\\\b", "de fg", "h"]);
    assert_eq!(arguments(r#"a\\\"b c d"#), ["a\\\"b", "c", "d"]);
    assert_eq!(arguments(r#"a\\\\"b c" d e"#), ["a\\\\b c", "d", "e"]);
    assert_eq!(
        windows::cmd_reads("a^&b \"c&d\""),
        Some("a&b \"c&d\"".into())
    );
    assert_eq!(windows::cmd_reads("a & b"), None);
    assert_eq!(windows::cmd_reads("\"\\\" & b"), None);
}

fn hostile() -> impl Strategy<Value = Vec<String>> {
    let text = prop_oneof![
        r#"["\\&|<>^()%! a\t=,;'`~@é/\x1a\x01\x7f-]{0,8}"#,
        r#"[a-z"\\ &]{0,6}"#,
        any::<String>(),
    ];
    prop::collection::vec(text, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// A batch file gets the list, and so does the program that it passes `%*` on to, or it was refused.
    #[test]
    fn cmd_and_the_program_read_the_list(args in hostile()) {
        let args: Vec<String> = args.into_iter().filter(|arg| !arg.contains('\0')).collect();
        if let CommandLine::Run { file, argv, windows_verbatim } = line("win32", NPX, &args) {
            prop_assert!(windows_verbatim);
            prop_assert_eq!(file, "C:\\Windows\\System32\\cmd.exe");
            windows::assert_batch_file_reads(&argv, &args);
        }
    }

    /// Ordinary arguments are not refused.
    #[test]
    fn ordinary_arguments_pass(args in prop::collection::vec(r"[a-zA-Z0-9@/:.,=_ \\&()'-]{0,12}", 0..5)) {
        let runs = matches!(line("win32", NPX, &args), CommandLine::Run { .. });
        prop_assert!(runs);
    }

    #[test]
    fn programs_read_the_list(args in hostile()) {
        let args: Vec<String> = args.into_iter().filter(|arg| !arg.contains('\0')).collect();
        if let CommandLine::Run { argv, windows_verbatim, .. } = line("win32", EXE, &args) {
            prop_assert!(!windows_verbatim);
            prop_assert_eq!(windows::arguments(&windows::node_quotes(&argv)), args);
        }
    }

    /// CVE-2024-27980 and its kind: whatever the program's path looks like, what is started is what
    /// Windows would take it for, or it was refused.
    #[test]
    fn a_path_is_started_as_what_it_is(name in hostile_path(), args in hostile()) {
        let args: Vec<String> = args.into_iter().filter(|arg| !arg.contains('\0')).collect();
        let path = format!("C:\\x\\{name}");
        if let CommandLine::Run { argv, .. } = line("win32", &path, &args) {
            windows::assert_started_as_meant(&path, &argv, &args);
        }
    }
}

fn hostile_path() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a", ".bat", ".cmd", ".BAT", ".Cmd", ".exe", ".com", ".js", ".", " ", ":", "::$DATA", "\"",
        "%", "%A%", "^", "&", "!", "\n", "\r", "\t", "\\", "/", "(", ")", "\u{a0}", "\u{200b}",
        "é", "ﬀ", "．bat", "\0", "<", "?", "*", "|", "'", ",", ";", "=",
    ]);
    prop::collection::vec(pieces, 0..7).prop_map(|pieces| pieces.concat())
}
