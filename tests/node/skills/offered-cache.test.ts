/** Files of servers' skills stay in memory up to a limit, however many read one at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OfferedSkill } from '../../../extension/core.ts';
import { OFFERED_CACHE_BYTES } from '../../../extension/limits.ts';
import { sha256 } from '../../../extension/skills/library.ts';
import { OfferedSkillLibrary } from '../../../extension/skills/offered.ts';
import { core } from './tree.ts';

test('a file that several read at once counts once', async () => {
  const files = new Map([
    ['large.bin', new Uint8Array(OFFERED_CACHE_BYTES / 2)],
    ['small.md', new TextEncoder().encode('small')],
  ]);
  const asked: string[] = [];
  const library = new OfferedSkillLibrary(core, () => ({
    known: () => [],
    ask: () => Promise.resolve(),
    get: () => assert.fail('nothing is asked for by its address'),
    changed: () => assert.fail('nothing changed'),
    wantsAsking: false,
    read: (_server, uri) => {
      asked.push(uri);
      const bytes = files.get(uri) ?? new Uint8Array();
      return Promise.resolve({ kind: 'read', bytes });
    },
  }));
  const listed = [...files].map(([path, bytes]) => {
    return { path, uri: path, sha256: sha256(bytes), size: bytes.length };
  });
  const skill = { files: listed } as unknown as OfferedSkill;
  const read = async (path: string): Promise<string> => {
    const { signal } = new AbortController();
    return (await library.file({ server: 's', skill }, path, signal)).kind;
  };
  const all = Array.from({ length: 4 }, () => read('large.bin'));
  assert.deepEqual(await Promise.all(all), ['read', 'read', 'read', 'read']);
  asked.length = 0;
  for (const path of ['small.md', 'large.bin', 'small.md']) assert.equal(await read(path), 'read');
  assert.deepEqual(asked, ['small.md']);
});
