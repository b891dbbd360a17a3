// Says whether a step's inputs changed since it last worked: by content, so that a fresh checkout's
// times do not matter.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './paths.mjs';
import { StepFailed } from './run.mjs';

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

function keyOf({ inputs, facts = [] }) {
  const hash = createHash('sha256');
  for (const fact of facts) hash.update(`${fact}\0`);
  for (const input of inputs) digest(hash, input);
  return hash.digest('hex');
}

function isFrom(key, name, { outputs = [] }) {
  const file = join(root, '.cache', 'stamps', name);
  const same = existsSync(file) && readFileSync(file, 'utf8') === key;
  return same && outputs.every((output) => existsSync(join(root, output)));
}

/** Throws unless what the step `name` makes was made of its inputs as they are now. */
export function refuseStale(name, step, what) {
  if (isFrom(keyOf(step), name, step)) return;
  throw new StepFailed(
    `${what} is missing, or was built from other sources than those that are there now.`,
    'Run npm run build, then this again.',
  );
}

/**
 * Runs `work` unless it worked before on the same inputs (paths in the project, and `facts` such as
 * versions) and all of `outputs` exist. `work` is told the digest of the inputs.
 */
export async function whenChanged(name, step, work) {
  const key = keyOf(step);
  if (isFrom(key, name, step)) return false;
  await work(key);
  const file = join(root, '.cache', 'stamps', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, key);
  return true;
}
