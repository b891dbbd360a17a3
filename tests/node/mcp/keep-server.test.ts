/** A server is kept in a file: whole or not at all, and never where it does not belong. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { keepServer } from '../../../extension/mcp/keep-server.ts';
import { root } from './set.ts';

const limit = { timeout: 60_000 };
const server = { command: 'docs-mcp' };

async function folder(context: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'gbs-keep-'));
  context.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function names(path: string): Promise<readonly string[]> {
  const value: unknown = JSON.parse(await readFile(path, 'utf8'));
  assert.ok(typeof value === 'object' && value !== null && 'mcpServers' in value);
  return Object.keys(value.mcpServers ?? {});
}

test('the file and its folder are made', limit, async (context) => {
  const work = await folder(context);
  const path = join(work, '.gbs', 'mcp.json');
  assert.deepEqual(await keepServer({ path, within: work }, 'docs', server), { kind: 'kept' });
  assert.equal(
    await readFile(path, 'utf8'),
    '{\n  "mcpServers": {\n    "docs": {\n      "command": "docs-mcp"\n    }\n  }\n}\n',
  );
  assert.deepEqual(await readdir(join(work, '.gbs')), ['mcp.json'], 'and nothing else');
});

test('mode, encoding and a link of the user’s own stay', limit, async (context) => {
  const home = await folder(context);
  const real = join(home, 'dotfiles.json');
  const path = join(home, 'mcp.json');
  for (const encoding of ['utf8', 'utf16le'] as const) {
    await rm(path, { force: true });
    await writeFile(real, '\uFEFF{\r\n\t"mcpServers": {}\r\n}', encoding);
    await chmod(real, 0o640);
    await symlink(real, path);
    assert.deepEqual(await keepServer({ path, within: null }, 'docs', server), { kind: 'kept' });
    assert.equal(
      await readFile(real, encoding),
      '\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"docs": {\r\n\t\t\t"command": "docs-mcp"\r\n\t\t}\r\n\t}\r\n}',
    );
    assert.equal((await stat(real)).mode & 0o777, 0o640);
    assert.equal(await readFile(path, encoding), await readFile(real, encoding), 'still a link');
  }
});

test('what cannot be written is left as it is and said', limit, async (context) => {
  const work = await folder(context);
  const outside = await folder(context);
  await mkdir(join(outside, 'there'));
  const cases: readonly (readonly [string, () => Promise<unknown>, string])[] = [
    ['broken.json', () => writeFile(join(work, 'broken.json'), '{"mcpServers": {'), 'broken-file'],
    [
      'bytes.json',
      () => writeFile(join(work, 'bytes.json'), Buffer.from([0x7b, 0xff])),
      'broken-file',
    ],
    [
      'taken.json',
      () => writeFile(join(work, 'taken.json'), '{"mcpServers":{"docs":{"command":"x"}}}'),
      'taken',
    ],
    ['folder.json', () => mkdir(join(work, 'folder.json')), 'not-a-file'],
    ['.gbs/mcp.json', () => symlink(join(outside, 'there'), join(work, '.gbs')), 'leads-outside'],
    [
      'link.json',
      async () => {
        await writeFile(join(outside, 'file.json'), '{}');
        await symlink(join(outside, 'file.json'), join(work, 'link.json'));
      },
      'leads-outside',
    ],
    [
      'nowhere.json',
      () => symlink(join(outside, 'none'), join(work, 'nowhere.json')),
      'unwritable',
    ],
  ];
  for (const [name, make, code] of cases) {
    await make();
    const path = join(work, name);
    const before = await readFile(path).catch(() => null);
    const kept = await keepServer({ path, within: work }, 'docs', server);
    assert.equal(kept.kind === 'refused' ? kept.code : kept.kind, code, name);
    assert.deepEqual(await readFile(path).catch(() => null), before, name);
  }
  assert.deepEqual(await readdir(join(outside, 'there')), []);
  assert.equal(await readFile(join(outside, 'file.json'), 'utf8'), '{}');
});

test('two windows that write at once lose nothing', limit, async (context) => {
  const work = await folder(context);
  const path = join(work, '.mcp.json');
  await writeFile(path, '{\n  // kept\n  "mcpServers": {\n    "first": {} // mine\n  }\n}\n');
  const program = join(import.meta.dirname, 'programs', 'keeps-servers.ts');
  const tsx = join(root, 'node_modules/tsx/dist/loader.mjs');
  const run = promisify(execFile);
  await Promise.all(
    ['a', 'b'].map((name) => run(process.execPath, ['--import', tsx, program, path, name, '50'])),
  );
  const text = await readFile(path, 'utf8');
  assert.ok(text.startsWith('{\n  // kept\n  "mcpServers": {\n    "first": {}, // mine\n'));
  await writeFile(path, text.replaceAll(/ \/\/ (?:kept|mine)/g, ''));
  const expected = ['a', 'b'].flatMap((name) =>
    Array.from({ length: 50 }, (_, n) => `${name}${n}`),
  );
  assert.deepEqual([...(await names(path))].sort(), ['first', ...expected].sort());
  assert.deepEqual(await readdir(work), ['.mcp.json'], 'no lock and no copy is left');
});

test('what was taken along for the user alone is readable for the user alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-keep-'));
  const path = join(folder, '.gbs', 'mcp.json');
  const server = { command: 'node', env: { KEY: 'hunter2' } };
  assert.deepEqual(await keepServer({ path, within: null }, 'a', server), { kind: 'kept' });
  if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600);
  const taken = await keepServer({ path, within: null }, 'a', server);
  assert.deepEqual(taken, {
    kind: 'refused',
    code: 'taken',
    message: `${path} has a server "a" already. Remove or rename one of them.`,
  });
  await rm(folder, { recursive: true });
});
