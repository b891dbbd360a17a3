//! An argument list → what Windows' readers make of the command line. Parts: the arguments.

use super::{parts, windows};
use gbs_agent_core::config::expand::{Expanded, Piece};
use gbs_agent_core::config::launch::{CommandLine, LaunchOptions, command_line};
use gbs_agent_core::config::plan::{
    ConfigOptions, ConfigOrigin, ConfigSource, ConfiguredServer, ServerReach, plan,
};
use std::collections::BTreeMap;

pub fn run(data: &[u8]) {
    let args = parts(data);
    let mut server = a_server();
    if let ServerReach::Program { args: list, .. } = &mut server.reach {
        *list = args.iter().map(|arg| written(arg)).collect();
    }
    if let Some(argv) = line(&server, "C:\\Program Files\\nodejs\\npx.cmd") {
        windows::assert_batch_file_reads(&argv, &args);
    }
    if let Some(argv) = line(&server, "C:\\Program Files\\nodejs\\node.exe") {
        assert_eq!(windows::arguments(&windows::node_quotes(&argv)), args);
    }
    // A hostile path of the program is refused, or it is a program that Windows starts by itself.
    if let Some(path) = args.first() {
        let path = format!("C:\\x\\{path}");
        if let Some(argv) = line(&server, &path) {
            windows::assert_started_as_meant(&path, &argv, &args);
        }
    }
}

fn line(server: &ConfiguredServer, resolved: &str) -> Option<Vec<String>> {
    let options = LaunchOptions {
        platform: "win32".to_owned(),
        resolved: resolved.to_owned(),
        system_root: String::new(),
    };
    match command_line(server, &options).expect("a program") {
        CommandLine::Run { argv, .. } => Some(argv),
        CommandLine::Refused { .. } => None,
    }
}

fn a_server() -> ConfiguredServer {
    let source = ConfigSource {
        origin: ConfigOrigin::User,
        path: "f".to_owned(),
        text: "{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}".to_owned(),
        folder: String::new(),
        guarded: false,
        unreadable: false,
    };
    let options = ConfigOptions {
        environment: BTreeMap::new(),
        platform: "win32".to_owned(),
        workspace_folder: "C:\\w".to_owned(),
        user_home: "C:\\u".to_owned(),
    };
    plan(&[source], &options).servers.remove(0)
}

fn written(text: &str) -> Expanded {
    let piece = Piece::Written {
        text: text.to_owned(),
    };
    Expanded {
        template: text.to_owned(),
        pieces: if text.is_empty() { vec![] } else { vec![piece] },
    }
}
