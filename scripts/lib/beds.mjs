// A real VS Code workbench with a Node extension host, from npm packages alone: code-server (MIT).
// The lock files stand in tests/e2e/bed; what is installed goes into the user's cache.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './paths.mjs';
import { run, timed } from './run.mjs';
import { beds } from './setup.mjs';

/** Installs the bed of `kind` (`latest` or `floor`) once; gives its folder. */
export async function setupBed(kind) {
  const folder = await installed(kind);
  // The native module that writes output channels is not compiled; without one they stay empty.
  const modules = join(folder, 'node_modules', 'code-server', 'lib', 'vscode', 'node_modules');
  const writer = join(modules, '@vscode', 'spdlog', 'index.js');
  const ours = readFileSync(join(root, 'tests', 'e2e', 'bed', 'spdlog.cjs'), 'utf8');
  if (readFileSync(writer, 'utf8') !== ours) writeFileSync(writer, ours);
  return folder;
}

async function installed(kind) {
  const folder = beds[kind];
  if (existsSync(join(folder, `.ready-${kind}`))) return folder;
  await timed(`VS Code test bed: ${kind} (once)`, async () => {
    mkdirSync(dirname(folder), { recursive: true });
    const work = mkdtempSync(join(dirname(folder), '.installing-'));
    try {
      cpSync(join(root, 'tests', 'e2e', 'bed', kind), work, { recursive: true });
      // Install scripts would compile native modules that a test does not use.
      const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      const remedy = 'It needs the npm registry.';
      await run('npm', flags, { cwd: work, step: 'npm ci of code-server', remedy, quiet: true });
      await run('npm', [...flags, '--omit=dev'], {
        cwd: join(work, 'vscode'),
        step: 'npm ci of its workbench',
        remedy,
        quiet: true,
      });
      const server = join(work, 'node_modules', 'code-server', 'lib', 'vscode', 'node_modules');
      rmSync(server, { recursive: true, force: true });
      renameSync(join(work, 'vscode', 'node_modules'), server);
      if (kind === 'floor') {
        // Its argon2 has no prebuilt binary; it only hashes passwords, and the bed asks for none.
        writeFileSync(
          join(work, 'node_modules', 'argon2', 'argon2.js'),
          "module.exports = { hash: async () => { throw new Error('no passwords here'); }, verify: async () => false };\n",
        );
      }
      writeFileSync(join(work, `.ready-${kind}`), '');
      rmSync(folder, { recursive: true, force: true });
      renameSync(work, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
  return folder;
}
