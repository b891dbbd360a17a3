import { createCore, type Core, type ParsedSkill, type WebCoreOptions } from 'gbs-agent-core';

const options: WebCoreOptions = { wasm: new URL('wasm/gbs_bg.wasm', 'http://localhost/') };
const sources: WebCoreOptions[] = [
  options,
  { wasm: new Uint8Array(8) },
  { wasm: fetch('gbs_bg.wasm') },
  { wasm: new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) },
];
const core: Core = await createCore();
const skill: ParsedSkill = core.parseSkill(new Uint8Array(), 'a');
console.log(skill.usable, sources.length);
