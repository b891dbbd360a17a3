//! Configuration files → servers, consent, card, command line. Parts: the files, lowest precedence
//! first, the repository's and the user's in turn.

use super::parts;
use gbs_agent_core::config::consent::{ConsentFacts, compare, consent};
use gbs_agent_core::config::launch::{LaunchOptions, command_line};
use gbs_agent_core::config::plan::{ConfigOptions, ConfigOrigin, ConfigSource, ServerReach, plan};
use gbs_agent_core::config::server_card::{ServerQuestion, card};
use std::collections::BTreeMap;

pub fn run(data: &[u8]) {
    let sources: Vec<ConfigSource> = parts(data)
        .into_iter()
        .enumerate()
        .map(|(index, text)| ConfigSource {
            origin: if index % 2 == 0 {
                ConfigOrigin::Repository
            } else {
                ConfigOrigin::User
            },
            path: format!("/w/{index}.json"),
            text,
            folder: String::new(),
            guarded: index % 4 == 3,
            unreadable: false,
        })
        .collect();
    for platform in ["linux", "win32"] {
        planned(&sources, platform);
    }
}

fn planned(sources: &[ConfigSource], platform: &str) {
    let windows = platform == "win32";
    let options = ConfigOptions {
        environment: BTreeMap::from([
            ("A".to_owned(), "x ${B} \"\\".to_owned()),
            ("PATH".to_owned(), "/bin".to_owned()),
        ]),
        platform: platform.to_owned(),
        workspace_folder: if windows { "C:\\w" } else { "/w" }.to_owned(),
        user_home: if windows { "C:\\u" } else { "/u" }.to_owned(),
    };
    let found = plan(sources, &options);
    assert_eq!(found, plan(sources, &options));
    for problem in &found.problems {
        let problem = &problem.problem;
        assert!(problem.start.line >= 1 && problem.start <= problem.end);
    }
    let users: Vec<&str> = found
        .servers
        .iter()
        .filter(|server| server.origin == ConfigOrigin::User)
        .map(|server| server.name.as_str())
        .collect();
    let mut before = None;
    for server in &found.servers {
        if server.origin == ConfigOrigin::Repository {
            assert!(!users.contains(&server.name.as_str()));
        }
        let facts = ConsentFacts {
            resolved: if windows { "C:\\n\\npx.cmd" } else { "/bin/x" }.to_owned(),
            salt: "00".repeat(16),
            ..ConsentFacts::default()
        };
        let consented = consent(server, &facts);
        assert!(compare(&consented, &consented).changed.is_empty());
        let question = ServerQuestion {
            server: server.clone(),
            facts: facts.clone(),
            platform: platform.to_owned(),
            before: before.clone(),
            approved_on: String::new(),
            keep: None,
            folder_name: String::new(),
        };
        let _card = card(&question);
        if let Some(before) = &before {
            let changes = compare(before, &consented);
            let same = before.fingerprint == consented.fingerprint;
            assert_eq!(changes.changed.is_empty(), same);
        }
        before = Some(consented);
        let launch = LaunchOptions {
            platform: platform.to_owned(),
            resolved: facts.resolved,
            system_root: String::new(),
        };
        let program = matches!(server.reach, ServerReach::Program { .. });
        assert_eq!(command_line(server, &launch).is_ok(), program);
    }
}
