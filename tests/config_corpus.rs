//! Real configuration files: each gives a plan or precise problems. Skipped, visibly, without
//! `GBS_CORPUS`.
#![cfg(not(target_arch = "wasm32"))]
// A test reads files and fails by panicking.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use gbs_agent_core::config::plan::{ConfigOptions, ConfigOrigin, ConfigSource, ServersPlan, plan};
use gbs_agent_core::problem::Severity;
use std::collections::BTreeMap;

fn corpus() -> Option<Vec<(String, String)>> {
    let Ok(folder) = std::env::var("GBS_CORPUS") else {
        eprintln!("SKIPPED: GBS_CORPUS is not set");
        return None;
    };
    let path = std::path::Path::new(&folder).join("mcp-configs.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    let field = |line: &serde_json::Value, name: &str| line[name].as_str().unwrap().to_owned();
    let files = lines.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        (field(&line, "id"), field(&line, "text"))
    });
    Some(files.collect())
}

fn planned(text: &str) -> ServersPlan {
    let source = ConfigSource {
        origin: ConfigOrigin::Repository,
        path: "/w/.mcp.json".into(),
        text: text.into(),
        folder: String::new(),
        guarded: false,
        unreadable: false,
    };
    let options = ConfigOptions {
        environment: BTreeMap::new(),
        platform: "linux".into(),
        workspace_folder: "/w".into(),
        user_home: "/home/u".into(),
    };
    plan(&[source], &options)
}

/// The servers that a strict reader finds: the objects of the map that say how they are reached.
fn expected(text: &str) -> Option<Vec<String>> {
    let root: serde_json::Value = serde_json::from_str(text).ok()?;
    let map = ["mcpServers", "servers"]
        .iter()
        .find_map(|name| root.get(*name))
        .unwrap_or(&root);
    let names = map.as_object()?.iter().filter(|(_, entry)| {
        let text =
            |field: &str| entry[field].is_string() || field == "command" && entry[field].is_array();
        text("command") || text("url")
    });
    Some(names.map(|(name, _)| name.clone()).collect())
}

#[test]
fn every_file_gives_a_plan_or_precise_problems() {
    let Some(files) = corpus() else { return };
    assert_eq!(files.len(), 123);
    let (mut servers, mut strict) = (0, 0);
    for (id, text) in files {
        let found = planned(&text);
        servers += found.servers.len();
        let lines: Vec<&str> = text.lines().collect();
        for problem in &found.problems {
            let start = problem.problem.start;
            assert!(
                start.line as usize <= lines.len().max(1),
                "{id} {problem:?}"
            );
            assert!(start <= problem.problem.end, "{id} {problem:?}");
            // A problem of an entry stands in it: nowhere before its name, and not on a blank.
            let line = lines.get(start.line as usize - 1).unwrap_or(&"");
            let units: Vec<u16> = line.encode_utf16().collect();
            let rest = String::from_utf16_lossy(&units[start.column as usize - 1..]);
            assert!(!rest.starts_with([' ', '\t', ',', '}']), "{id} {problem:?}");
            if let Some(server) = &problem.server {
                let key = serde_json::Value::from(server.as_str()).to_string();
                let first = lines.iter().position(|line| line.contains(&key)).unwrap();
                assert!(start.line as usize > first, "{id} {problem:?}");
            }
        }
        let told = |name: &str| {
            found.problems.iter().any(|problem| {
                problem.server.as_deref() == Some(name)
                    && problem.problem.severity == Severity::Error
            })
        };
        let Some(names) = expected(&text) else {
            // With comments or trailing commas: no error, whatever it holds.
            assert!(
                found
                    .problems
                    .iter()
                    .all(|p| p.problem.code != "invalid-json"),
                "{id}"
            );
            continue;
        };
        strict += 1;
        for name in &names {
            let planned = found.servers.iter().any(|server| server.name == *name);
            let idle = found.disabled.iter().any(|entry| entry.name == *name);
            assert!(planned || idle || told(name), "{id}: {name} disappeared");
        }
        if names.is_empty() && found.servers.is_empty() {
            let map_is_empty =
                text.contains("\"mcpServers\": {}") || text.contains("\"servers\": {}");
            assert!(
                map_is_empty || !found.problems.is_empty(),
                "{id}: nothing is said"
            );
        }
    }
    assert_eq!((servers, strict), (238, 119));
}
