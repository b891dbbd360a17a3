/** What the package holds and promises. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { publint } from 'publint';
import { pack, root, tool, type Packed } from './bed.ts';

let folder: string;
let packed: Packed;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gbs-package-'));
  packed = await pack(folder);
});
after(() => rm(folder, { recursive: true }));

const timeout = 60_000;

async function golden(name: string, text: string): Promise<void> {
  const path = join(root, 'tests', 'golden', name);
  if (process.env.UPDATE_GOLDEN === '1') await writeFile(path, text);
  assert.equal(text, await readFile(path, 'utf8'), `UPDATE_GOLDEN=1 renews ${name}`);
}

async function manifest(): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(join(root, 'pkg', 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
}

test('it holds these files and no others', () =>
  golden('package.txt', `${packed.files.join('\n')}\n`));

test('the declarations are these', async () => {
  const names = ['index.d.cts', 'index.d.mts', 'web.d.mts', 'wasm/gbs.d.ts'];
  const texts = names.map(async (name) => {
    const text = await readFile(join(root, 'pkg', name), 'utf8');
    return `// ${name}\n${text.replace(/^\/\/\/ /gm, '// ')}`;
  });
  // Links of Rust's documentation lead nowhere here.
  for (const text of await Promise.all(texts)) assert.doesNotMatch(text, /\[`|::/);
  await golden('package.d.ts.txt', (await Promise.all(texts)).join('\n'));
});

test('nothing comes with it, and nothing runs when it is installed', async () => {
  const { scripts, ...rest } = await manifest();
  const kinds = Object.keys(rest).filter((key) => /dependencies$/i.test(key));
  assert.deepEqual([kinds, scripts], [[], undefined]);
});

test('it has the version that its core says', async () => {
  const { createCore } = await import('../../extension/core.ts');
  assert.equal((await manifest())['version'], createCore().version());
});

test('nothing in it tells where it was built', async () => {
  // As a folder: the name of one may begin a word of the protocol, such as `/roots`.
  const folders = [homedir(), root].flatMap((place) => [`${place}/`, `${place}\\`]);
  const places = [...folders, '.cargo/registry', '.cargo\\registry', '.rustup/toolchains'];
  const texts = packed.files.map(async (name) => [
    name,
    await readFile(join(root, 'pkg', name), 'latin1'),
  ]);
  const found = (await Promise.all(texts)).flatMap(([name = '', text = '']) =>
    places.filter((place) => text.includes(place)).map((place) => `${name}: ${place}`),
  );
  assert.deepEqual(found, []);
});

test('publint finds nothing', { timeout }, async () => {
  const { messages } = await publint({ pkgDir: join(root, 'pkg'), pack: 'npm', strict: true });
  assert.deepEqual(messages, []);
});

test('attw finds nothing', { timeout }, async () => {
  // The module and the manifest have no types.
  const without = ['--exclude-entrypoints', 'gbs_bg.wasm', 'package.json'];
  const printed = await tool('attw', [packed.archive, '--format', 'json', ...without], root);
  const { problems } = JSON.parse(printed) as { problems: Record<string, unknown> };
  assert.deepEqual(problems, {});
});
