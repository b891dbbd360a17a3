/** Text of every script, short and long, comes out of a session as it was sent, however it is cut. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCore } from '../../../extension/core.ts';

const core = createCore();

/** What a fresh session gives for the parameters of one notification, in chunks of `size`. */
function received(line: Buffer, size: number): unknown[] {
  const session = new core.Session({ clientInfo: { name: 'a', version: '1' }, era: 'legacy' });
  const effects = [];
  for (let at = 0; at < line.length; at += size) {
    effects.push(...session.feed(line.subarray(at, at + size)));
  }
  session.free();
  return effects.map((effect) => (effect.kind === 'notification' ? effect.params : effect.kind));
}

function check(text: string): void {
  const params = JSON.stringify({ text });
  const line = Buffer.from(`{"jsonrpc":"2.0","method":"x/y","params":${params}}\n`);
  for (const size of [line.length, 1000, 7]) assert.deepEqual(received(line, size), [params]);
}

test('text of every script', () => {
  for (const count of [1, 300, 3000]) {
    for (const some of ['a', 'é', '中', '\u{1f600}', '\ufeff', 'a\u{10ffff}é"\\\n'])
      check(some.repeat(count));
  }
});

test('bytes that are not UTF-8 are replaced, and the user is told', () => {
  const before = Buffer.from('{"jsonrpc":"2.0","method":"x/y","params":{"text":"');
  for (const count of [1, 3000]) {
    const good = 'é'.repeat(count);
    const line = Buffer.concat([
      before,
      Buffer.from(good),
      Buffer.from([0xff]),
      Buffer.from('"}}\n'),
    ]);
    for (const size of [line.length, 1000]) {
      assert.deepEqual(received(line, size), ['log', `{"text":"${good}\ufffd"}`]);
    }
  }
});
