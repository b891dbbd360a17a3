/** A trap of the core ends the sessions that lived in it: their servers start again, and answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alive, approved, inMode, never, packageFile, testSet, type TestSet } from './set.ts';
import { spoilable, type Spoilable } from '../spoiled.ts';

interface Bench extends TestSet, Pick<Spoilable, 'spoil'> {
  readonly told: readonly string[];
}

function bench(context: Parameters<typeof testSet>[0]): Bench {
  const told: string[] = [];
  const watch = { log: () => undefined, tell: () => told.push('told') };
  const { core, spoil } = spoilable(watch);
  return { ...testSet(context, () => Promise.resolve(null), core), spoil, told };
}

const timeout = 30_000;
const everything = packageFile('@modelcontextprotocol/server-everything/dist/index.js');
const servers = [inMode('well'), approved('real', [everything, 'stdio'])];

function pids(set: TestSet['set']): number[] {
  return set.standings().map(({ state }) => (state.kind === 'running' ? (state.pid ?? 0) : 0));
}

test(
  'a trap in another door: every server starts again at the next need',
  { timeout },
  async (context) => {
    const { core, set, start, text, spoil, told } = bench(context);
    await start(...servers);
    const before = pids(set);
    assert.equal(await text('real', 'echo', { message: 'a' }), 'Echo: a');
    spoil();
    assert.throws(() => core.toolName('a', 'b'), { code: 'CORE_TRAPPED' });
    assert.deepEqual(
      set.standings().map(({ state }) => state.kind),
      ['exited', 'exited'],
    );
    // By a call, and by the next request.
    assert.equal(await text('real', 'echo', { message: 'b' }), 'Echo: b');
    await set.ensure(servers, never);
    const after = pids(set);
    assert.ok([...before, ...after].every((pid) => pid > 0));
    assert.equal(new Set([...before, ...after]).size, 4);
    // The old ones are told to end first, and have a moment for it.
    for (const end = Date.now() + 10_000; before.some(alive) && Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.deepEqual([before.filter(alive), told], [[], ['told']]);
  },
);

test(
  'a trap while a session is fed: its call ends, and the next one is answered',
  { timeout },
  async (context) => {
    const { set, start, call, text, spoil, told } = bench(context);
    await start(...servers);
    const pending = call('real', 'echo', { message: 'c' });
    // The request is on its way; its answer is what the core fails at.
    await new Promise((resolve) => setImmediate(resolve));
    spoil();
    assert.deepEqual(await pending, { kind: 'ended' });
    assert.equal(await text('real', 'echo', { message: 'd' }), 'Echo: d');
    assert.deepEqual(told, ['told']);
    assert.match(
      set
        .lines('well')
        .map((line) => line.text)
        .join('\n'),
      /lost this connection/,
    );
  },
);

test('a trap while a server starts: it is started once more', { timeout }, async (context) => {
  const { set, start, text, spoil, told } = bench(context);
  const starting = start(...servers);
  await new Promise((resolve) => setTimeout(resolve, 30));
  spoil();
  assert.equal((await starting)?.kind, 'running');
  assert.equal(await text('real', 'echo', { message: 'e' }), 'Echo: e');
  assert.deepEqual([set.takeFailures(), told], [[], ['told']]);
});
