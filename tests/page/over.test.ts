/** The list of chats, find, and going back: by keyboard, and what the host is told. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { RunEvent } from '../../extension/agent/events.ts';
import type { ToPage } from '../../extension/chat/protocol.ts';
import { ARMING_MS, OUTPUT_INLINE_UNITS } from '../../extension/limits.ts';
import { Bed } from './bed.ts';
import { done, line, output, started, summary, transcriptOf } from './sample-turn.ts';

let bed: Bed;
before(async () => {
  bed = await Bed.open();
});
after(() => bed.close());
beforeEach(async () => {
  await bed.fresh();
});

const box = '.composer textarea';
const keys = async (...list: readonly string[]): Promise<void> => {
  for (const key of list) {
    await bed.page.keyboard.press(key);
    await bed.drawn();
  }
};
const chats: ToPage = {
  type: 'chats',
  query: '',
  chats: [
    { id: 'c1', title: 'One', turns: 1, updated: 0, open: true },
    { id: 'c2', title: 'Two', turns: 2, updated: 0, open: false },
  ],
  broken: [],
};

test('chats are searched, opened, renamed and deleted by keyboard', async () => {
  await bed.start({ transcript: transcriptOf([started, ...done]) });
  await bed.send({ type: 'command', command: 'chats' }, chats);
  await bed.page.keyboard.type('tw');
  await keys('ArrowDown', 'ArrowDown', 'F2');
  await bed.page.keyboard.type('New name');
  await keys('Enter', 'Delete', 'Escape', 'Delete', 'Shift+Tab', 'Enter');
  await keys('ArrowDown', 'ArrowDown', 'Enter');
  assert.deepEqual(await bed.said(), [
    { type: 'listChats', query: '' },
    { type: 'listChats', query: 't' },
    { type: 'listChats', query: 'tw' },
    { type: 'renameChat', id: 'c2', title: 'New name' },
    { type: 'deleteChat', id: 'c2' },
    { type: 'openChat', id: 'c2' },
  ]);
  assert.equal(await bed.page.locator('.chats').count(), 0);
  assert.equal(await bed.page.evaluate(`document.activeElement.matches('${box}')`), true);
});

test('another chat brings its draft; a page that comes back keeps its own', async () => {
  await bed.start({ transcript: transcriptOf([started, ...done]), draft: 'mine' });
  await bed.page.locator(box).fill('mine, longer');
  await bed.start({ transcript: transcriptOf([started]), draft: 'mine' });
  assert.equal(await bed.page.locator(box).inputValue(), 'mine, longer');
  await bed.start({ transcript: transcriptOf([started]), draft: 'theirs', other: true });
  assert.equal(await bed.page.locator(box).inputValue(), 'theirs');
});

const turn = (n: number, events: readonly RunEvent[]): readonly RunEvent[] => [
  { type: 'turnStarted', turn: `t${n}`, text: `Question ${n}`, model: 'm', mode: 'ask' },
  ...events,
  {
    type: 'turnEnded',
    turn: `t${n}`,
    end: { kind: 'answered' },
    summary: { ...summary, changes: [] },
  },
];

test('find: every turn, across marks, in what is folded; it folds again', async () => {
  const many = Array.from({ length: 60 }, (_, n) =>
    turn(n, [
      { type: 'text', id: `x${n}`, delta: n % 20 === 0 ? 'A **nee**dle is here.' : 'Hay.' },
      { type: 'textEnded', id: `x${n}` },
    ]),
  ).flat();
  const folded = turn(99, [
    { type: 'thinking', id: 'th', delta: 'Where is the NEEDLE?' },
    { type: 'thinkingEnded', id: 'th', seconds: 2 },
    line('l1', 'command', 'Ran', 'look', { output: output('no needle, but a needle') }),
  ]);
  await bed.start({ transcript: transcriptOf([...many, ...folded]) });
  await keys('Control+f');
  await bed.page.keyboard.type('needle');
  const count = bed.page.locator('.find .count');
  await bed.until(`document.querySelector('.find .count').textContent.includes('of 6')`);
  assert.equal(await bed.page.locator('.under').count(), 2);
  const seen: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    seen.push(
      (await bed.page.evaluate(`(() => {
        const [range] = CSS.highlights.get('gbs-found-now');
        const { top, bottom } = range.getBoundingClientRect();
        return range.toString() + (top >= 0 && bottom <= innerHeight ? '' : ' out of view');
      })()`)) as string,
    );
    await keys('Enter');
    await bed.drawn();
  }
  assert.deepEqual(
    seen.map((text) => text.toLowerCase()),
    Array(6).fill('needle'),
  );
  await keys('Shift+Enter');
  assert.match((await count.textContent()) ?? '', /of 6/);
  await bed.page.locator('.find input').fill('nothing like it');
  await bed.page.getByText('No results').waitFor();
  await keys('Escape');
  assert.equal(await bed.page.locator('.find').count(), 0);
  assert.equal(await bed.page.locator('.under').count(), 0, 'what was folded is folded again');
  assert.equal(await bed.page.evaluate('CSS.highlights.size'), 0);
});

test('find: long outputs that stay with the host are asked for, and unfolded', async () => {
  const long = `${'hay\n'.repeat(OUTPUT_INLINE_UNITS)}a Needle`;
  const kept = { kind: 'text' as const, length: long.length, text: long };
  await bed.start({
    transcript: transcriptOf(
      turn(1, [
        line('l1', 'command', 'Ran', 'look', { output: output('a needle in sight') }),
        line('l2', 'command', 'Ran', 'dig', { output: output(long) }),
      ]),
    ),
  });
  await bed.forget();
  await keys('Control+f');
  await bed.page.keyboard.type('needle');
  const count = (text: string): Promise<void> =>
    bed.until(`document.querySelector('.find .count').textContent === '${text}'`);
  await count('1 of 1');
  assert.deepEqual((await bed.said()).at(-1), { type: 'findOutputs', query: 'needle' });
  const outputs = [{ id: 'l2', output: kept }];
  await bed.send({ type: 'outputsFound', query: 'need', outputs: [], more: true });
  await count('1 of 1');
  await bed.send({ type: 'outputsFound', query: 'needle', outputs, more: false });
  await count('1 of 2');
  assert.match((await bed.page.locator('.under').nth(1).innerText()) ?? '', /a Needle/);
  await keys('Enter');
  await count('2 of 2');
  await bed.forget();
  await bed.page.keyboard.type('x');
  await bed.page.getByText('No results').waitFor();
  assert.deepEqual(await bed.said(), [], 'nothing is left with the host');
});

const plan = (files: Extract<ToPage, { type: 'rewindPlan' }>['files'], later = 0): ToPage => ({
  type: 'rewindPlan',
  turn: 't1',
  files,
  later,
});
const file = { path: '/home/me/orbit/a.ts', what: 'putBack', note: '' } as const;
const armed = (): Promise<void> => bed.page.waitForTimeout(ARMING_MS + 50);

test('answer again: at once where nothing but the answer goes, else after what goes was shown', async () => {
  await bed.start({ transcript: transcriptOf([started, ...done]) });
  const again = bed.page.getByRole('button', { name: 'Answer again' });
  await again.click();
  await bed.send(plan([]));
  const text = started.type === 'turnStarted' ? started.text : '';
  const rewind = { type: 'rewind', turn: 't1', again: text };
  const ask = { type: 'rewindPlan', turn: 't1' };
  assert.deepEqual(await bed.said(), [ask, { ...rewind, putFilesBack: false }]);
  await bed.forget();
  await again.click();
  await bed.send(plan([file]));
  await keys('Control+Enter');
  assert.deepEqual(await bed.said(), [ask], 'nobody can have read it yet');
  await armed();
  await bed.page.getByRole('button', { name: 'Send, keep the files' }).click();
  assert.deepEqual((await bed.said()).slice(1), [{ ...rewind, putFilesBack: false }]);
});

test('edit and resend, and going back, by keyboard', async () => {
  await bed.start({ transcript: transcriptOf([started, ...done]) });
  await bed.page.getByRole('button', { name: 'Edit and resend' }).click();
  await bed.page.keyboard.press('Control+A');
  await bed.page.keyboard.type('Something else');
  await bed.send(plan([file], 1));
  await armed();
  await keys('Control+Enter');
  assert.deepEqual((await bed.said()).slice(1), [
    { type: 'rewind', turn: 't1', putFilesBack: true, again: 'Something else' },
  ]);
  await bed.forget();
  await bed.page.getByRole('button', { name: 'Go back to before this message' }).click();
  await bed.send(plan([]));
  await keys('Escape');
  assert.equal(await bed.page.locator('.rewind').count(), 0);
  await bed.page.getByRole('button', { name: 'Go back to before this message' }).click();
  await bed.send(plan([]));
  await armed();
  await keys('Control+Enter');
  assert.deepEqual((await bed.said()).slice(2), [
    { type: 'rewind', turn: 't1', putFilesBack: false, again: null },
  ]);
});

test('while a turn runs there is nothing to go back to', async () => {
  await bed.start({ transcript: transcriptOf([started, ...done]) });
  await bed.events({ type: 'turnStarted', turn: 't9', text: 'On', model: 'm', mode: 'ask' });
  assert.equal(await bed.page.locator('.rewinds:visible').count(), 0);
});
