// Runs files of tests with Node's runner; what fails once runs a second time and is named.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';
import { StepFailed, run } from './run.mjs';

/** Test files below `folder`, whose path holds `filter`. */
export function testFiles(folder, filter) {
  const found = [];
  const walk = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const full = join(path, entry.name);
      if (entry.isDirectory()) walk(full);
      else if (/\.test\.(ts|mjs)$/.test(entry.name)) found.push(relative(root, full));
    }
  };
  if (existsSync(join(root, folder))) walk(join(root, folder));
  const chosen = found.sort().filter((file) => file.includes(filter ?? ''));
  if (chosen.length === 0)
    throw new StepFailed(`No test file in ${folder} matches ${filter}.`, 'Check the name.');
  return chosen;
}

/** The seed of `--shake SEED`: the order of concurrent things is shaken (`tests/shake.mjs`). */
let shake;
export function shakeTests(seed) {
  shake = seed;
}

const shaken = () =>
  shake === undefined
    ? {}
    : {
        GBS_SHAKE: shake,
        NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'tests', 'shake.mjs')).href}`,
      };

function runOnce(step, files, concurrency, env, failed) {
  return run(
    process.execPath,
    [
      '--import',
      'tsx',
      '--test',
      `--test-concurrency=${concurrency}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${pathToFileURL(join(root, 'scripts', 'lib', 'failed-files.mjs')).href}`,
      `--test-reporter-destination=${failed}`,
      ...files,
    ],
    { step, env: { ...env, ...shaken() } },
  );
}

/** What passed only at its second run. */
const again = [];
export const passedAtSecondRun = () => again;

/**
 * Runs test files, `concurrency` of them at a time. Real servers, browsers and workbenches have races
 * of their own that no test of ours can wait for; so the files in which something failed run once
 * more, one after the other, and are named at the end however it went. With `--shake` nothing gets a
 * second run: there each failure is wanted.
 */
export async function runTests(step, files, concurrency, env) {
  const folder = mkdtempSync(join(tmpdir(), 'gbs-tests-'));
  const failed = join(folder, 'failed');
  try {
    await runOnce(step, files, concurrency, env, failed);
  } catch (error) {
    const named = existsSync(failed)
      ? readFileSync(failed, 'utf8')
          .split('\n')
          .filter((name) => name !== '')
      : [];
    // A test stands where `test()` was called, which may be a module that the file imports.
    const names = files.length === 1 ? files : named.map((name) => relative(root, name));
    // Many failures are no race.
    if (
      shake !== undefined ||
      names.length === 0 ||
      names.length > 3 ||
      !names.every((name) => files.includes(name))
    )
      throw error;
    process.stdout.write(`\nFailed: ${names.join(', ')}. A second run decides.\n`);
    await runOnce(`${step}, second run`, names, 1, env, failed);
    again.push(...names.map((name) => `${name} (${step})`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
