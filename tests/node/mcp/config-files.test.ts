/** Reading configuration files: every level, in order, and nothing that could hang or fill memory. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CONFIG_FILE_BYTES } from '../../../extension/limits.ts';
import { readConfigFiles, SETTING } from '../../../extension/mcp/config-files.ts';
import { tree } from '../skills/tree.ts';

function read(root: string, folders: readonly string[] = ['ws'], setting = '{}') {
  return readConfigFiles({
    folders: folders.map((folder) => join(root, folder)),
    setting,
    userHome: join(root, 'home'),
    platform: process.platform,
  });
}

test('all levels, lowest first; the first folder’s last', async () => {
  const root = tree({
    'ws/.mcp.json': '1',
    'ws/.gbs/mcp.json': '2',
    'ws2/.mcp.json': '3',
    'home/.claude/mcp.json': '4',
    'home/.gbs/mcp.json': '5',
  });
  const { sources, problems } = await read(root, ['ws', 'ws2'], '{"a": {}}');
  assert.deepEqual(problems, []);
  assert.deepEqual(
    sources.map(({ text, origin, guarded, folder = '' }) => [
      text,
      origin,
      guarded,
      folder.replace(`${root}/`, ''),
    ]),
    [
      ['3', 'repository', false, 'ws2'],
      ['1', 'repository', false, 'ws'],
      ['2', 'repository', false, 'ws'],
      ['4', 'user', true, ''],
      ['5', 'user', true, ''],
      ['{"mcpServers": {"a": {}}\n}', 'user', false, ''],
    ],
  );
  assert.equal(sources.at(-1)?.path, SETTING);
});

test('the setting is a map, or a whole file pasted in', async () => {
  const root = tree({ 'ws/.keep': '' });
  const text = async (setting: string) => (await read(root, ['ws'], setting)).sources[0]?.text;
  assert.equal(await text(' {} '), undefined);
  assert.equal(await text(''), undefined);
  assert.equal(await text('{"mcpServers": {}}'), '{"mcpServers": {}}');
  assert.equal(
    await text('{"servers": {"command": "x"}}'),
    '{"mcpServers": {"servers": {"command": "x"}}\n}',
  );
  assert.equal(await text('{broken'), '{"mcpServers": {broken\n}');
});

test('a home that is opened as a workspace is still the user’s', async () => {
  const root = tree({ 'home/.gbs/mcp.json': '{}' });
  const { sources } = await read(root, ['home']);
  assert.deepEqual(
    sources.map(({ origin }) => origin),
    ['user'],
  );
});

test('links to devices, pipes, folders and huge files are problems of that file', async () => {
  const root = tree({ 'a/.keep': '', 'b/.keep': '', 'c/.keep': '', 'd/.keep': '' });
  symlinkSync('/dev/zero', join(root, 'a/.mcp.json'));
  execFileSync('mkfifo', [join(root, 'b/.mcp.json')]);
  mkdirSync(join(root, 'c/.mcp.json'));
  writeFileSync(join(root, 'd/.mcp.json'), ' '.repeat(CONFIG_FILE_BYTES + 1));
  const { sources, problems } = await read(root, ['d', 'c', 'b', 'a']);
  assert.deepEqual(sources, []);
  assert.deepEqual(
    problems.map(({ path, problem }) => [path.replace(`${root}/`, ''), problem.code]),
    [
      ['a/.mcp.json', 'not-a-file'],
      ['b/.mcp.json', 'not-a-file'],
      ['c/.mcp.json', 'not-a-file'],
      ['d/.mcp.json', 'file-too-large'],
    ],
  );
});

test('a file of the user that cannot be read is still a source, without text', async () => {
  const root = tree({ 'w/.keep': '', 'home/.gbs/.keep': '' });
  mkdirSync(join(root, 'home/.gbs/mcp.json'));
  mkdirSync(join(root, 'home/.claude'));
  writeFileSync(join(root, 'home/.claude/mcp.json'), ' '.repeat(CONFIG_FILE_BYTES + 1));
  const { sources, problems } = await read(root, ['w']);
  assert.deepEqual(
    sources.map(({ path, ...rest }) => [path.replace(`${root}/`, ''), rest]),
    [
      ['home/.claude/mcp.json', { origin: 'user', text: '', unreadable: true }],
      ['home/.gbs/mcp.json', { origin: 'user', text: '', unreadable: true }],
    ],
  );
  assert.deepEqual(
    problems.map(({ problem }) => problem.code),
    ['file-too-large', 'not-a-file'],
  );
});

test('UTF-8 and UTF-16, with and without BOM', async () => {
  const root = tree({
    'a/.mcp.json': Buffer.from('\ufeff{"é": 1}', 'utf8'),
    'b/.mcp.json': Buffer.from('\ufeff{"é": 1}', 'utf16le'),
    'c/.mcp.json': Buffer.from('\ufeff{"é": 1}', 'utf16le').swap16(),
    'd/.mcp.json': Buffer.from([0x7b, 0xff, 0x7d]),
  });
  const { sources } = await read(root, ['d', 'c', 'b', 'a']);
  assert.deepEqual(
    sources.map(({ text }) => text),
    ['\ufeff{"é": 1}', '{"é": 1}', '{"é": 1}', '{\ufffd}'],
  );
});
