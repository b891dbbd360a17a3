/** How Node's two entries make a core: at once, from a file that each finds in its own way. */
import { invalid } from './arguments.mjs';
import { coreOf, isCode, isModule, notLoaded } from './core.mjs';

/** `createCore` over the module that `readModule` reads; it is compiled once. */
export function creator(readModule) {
  let compiled;
  const own = () => {
    try {
      return (compiled ??= new WebAssembly.Module(readModule()));
    } catch (error) {
      throw notLoaded('./wasm/gbs_bg.wasm', error);
    }
  };
  return function createCore({ wasm, onTrap } = {}) {
    if (wasm === undefined) return coreOf(own(), onTrap);
    if (isModule(wasm)) return coreOf(wasm, onTrap);
    if (!isCode(wasm)) throw invalid('wasm', 'it must be bytes or a WebAssembly.Module');
    return coreOf(new WebAssembly.Module(wasm), onTrap);
  };
}
