import { readFileSync } from 'node:fs';
import { creator } from './node.mjs';

/** Made when it is needed: in a bundle for CommonJS there is no address to begin with. */
const address = () => new URL('./wasm/gbs_bg.wasm', import.meta.url);
export const createCore = creator(() => readFileSync(address()));
