'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { instantiate } = require('./wasm/instantiate.cjs');

let compiled;

/** A fresh instance of the core; the module is compiled once. */
exports.createCore = function createCore() {
  compiled ??= new WebAssembly.Module(readFileSync(join(__dirname, 'wasm', 'gbs_bg.wasm')));
  return instantiate(compiled);
};
