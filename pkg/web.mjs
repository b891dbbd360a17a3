/** The entry for pages, workers and what bundlers make of them. */
import { invalid } from './arguments.mjs';
import { coreOf, isCode, isModule, notLoaded } from './core.mjs';

/** The promise of the module beside this file: it is fetched and compiled once. */
let own;

function ownModule() {
  // Bundlers look for this very expression, and take the file along.
  own ??= fetched(() => new URL('./wasm/gbs_bg.wasm', import.meta.url));
  // What failed may work the next time.
  own.catch(() => (own = undefined));
  return own;
}

/** The module at an address. */
async function fetched(address) {
  let shown = './wasm/gbs_bg.wasm';
  try {
    const url = address();
    shown = String(url);
    return await answered(await fetch(url), shown);
  } catch (error) {
    if (error?.code === 'WASM_NOT_LOADED') throw error;
    throw notLoaded(shown, error);
  }
}

/** The module in a server's answer. */
async function answered(response, from) {
  if (!response.ok) throw notLoaded(`${from} (status ${response.status})`);
  const type = response.headers.get('content-type') ?? '';
  // Compiling while it arrives needs the server to name the type.
  return /^application\/wasm\b/i.test(type)
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

async function moduleOf(wasm) {
  if (wasm === undefined) return ownModule();
  if (isModule(wasm)) return wasm;
  if (isCode(wasm)) return WebAssembly.compile(wasm);
  const kind = Object.prototype.toString.call(wasm);
  if (typeof wasm === 'string' || kind === '[object URL]') return fetched(() => wasm);
  if (kind === '[object Response]') return answered(wasm, wasm.url || 'the response');
  throw invalid('wasm', 'it must be bytes, a Response, a URL or a WebAssembly.Module');
}

export async function createCore({ wasm, onTrap } = {}) {
  return coreOf(await moduleOf(await wasm), onTrap);
}
