import assert from 'node:assert/strict';
import test from 'node:test';
import { createCore } from '../../extension/core.ts';

/** Overwrites the memory of the core's instance, which the package keeps out of its types. */
function spoil(core: object): void {
  const { wasmMemory } = core as { wasmMemory(): { buffer: ArrayBuffer } };
  new Uint8Array(wasmMemory().buffer).fill(0xff);
}

/** A core whose memory is overwritten: whatever it does next, it traps. */
function broken(): { core: ReturnType<typeof createCore>; traps: Error[] } {
  const traps: Error[] = [];
  const core = createCore({ onTrap: (error) => traps.push(error) });
  spoil(core);
  return { core, traps };
}

void test('a trap is told, and the core goes on with a fresh instance', () => {
  const { core, traps } = broken();
  assert.throws(() => core.toolName('fs', 'read_file'), { code: 'CORE_TRAPPED' });
  assert.equal(traps.length, 1);
  assert.equal(core.toolName('fs', 'read_file'), 'mcp__fs__read_file');
  assert.equal(traps.length, 1);
});

void test('a session of the replaced instance says so, and frees in silence', () => {
  const traps: Error[] = [];
  const core = createCore({ onTrap: (error) => traps.push(error) });
  const options = { clientInfo: { name: 'test', version: '0' } };
  const session = new core.Session(options);
  session.start();
  spoil(core);
  assert.throws(() => core.toolName('fs', 'read_file'), { code: 'CORE_TRAPPED' });
  assert.throws(() => session.feed(new Uint8Array([10])), { code: 'CORE_RETIRED' });
  session.free();
  const next = new core.Session(options);
  next.start();
  next.free();
  assert.equal(traps.length, 1);
});

void test('a refusal is not a trap', () => {
  const traps: Error[] = [];
  const core = createCore({ onTrap: (error) => traps.push(error) });
  assert.throws(() => new core.Session(42 as never), { code: 'INVALID_ARGUMENT' });
  assert.equal(traps.length, 0);
});
