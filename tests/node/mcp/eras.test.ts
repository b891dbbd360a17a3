/** Which protocol era a server spoke is remembered, of so many servers. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERAS_KEPT } from '../../../extension/limits.ts';
import { Eras } from '../../../extension/mcp/eras.ts';
import { StateFolder } from '../../../extension/state.ts';

test('the servers that were there last are remembered', async () => {
  const place = await mkdtemp(join(tmpdir(), 'gbs-eras-'));
  try {
    const state = new StateFolder(join(place, 'state'));
    const eras = new Eras(state, () => place);
    const many = Array.from({ length: ERAS_KEPT }, (_, n) => [`s${String(n)}`, 'legacy']);
    await state.update(place, 'eras', () => Object.fromEntries(many) as Record<string, unknown>);
    // One that speaks again is the newest of all.
    await eras.write('s0', 'modern');
    await eras.write('new', 'modern');
    assert.deepEqual(await Promise.all(['s0', 's1', 's2', 'new'].map((name) => eras.read(name))), [
      'modern',
      null,
      'legacy',
      'modern',
    ]);
    assert.equal(Object.keys(await state.read(place, 'eras')).length, ERAS_KEPT);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});
