/** Servers that ask the user: real ones of both eras, answered as a person would. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CardAnswer } from '../../../extension/agent/tool.ts';
import type { Card, Era } from '../../../extension/core.ts';
import { elicitBy } from '../../../extension/mcp/elicitation.ts';
import { approved, never, packageFile, root, testSet, type TestSet } from './set.ts';

/** As `src/limits.rs` has it. */
const MAX_ASKS_PER_CALL = 16;

const asks = (era: Era): ReturnType<typeof approved> =>
  approved(era, [join(root, 'tests/servers/asks.mjs'), '--era', era]);

interface Asked {
  readonly cards: Card[];
  readonly opened: string[];
  /** Calls a tool; each card is answered by the next of these, the last one for all that follow. */
  call(server: string, tool: string, args: object, ...answers: CardAnswer[]): Promise<unknown>;
}

function asking({ core, set }: TestSet): Asked {
  const cards: Card[] = [];
  const opened: string[] = [];
  return {
    cards,
    opened,
    async call(server, tool, args, ...answers) {
      cards.length = 0;
      const end = await set.call(server, tool, JSON.stringify(args), {
        signal: never,
        progress: () => undefined,
        elicit: elicitBy(
          {
            core,
            ask: (card) => {
              cards.push(card);
              const answer = answers[Math.min(cards.length, answers.length) - 1];
              return Promise.resolve(answer ?? { answer: 'dismiss' });
            },
            openAddress: (url) => {
              opened.push(url);
              return Promise.resolve();
            },
          },
          { server, during: tool },
        ),
      });
      if (end.kind !== 'result') return end;
      const { shown } = core.toolOutput(end.text, { server, tool, maxCharacters: 1 << 30 });
      return shown.startsWith('{') || shown.startsWith('[')
        ? (JSON.parse(shown) as unknown)
        : shown;
    },
  };
}

const table = {
  message: 'Which table?',
  requestedSchema: {
    type: 'object',
    properties: { guests: { type: 'integer', minimum: 1 }, near: { type: 'boolean' } },
    required: ['guests'],
  },
};
const pay = {
  mode: 'url',
  message: 'Pay there.',
  url: 'https://pay.example/x',
  elicitationId: '1',
};
const values = (given: object): CardAnswer => ({ answer: 'allow', values: JSON.stringify(given) });

for (const era of ['legacy', 'modern'] as const) {
  test(`what the user chose reaches a server of the ${era} era`, { timeout: 60_000 }, async (t) => {
    const bench = testSet(t, undefined, undefined, undefined, true);
    const state = await bench.start(asks(era));
    assert.equal(state?.kind, 'running');
    const { call, cards, opened } = asking(bench);
    const heard = async (params: object, ...answers: CardAnswer[]): Promise<unknown> => {
      const all = await call(era, 'ask', { params }, ...answers);
      if (era === 'legacy') {
        assert.ok(typeof all === 'object' && all !== null && 'result' in all);
        return all.result;
      }
      assert.ok(typeof all === 'object' && all !== null && 'inputResponses' in all);
      assert.ok('requestState' in all);
      assert.equal(all.requestState, 'état 1');
      return (all.inputResponses as Readonly<Record<string, unknown>>)['the key'];
    };
    // What cannot be sent is asked for again, and only what was asked for is sent.
    assert.deepEqual(
      await heard(table, values({ guests: 'two' }), values({ guests: '2', near: true, other: 1 })),
      { action: 'accept', content: { guests: 2, near: true } },
    );
    assert.deepEqual(
      cards.map(({ kind, about, form }) => [kind, about, form.map(({ name }) => name)]),
      Array(2).fill(['form', [era], ['guests', 'near']]),
    );
    assert.deepEqual(await heard(table, { answer: 'decline' }), { action: 'decline' });
    assert.deepEqual(await heard(table, { answer: 'dismiss' }), { action: 'cancel' });
    assert.deepEqual(await heard(table, { answer: 'deny' }), { action: 'cancel' });
    assert.deepEqual(await heard(pay, { answer: 'decline' }), { action: 'decline' });
    assert.deepEqual(opened, []);
    assert.deepEqual(await heard(pay, { answer: 'allow' }), { action: 'accept' });
    assert.deepEqual(opened, ['https://pay.example/x']);
  });
}

test(
  'a flood ends without the user, and a hostile question is never shown',
  { timeout: 60_000 },
  async (t) => {
    const bench = testSet(t, undefined, undefined, undefined, true);
    await bench.start(asks('legacy'), asks('modern'));
    const { call, cards } = asking(bench);
    const flood = { count: 60, params: table };
    const actions = await call('legacy', 'flood', flood, { answer: 'decline' });
    assert.ok(Array.isArray(actions));
    assert.equal(actions.filter((action) => action === 'decline').length, MAX_ASKS_PER_CALL);
    assert.equal(actions.filter((action) => action === 'cancel').length, 60 - MAX_ASKS_PER_CALL);
    assert.equal(cards.length, MAX_ASKS_PER_CALL);
    const end = await call('modern', 'flood', flood, { answer: 'decline' });
    assert.ok(cards.length <= MAX_ASKS_PER_CALL, String(cards.length));
    assert.equal((end as { kind: string }).kind, 'error');
    const nested = { type: 'object', properties: { a: { type: 'object', properties: {} } } };
    for (const params of [
      { message: 'm', requestedSchema: nested },
      { message: 'm'.repeat(70_000), requestedSchema: { type: 'object', properties: {} } },
      { ...pay, url: 'javascript:alert(1)' },
      { ...pay, url: 'file:///etc/passwd' },
      { mode: 'unheard-of', message: 'm' },
    ]) {
      const refused = await call('legacy', 'ask', { params }, { answer: 'allow' });
      assert.equal((refused as { error: { code: number } }).error.code, -32602);
      assert.equal((await call('modern', 'ask', { params })) instanceof Object, true);
      assert.deepEqual(cards, []);
    }
  },
);

test('where nobody can answer it is not declared', { timeout: 60_000 }, async (t) => {
  const bench = testSet(t);
  const state = await bench.start(asks('legacy'));
  assert.ok(state?.kind === 'running');
  assert.equal(state.offer.peer.instructions, '{}');
  const { call, cards } = asking(bench);
  const heard = await call('legacy', 'ask', { params: table }, { answer: 'allow' });
  assert.equal((heard as { error: { code: number } }).error.code, -32601);
  assert.deepEqual(cards, []);
});

test('the form of server-everything, every kind of field', { timeout: 60_000 }, async (t) => {
  const bench = testSet(t, undefined, undefined, undefined, true);
  const script = packageFile('@modelcontextprotocol/server-everything/dist/index.js');
  await bench.start(approved('everything', [script]));
  const { call, cards } = asking(bench);
  // As a person who fills in what is required and leaves the rest as it stands.
  const first = (card: Card): CardAnswer =>
    values({
      ...Object.fromEntries(card.form.map(({ name, entry }) => [name, entry.value])),
      name: 'Ana',
    });
  const said = await call('everything', 'trigger-elicitation-request', {}, { answer: 'dismiss' });
  assert.match(String(said), /cancel/i);
  const [card] = cards;
  assert.ok(card !== undefined);
  assert.deepEqual(
    card.form.map(({ entry }) => entry.kind),
    [
      'text',
      'yesNo',
      'text',
      'text',
      'text',
      'text',
      'number',
      'number',
      'choice',
      'choices',
      'choice',
      'choices',
      'choice',
    ],
  );
  const answered = await call('everything', 'trigger-elicitation-request', {}, first(card));
  assert.match(String(answered), /Ana/);
  assert.match(String(answered), /It was a dark and stormy night/);
  assert.doesNotMatch(String(answered), /validation|invalid/i);
});
