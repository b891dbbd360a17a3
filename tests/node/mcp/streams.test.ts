/** Long conversations through the package: the module's memory is that of the largest message. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Core, Session } from '../../../extension/core.ts';
import { watched } from './set.ts';

const CHUNK = 64 * 1024;
const MIB = 1024 * 1024;

function ready(core: Core): Session {
  const session = new core.Session({ clientInfo: { name: 'c', version: '1' }, era: 'legacy' });
  session.start();
  const result = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 's', version: '1' },
  };
  const effects = session.feed(
    Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 2, result })}\n`),
  );
  assert.ok(effects.some(({ kind }) => kind === 'ready'));
  return session;
}

test('a million small messages leave nothing', { timeout: 120_000 }, () => {
  const { core, memory } = watched();
  const session = ready(core);
  const line = (n: number): string =>
    `{"jsonrpc":"2.0","method":"notifications/message${n % 100}","params":{"n":${n}}}\n`;
  let told = 0;
  let before = 0;
  for (let batch = 0; batch < 100; batch += 1) {
    const lines = Array.from({ length: 10_000 }, (_, n) => line(batch * 10_000 + n));
    const bytes = Buffer.from(lines.join(''));
    for (let at = 0; at < bytes.length; at += CHUNK) {
      told += session.feed(bytes.subarray(at, at + CHUNK)).length;
    }
    if (batch === 0) before = memory();
  }
  assert.equal(told, 1_000_000);
  assert.equal(memory(), before);
});

test('a message of 30 MB arrives whole and leaves less than 2 MB', { timeout: 60_000 }, () => {
  const { core, memory } = watched();
  const session = ready(core);
  const before = memory();
  const { id } = session.request('tools/call', '{}');
  const result = `{"content":[{"type":"text","text":"${'größe 🙂 '.repeat((30 * MIB) / 13)}"}]}`;
  const bytes = Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);
  assert.ok(bytes.length > 30_000_000);
  const settled = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    settled.push(...session.feed(bytes.subarray(at, at + CHUNK)));
  }
  const outcome = { kind: 'result', text: result };
  assert.deepEqual(
    settled.filter(({ kind }) => kind === 'settled'),
    [{ kind: 'settled', id, outcome }],
  );
  assert.ok(memory() - before < 2 * MIB, `${memory() - before} bytes`);
});
