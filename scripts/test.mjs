// npm test: sets up, builds and runs every part, fast ones first.
// npm test -- PART [FILTER]: one part alone, of lint, rust, wasm, node, package, page, e2e.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildAll, buildBundles } from './build.mjs';
import { buildCore } from './build-core.mjs';
import { root } from './lib/paths.mjs';
import { StepFailed, main, run, timed } from './lib/run.mjs';
import { chromium, pythonServers, setupBuild } from './lib/setup.mjs';
import { mcpPrograms, nginx } from './lib/mcp-programs.mjs';
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
  return runFiles(folder, testFiles(folder, filter), concurrency, more);
}

function runFiles(folder, files, concurrency, more) {
  return run(
    process.execPath,
    [
      '--import',
      'tsx',
      '--test',
      `--test-concurrency=${concurrency}`,
      '--test-reporter=spec',
      ...files,
    ],
    { step: `tests in ${folder}`, env: { ...env, ...more } },
  );
}

/**
 * Test files in a real VS Code, one after the other. The workbench is a program of others, with races
 * of its own that no test of ours can wait for; so a file that fails runs once more, from a fresh
 * workbench, and is named at the end however it went.
 */
async function workbenchTests(filter, kind, more) {
  for (const file of testFiles('tests/e2e', filter)) {
    try {
      await runFiles(file, [file], 1, more);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      process.stdout.write(`\n${file} failed in VS Code ${kind}: a second run decides.\n`);
      await runFiles(`${file}, second run`, [file], 1, more);
      again.push(`${file} in VS Code ${kind}`);
    }
  }
}

/** What needed a second run. */
const again = [];

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
    await nodeTests('tests/page', filter, 1, { GBS_CHROMIUM: await chromium() });
  },
  async e2e(filter) {
    await buildAll();
    const browser = await chromium();
    for (const kind of ['latest', 'floor']) {
      const bed = await setupBed(kind);
      await timed(`VS Code ${kind}`, () =>
        workbenchTests(filter, kind, {
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
  if (again.length > 0)
    process.stdout.write(`\nPassed only at the second run: ${again.join(', ')}.\n`);
  process.stdout.write(`\nAll passed in ${Math.round((Date.now() - start) / 1000)} s.\n`);
});
