/** What older sessions left goes when it is old and nobody names it. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Blobs } from '../../../extension/agent/blobs.ts';
import { removeLeftovers } from '../../../extension/agent/leftovers.ts';
import { LEFTOVER_DAYS } from '../../../extension/limits.ts';

const day = 24 * 60 * 60 * 1_000;
const now = Date.now();

/** Files by path, each with its age in days. */
async function check(
  context: TestContext,
  files: Readonly<Record<string, readonly [text: string, days: number]>>,
  kept: readonly string[],
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'gbs-leftovers-'));
  context.after(() => rm(root, { recursive: true, force: true }));
  for (const [path, [text, days]] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
    const at = new Date(now - days * day);
    await utimes(join(root, path), at, at);
    if (path.startsWith('outputs/')) await utimes(join(root, dirname(path)), at, at);
  }
  await removeLeftovers(root, now);
  const left = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = left
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  assert.deepEqual(names.sort(), [...kept].sort());
}

const old = LEFTOVER_DAYS + 1;
const turn = JSON.stringify([{ path: '/w/a', before: 'aa1', after: 'unknown' }]);

test('old and unnamed goes, young or named stays', async (context) => {
  await check(
    context,
    {
      'outputs/dead/1.txt': ['x', old],
      'outputs/alive/1.txt': ['x', 1],
      'watched/dead': ['x', old],
      'watched/alive': ['x', 1],
      'turns/t1.json': [turn, old],
      'copies/aa/aa1': ['x', old],
      'copies/aa/aa2': ['x', old],
      'copies/bb/bb1': ['x', 1],
    },
    ['outputs/alive/1.txt', 'watched/alive', 'turns/t1.json', 'copies/aa/aa1', 'copies/bb/bb1'],
  );
});

test('a turn that cannot be read keeps every copy', async (context) => {
  await check(context, { 'turns/t1.json': ['[{', old], 'copies/aa/aa1': ['x', old] }, [
    'turns/t1.json',
    'copies/aa/aa1',
  ]);
});

test('nothing there is nothing to do', async (context) => {
  await check(context, {}, []);
});

test('a copy that is kept again is young again', async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'gbs-leftovers-'));
  context.after(() => rm(root, { recursive: true, force: true }));
  const blobs = new Blobs(join(root, 'copies'));
  const name = await blobs.put(Buffer.from('text'));
  const at = new Date(now - old * day);
  await utimes(join(root, 'copies', name.slice(0, 2), name), at, at);
  await blobs.put(Buffer.from('text'));
  await removeLeftovers(root, now);
  assert.equal((await blobs.get(name))?.toString(), 'text');
});
