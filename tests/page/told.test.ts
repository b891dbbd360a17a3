/** What is told: the phase and its numbers, what a screen reader hears, and what only reads. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { RunEvent } from '../../extension/agent/events.ts';
import { Bed } from './bed.ts';
import { commandCard } from './sample-cards.ts';
import { card, done, line, output, started, status, transcriptOf, use } from './sample-turn.ts';

let bed: Bed;
before(async () => {
  bed = await Bed.open();
});
after(() => bed.close());
beforeEach(async () => {
  await bed.fresh();
});

const box = '.composer textarea';
const phase = async (): Promise<string> =>
  (await bed.page.locator('.phase .busy').innerText()).trim().replace(/\s+/g, ' ');

/** Events of some time ago, as the host's clock has it. */
async function ago(seconds: number, ...events: readonly RunEvent[]): Promise<void> {
  const at = ((await bed.page.evaluate('Date.now()')) as number) - seconds * 1000;
  await bed.send({
    type: 'events',
    events: events.map((event) => ({ at, event })) as never,
  });
}

test('phase and seconds stand there from the start, tokens a second from the first ones', async () => {
  await bed.start({ transcript: transcriptOf([started]) });
  // Before the first event of a turn that says what it is busy with.
  assert.match(await phase(), /^Preparing (\d+ m )?\d+ s$/);
  await ago(12, { type: 'phase', phase: { kind: 'waitingForModel' } });
  assert.match(await phase(), /^Reading the prompt (\d+ m )?\d+ s$/);
  await ago(12, { type: 'phase', phase: { kind: 'writing' } });
  await bed.events({ type: 'rate', tokensPerSecond: 38.6 });
  assert.match(await phase(), /^Writing (\d+ m )?\d+ s, 39 tok\/s$/);
});

test('slow is no error: an hour of waiting is an hour in words, and nothing else', async () => {
  await bed.start({ transcript: transcriptOf([started]) });
  await bed.forget();
  await ago(3600, { type: 'phase', phase: { kind: 'waitingForModel' } });
  assert.match(await phase(), /^Reading the prompt 6\d m \d+ s$/);
  assert.equal(await bed.page.locator('.notice').count(), 0);
  assert.equal(await bed.page.locator('.phase .c-warn, .phase .c-bad').count(), 0);
  assert.equal(await bed.page.locator('[role=status]').textContent(), '');
  assert.deepEqual(await bed.said(), []);
});

test('a stream is never live: one region speaks, of events alone; messages are articles', async () => {
  await bed.start({ transcript: transcriptOf([started]) });
  await bed.page.evaluate(`(() => {
    window.spoken = [];
    const region = document.querySelector('[role=status]');
    new MutationObserver(() => window.spoken.push(region.textContent)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  })()`);
  const live =
    '[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log], [role=timer], [role=marquee], output';
  for (let n = 0; n < 20; n += 1) await bed.events({ type: 'text', id: 'x1', delta: `word${n} ` });
  await bed.events({ type: 'thinking', id: 'h1', delta: 'Hm.' }, { type: 'textEnded', id: 'x1' });
  assert.equal(await bed.page.locator(live).count(), 1);
  assert.equal(
    await bed.page.evaluate(
      `document.querySelector('[role=status]').closest('.scroll') ?? document.querySelector('.scroll').closest('${live}')`,
    ),
    null,
    'the transcript is in no live region, and none is in it',
  );
  const spoken = async (): Promise<readonly string[]> =>
    ((await bed.page.evaluate('window.spoken')) as string[]).filter((text) => text !== '');
  assert.deepEqual(await spoken(), [], 'twenty words, and none is spoken');
  await bed.events(card('k1', commandCard));
  await bed.events({ type: 'answered', id: 'k1', answer: { answer: 'deny' } }, ...done);
  assert.deepEqual(await spoken(), ['Waits for you: Run this command?', 'Answer finished']);
  assert.deepEqual(
    await bed.page
      .getByRole('article')
      .evaluateAll((all: readonly { getAttribute(name: string): string | null }[]) =>
        all.map((article) => article.getAttribute('aria-label')),
      ),
    ['Your message', 'Answer', 'Answer'],
  );
});

test('the context meter only reads: opened, read and closed, it asks for nothing', async () => {
  await bed.start({ transcript: transcriptOf([started, ...done, { type: 'context', use }]) });
  await bed.forget();
  await bed.page.getByRole('button', { name: /^Context/ }).click();
  const text = await bed.page.locator('.pop').innerText();
  for (const part of ['System prompt', 'Skills', 'Tools', 'History', 'Your message'])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.equal(await bed.page.locator('.pop button, .pop a, .pop input').count(), 0);
  await bed.page.keyboard.press('Escape');
  assert.deepEqual(await bed.said(), []);
});

test('a change of mode, model or server leaves draft and caret as they are', async () => {
  await bed.start({ transcript: transcriptOf([started, ...done]) });
  await bed.page.locator(box).fill('half a thought');
  for (let n = 0; n < 3; n += 1) await bed.page.locator(box).press('ArrowLeft');
  await bed.send(
    { type: 'status', status: { ...status, mode: 'auto', model: 'gemma3:12b' } },
    { type: 'status', status: { ...status, server: { kind: 'looking' }, servers: [] } },
  );
  assert.equal(await bed.page.locator(box).inputValue(), 'half a thought');
  await bed.page.keyboard.type('!');
  assert.equal(await bed.page.locator(box).inputValue(), 'half a thou!ght');
});

test('a code block wraps when asked to, and the page never scrolls sideways', async () => {
  await bed.page.setViewportSize({ width: 300, height: 760 });
  await bed.start({ transcript: transcriptOf([started]) });
  const code = `const address = '${'a-long-path/'.repeat(30)}';`;
  await bed.events({ type: 'text', id: 'x1', delta: `\`\`\`ts\n${code}\n\`\`\`\n` });
  const sideways = async (): Promise<readonly boolean[]> =>
    await bed.page.evaluate(
      `[document.documentElement, document.querySelector('gbs-prose pre')].map((part) => part.scrollWidth > part.clientWidth)`,
    );
  assert.deepEqual(await sideways(), [false, true]);
  await bed.page.getByRole('button', { name: 'Wrap lines' }).click();
  assert.deepEqual(await sideways(), [false, false]);
  await bed.page.setViewportSize({ width: 340, height: 760 });
});

test('a whole turn by keys alone: ask, change what a card would run, allow, open, undo, go back', async () => {
  await bed.start({ transcript: transcriptOf([]) });
  const { keyboard } = bed.page;
  const focused = async (): Promise<string> =>
    (await bed.page.evaluate(
      '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim().replace(/\\s+/g, " ")',
    )) as string;
  /** Goes on with Tab until what has the focus is called so. */
  const reach = async (name: RegExp, key = 'Tab'): Promise<void> => {
    for (let n = 0; n < 60; n += 1) {
      if (name.test(await focused())) return;
      await keyboard.press(key);
    }
    assert.fail(`${key} never reaches ${String(name)}`);
  };
  await reach(/Message/);
  await keyboard.type('Run the tests');
  await keyboard.press('Enter');
  assert.deepEqual((await bed.said()).at(-1), { type: 'send', text: 'Run the tests' });
  await bed.events(started, card('k1', commandCard));
  await bed.armed();
  await keyboard.press('Alt+KeyJ');
  assert.equal(await focused(), 'Run this command?');
  await reach(/, editable$/);
  await keyboard.press('Control+A');
  await keyboard.type('npm test');
  await keyboard.press('Control+Enter');
  assert.deepEqual((await bed.said()).at(-1), {
    type: 'answer',
    card: 'k1',
    answer: { answer: 'allow', edited: { 0: 'npm test' } },
  });
  await bed.events(
    { type: 'answered', id: 'k1', answer: { answer: 'allow' } },
    line('m1', 'command', 'Ran', 'npm test', { output: output('ok 1') }),
    ...done,
  );
  await reach(/^Ran npm test/, 'Shift+Tab');
  await keyboard.press('Enter');
  await bed.page.getByText('ok 1', { exact: true }).waitFor();
  await reach(/^Undo turn/);
  await keyboard.press('Enter');
  assert.deepEqual((await bed.said()).at(-1), { type: 'undo', turn: 't1' });
  await keyboard.press('Alt+ArrowUp');
  assert.match(await focused(), /^Your message/);
  await reach(/^Go back to before this message/);
  await keyboard.press('Enter');
  assert.deepEqual((await bed.said()).at(-1), { type: 'rewindPlan', turn: 't1' });
  await reach(/Message/);
});
