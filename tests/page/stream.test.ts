/** Streaming and place: what moves, what stays, and what happens with what nobody understands. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { RunEvent } from '../../extension/agent/events.ts';
import { Bed } from './bed.ts';
import { started, summary, transcriptOf } from './sample-turn.ts';

let bed: Bed;
before(async () => {
  bed = await Bed.open();
});
after(() => bed.close());
beforeEach(async () => {
  await bed.fresh();
});

const text = (delta: string, id = 'x1'): RunEvent => ({ type: 'text', id, delta });
const paragraphs = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `Paragraph ${n} of an answer that fills some lines.`,
  ).join('\n\n');
const top = async (): Promise<number> =>
  await bed.page.evaluate('document.querySelector(".scroll").scrollTop');
const left = async (): Promise<number> =>
  await bed.page.evaluate(
    '(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.querySelector(".scroll"))',
  );

/** Turns before the one that runs, so that there is something to scroll. */
function long(turns: number): RunEvent[] {
  return Array.from({ length: turns }, (_, n): RunEvent[] => [
    { type: 'turnStarted', turn: `old${n}`, text: `Question ${n}`, model: 'm', mode: 'ask' },
    { type: 'text', id: `old${n}`, delta: paragraphs(3) },
    { type: 'textEnded', id: `old${n}` },
    {
      type: 'turnEnded',
      turn: `old${n}`,
      end: { kind: 'answered' },
      summary: { ...summary, changes: [] },
    },
  ]).flat();
}

test('the end stays in view while an answer grows', async () => {
  await bed.start({ transcript: transcriptOf([...long(10), started]) });
  for (let n = 0; n < 10; n += 1) await bed.events(text(`word ${n} `));
  assert.ok((await left()) <= 1);
});

test('any upward scroll stops following: 500 tokens then move the view by 0 pixels', async () => {
  await bed.start({ transcript: transcriptOf([...long(10), started]) });
  await bed.events(text('It begins. '));
  await bed.page.mouse.move(150, 300);
  await bed.page.mouse.wheel(0, -30);
  await bed.drawn();
  const before = await top();
  for (let n = 0; n < 50; n += 1)
    await bed.events(...Array.from({ length: 10 }, () => text('token ')));
  await bed.events({ type: 'textEnded', id: 'x1' });
  assert.equal(await top(), before);
  await bed.page.getByRole('button', { name: 'Go to the end' }).click();
  await bed.events(text(paragraphs(2), 'x2'));
  assert.ok((await left()) <= 1, 'following again');
});

test('the first line of a long answer stays in view', async () => {
  await bed.start({ transcript: transcriptOf([...long(5), started]) });
  for (let n = 0; n < 30; n += 1) await bed.events(text(`Paragraph ${n} of an answer.\n\n`));
  const box = await bed.page.locator('.prose').last().boundingBox();
  assert.ok(box !== null && box.y >= 0 && box.y < 40, `first line at ${box?.y}`);
});

test('while text streams, only the last block changes', async () => {
  await bed.start({ transcript: transcriptOf([started]) });
  await bed.events(text('First **block**.\n\n```js\nconst a = 1;\n```\n\nThe third'));
  await bed.page.evaluate(
    '[...document.querySelector("gbs-prose").children].slice(0, 2).forEach((block) => { block.kept = block.innerHTML; })',
  );
  await bed.events(text(' goes on.\n\n- and\n- on'), { type: 'textEnded', id: 'x1' });
  assert.deepEqual(
    await bed.page.evaluate(
      '[...document.querySelector("gbs-prose").children].map((block) => block.kept === block.innerHTML)',
    ),
    [true, true, false, false],
  );
});

test('a code block keeps its buttons, and the focus on them, while it grows', async () => {
  await bed.start({ transcript: transcriptOf([started]) });
  await bed.events(text('```ts\nconst a = 1;\n'));
  await bed.page.getByRole('button', { name: 'Copy code' }).focus();
  await bed.events(text('const b = 2;\n'), text('```\n'));
  assert.equal(await bed.page.evaluate('document.activeElement.title'), 'Copy code');
  await bed.page.keyboard.press('Enter');
  await bed.page.getByRole('button', { name: 'Insert at the cursor' }).click();
  assert.deepEqual(await bed.said(), [
    { type: 'copy', text: 'const a = 1;\nconst b = 2;' },
    { type: 'insert', text: 'const a = 1;\nconst b = 2;' },
  ]);
});

test('an answer runs nothing and loads nothing', async () => {
  await bed.start({ transcript: transcriptOf([started]) });
  await bed.events(
    text(
      '<img src=x onerror="window.hit=1"> ![i](http://127.0.0.1:1/i.png) [a](javascript:window.hit=1) [b](command:x) [c](https://example.com/) <b>bold</b>',
    ),
  );
  assert.equal(await bed.page.locator('gbs-prose img, gbs-prose b').count(), 0);
  assert.deepEqual(
    await bed.page
      .locator('gbs-prose a')
      .evaluateAll((links: readonly { getAttribute(name: string): string | null }[]) =>
        links.map((link) => link.getAttribute('href')),
      ),
    ['http://127.0.0.1:1/i.png', 'https://example.com/'],
  );
  await bed.page.getByText('c', { exact: true }).click();
  assert.deepEqual(await bed.said(), [{ type: 'openLink', url: 'https://example.com/' }]);
  assert.equal(await bed.page.evaluate('window.hit'), undefined);
  assert.deepEqual(await bed.violations(), []);
});

test('a message that nobody understands shows as raw text, and the rest goes on', async () => {
  await bed.start({ transcript: transcriptOf([started]) });
  await bed.page.evaluate(
    'window.postMessage({ type: "events", events: [{ at: 1, event: { type: "novelty", value: 7 } }] }, "*")',
  );
  await bed.page.evaluate('window.postMessage({ type: "later" }, "*")');
  await bed.events(text('It goes on.'));
  assert.equal(await bed.page.getByText('"novelty"').count(), 1);
  assert.equal(await bed.page.getByText('"later"').count(), 1);
  assert.equal(await bed.page.getByText('It goes on.').count(), 1);
  assert.equal((await bed.said()).filter(({ type }) => type === 'problem').length, 2);
});

test('a part that cannot be drawn shows as raw text, and the rest is drawn', async () => {
  await bed.start({ transcript: transcriptOf([started, text('Before.')]) });
  await bed.page.evaluate(
    'window.postMessage({ type: "events", events: [{ at: 1, event: { type: "card", id: "k", card: { kind: "call" }, number: 1, of: 1 } }] }, "*")',
  );
  await bed.events(text('And on.', 'x2'));
  assert.equal(await bed.page.getByText('Before.').count(), 1);
  assert.equal(await bed.page.getByText('And on.').count(), 1);
  assert.equal(await bed.page.locator('.notice pre').count(), 1);
});

test('1,000 messages are all there, the last ones first', async () => {
  await bed.start({ transcript: transcriptOf(long(1000)) });
  assert.ok((await left()) <= 1);
  assert.equal(await bed.page.getByText('Question 999', { exact: true }).count(), 1);
  await bed.page.locator('.composer textarea').fill('still quick');
  await bed.until('document.querySelectorAll("gbs-turn").length === 1000');
  await bed.drawn();
  assert.ok((await left()) <= 1, 'older messages came in above');
  assert.equal(await bed.page.locator('.composer textarea').inputValue(), 'still quick');
});

test('Alt+Up and Alt+Down go between own messages', async () => {
  await bed.start({ transcript: transcriptOf(long(6)) });
  const own = async (): Promise<string> =>
    (await bed.page.evaluate('document.activeElement.textContent.trim()')) as string;
  await bed.page.keyboard.press('Alt+ArrowUp');
  assert.equal(await own(), 'Question 5');
  await bed.page.keyboard.press('Alt+ArrowUp');
  assert.equal(await own(), 'Question 4');
  await bed.page.keyboard.press('Alt+ArrowDown');
  await bed.page.keyboard.press('Alt+ArrowDown');
  assert.equal(await bed.page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
});

test('long output is asked for when its line is opened', async () => {
  const output = { kind: 'text' as const, text: 'line\n'.repeat(1000) };
  await bed.start({
    transcript: transcriptOf([
      started,
      {
        type: 'line',
        line: {
          id: 'm1',
          icon: 'command',
          verb: 'Ran',
          object: 'make',
          state: 'done',
          measure: '',
          output,
          allowedBy: '',
        },
      },
    ]),
  });
  await bed.page.locator('button.line').click();
  assert.deepEqual(await bed.said(), [{ type: 'output', id: 'm1' }]);
  await bed.send({ type: 'output', id: 'm1', output: { ...output, length: output.text.length } });
  assert.equal(await bed.page.getByText('Show all 1000 lines').count(), 1);
});

test('a long command is cut in its line and stands whole under it', async () => {
  const object = `node scripts/build.js ${'--flag '.repeat(20)}`.trim();
  await bed.start({ transcript: transcriptOf([started]) });
  await bed.events({
    type: 'line',
    line: {
      id: 'm1',
      icon: 'command',
      verb: 'Ran',
      object,
      state: 'done',
      measure: '1 s',
      output: null,
      allowedBy: '',
    },
  });
  await bed.page.locator('button.line').click();
  assert.equal(await bed.page.locator('.under pre').textContent(), object);
});
