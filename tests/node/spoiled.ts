/** A real trap: the memory of a core's instance is overwritten, so that whatever it does next fails. */
import { createCore, type Core, type TrapWatch } from '../../extension/core.ts';

interface Instance {
  readonly exports: { readonly memory: { readonly buffer: ArrayBuffer } };
}

interface Wasm {
  Instance: new (...given: never[]) => Instance;
}

export interface Spoilable {
  readonly core: Core;
  /** Overwrites the memory of the instance that is used now. */
  spoil(): void;
  /** Every instance there was. */
  readonly instances: readonly Instance[];
}

/** A core whose instances can be spoiled from outside, as no door lets one. */
export function spoilable(watch: TrapWatch): Spoilable {
  const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
  const Own = wasm.Instance;
  const instances: Instance[] = [];
  // The core makes its next instance in the call after a trap, so ours stays in place.
  wasm.Instance = class extends Own {
    constructor(...given: never[]) {
      super(...given);
      instances.push(this);
    }
  };
  const spoil = (): void => {
    const last = instances.at(-1);
    if (last !== undefined) new Uint8Array(last.exports.memory.buffer).fill(0xff);
  };
  return { core: createCore(watch), spoil, instances };
}
