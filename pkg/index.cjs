'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { addFraming } = require('./framing.cjs');
const { guarded } = require('./guard.cjs');
const { addSkills } = require('./skills.cjs');
const { instantiate } = require('./wasm/instantiate.cjs');

let compiled;

exports.createCore = function createCore({ onTrap } = {}) {
  compiled ??= new WebAssembly.Module(readFileSync(join(__dirname, 'wasm', 'gbs_bg.wasm')));
  return guarded(() => addSkills(addFraming(instantiate(compiled))), onTrap);
};
