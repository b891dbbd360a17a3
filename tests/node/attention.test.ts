/** What says that a card waits, outside the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Attention } from '../../extension/chat/attention.ts';
import type { CardKind } from '../../extension/core.ts';

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
