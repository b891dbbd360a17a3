'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { addFraming } = require('./framing.cjs');
const { instantiate } = require('./wasm/instantiate.cjs');

let compiled;

/** A fresh instance of the core; the module is compiled once. */
exports.createCore = function createCore() {
  compiled ??= new WebAssembly.Module(readFileSync(join(__dirname, 'wasm', 'gbs_bg.wasm')));
  return addFraming(instantiate(compiled));
};
