/** Cards that wait: settled once, never too early, never by an answer that is not offered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CardAnswer } from '../../extension/agent/tool.ts';
import { WaitingCards } from '../../extension/chat/waiting.ts';
import type { Card } from '../../extension/core.ts';
import { ARMING_MS } from '../../extension/limits.ts';

const card: Card = {
  kind: 'call',
  about: ['mcp__a__b'],
  question: [{ kind: 'words', text: 'Call this tool?' }],
  sentence: [],
  changed: null,
  flags: [],
  form: [],
  panes: [
    { title: '', measure: '', kind: 'json', content: [], editable: true },
    { title: '', measure: '', kind: 'text', content: [], editable: false },
  ],
  facts: [],
  actions: [
    { answer: 'allow', label: 'Call once', letter: 'y', primary: true },
    { answer: 'deny', label: 'Deny…', letter: 'n', primary: false },
  ],
  footnote: [],
};

interface Scene {
  readonly cards: WaitingCards;
  readonly stop: AbortController;
  readonly answers: CardAnswer[];
  /** Sets the clock. */
  at(ms: number): void;
}

async function check(play: (scene: Scene) => void, expected: readonly CardAnswer[]): Promise<void> {
  let now = 0;
  const stop = new AbortController();
  const answers: CardAnswer[] = [];
  const cards = new WaitingCards(
    () => now,
    () => undefined,
  );
  void cards.wait('1', card, stop.signal).then((answer) => answers.push(answer));
  play({ cards, stop, answers, at: (ms) => (now = ms) });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(answers, expected);
  assert.equal(cards.list.length, 1 - expected.length);
}

test('a card is answered once', () =>
  check(
    ({ cards, at }) => {
      at(ARMING_MS);
      assert.equal(cards.answer('1', { answer: 'allow', edited: { 0: '{}' } }), true);
      assert.equal(cards.answer('1', { answer: 'deny' }), false);
    },
    [{ answer: 'allow', edited: { 0: '{}' } }],
  ));

test('nothing answers a card before it can have been read', () =>
  check(({ cards, at }) => {
    at(ARMING_MS - 1);
    assert.equal(cards.answer('1', { answer: 'allow' }), false);
  }, []));

test('an answer that the card does not offer does not count', () =>
  check(({ cards, at }) => {
    at(ARMING_MS);
    assert.equal(cards.answer('1', { answer: 'allowSession' }), false);
    assert.equal(cards.answer('1', { answer: 'allow', edited: { 1: 'x' } }), false);
    assert.equal(cards.answer('1', { answer: 'allow', edited: { 7: 'x' } }), false);
    assert.equal(cards.answer('2', { answer: 'allow' }), false);
  }, []));

test('no time that passes answers a card', (context) => {
  context.mock.timers.enable();
  return check(({ at }) => {
    at(Number.MAX_SAFE_INTEGER);
    context.mock.timers.tick(7 * 24 * 3_600_000);
    context.mock.timers.reset();
  }, []);
});

test('stopping denies', () =>
  check(
    ({ stop }) => {
      stop.abort();
      stop.abort();
    },
    [{ answer: 'deny' }],
  ));
