import { createCore } from 'gbs-agent-core';
import address from 'gbs-agent-core/gbs_bg.wasm';
import { use } from '../use.mjs';
const wasm = new URL(address, document.currentScript.src);
createCore({ wasm })
  .then(use)
  .then((shown) => (window.shown = shown));
