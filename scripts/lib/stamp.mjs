// Says whether a step's inputs changed since it last worked: by content, so that a fresh checkout's
// times do not matter.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './paths.mjs';

function digest(hash, path) {
  if (!existsSync(join(root, path))) return;
  if (statSync(join(root, path)).isDirectory()) {
    for (const name of readdirSync(join(root, path)).sort()) digest(hash, join(path, name));
  } else {
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
}

/**
 * Runs `work` unless it worked before on the same inputs (paths in the project, and `facts` such as
 * versions) and all of `outputs` exist. `work` is told the digest of the inputs.
 */
export async function whenChanged(name, { inputs, outputs = [], facts = [] }, work) {
  const hash = createHash('sha256');
  for (const fact of facts) hash.update(`${fact}\0`);
  for (const input of inputs) digest(hash, input);
  const key = hash.digest('hex');
  const file = join(root, '.cache', 'stamps', name);
  const same = existsSync(file) && readFileSync(file, 'utf8') === key;
  if (same && outputs.every((output) => existsSync(join(root, output)))) return false;
  await work(key);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, key);
  return true;
}
