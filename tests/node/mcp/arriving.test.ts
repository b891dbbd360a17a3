/** What comes from a server is counted and kept in bounds, however small its pieces are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatheredBytes } from '../../../extension/gathered-bytes.ts';
import { OpenLines } from '../../../extension/mcp/open-lines.ts';

describe('lines since the last empty one', () => {
  const cases: Readonly<Record<string, number>> = {
    '': 0,
    'data: x': 0,
    'data: x\n': 1,
    'a\nb\nc\n': 3,
    'a\nb\n\n': 0,
    'a\n\nb\nc': 1,
    'a\r\n\r\nb\r\n': 2,
    'a\rb\r': 2,
    'a\r\rb\rc\r': 2,
    '\n\n\n': 0,
    'a\r\n\r\n': 0,
    'a\n\nb\n\nc\nd\n': 2,
  };
  for (const [text, expected] of Object.entries(cases)) {
    it(`${JSON.stringify(text)}, cut everywhere`, () => {
      for (let cut = 0; cut <= text.length; cut += 1) {
        const lines = new OpenLines();
        lines.add(text.slice(0, cut));
        assert.equal(lines.add(text.slice(cut)), expected, `cut at ${String(cut)}`);
      }
      const letters = new OpenLines();
      let last = 0;
      for (const letter of text) last = letters.add(letter);
      assert.equal(last, expected, 'letter by letter');
    });
  }
});

describe('bytes in pieces', () => {
  it('are what came, in its order, whatever the sizes', () => {
    const whole = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 251));
    for (const size of [1, 7, 16_384, 65_536, 100_000]) {
      const gathered = new GatheredBytes();
      for (let at = 0; at < whole.length; at += size) gathered.add(whole.subarray(at, at + size));
      assert.equal(gathered.length, whole.length);
      assert.ok(gathered.bytes.equals(whole), `in pieces of ${String(size)}`);
    }
    assert.equal(new GatheredBytes().bytes.length, 0);
  });
});
