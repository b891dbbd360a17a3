import type * as doors from './wasm/gbs.js';
export type * from './wasm/gbs.js';
/** Every door of the core. */
export type Core = typeof doors;
/** A fresh instance of the core; the module is compiled once. */
export function createCore(): Core;
