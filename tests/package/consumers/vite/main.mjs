import { createCore } from 'gbs-agent-core';
import { use } from '../use.mjs';
createCore()
  .then(use)
  .then((shown) => (window.shown = shown));
