//! Exports of `crate::approval` and `crate::prompt`.

use super::{decode, encode};
use crate::approval::paths::PathList;
use crate::approval::{
    self, ApprovalCall, ApprovalDecision, ApprovalRules, HostQuestion, PermissionMode,
    RepeatQuestion,
};
use crate::card::Card;
use crate::prompt::{self, PromptInput, SystemPrompt};
use crate::skills::globs::{self, GlobMatches};
use tsify::Ts;
use wasm_bindgen::prelude::*;

/// A call, the mode and the session's rules → run, ask with a card, or refuse.
///
/// ```js
/// const call = { tool: 'read_file', kind: 'read', arguments: '{}', paths: ['/w/a.txt'], creates: false };
/// core.decideApproval(call, 'ask', { folders: ['/w'], readable: [], session: [] });
/// // { kind: 'run', command: null, allowedBy: '' }
/// ```
#[wasm_bindgen(js_name = decideApproval)]
pub fn decide_approval(
    call: Ts<ApprovalCall>,
    mode: Ts<PermissionMode>,
    rules: Ts<ApprovalRules>,
) -> Result<Ts<ApprovalDecision>, JsValue> {
    let (call, mode, rules): (ApprovalCall, PermissionMode, ApprovalRules) = (
        decode("call", &call)?,
        decode("mode", &mode)?,
        decode("rules", &rules)?,
    );
    encode(&approval::decide(&call, mode, &rules))
}

/// The question before the first request to a model server that is not on this machine.
#[wasm_bindgen(js_name = hostCard)]
pub fn host_card(question: Ts<HostQuestion>) -> Result<Ts<Card>, JsValue> {
    let question: HostQuestion = decode("question", &question)?;
    encode(&approval::host_card(&question))
}

/// The question when the same call gave the same result again and again.
#[wasm_bindgen(js_name = repeatCard)]
pub fn repeat_card(question: Ts<RepeatQuestion>) -> Result<Ts<Card>, JsValue> {
    let question: RepeatQuestion = decode("question", &question)?;
    encode(&approval::repeat_card(&question))
}

/// Those of `paths` that look like they hold credentials, in order.
#[wasm_bindgen(js_name = credentialPaths)]
pub fn credential_paths(paths: Ts<PathList>) -> Result<Ts<PathList>, JsValue> {
    let paths: PathList = decode("paths", &paths)?;
    encode(&approval::paths::credential_paths(paths))
}

/// The indexes of `paths` that `glob` matches: case does not count, `*` stays within a folder, a glob
/// without a slash matches the file's name in any folder.
#[wasm_bindgen(js_name = matchGlob)]
pub fn match_glob(glob: &str, paths: Ts<PathList>) -> Result<Ts<GlobMatches>, JsValue> {
    let paths: PathList = decode("paths", &paths)?;
    encode(&globs::filter(glob, &paths.0))
}

/// The system prompt, what it costs by part, and what did not fit.
///
/// ```js
/// const environment = { system: 'Linux', shell: 'bash', folders: ['/w'] };
/// core.systemPrompt({ environment, tools: [], nativeTools: true, instructions: [], catalogue: '',
///   servers: [], contextWindow: 32768 }).parts.skills; // 0
/// ```
#[wasm_bindgen(js_name = systemPrompt)]
pub fn system_prompt(input: Ts<PromptInput>) -> Result<Ts<SystemPrompt>, JsValue> {
    let input: PromptInput = decode("input", &input)?;
    encode(&prompt::system_prompt(&input))
}
