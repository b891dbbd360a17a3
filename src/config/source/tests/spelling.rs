use super::*;

#[test]
fn a_field_that_is_almost_spelled_so() {
    check_entry(
        r#"{"comand": "npx", "ARGS": []}"#,
        &[
            "broken",
            "misspelled-field: Nothing reads \"comand\". Did you mean \"command\"?",
            "misspelled-field: Nothing reads \"ARGS\". Did you mean \"args\"?",
        ],
    );
    check_entry(
        r#"{"command": "x", "commands": {}, "disable": true, "header": {}, "envFile": ".env"}"#,
        &[
            r#"= "x" []"#,
            "misspelled-field: Nothing reads \"disable\". Did you mean \"disabled\"?",
            "misspelled-field: Nothing reads \"header\". Did you mean \"headers\"?",
        ],
    );
    check_entry(
        r#"{"url": "https://x", "comand": "x"}"#,
        &[
            "= http https://x",
            "misspelled-field: Nothing reads \"comand\". Did you mean \"command\"?",
        ],
    );
}

#[test]
fn what_is_switched_off_or_another_value_is_no_slip() {
    for field in [
        "_command",
        "//command",
        "_env",
        "_disabled",
        "timeout_s",
        "timeout_ms",
    ] {
        check_entry(
            &format!(r#"{{"command": "x", "{field}": 1}}"#),
            &[r#"= "x" []"#],
        );
    }
    check_entry(
        r#"{"comand": "x", "disabled": true}"#,
        &[
            "disabled",
            "misspelled-field: Nothing reads \"comand\". Did you mean \"command\"?",
        ],
    );
    for key in ["_mcpServers", "//mcpServers"] {
        let text = format!(r#"{{"{key}": {{"a": {{"command": "x"}}}}, "mcpServers": {{}}}}"#);
        check(&text, &[]);
    }
}

#[test]
fn a_map_of_servers_that_is_almost_spelled_so() {
    let meant = |place: &str, key: &str, meant: &str| {
        format!(
            "{place} warning misspelled-field Nothing reads \"{key}\". Did you mean \"{meant}\"?"
        )
    };
    for (key, right) in [
        ("mcpserver", "mcpServers"),
        ("mcp_servers", "mcpServers"),
        ("Servers", "servers"),
    ] {
        let text = format!(r#"{{"{key}": {{"a": {{"command": "x"}}}}}}"#);
        check(&text, &[&format!("{key} name"), &meant("1:2", key, right)]);
    }
}

#[test]
fn a_file_of_something_else() {
    for text in ["hello", "<xml/>"] {
        let (entries, report) = read(text);
        let codes: Vec<String> = report
            .finish()
            .into_iter()
            .map(|f| f.problem.code)
            .collect();
        assert_eq!(
            (entries.len(), codes),
            (0, vec!["invalid-json".to_owned()]),
            "{text}"
        );
    }
}
