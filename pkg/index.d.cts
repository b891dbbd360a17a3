import type * as doors from './wasm/gbs.js';
export type * from './wasm/gbs.js';
/** Every door of the core. */
export type Core = typeof doors;
export interface CoreOptions {
  /**
   * Told when the core failed inside (a bug of ours) and its instance was replaced. The call throws
   * an error with `code: 'CORE_TRAPPED'`; a `Session` made before throws `CORE_RETIRED` from then on.
   */
  readonly onTrap?: (error: Error) => void;
}
/** A core of its own: a fresh instance of the module, which is compiled once. */
export function createCore(options?: CoreOptions): Core;
