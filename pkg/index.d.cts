import type * as doors from './node/gbs.js';
export type * from './node/gbs.js';
/** Every door of the core. */
export type Core = typeof doors;
/** A fresh instance of the core; the module is compiled once. */
export function createCore(): Core;
