//! The doors that take plain data, as JSON. Parts: the name of a door, then its arguments.

use super::parts;
use gbs_agent_core::approval::{
    ApprovalCall, ApprovalRules, HostQuestion, PermissionMode, RepeatQuestion, decide, host_card,
    repeat_card,
};
use gbs_agent_core::config::consent::{ConsentFacts, ServerConsent, compare, consent};
use gbs_agent_core::config::launch::{LaunchOptions, command_line};
use gbs_agent_core::config::plan::{ConfigOptions, ConfigSources, ConfiguredServer, plan};
use gbs_agent_core::config::server_card::{self, ServerQuestion};
use gbs_agent_core::mcp::drift::{PinnedTools, compare_tools};
use gbs_agent_core::mcp::effect::SessionOptions;
use gbs_agent_core::mcp::session::Session;
use gbs_agent_core::prompt::{PromptInput, system_prompt};
use gbs_agent_core::skills::catalogue::{CatalogueOptions, CatalogueSources, build};
use gbs_agent_core::skills::consent::{FileDigests, compare as compare_files, fingerprint};
use gbs_agent_core::skills::consent_card::{self, ConsentQuestion};
use gbs_agent_core::skills::disclosure::{BodyRequest, FolderRequest, list_resources, load_body};
use serde::de::DeserializeOwned;

pub fn run(data: &[u8]) {
    let parts = parts(data);
    let Some((door, arguments)) = parts.split_first() else {
        return;
    };
    // A door whose arguments do not decode is not entered: the boundary says so to its caller.
    let _entered = enter(door.trim(), arguments);
}

fn enter(door: &str, arguments: &[String]) -> Option<()> {
    let at = |index: usize| arguments.get(index).map_or("", String::as_str);
    match door {
        "decideApproval" => {
            let call: ApprovalCall = decoded(at(0))?;
            let rules: ApprovalRules = decoded(at(1))?;
            for mode in [
                PermissionMode::Ask,
                PermissionMode::AcceptEdits,
                PermissionMode::Auto,
            ] {
                let _decision = decide(&call, mode, &rules);
            }
        }
        "hostCard" => drop(host_card(&decoded::<HostQuestion>(at(0))?)),
        "repeatCard" => drop(repeat_card(&decoded::<RepeatQuestion>(at(0))?)),
        "systemPrompt" => {
            let input: PromptInput = decoded(at(0))?;
            assert_eq!(system_prompt(&input), system_prompt(&input));
        }
        "planServers" => {
            let sources: ConfigSources = decoded(at(0))?;
            let options: ConfigOptions = decoded(at(1))?;
            let _plan = plan(&sources.0, &options);
        }
        "consentFingerprint" => {
            let server: ConfiguredServer = decoded(at(0))?;
            let facts: ConsentFacts = decoded(at(1))?;
            let _consent = consent(&server, &facts);
        }
        "compareConsent" => {
            let (before, now): (ServerConsent, ServerConsent) = (decoded(at(0))?, decoded(at(1))?);
            let _changes = compare(&before, &now);
        }
        "serverCard" => drop(server_card::card(&decoded::<ServerQuestion>(at(0))?)),
        "commandLine" => {
            let server: ConfiguredServer = decoded(at(0))?;
            let options: LaunchOptions = decoded(at(1))?;
            let _line = command_line(&server, &options);
        }
        "compareTools" => {
            let (before, now): (PinnedTools, PinnedTools) = (decoded(at(0))?, decoded(at(1))?);
            let _drift = compare_tools(&before, &now);
        }
        "session" => drop(Session::new(decoded::<SessionOptions>(at(0))?)),
        "buildCatalogue" => {
            let sources: CatalogueSources = decoded(at(0))?;
            let options: CatalogueOptions = decoded(at(1))?;
            let _catalogue = build(sources.0, &options);
        }
        "skillFingerprint" => {
            let (before, now): (FileDigests, FileDigests) = (decoded(at(0))?, decoded(at(1))?);
            let same = fingerprint(&before.0) == fingerprint(&now.0);
            if compare_files(&before.0, &now.0).is_empty() && before.0.len() == now.0.len() {
                assert!(same);
            }
        }
        "skillConsentCard" => drop(consent_card::card(&decoded::<ConsentQuestion>(at(0))?)),
        "loadBody" => drop(load_body(&decoded::<BodyRequest>(at(0))?)),
        "listResources" => drop(list_resources(&decoded::<FolderRequest>(at(0))?)),
        _ => {}
    }
    Some(())
}

fn decoded<T: DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok()
}
