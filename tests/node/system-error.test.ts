/** What people read where the operating system refused something. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemErrorWords } from '../../extension/editor/system-error.ts';

const say = (text: string, ...fill: string[]): string =>
  text.replace(/\{(\d)\}/g, (_, n: string) => fill[Number(n)] ?? '');

async function said(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return 'nothing failed';
  } catch (error) {
    return systemErrorWords(error, say);
  }
}

test('an error of the system names the file and says what is so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-errors-'));
  try {
    const gone = join(folder, 'gone.md');
    assert.equal(await said(() => readFile(gone)), `${gone}: It is not there.`);
    const made = Object.assign(new Error('EXDEV: cross-device link'), {
      code: 'EXDEV',
      syscall: 'rename',
      path: '/a',
    });
    assert.equal(systemErrorWords(made, say), '/a: The system failed with EXDEV.');
    const full = Object.assign(new Error('write'), { code: 'ENOSPC', syscall: 'write' });
    assert.equal(systemErrorWords(full, say), 'There is no room left on the disk.');
    assert.equal(await said(() => Promise.reject(new Error('ours'))), null);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
