// Programs of others that the tests run against the skills MCP server.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cache } from './paths.mjs';
import { run, timed } from './run.mjs';
import { fromDebian } from './setup.mjs';

/** Inspector and the conformance suite need a newer Node than the project. */
const packages = [
  `node-${process.platform}-${process.arch}@22.23.5`,
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
];

/** The folder whose node_modules holds them; brought once. */
export async function mcpPrograms() {
  const versions = packages.map((name) => name.slice(name.lastIndexOf('@') + 1)).join('-');
  const folder = join(cache, 'servers', `mcp-programs-${versions}`);
  if (existsSync(folder)) return folder;
  await timed('Inspector and the conformance suite of MCP (once)', async () => {
    mkdirSync(dirname(folder), { recursive: true });
    const work = mkdtempSync(join(dirname(folder), '.installing-'));
    try {
      writeFileSync(join(work, 'package.json'), '{ "private": true }\n');
      const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      await run('npm', ['install', '--prefix', work, ...flags, ...packages], {
        step: `npm install ${packages.join(' ')}`,
        remedy: 'It needs the npm registry.',
        quiet: true,
      });
      if (!existsSync(folder)) renameSync(work, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
  return folder;
}

/** The path of nginx; empty where it is not there and cannot be brought. */
export async function nginx() {
  const folders = (process.env.PATH ?? '').split(':').concat('/usr/sbin');
  const find = () =>
    folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path)) ?? '';
  return find() || ((await fromDebian('nginx', 'nginx-light')) ? find() : '');
}
