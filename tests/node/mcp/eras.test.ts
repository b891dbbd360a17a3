/** Which protocol era a server spoke is remembered, of so many servers. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERAS_KEPT } from '../../../extension/limits.ts';
import { Eras, type EraOwner } from '../../../extension/mcp/eras.ts';
import { StateFolder } from '../../../extension/state.ts';

test('the servers that were there last are remembered', async () => {
  const place = await mkdtemp(join(tmpdir(), 'gbs-eras-'));
  try {
    const state = new StateFolder(join(place, 'state'));
    const eras = new Eras(state, () => place);
    const many = Array.from({ length: ERAS_KEPT }, (_, n) => [`s${String(n)}`, 'legacy']);
    await state.update(place, 'eras', () => Object.fromEntries(many) as Record<string, unknown>);
    // One that speaks again is the newest of all.
    const of = (fingerprint: string, origin: EraOwner['origin'] = 'user'): EraOwner => ({
      fingerprint,
      origin,
    });
    await eras.write(of('s0'), 'modern');
    await eras.write(of('new'), 'modern');
    const names = ['s0', 's1', 's2', 'new'];
    assert.deepEqual(await Promise.all(names.map((name) => eras.read(of(name)))), [
      'modern',
      null,
      'legacy',
      'modern',
    ]);
    assert.equal(Object.keys(await state.read(place, 'eras')).length, ERAS_KEPT);
    // One of the session alone takes the place of none, and is known as long as the session lasts.
    await eras.write(of('of the session', 'agent'), 'legacy');
    assert.equal(await eras.read(of('of the session', 'agent')), 'legacy');
    assert.equal(Object.hasOwn(await state.read(place, 'eras'), 'of the session'), false);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});
