import { createCore } from 'gbs-agent-core';
import wasm from 'gbs-agent-core/gbs_bg.wasm';
import { use } from '../use.mjs';
use(createCore({ wasm })).then((shown) => console.log(shown));
