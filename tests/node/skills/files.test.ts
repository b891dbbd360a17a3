/** A file that must lie in a folder, whatever its links say and whenever they change. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ContainedFiles } from '../../../extension/skills/files.ts';
import { core, tree, type Node } from './tree.ts';

const platforms = ['linux', 'darwin'] as const;

async function check(
  nodes: Readonly<Record<string, Node>>,
  path: string,
  expected: string,
  limit = 1_000,
): Promise<void> {
  const root = tree({ 'secret/key': 'SECRET', ...nodes });
  // The second platform takes the way for systems without /proc.
  for (const platform of platforms) {
    const files = new ContainedFiles({ core, platform });
    const read = files.read(join(root, 'skill'), join(root, 'skill', path), limit);
    const said = read.kind === 'read' ? new TextDecoder().decode(read.bytes) : read.kind;
    assert.equal(said, expected, `${path} as on ${platform}`);
  }
}

test('a file of the folder is read, also through links that stay inside', async () => {
  await check({ 'skill/a.md': 'text' }, 'a.md', 'text');
  await check({ 'skill/a.md': '' }, 'a.md', '');
  await check({ 'skill/a.md': 'text', 'skill/b.md': { link: 'a.md' } }, 'b.md', 'text');
  await check({ 'skill/in/a.md': 'text', 'skill/b': { link: 'in' } }, 'b/a.md', 'text');
});

test('nothing outside is read', async () => {
  await check({ 'skill/a': '', 'skill/b.md': { link: '../secret/key' } }, 'b.md', 'outside');
  await check({ 'skill/a': '', 'skill/b': { link: '../secret' } }, 'b/key', 'outside');
  await check({ 'skill/a': '', 'skill/b': { link: '/' } }, 'b/etc/hostname', 'outside');
  await check(
    { 'skill/a': '', 'skill/b': { link: 'c' }, 'skill/c': { link: '../secret' } },
    'b/key',
    'outside',
  );
  await check({ 'skill/a': '' }, '../secret/key', 'outside');
  // A folder whose name begins alike is another one.
  await check({ 'skill/a': '', 'skill-two/key': 'SECRET' }, '../skill-two/key', 'outside');
});

test('what is no readable file is said', async () => {
  await check({ 'skill/a.md': 'text' }, 'b.md', 'missing');
  await check({ 'skill/a.md': 'text' }, 'a.md/b', 'missing');
  await check({ 'skill/in/a.md': 'text' }, 'in', 'notAFile');
  await check({ 'skill/pipe': { pipe: true } }, 'pipe', 'notAFile');
  await check({ 'skill/a': { link: 'b' }, 'skill/b': { link: 'a' } }, 'a', 'outside');
  await check({ 'skill/a.md': '12345' }, 'a.md', '12345', 5);
  await check({ 'skill/a.md': '123456' }, 'a.md', 'tooLarge', 5);
});

test('a link swapped between check and opening gives nothing', async () => {
  const swaps: readonly ((root: string) => void)[] = [
    // The file itself becomes a link.
    (root) => {
      rmSync(join(root, 'skill/in/key'));
      symlinkSync('../../secret/key', join(root, 'skill/in/key'));
    },
    // The folder above it becomes a link.
    (root) => {
      renameSync(join(root, 'skill/in'), join(root, 'skill/out'));
      symlinkSync('../secret', join(root, 'skill/in'));
    },
    // The skill's own folder becomes a link.
    (root) => {
      renameSync(join(root, 'skill'), join(root, 'old'));
      writeFileSync(join(root, 'moved'), '');
      symlinkSync('elsewhere', join(root, 'skill'));
    },
  ];
  for (const swap of swaps) {
    for (const platform of platforms) {
      const root = tree({
        'secret/key': 'SECRET',
        'elsewhere/in/key': 'SECRET',
        'skill/in/key': 'public',
      });
      const files = new ContainedFiles({
        core,
        platform,
        beforeOpening: () => {
          swap(root);
        },
      });
      const read = files.read(join(root, 'skill'), join(root, 'skill/in/key'), 1_000);
      assert.equal(read.kind, 'outside', platform);
    }
  }
});

test('links swapped all the time never give a byte from outside', async () => {
  const root = tree({
    'secret/key': 'SECRET',
    'skill/in/key': 'public',
    'links/in': { link: '../secret' },
  });
  // One thread turns the folder into a link and back, as fast as it can, while this one reads.
  const worker = new Worker(
    `const { renameSync } = require('node:fs');
     const { workerData, parentPort } = require('node:worker_threads');
     const [inside, aside, link] = workerData;
     let stop = false;
     parentPort.on('message', () => { stop = true; });
     const turn = () => {
       for (let n = 0; n < 50; n += 1) {
         renameSync(inside, aside); renameSync(link, inside);
         renameSync(inside, link); renameSync(aside, inside);
       }
       if (stop) parentPort.close(); else setImmediate(turn);
     };
     turn();`,
    {
      eval: true,
      workerData: [join(root, 'skill/in'), join(root, 'aside'), join(root, 'links/in')],
    },
  );
  const seen = new Set<string>();
  try {
    await once(worker, 'online');
    // On a busy machine the other thread may not get its turn for a while.
    const until = performance.now() + 20_000;
    for (let n = 0; n < 1_500 || (seen.size < 2 && performance.now() < until); n += 1) {
      const files = new ContainedFiles({ core, platform: 'linux' });
      const read = files.read(join(root, 'skill'), join(root, 'skill/in/key'), 1_000);
      seen.add(read.kind === 'read' ? new TextDecoder().decode(read.bytes) : read.kind);
    }
  } finally {
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('stop');
    await ended;
  }
  assert.ok(!seen.has('SECRET'), [...seen].join(', '));
  assert.ok(seen.size > 1, `the race was never met: ${[...seen].join(', ')}`);
});
