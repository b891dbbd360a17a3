// Programs of others that the tests run against the skills MCP server.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { cache, root } from './paths.mjs';
import { StepFailed, run, timed } from './run.mjs';
import { fromDebian } from './setup.mjs';

/**
 * Inspector, the conformance suite, and a newer Node than the project's, which both need (npm has it for
 * Linux). Every package below them is locked; nothing of it is installed with the project.
 */
const list = join(root, 'scripts', 'mcp-programs');

/** The folder whose node_modules holds them; brought once for each state of the lock file. */
export async function mcpPrograms() {
  const lock = readFileSync(join(list, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const folder = join(cache, 'servers', `mcp-programs-${digest}`);
  if (existsSync(folder)) return folder;
  await timed('Inspector and the conformance suite of MCP (once)', async () => {
    mkdirSync(dirname(folder), { recursive: true });
    // npm takes a folder that is reached by a link for another one than its lock file is about.
    const work = realpathSync(mkdtempSync(join(dirname(folder), '.installing-')));
    try {
      for (const name of ['package.json', 'package-lock.json']) {
        copyFileSync(join(list, name), join(work, name));
      }
      const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      await run('npm', ['ci', '--prefix', work, ...flags], {
        step: 'npm ci in scripts/mcp-programs',
        remedy: 'It needs the npm registry.',
        quiet: true,
      });
      ownNode(work);
      if (!existsSync(folder)) renameSync(work, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
  return folder;
}

/** Where npm has no newer Node for the platform, the one that runs this, if it is new enough. */
function ownNode(work) {
  const bin = join(work, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  if (existsSync(join(bin, 'node'))) return;
  if (Number(process.versions.node.split('.')[0]) < 22) {
    throw new StepFailed('Inspector needs Node 22 or newer.', 'Run the tests by a newer Node.');
  }
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, 'node'));
}

/** The path of nginx; empty where it is not there and cannot be brought. */
export async function nginx() {
  const folders = (process.env.PATH ?? '').split(':').concat('/usr/sbin');
  const find = () =>
    folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path)) ?? '';
  return find() || ((await fromDebian('nginx', 'nginx-light')) ? find() : '');
}
