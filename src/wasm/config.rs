//! Exports of `crate::config`, and the name of a tool.

use super::{decode, encode, thrown};
use crate::card::Card;
use crate::config::consent::{self, ConsentChanges, ConsentFacts, ServerConsent};
use crate::config::launch::{self, CommandLine, LaunchOptions};
use crate::config::plan::{self, ConfigOptions, ConfigSources, ConfiguredServer, ServersPlan};
use crate::config::server_card::{self, ServerQuestion};
use crate::mcp::name::ToolName;
use tsify::Ts;
use wasm_bindgen::prelude::*;

/// The servers that configuration files define, what was shadowed or switched off, and every
/// problem. Files come lowest precedence first; one of the repository never replaces the user's.
///
/// ```js
/// const { servers, shadowed, disabled, problems } = core.planServers(
///   [{ origin: 'repository', path: '/repo/.mcp.json', text }],
///   { environment: { ...process.env }, platform: process.platform, workspaceFolder: '/repo', userHome: os.homedir() },
/// );
/// ```
#[wasm_bindgen(js_name = planServers)]
pub fn plan_servers(
    sources: Ts<ConfigSources>,
    options: Ts<ConfigOptions>,
) -> Result<Ts<ServersPlan>, JsValue> {
    let sources = decode("sources", &sources)?;
    let options = decode("options", &options)?;
    encode(&plan::plan(&sources.0, &options))
}

/// The canonical form of what a yes to a server covers, in parts, and its SHA-256.
///
/// ```js
/// const { fingerprint, parts, covered } = core.consentFingerprint(server, {
///   resolved: '/usr/bin/node', digests: [{ path: '/work/server.js', sha256 }], salt,
/// });
/// ```
#[wasm_bindgen(js_name = consentFingerprint)]
pub fn consent_fingerprint(
    server: Ts<ConfiguredServer>,
    facts: Ts<ConsentFacts>,
) -> Result<Ts<ServerConsent>, JsValue> {
    let server = decode("server", &server)?;
    let facts = decode("facts", &facts)?;
    encode(&consent::consent(&server, &facts))
}

/// What changed between two forms, field by field.
///
/// ```js
/// core.compareConsent(approved, now); // { changed: [{ field: 'args', rows: [{ added: true, text: '"-y"' }] }], parts: 11 }
/// ```
#[wasm_bindgen(js_name = compareConsent)]
pub fn compare_consent(
    before: Ts<ServerConsent>,
    now: Ts<ServerConsent>,
) -> Result<Ts<ConsentChanges>, JsValue> {
    let before = decode("before", &before)?;
    let now = decode("now", &now)?;
    encode(&consent::compare(&before, &now))
}

/// The question whether a server may start.
#[wasm_bindgen(js_name = serverCard)]
pub fn server_card(question: Ts<ServerQuestion>) -> Result<Ts<Card>, JsValue> {
    let question = decode("question", &question)?;
    encode(&server_card::card(&question))
}

/// Exactly what to spawn for a server that is a program, or why it cannot be.
///
/// ```js
/// core.commandLine(server, { platform: 'win32', resolved: 'C:\\nodejs\\npx.cmd' });
/// // { kind: 'run', file: 'C:\\Windows\\System32\\cmd.exe', argv: ['/d', '/s', '/c', '…'], windowsVerbatim: true }
/// ```
#[wasm_bindgen(js_name = commandLine)]
pub fn command_line(
    server: Ts<ConfiguredServer>,
    options: Ts<LaunchOptions>,
) -> Result<Ts<CommandLine>, JsValue> {
    let server = decode("server", &server)?;
    let options = decode("options", &options)?;
    launch::command_line(&server, &options)
        .map_err(|error| thrown(&error))
        .and_then(|line| encode(&line))
}

/// The model-visible name of a server's tool. It depends on the pair alone.
///
/// ```js
/// core.toolName('fs', 'read_file'); // 'mcp__fs__read_file'
/// core.toolName('a.b', 'c'); // 'mcp__a_b__c_8b745bb4'
/// ```
#[wasm_bindgen(js_name = toolName)]
pub fn tool_name(server: &str, tool: &str) -> String {
    ToolName::of(server, tool).as_str().to_owned()
}
