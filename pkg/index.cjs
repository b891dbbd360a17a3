'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { creator } = require('./wasm/core.cjs');

const path = join(__dirname, 'wasm', 'gbs_bg.wasm');
exports.createCore = creator(path, () => readFileSync(path));
