//! A command line → what is known of it, and the decision. Parts: the line, the folder, a path.

use super::parts;
use gbs_agent_core::approval::commands::{harmless, read};
use gbs_agent_core::approval::{
    ApprovalCall, ApprovalDecision, ApprovalRules, CallKind, CommandCall, PermissionMode,
    ShellKind, decide,
};

pub fn run(data: &[u8]) {
    let parts = parts(data);
    let part = |index: usize| parts.get(index).map_or("", String::as_str);
    let rules = ApprovalRules {
        folders: vec!["/w".to_owned(), part(1).to_owned()],
        readable: Vec::new(),
        session: Vec::new(),
    };
    for shell in [ShellKind::Posix, ShellKind::PowerShell, ShellKind::Cmd] {
        let command = CommandCall {
            line: part(0).to_owned(),
            shell,
            folder: part(1).to_owned(),
            timeout_seconds: 1,
            repository_programs: false,
        };
        let reading = read(&command);
        let known = harmless(&command.line).is_some();
        if known {
            assert!(!reading.metacharacters && !reading.hidden && reading.protected.is_empty());
        }
        let call = call(CallKind::Command, part(0), vec![], Some(command));
        for mode in [PermissionMode::Ask, PermissionMode::AcceptEdits] {
            // Without Full auto nothing runs unasked that is not on the list.
            if matches!(decide(&call, mode, &rules), ApprovalDecision::Run { .. }) {
                assert!(known, "{}", part(0));
            }
        }
        let _auto = decide(&call, PermissionMode::Auto, &rules);
    }
    for kind in [CallKind::Read, CallKind::Write] {
        let call = call(kind, part(0), vec![part(2).to_owned()], None);
        if matches!(
            decide(&call, PermissionMode::Ask, &rules),
            ApprovalDecision::Run { .. }
        ) {
            assert_eq!(kind, CallKind::Read);
        }
    }
}

fn call(
    kind: CallKind,
    arguments: &str,
    paths: Vec<String>,
    command: Option<CommandCall>,
) -> ApprovalCall {
    ApprovalCall {
        tool: "tool".to_owned(),
        kind,
        arguments: arguments.to_owned(),
        paths,
        creates: false,
        diff: Some(arguments.to_owned()),
        command,
        server: None,
        connect: None,
        repaired_from: None,
        quoted_from: None,
    }
}
