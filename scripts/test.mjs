// npm test: sets up, builds and runs every part, fast ones first.
// npm test -- PART [FILTER]: one part alone, of lint, rust, wasm, node, package, page, e2e.
// npm test -- node [FILTER] --shake SEED: with the order of concurrent things shaken (tests/shake.mjs).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildAll, buildBundles } from './build.mjs';
import { buildCore } from './build-core.mjs';
import { root } from './lib/paths.mjs';
import { StepFailed, main, run, timed } from './lib/run.mjs';
import { chromium, pythonServers, setupBuild } from './lib/setup.mjs';
import { mcpPrograms, nginx } from './lib/mcp-programs.mjs';
import { setupBed } from './lib/beds.mjs';
import { passedAtSecondRun, runTests, shakeTests, testFiles } from './lib/test-files.mjs';

const corpus = process.env.GBS_CORPUS ?? join(root, '..', 'shared', 'corpus');
const env = existsSync(corpus) ? { GBS_CORPUS: corpus } : {};

/** Runs the test files of a folder; `concurrency` files at a time. */
function nodeTests(folder, filter, concurrency, more = {}) {
  const files = testFiles(folder, filter);
  return runTests(`tests in ${folder}`, files, concurrency, { ...env, ...more });
}

const parts = {
  async lint() {
    await buildCore();
    await run('cargo', ['fmt', '--check'], { remedy: 'Run cargo fmt.' });
    await run('cargo', ['clippy', '--quiet', '--all-targets', '--', '-D', 'warnings']);
    // Lengths, absences and the table of cases: whoever moves a test learns of it here.
    await run('cargo', ['test', '--quiet', '--test', 'tidy']);
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
    await nodeTests('tests/node', filter, 2, {
      GBS_PYTHON: await pythonServers(),
      GBS_MCP_PROGRAMS: await mcpPrograms(),
      GBS_NGINX: await nginx(),
    });
  },
  async package(filter) {
    await buildCore();
    await nodeTests('tests/package', filter, 2, { GBS_CHROMIUM: await chromium() });
  },
  async page(filter) {
    await buildCore();
    await buildBundles();
    await nodeTests('tests/page', filter, 2, { GBS_CHROMIUM: await chromium() });
  },
  async e2e(filter) {
    await buildAll();
    const browser = await chromium();
    for (const kind of ['latest', 'floor']) {
      const bed = await setupBed(kind);
      await timed(`VS Code ${kind}`, async () => {
        // One file after the other, so that a second run begins with a fresh workbench.
        for (const file of testFiles('tests/e2e', filter)) {
          // What no version of VS Code changes is looked at in one.
          if (kind === 'floor' && file.endsWith('.latest.test.ts')) continue;
          await runTests(`${file} in VS Code ${kind}`, [file], 1, {
            ...env,
            GBS_CHROMIUM: browser,
            GBS_BED: bed,
            GBS_BED_KIND: kind,
          });
        }
      });
    }
  },
};

main(async () => {
  const words = process.argv.slice(2);
  const at = words.indexOf('--shake');
  if (at >= 0) shakeTests(words.splice(at, 2)[1] ?? '1');
  const [part, filter] = words;
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
  const again = passedAtSecondRun();
  if (again.length > 0)
    process.stdout.write(`\nPassed only at the second run: ${again.join(', ')}.\n`);
  process.stdout.write(`\nAll passed in ${Math.round((Date.now() - start) / 1000)} s.\n`);
});
