/** Who asks for a fresh look never gets one that began before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Looks } from '../../extension/editor/looks.ts';

interface Bed {
  readonly looks: Looks<number>;
  /** Looks that began, each to be ended by the test. */
  readonly begun: { end(): void; fail(): void }[];
}

function bed(): Bed {
  const begun: Bed['begun'] = [];
  const looks = new Looks(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = begun.length + 1;
        begun.push({
          end: () => resolve(number),
          fail: () => reject(new Error(`look ${String(number)}`)),
        });
      }),
  );
  return { looks, begun };
}

const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a look that is under way is not fresh; all who ask meanwhile share the next', async () => {
  const { looks, begun } = bed();
  const first = looks.fresh();
  const second = looks.fresh();
  const third = looks.fresh();
  await rest();
  assert.equal(begun.length, 1);
  begun[0]?.end();
  await rest();
  assert.equal(begun.length, 2);
  begun[1]?.end();
  assert.deepEqual(await Promise.all([first, second, third]), [1, 2, 2]);
  const fourth = looks.fresh();
  begun[2]?.end();
  assert.equal(await fourth, 3);
});

test('who only wants to know shares the look that is under way, or the one that waits', async () => {
  const { looks, begun } = bed();
  const first = looks.shared();
  const same = looks.shared();
  const next = looks.fresh();
  const waits = looks.shared();
  begun[0]?.end();
  await rest();
  begun[1]?.end();
  assert.deepEqual(await Promise.all([first, same, next, waits]), [1, 1, 2, 2]);
});

test('a look that fails fails who asked for it, and the next begins all the same', async () => {
  const { looks, begun } = bed();
  const first = looks.fresh();
  const next = looks.fresh();
  begun[0]?.fail();
  await assert.rejects(first, /look 1/);
  await rest();
  begun[1]?.end();
  assert.equal(await next, 2);
});
