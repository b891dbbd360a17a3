//! Exports of `crate::skills` but for the reader of SKILL.md.

use super::{decode, encode, thrown};
use crate::card::Card;
use crate::error::CoreError;
use crate::skills::catalogue::{self, Catalogue, CatalogueOptions, CatalogueSources};
use crate::skills::consent::{self, FileChanges, FileDigests};
use crate::skills::consent_card::{self, ConsentQuestion};
use crate::skills::containment::{self, PathStyle};
use crate::skills::disclosure::{
    self, BodyRequest, Disclosed, FolderRequest, InstructionsFiles, ResourceRequest,
};
use crate::skills::media::{Media, media};
use crate::skills::offered::{self, OfferedPages, OfferedSkills};
use crate::skills::search::{self, SearchEntries, SearchHits};
use tsify::Ts;
use wasm_bindgen::prelude::*;

/// Level 1: the `# Skills` block, the hint, and what became of every skill. Sources come in
/// precedence order; `{ path, ...parseSkill(bytes, folder) }` is a skill of one.
///
/// ```js
/// const skill = { path: '.gbs/skills/review-sql', ...core.parseSkill(bytes, 'review-sql') };
/// const source = { origin: 'project', label: '.gbs/skills', skills: [skill] };
/// const { block, hint, skills } = core.buildCatalogue([source], { openFile: 'db/a.sql' });
/// ```
#[wasm_bindgen(js_name = buildCatalogue)]
pub fn build_catalogue(
    sources: Ts<CatalogueSources>,
    options: Ts<CatalogueOptions>,
) -> Result<Ts<Catalogue>, JsValue> {
    let sources = decode("sources", &sources)?;
    let options = decode("options", &options)?;
    encode(&catalogue::build(sources.0, &options))
}

/// Level 2: a part of a skill's body, with its bundled files under the first.
///
/// ```js
/// const of = { name: 'review-sql', origin: 'project', part: 2, contextWindow: 32768 };
/// const given = core.loadBody({ of, body, files: [{ path: 'references/a.md', size: 120 }] });
/// if (given.kind === 'text') given.text; // between its wrapper, saying `part 2 of 3`
/// ```
#[wasm_bindgen(js_name = loadBody)]
pub fn load_body(request: Ts<BodyRequest>) -> Result<Ts<Disclosed>, JsValue> {
    let request = decode("request", &request)?;
    encode(&disclosure::load_body(&request))
}

/// Level 3: a part of a bundled file, from its bytes. A path that leaves the skill is refused.
///
/// ```js
/// const of = { name: 'review-sql', origin: 'project' };
/// core.loadResource({ of, resource: '../a.md' }, bytes).code; // 'parent-folder'
/// ```
#[wasm_bindgen(js_name = loadResource)]
pub fn load_resource(request: Ts<ResourceRequest>, bytes: &[u8]) -> Result<Ts<Disclosed>, JsValue> {
    let request = decode("request", &request)?;
    encode(&disclosure::load_resource(&request, bytes))
}

/// Level 3 for a folder: the list of its files.
#[wasm_bindgen(js_name = listResources)]
pub fn list_resources(request: Ts<FolderRequest>) -> Result<Ts<Disclosed>, JsValue> {
    let request = decode("request", &request)?;
    encode(&disclosure::list_resources(&request))
}

/// One line in place of a text that still stands in the history. `resource` is empty for the body.
#[wasm_bindgen(js_name = loadedPointer)]
pub fn loaded_pointer(name: &str, resource: &str, part: u32, parts: u32) -> String {
    disclosure::pointer(name, resource, part, parts)
}

/// A file's text, where it is one: UTF-8, UTF-16 by its byte order mark, or Latin-1.
#[wasm_bindgen(js_name = fileText)]
pub fn file_text(path: &str, bytes: &[u8]) -> Option<String> {
    match media(path, bytes) {
        Media::Text { text } => Some(text),
        Media::Binary { .. } => None,
    }
}

/// Project instructions as they join the system prompt. A window of 0 is unknown.
#[wasm_bindgen(js_name = projectInstructions)]
pub fn project_instructions(
    files: Ts<InstructionsFiles>,
    #[wasm_bindgen(js_name = contextWindow)] context_window: u32,
) -> Result<Ts<InstructionsFiles>, JsValue> {
    let files = decode("files", &files)?;
    let shown = disclosure::project_instructions(&files.0, Some(context_window));
    encode(&InstructionsFiles(shown))
}

/// The path of a resource in one spelling, relative to the skill's folder with `/` (empty for the
/// folder itself), or an error whose `code` says why it is refused.
///
/// ```js
/// core.resourcePath('.\\references\\a.md'); // 'references/a.md'
/// ```
#[wasm_bindgen(js_name = resourcePath)]
pub fn resource_path(path: &str) -> Result<String, JsValue> {
    containment::resource_path(path)
        .map_err(|refusal| thrown(&CoreError::new(refusal.code(), refusal.reason())))
}

/// Does a resolved path lie in a resolved folder, or is it the folder?
///
/// ```js
/// core.isWithin('/skills/a', await realpath(path), 'posix');
/// ```
#[wasm_bindgen(js_name = isWithin)]
pub fn is_within(folder: &str, target: &str, style: Ts<PathStyle>) -> Result<bool, JsValue> {
    let style = decode("style", &style)?;
    Ok(containment::is_within(folder, target, style))
}

/// What is searched, made ready once; [`search_skills`] asks it.
#[wasm_bindgen]
pub struct SkillIndex(search::Index);

#[wasm_bindgen]
impl SkillIndex {
    /// Keeps what is searched of every entry.
    #[wasm_bindgen(constructor)]
    pub fn new(entries: Ts<SearchEntries>) -> Result<SkillIndex, JsValue> {
        let entries = decode("entries", &entries)?;
        Ok(Self(search::Index::new(&entries.0)))
    }
}

/// The ids that fit a query, best first, at most `limit`.
///
/// ```js
/// const index = new core.SkillIndex([{ id: 'sql', name: 'sql', description: 'Check a migration.' }]);
/// core.searchSkills(index, 'migration', 10); // [{ id: 'sql', score: 2 }]
/// ```
#[wasm_bindgen(js_name = searchSkills)]
pub fn search_skills(
    index: &SkillIndex,
    query: &str,
    limit: u32,
) -> Result<Ts<SearchHits>, JsValue> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    encode(&SearchHits(index.0.search(query, limit)))
}

/// SHA-256 over the paths and digests of a skill's files: what a yes is bound to.
///
/// ```js
/// core.skillFingerprint([{ path: 'SKILL.md', sha256: createHash('sha256').update(bytes).digest('hex') }]);
/// ```
#[wasm_bindgen(js_name = skillFingerprint)]
pub fn skill_fingerprint(files: Ts<FileDigests>) -> Result<String, JsValue> {
    let files = decode("files", &files)?;
    Ok(consent::fingerprint(&files.0))
}

/// What changed in a skill since it was allowed, file by file.
#[wasm_bindgen(js_name = compareSkillFiles)]
pub fn compare_skill_files(
    before: Ts<FileDigests>,
    now: Ts<FileDigests>,
) -> Result<Ts<FileChanges>, JsValue> {
    let before = decode("before", &before)?;
    let now = decode("now", &now)?;
    encode(&FileChanges(consent::compare(&before.0, &now.0)))
}

/// The question whether skills and instructions of a repository may be used.
#[wasm_bindgen(js_name = skillConsentCard)]
pub fn skill_consent_card(question: Ts<ConsentQuestion>) -> Result<Ts<Card>, JsValue> {
    let question = decode("question", &question)?;
    encode(&consent_card::card(&question))
}

/// Lines of a catalogue for the given skills, in their order: what a search found, for a model.
#[wasm_bindgen(js_name = skillLines)]
pub fn skill_lines(entries: Ts<SearchEntries>) -> Result<String, JsValue> {
    let entries = decode("entries", &entries)?;
    Ok(catalogue::lines(&entries.0))
}

/// What a running server offers, from the results of `skills/list` (SEP-2640), page by page. With a
/// `path` each of its skills is one of a source whose origin is `server`.
///
/// ```js
/// const { label, skills, problems } = core.readOfferedSkills('shop', [resultJson]);
/// skills[0].name; // 'shop:refunds'
/// ```
#[wasm_bindgen(js_name = readOfferedSkills)]
pub fn read_offered_skills(
    server: &str,
    pages: Ts<OfferedPages>,
) -> Result<Ts<OfferedSkills>, JsValue> {
    let pages = decode("pages", &pages)?;
    encode(&offered::read(server, &pages.0))
}

/// Does the header of a fetched SKILL.md say what its entry's `frontMatter` said?
///
/// ```js
/// core.isOfferedHeader(skill.frontMatter, bytes); // false: the skill must not be loaded
/// ```
#[wasm_bindgen(js_name = isOfferedHeader)]
pub fn is_offered_header(
    #[wasm_bindgen(js_name = frontMatter)] front_matter: &str,
    bytes: &[u8],
) -> bool {
    offered::same_header(front_matter, bytes)
}
