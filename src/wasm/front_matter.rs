//! Exports of `crate::skills::front_matter`.
//!
//! `parseSkills` and `parseSkillsAsync` are added by `pkg/skills.mjs`, which puts many files into one
//! call and takes apart the numbers and the text that come back. It has `parseSkill` go the same way,
//! but for folder names that hold NUL.

use super::{encode, thrown};
use crate::error::CoreError;
use crate::skills::front_matter::{self, ParsedSkill};
use js_sys::{Array, Function, Promise, Uint8Array, Uint32Array};
use tsify::Ts;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

#[wasm_bindgen(typescript_custom_section)]
const MANY_SKILLS: &str = r"
/** The file SKILL.md of one skill. */
export interface SkillFile {
  /** The file's bytes. They are not kept. */
  bytes: Uint8Array;
  /** The name of the folder that holds the file; empty when there is none to compare with. */
  folderName: string;
}
/** Reads many SKILL.md at once, each as `parseSkill` does. */
export function parseSkills(files: readonly SkillFile[]): ParsedSkill[];
/** The same, giving way to other work between batches. The bytes must stay as they are until then. */
export function parseSkillsAsync(files: readonly SkillFile[]): Promise<ParsedSkill[]>;
";

/// Reads one SKILL.md. `folderName` is the name of the folder that holds it; empty when there is
/// none to compare the skill's name with.
#[wasm_bindgen(js_name = parseSkill)]
pub fn parse_skill(
    bytes: &[u8],
    #[wasm_bindgen(js_name = folderName)] folder_name: &str,
) -> Result<Ts<ParsedSkill>, JsValue> {
    encode(&front_matter::parse_skill(bytes, folder_name))
}

/// Reads many files that stand one after the other in `bytes`, and hands to `take` where the numbers
/// and the text of a `front_matter::Batch` stand in memory. The names are separated by NUL.
#[wasm_bindgen(js_name = parseSkillBatch, skip_typescript)]
pub fn parse_skill_batch(
    bytes: &[u8],
    lengths: &[u32],
    folder_names: &str,
    take: &Function,
) -> Result<(), JsValue> {
    let folder_names: Vec<&str> = folder_names.split('\0').collect();
    let batch = front_matter::parse_batch(bytes, lengths, &folder_names)
        .ok_or_else(|| thrown(&CoreError::invalid_argument("files", "they do not add up")))?;
    let numbers = batch.numbers.as_ptr() as usize;
    let text = batch.text.as_ptr() as usize;
    take.call2(&JsValue::NULL, &numbers.into(), &text.into())?;
    Ok(())
}

/// Asks `next` for batches, `[bytes, lengths, folderNames]` each or a promise of it, until it gives
/// nothing, and hands each to `take` as `parseSkillBatch` does.
#[wasm_bindgen(js_name = parseSkillBatches, skip_typescript)]
#[allow(clippy::unnecessary_wraps)] // A door returns a Result: see `crate::wasm`.
pub fn parse_skill_batches(next: Function, take: Function) -> Result<Promise, JsValue> {
    Ok(future_to_promise(async move {
        loop {
            let batch = next.call0(&JsValue::NULL)?;
            let batch = JsFuture::from(Promise::resolve(&batch)).await?;
            let Ok(batch) = batch.dyn_into::<Array>() else {
                return Ok(JsValue::UNDEFINED);
            };
            let bytes: Uint8Array = batch.get(0).dyn_into()?;
            let lengths: Uint32Array = batch.get(1).dyn_into()?;
            let names = batch.get(2).as_string().unwrap_or_default();
            parse_skill_batch(&bytes.to_vec(), &lengths.to_vec(), &names, &take)?;
        }
    }))
}
