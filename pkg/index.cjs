'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { creator } = require('./wasm/core.cjs');

exports.createCore = creator(() => readFileSync(join(__dirname, 'wasm', 'gbs_bg.wasm')));
