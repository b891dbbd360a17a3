// npm test: sets up, builds and runs every part, fast ones first.
// npm test -- PART [FILTER]: one part alone, of lint, rust, wasm, node, package, page, e2e.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildAll, buildBundles } from './build.mjs';
import { buildCore } from './build-core.mjs';
import { root } from './lib/paths.mjs';
import { StepFailed, main, run, timed } from './lib/run.mjs';
import { chromium, setupBuild } from './lib/setup.mjs';
import { setupBed } from './lib/beds.mjs';

const corpus = process.env.GBS_CORPUS ?? join(root, '..', 'shared', 'corpus');
const env = existsSync(corpus) ? { GBS_CORPUS: corpus } : {};

/** Test files below `folder`, whose path holds `filter`. */
function testFiles(folder, filter) {
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

/** Runs test files with node's runner; `concurrency` files at a time. */
function nodeTests(folder, filter, concurrency, more = {}) {
  return run(
    process.execPath,
    [
      '--import',
      'tsx',
      '--test',
      `--test-concurrency=${concurrency}`,
      '--test-reporter=spec',
      ...testFiles(folder, filter),
    ],
    { step: `tests in ${folder}`, env: { ...env, ...more } },
  );
}

const parts = {
  async lint() {
    await buildCore();
    await run('cargo', ['fmt', '--check'], { remedy: 'Run cargo fmt.' });
    await run('cargo', ['clippy', '--quiet', '--all-targets', '--', '-D', 'warnings']);
    await run('tsc', ['-p', 'tsconfig.json']);
    await run('tsc', ['-p', 'tsconfig.page.json']);
    await run('eslint', ['.']);
    await run('prettier', ['--check', '--log-level', 'warn', '.'], {
      remedy: 'Run npx prettier --write .',
    });
  },
  rust: (filter) => run('cargo', ['test', ...(filter ? [filter] : [])], { env }),
  async wasm() {
    // Node's runner of wasm-bindgen; native-only files compile to nothing there.
    await run('wasm-pack', ['test', '--node', '--mode', 'no-install'], { env });
  },
  async node(filter) {
    await buildAll();
    await nodeTests('tests/node', filter, 2);
  },
  async package(filter) {
    await buildCore();
    await nodeTests('tests/package', filter, 2, { GBS_CHROMIUM: await chromium() });
  },
  async page(filter) {
    await buildCore();
    await buildBundles();
    await nodeTests('tests/page', filter, 1, { GBS_CHROMIUM: await chromium() });
  },
  async e2e(filter) {
    await buildAll();
    const browser = await chromium();
    for (const kind of ['latest', 'floor']) {
      const bed = await setupBed(kind);
      await timed(`VS Code ${kind}`, () =>
        nodeTests('tests/e2e', filter, 1, {
          GBS_CHROMIUM: browser,
          GBS_BED: bed,
          GBS_BED_KIND: kind,
        }),
      );
    }
  },
};

main(async () => {
  const [part, filter] = process.argv.slice(2);
  if (part && !(part in parts)) {
    throw new StepFailed(
      `There is no part ${part}.`,
      `The parts are ${Object.keys(parts).join(', ')}.`,
    );
  }
  const start = Date.now();
  await setupBuild();
  for (const name of part ? [part] : Object.keys(parts)) {
    process.stdout.write(`\n══ ${name}\n`);
    await timed(`tests: ${name}`, () => parts[name](filter));
  }
  process.stdout.write(`\nAll passed in ${Math.round((Date.now() - start) / 1000)} s.\n`);
});
