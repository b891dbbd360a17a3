import { readFileSync } from 'node:fs';
import { creator } from './node.mjs';

const url = new URL('./wasm/gbs_bg.wasm', import.meta.url);
export const createCore = creator(url, () => readFileSync(url));
