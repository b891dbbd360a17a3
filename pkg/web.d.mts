import type { Core, CoreOptions, WasmModule } from './index.cjs';
export type * from './wasm/gbs.js';
export type { Core, WasmModule };
/** What the module is compiled from: its bytes, its address, an answer that holds it, or itself. */
export type WasmSource =
  | NonNullable<CoreOptions['wasm']>
  | string
  | { readonly href: string }
  | { readonly ok: boolean; arrayBuffer(): Promise<ArrayBuffer> };
export interface WebCoreOptions extends Pick<CoreOptions, 'onTrap'> {
  /** The module `gbs-agent-core/gbs_bg.wasm`. Without it, the file beside the package is fetched. */
  readonly wasm?: WasmSource | Promise<WasmSource>;
}
/** A core of its own: a fresh instance of the module, which is fetched and compiled once. */
export function createCore(options?: WebCoreOptions): Promise<Core>;
