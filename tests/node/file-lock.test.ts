/** Locks as files: held for one, and what happens when another takes one for left behind. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withFileLock } from '../../extension/file-lock.ts';

test(
  'a lock that was taken away ends neither the work nor the process',
  { timeout: 60_000 },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'gbs-lock-'));
    t.after(() => rm(folder, { recursive: true }));
    // The library's own timer keeps no process alive, and here nothing else does.
    const busy = setInterval(() => undefined, 1_000);
    t.after(() => clearInterval(busy));
    const path = join(folder, 'x');
    let tell = (): void => undefined;
    const lost = new Promise<void>((resolve) => (tell = resolve));
    const act = async (): Promise<string> => {
      // As another process does with one that it takes for left behind.
      await rm(`${path}.lock`, { recursive: true });
      await lost;
      return 'done';
    };
    assert.equal(await withFileLock(path, { retries: 0 }, act, tell), 'done');
    const again = withFileLock(path, { retries: 0 }, async () => {
      await assert.rejects(
        withFileLock(path, { retries: 0 }, () => Promise.resolve()),
        /already being held/,
      );
      return readdir(folder);
    });
    assert.deepEqual(await again, ['x.lock']);
    assert.deepEqual(await readdir(folder), []);
  },
);
