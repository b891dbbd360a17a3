import type * as doors from './wasm/gbs.js';
export type * from './wasm/gbs.js';
/** Every door of the core. */
export type Core = typeof doors;
/** A `WebAssembly.Module`, where the program's libraries know it. */
export type WasmModule = typeof globalThis extends {
  WebAssembly: { Module: { prototype: infer Module } };
}
  ? Module
  : object;
export interface CoreOptions {
  /**
   * Told when the core failed inside (a bug of ours) and its instance was replaced. The call throws
   * an error with `code: 'CORE_TRAPPED'`; a `Session` made before throws `CORE_RETIRED` from then on.
   */
  readonly onTrap?: (error: Error) => void;
  /** The module, `gbs-agent-core/gbs_bg.wasm`, for a bundle that does not have it beside it. */
  readonly wasm?: ArrayBuffer | ArrayBufferView<ArrayBuffer> | WasmModule;
}
/** A core of its own: a fresh instance of the module, which is compiled once. */
export function createCore(options?: CoreOptions): Core;
