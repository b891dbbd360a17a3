// Where things are. Everything that is installed goes below one folder of the user's cache, by
// version, so that a second clone finds it and an old clone keeps its own.
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gbs-agent');

/** The version of a crate in Cargo.lock. */
function lockedVersion(crate) {
  const lock = readFileSync(join(root, 'Cargo.lock'), 'utf8');
  const found = new RegExp(`name = "${crate}"\\nversion = "([^"]+)"`).exec(lock);
  if (!found) throw new Error(`Cargo.lock has no ${crate}`);
  return found[1];
}

/** Programs that `cargo install` brings: name → crate and exact version. */
export const cargoTools = {
  'wasm-bindgen': { crate: 'wasm-bindgen-cli', version: lockedVersion('wasm-bindgen') },
  'wasm-pack': { crate: 'wasm-pack', version: '0.15.1' },
};

/** The folder of a program of `cargoTools`. */
export function toolFolder(name) {
  const { crate, version } = cargoTools[name];
  return join(cache, 'tools', `${crate}-${version}`, 'bin');
}

/** The environment with our tools first on the PATH. */
export function environment() {
  const path = [...Object.keys(cargoTools).map(toolFolder), join(root, 'node_modules', '.bin')];
  return { ...process.env, PATH: [...path, process.env.PATH].join(delimiter) };
}
