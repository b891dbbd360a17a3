/** What says that a card waits, outside the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Attention } from '../../extension/chat/attention.ts';
import { WaitingCards } from '../../extension/chat/waiting.ts';
import type { Card, CardKind } from '../../extension/core.ts';
import { ARMING_MS } from '../../extension/limits.ts';

type Waiting = readonly { readonly id: string; readonly kind: CardKind }[];

/** Runs updates and compares everything that was drawn, in order. */
function check(
  updates: readonly (readonly [Waiting, boolean])[],
  expected: readonly string[],
): void {
  const drawn: string[] = [];
  const attention = new Attention({
    badge: (count) => drawn.push(`badge ${count}`),
    statusItem: (text) => drawn.push(`item ${text ?? 'gone'}`),
    notify: (text) => {
      drawn.push(`notify ${text}`);
      return () => drawn.push(`close ${text}`);
    },
    words: (kind) => kind,
    waitingText: (count) => `${count} waits`,
  });
  for (const [waiting, visible] of updates) attention.update(waiting, visible);
  assert.deepEqual(drawn, expected);
}

const a = { id: 'a', kind: 'command' } as const;
const b = { id: 'b', kind: 'call' } as const;

test('a card in a hidden view sets badge, item and one notification, all gone with the answer', () =>
  check(
    [
      [[a], false],
      [[a], false],
      [[], false],
    ],
    ['badge 1', 'item 1 waits', 'notify command', 'badge 0', 'item gone', 'close command'],
  ));

test('a card in view needs no notification until the view is hidden, and then one', () =>
  check(
    [
      [[a], true],
      [[a], false],
      [[a], true],
      [[a], false],
      [[], false],
    ],
    ['badge 1', 'item 1 waits', 'notify command', 'close command', 'badge 0', 'item gone'],
  ));

test('showing the view takes the notification away and keeps badge and item', () =>
  check(
    [
      [[a], false],
      [[a], true],
      [[a], false],
    ],
    ['badge 1', 'item 1 waits', 'notify command', 'close command'],
  ));

test('there is one notification at a time, for the oldest card', () =>
  check(
    [
      [[a, b], false],
      [[b], false],
      [[], false],
    ],
    [
      'badge 2',
      'item 2 waits',
      'notify command',
      'badge 1',
      'item 1 waits',
      'close command',
      'notify call',
      'badge 0',
      'item gone',
      'close call',
    ],
  ));

test('an answer takes badge, item and notification away before whoever asked goes on', async () => {
  const drawn = new Set<string>();
  const attention = new Attention({
    badge: (count) => (count > 0 ? drawn.add('badge') : drawn.delete('badge')),
    statusItem: (text) => (text === null ? drawn.delete('item') : drawn.add('item')),
    notify: () => {
      drawn.add('notification');
      return () => drawn.delete('notification');
    },
    words: (kind) => kind,
    waitingText: (count) => `${count} waits`,
  });
  let now = 0;
  const cards: WaitingCards = new WaitingCards(
    () => now,
    () => attention.update(cards.list, false),
  );
  const card: Card = {
    kind: 'command',
    about: [],
    question: [],
    sentence: [],
    changed: null,
    flags: [],
    form: [],
    panes: [],
    facts: [],
    actions: [
      { answer: 'allow', label: 'Run once', letter: 'y', primary: true },
      { answer: 'deny', label: 'Deny…', letter: 'n', primary: false },
    ],
    footnote: [],
  };
  const stop = new AbortController();
  const ends = {
    answered: () => cards.answer('answered', { answer: 'allow' }),
    'out of view': () => cards.deny('out of view'),
    stopped: () => stop.abort(),
  };
  for (const [id, end] of Object.entries(ends)) {
    const asked = cards.wait(id, card, stop.signal);
    assert.deepEqual([...drawn].sort(), ['badge', 'item', 'notification'], id);
    now += ARMING_MS;
    end();
    // No turn of the event loop has passed: a hundred milliseconds cannot have.
    assert.deepEqual([...drawn], [], id);
    await asked;
  }
});
