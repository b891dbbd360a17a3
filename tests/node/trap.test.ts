/** A trap costs one call: the instance is replaced, and what lived in it says so. */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'node:test';
import type { SkillFile } from '../../extension/core.ts';
import { spoilable, type Spoilable } from './spoiled.ts';

const options = { clientInfo: { name: 'test', version: '0' } };

interface Watched extends Spoilable {
  readonly traps: readonly Error[];
  /** How often people are told. */
  readonly told: readonly string[];
}

function watched(): Watched {
  const traps: Error[] = [];
  const told: string[] = [];
  const watch = { log: (error: Error) => traps.push(error), tell: () => told.push('told') };
  return { ...spoilable(watch), traps, told };
}

/** Enough for several batches, so that most of the work is done by the event loop. */
function files(): SkillFile[] {
  const bytes = new TextEncoder().encode('---\nname: a\ndescription: b\n---\nBody\n');
  return Array.from({ length: 500 }, () => ({ bytes, folderName: 'a' }));
}

test('a trap is told, and the core goes on with a fresh instance', () => {
  const { core, spoil, traps, instances } = watched();
  spoil();
  assert.throws(() => core.toolName('fs', 'read_file'), { code: 'CORE_TRAPPED' });
  assert.equal(traps.length, 1);
  assert.equal(core.toolName('fs', 'read_file'), 'mcp__fs__read_file');
  assert.deepEqual([traps.length, instances.length], [1, 2]);
});

test('people are told once, the log of each', () => {
  const { core, spoil, traps, told } = watched();
  for (let n = 0; n < 3; n += 1) {
    spoil();
    assert.throws(() => core.version(), { code: 'CORE_TRAPPED' });
    core.version();
  }
  assert.deepEqual([traps.length, told], [3, ['told']]);
  assert.ok(traps.every((error) => /RuntimeError/.test(error.stack ?? '')));
});

test('a session of the replaced instance says so, and frees in silence', () => {
  const { core, spoil, traps } = watched();
  const session = new core.Session(options);
  session.start();
  spoil();
  assert.throws(() => core.toolName('fs', 'read_file'), { code: 'CORE_TRAPPED' });
  assert.throws(() => session.feed(new Uint8Array([10])), { code: 'CORE_RETIRED' });
  session.free();
  assert.throws(() => session.start(), { code: 'CORE_RETIRED' });
  const next = new core.Session(options);
  next.start();
  next.free();
  next.free();
  assert.throws(() => next.start(), { code: 'CORE_RETIRED' });
  assert.equal(traps.length, 1);
});

test('a trap in a later step of a promise rejects it, and nothing is thrown at the process', async () => {
  const { core, spoil, traps } = watched();
  const first = core.parseSkillsAsync(files());
  const second = core.parseSkillsAsync(files());
  await turn();
  spoil();
  await assert.rejects(first, { code: 'CORE_TRAPPED' });
  await assert.rejects(second, { code: 'CORE_TRAPPED' });
  assert.equal(traps.length, 1);
  assert.equal((await core.parseSkillsAsync(files())).length, 500);
  // What the event loop still holds of the old instance does nothing.
  for (let n = 0; n < 10; n += 1) await turn();
  assert.equal(traps.length, 1);
});

test('a trap elsewhere rejects what still runs in the same instance', async () => {
  const { core, spoil, traps } = watched();
  const parsed = core.parseSkillsAsync(files());
  spoil();
  assert.throws(() => core.toolName('a', 'b'), { code: 'CORE_TRAPPED' });
  await assert.rejects(parsed, { code: 'CORE_TRAPPED' });
  assert.equal(traps.length, 1);
});

test('a refusal is not a trap', () => {
  const { core, traps, instances } = watched();
  assert.throws(() => new core.Session(42 as never), { code: 'INVALID_ARGUMENT' });
  assert.throws(() => core.resourcePath('../a'), { code: 'parent-folder' });
  assert.deepEqual([traps.length, instances.length], [0, 1]);
});
