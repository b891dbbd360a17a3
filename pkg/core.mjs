/** What every entry shares: the doors of a compiled module. */
import { coded } from './arguments.mjs';
import { addFraming } from './framing.mjs';
import { guarded } from './guard.mjs';
import { addSkills } from './skills.mjs';
import { instantiate } from './wasm/instantiate.mjs';
import { parameters } from './wasm/parameters.mjs';

/** A core of its own: a fresh instance of `module`. */
export function coreOf(module, onTrap) {
  return guarded((life) => addSkills(addFraming(instantiate(module, life))), parameters, onTrap);
}

/** A `WebAssembly.Module`, of whatever realm. */
export function isModule(value) {
  return Object.prototype.toString.call(value) === '[object WebAssembly.Module]';
}

/** What a module is compiled from at once. */
export function isCode(value) {
  return (
    ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]'
  );
}

/** The error of an entry that cannot get the module. */
export function notLoaded(from, cause) {
  const message = `the core's module could not be loaded from ${from}; pass it: createCore({ wasm })`;
  return coded('WASM_NOT_LOADED', message, cause);
}
