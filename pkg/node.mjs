/** How Node's two entries make a core: at once, from a file that each finds in its own way. */
import { invalid } from './arguments.mjs';
import { coreOf, isCode, isModule, notLoaded } from './core.mjs';

/** `createCore` over the module that `readModule` gives, from `path`; it is compiled once. */
export function creator(path, readModule) {
  let compiled;
  const own = () => {
    try {
      return (compiled ??= new WebAssembly.Module(readModule()));
    } catch (error) {
      throw notLoaded(path, error);
    }
  };
  return function createCore({ wasm, onTrap } = {}) {
    if (wasm === undefined) return coreOf(own(), onTrap);
    if (isModule(wasm)) return coreOf(wasm, onTrap);
    if (!isCode(wasm)) throw invalid('wasm', 'it must be bytes or a WebAssembly.Module');
    return coreOf(new WebAssembly.Module(wasm), onTrap);
  };
}
