import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compact, isFull, tokensOf, type Room } from '../../../extension/agent/compaction.ts';
import type { Entry } from '../../../extension/agent/conversation.ts';
import type { Contributor } from '../../../extension/agent/contributor.ts';
import { COMPACT_AT } from '../../../extension/limits.ts';
import type { ChatDelta, ChatRequest } from '../../../extension/models/provider.ts';
import { call, say, withBed } from './support.ts';

const limit = { timeout: 60_000 };

const room = (budget: number): Room => ({ budget, fixed: 0, tokens: (n) => n / 3.5 });

function user(text: string): Entry {
  return { kind: 'user', text, images: [] };
}

/** A call and its result of so many characters. */
function step(id: string, size: number, skill = false): readonly Entry[] {
  const result = {
    callId: id,
    name: 'read_file',
    text: id.padEnd(size, '.'),
    skill,
    dropped: false,
  };
  return [
    { kind: 'assistant', text: '', calls: [{ id, name: 'read_file', arguments: '{}' }] },
    { kind: 'result', ...result },
  ];
}

/** Each entry in a few letters; a result that is gone in brackets. */
function drawn(entries: readonly Entry[]): string {
  return entries
    .map((entry) => {
      switch (entry.kind) {
        case 'user':
          return `U:${entry.text.slice(0, 6)}`;
        case 'assistant':
          return `A:${entry.calls.map((c) => c.id).join('+')}`;
        case 'result':
          return entry.dropped ? `(${entry.callId})` : entry.callId;
        case 'summary':
          return 'S';
      }
    })
    .join(' ');
}

async function check(
  entries: readonly Entry[],
  budget: number,
  expected: string,
  forgotten: string,
): Promise<void> {
  const done = await compact(entries, room(budget), () => Promise.resolve('what was'));
  assert.equal(drawn(done.entries), expected);
  assert.equal(done.forgotten.join(' '), forgotten);
}

test('old results leave first, oldest first; the latest stay', limit, async () => {
  const history = [
    user('one'),
    ...step('a', 3_500),
    ...step('b', 3_500),
    ...step('c', 3_500),
    ...step('d', 3_500),
  ];
  await check(history, 100_000, 'U:one A:a a A:b b A:c c A:d d', '');
  await check(history, 4_400, 'U:one A:a (a) A:b (b) A:c c A:d d', 'a b');
  await check(history, 3_600, 'U:one A:a (a) A:b (b) A:c (c) A:d d', 'a b c');
});

test('loaded skills stay as long as they fit a quarter, newest first', limit, async () => {
  const history = [
    user('one'),
    ...step('s1', 2_000, true),
    ...step('a', 7_000),
    ...step('s2', 2_000, true),
    ...step('b', 3_500),
  ];
  await check(history, 4_400, 'U:one A:s1 (s1) A:a (a) A:s2 s2 A:b b', 's1 a');
  await check(history, 4_800, 'U:one A:s1 s1 A:a (a) A:s2 s2 A:b b', 'a');
});

test(
  'then a summary; what it leaves begins with no lone result, and the request stays',
  limit,
  async () => {
    const long = Array.from({ length: 30 }, (_, i): readonly Entry[] => [
      user(`u${i} ${'x'.repeat(400)}`),
      { kind: 'assistant', text: 'y'.repeat(400), calls: [] },
    ]).flat();
    const history = [...long, user('the request'), ...step('a', 600), ...step('b', 600)];
    const done = await compact(history, room(2_000), () => Promise.resolve('what was'));
    assert.equal(done.what, 'summary');
    assert.ok(!isFull(done.entries, room(2_000)));
    const [first, second] = done.entries;
    assert.ok(first?.kind === 'summary' && first.text.includes('what was'));
    assert.notEqual(second?.kind, 'result');
    const texts = done.entries.map((e) => ('text' in e ? e.text : '')).join('\n');
    assert.ok(texts.includes('the request'));
    // Without a model, the user's words and the calls.
    const plain = await compact(history, room(2_000), () => Promise.resolve(null));
    assert.match(JSON.stringify(plain.entries[0]), /The user said: u\d+/u);
  },
);

test('long arguments of old calls are cut, and stay JSON', limit, async () => {
  const args = JSON.stringify({ path: 'a', content: 'x'.repeat(9_000) });
  const history: readonly Entry[] = [
    user('one'),
    { kind: 'assistant', text: '', calls: [{ id: 'a', name: 'write_file', arguments: args }] },
    { kind: 'result', callId: 'a', name: 'write_file', text: 'ok', skill: false, dropped: false },
    ...step('b', 600),
  ];
  const done = await compact(history, room(2_800), () => Promise.resolve(''));
  const [, entry] = done.entries;
  assert.ok(entry?.kind === 'assistant');
  const short = JSON.parse(entry.calls[0]?.arguments ?? '') as { path: string; content: string };
  assert.equal(short.path, 'a');
  assert.ok(short.content.length < 500);
});

test('a run in a small window goes on, and loaded bodies are reported as gone', limit, async () => {
  const forgotten: string[] = [];
  const contributor: Contributor = {
    prepare: () => Promise.resolve({ tools: [], catalogue: '', servers: [], hint: '' }),
    takeRebuild: () => false,
    forgotten: (ids) => {
      forgotten.push(...ids);
    },
    dispose: () => Promise.resolve(),
  };
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`f${i}`, `${i}`.repeat(3_000)]),
  );
  let asked = 0;
  const step = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
    await Promise.resolve();
    if (request.messages[0]?.content.startsWith('Sum up')) yield* say('It read files.');
    else if (asked < 12) yield* call('read_file', { path: `f${asked++}` });
    else yield* say('done');
  };
  await withBed({ steps: [step], files, contributors: [contributor] }, async (bed) => {
    bed.provider.window = 4_096;
    assert.deepEqual(await bed.session.send('Read them all, please.'), { kind: 'answered' });
    const budget = 4_096 - 1_024;
    for (const request of bed.provider.requests) {
      const size = JSON.stringify(request.messages).length + JSON.stringify(request.tools).length;
      assert.ok(size / 3.5 < budget * COMPACT_AT + 700, `${size}`);
      // Every result has its call, every call its result.
      const ids = request.messages.flatMap((m) =>
        m.role === 'assistant' ? m.toolCalls.map((c) => c.id) : [],
      );
      const results = request.messages.flatMap((m) => (m.role === 'tool' ? [m.callId] : []));
      assert.deepEqual(results, ids);
      assert.ok(JSON.stringify(request.messages).includes('Read them all, please.'));
    }
    assert.ok(forgotten.length > 0);
    assert.ok(bed.events.some((e) => e.type === 'notice' && e.notice.code === 'compacted'));
  });
});

test('the size of a history', () => {
  assert.equal(tokensOf([user('x'.repeat(19))], room(1)), 10);
});
