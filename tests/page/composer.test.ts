/** The box to write in, its menus, and what is kept when the page goes away. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { IMAGE_MOST_PX } from '../../extension/limits.ts';
import { Bed } from './bed.ts';
import { callCard, commandCard } from './sample-cards.ts';
import { card, started, status, summary, transcriptOf } from './sample-turn.ts';

let bed: Bed;
before(async () => {
  bed = await Bed.open();
});
after(() => bed.close());
beforeEach(async () => {
  await bed.fresh();
});

const box = '.composer textarea';
const ended = transcriptOf([
  started,
  {
    type: 'turnEnded',
    turn: 't1',
    end: { kind: 'answered' },
    summary: { ...summary, changes: [] },
  },
]);

test('Enter sends, Shift+Enter breaks the line, blanks alone send nothing', async () => {
  await bed.start({ transcript: ended });
  await bed.page.locator(box).focus();
  await bed.page.keyboard.press('Enter');
  await bed.page.keyboard.type('  ');
  await bed.page.keyboard.press('Enter');
  await bed.page.keyboard.type('one');
  await bed.page.keyboard.press('Shift+Enter');
  await bed.page.keyboard.type('two');
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await bed.said(), [{ type: 'send', text: 'one\ntwo' }]);
  assert.equal(await bed.page.locator(box).inputValue(), '');
});

test('Enter that ends a composition sends nothing', async () => {
  await bed.start({ transcript: ended });
  await bed.page.locator(box).focus();
  const input = await bed.page.context().newCDPSession(bed.page);
  await input.send('Input.imeSetComposition', {
    text: 'にほん',
    selectionStart: 3,
    selectionEnd: 3,
  });
  await input.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    key: 'Enter',
    code: 'Enter',
    windowsVirtualKeyCode: 229,
  });
  await bed.page.locator(box).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  assert.deepEqual(await bed.said(), []);
  await input.send('Input.insertText', { text: '日本' });
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await bed.said(), [{ type: 'send', text: '日本' }]);
});

test('while a card waits, Enter in the box queues text', async () => {
  await bed.start({ transcript: transcriptOf([started, card('k1', commandCard)]) });
  await bed.armed();
  await bed.page.locator(box).fill('and the docs');
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await bed.said(), [{ type: 'send', text: 'and the docs' }]);
  await bed.events({ type: 'queue', messages: [{ id: 'q1', text: 'and the docs' }] });
  await bed.page.getByRole('button', { name: 'Edit queued message' }).click();
  await bed.page.keyboard.type(', please');
  await bed.page.keyboard.press('Enter');
  await bed.page.getByRole('button', { name: 'Remove queued message' }).click();
  assert.deepEqual((await bed.said()).slice(1), [
    { type: 'editQueued', id: 'q1', text: 'and the docs, please' },
    { type: 'editQueued', id: 'q1', text: null },
  ]);
});

test('Esc stops the turn, and only the turn', async () => {
  await bed.start({ transcript: transcriptOf([started]) });
  await bed.page.locator('.pick.model').click();
  await bed.page.keyboard.press('Escape');
  assert.deepEqual(await bed.said(), [], 'it closed the menu');
  await bed.page.keyboard.press('Escape');
  assert.deepEqual(await bed.said(), [{ type: 'stop' }]);
  await bed.start({ transcript: ended });
  await bed.forget();
  await bed.page.keyboard.press('Escape');
  assert.deepEqual(await bed.said(), []);
});

test('mode and model are chosen by the keyboard; the focus goes back to the box', async () => {
  await bed.start({ transcript: ended });
  await bed.page.locator('.pick', { hasText: 'Auto-edit' }).focus();
  await bed.page.keyboard.press('Enter');
  await bed.page.keyboard.press('ArrowDown');
  await bed.page.keyboard.press('Enter');
  await bed.page.locator('.pick.model').focus();
  await bed.page.keyboard.press('Enter');
  await bed.page.keyboard.press('End');
  await bed.page.keyboard.press('ArrowUp');
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await bed.said(), [
    { type: 'setMode', mode: 'auto' },
    { type: 'setModel', model: 'devstral:24b', server: 'http://localhost:1234/v1' },
  ]);
  assert.equal(await bed.page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
});

test('Full auto shows three signs and is said', async () => {
  await bed.start({ transcript: ended });
  await bed.send({ type: 'status', status: { ...status, mode: 'auto' } });
  assert.equal(await bed.page.locator('.autoline').count(), 1);
  assert.equal(await bed.page.locator('.composer.auto').count(), 1);
  assert.equal(await bed.page.locator('.pick.auto').count(), 1);
  assert.equal(await bed.page.locator('[role=status]').textContent(), 'Permission mode: Full auto');
});

test('a second click on a chip closes its list', async () => {
  await bed.start({ transcript: ended });
  for (const open of [1, 0]) {
    await bed.page.locator('.foot .pick', { hasText: 'skills' }).click();
    assert.equal(await bed.page.locator('.pop').count(), open);
  }
  await bed.page.locator('.foot .pick', { hasText: 'servers' }).click();
  await bed.page.getByRole('button', { name: 'Stop tracker' }).click();
  assert.deepEqual(await bed.said(), [{ type: 'server', name: 'tracker', action: 'stop' }]);
});

test('completions: asked for by @ and /, taken by Tab, late ones do not count', async () => {
  await bed.start({ transcript: ended });
  await bed.page.locator(box).focus();
  await bed.page.keyboard.type('Does @ret');
  const asked = (await bed.said()).at(-1);
  assert.ok(asked?.type === 'complete');
  assert.deepEqual([asked.kind, asked.query], ['file', 'ret']);
  const item = {
    insert: '@src/http/retry.ts',
    label: 'retry.ts',
    detail: 'src/http',
    icon: 'file',
    group: 'Files',
  } as const;
  await bed.send({ type: 'completions', request: asked.request - 1, items: [item] });
  assert.equal(await bed.page.locator('.pop').count(), 0);
  const skill = { ...item, insert: '@skill:retrying', label: 'retrying', icon: 'skill' } as const;
  const more = { ...item, insert: '@src/retry-after.ts', label: 'retry-after.ts' };
  await bed.send({ type: 'completions', request: asked.request, items: [skill, item] });
  await bed.page.keyboard.press('ArrowDown');
  // Skills are there before files are found; the choice stays where it is.
  await bed.send({ type: 'completions', request: asked.request, items: [skill, item, more] });
  await bed.page.keyboard.press('Tab');
  assert.equal(await bed.page.locator(box).inputValue(), 'Does @src/http/retry.ts ');
  assert.equal(await bed.page.locator('.pop').count(), 0);
  await bed.page.locator(box).fill('');
  await bed.page.keyboard.type('/re');
  const slash = (await bed.said()).at(-1);
  assert.ok(slash?.type === 'complete');
  assert.deepEqual([slash.kind, slash.query], ['slash', 're']);
});

test('a mention in a sent message is one thing to click: a skill opens as one, a path as a file', async () => {
  const text = 'Use @skill:beds-2, see @src/a.ts. Not mail@skill:x';
  const asked = { type: 'turnStarted', turn: 't1', text, model: 'm', mode: 'ask' } as const;
  await bed.start({ transcript: transcriptOf([asked]) });
  const mentions = bed.page.locator('.ref');
  assert.deepEqual(
    (await mentions.allInnerTexts()).map((each) => each.trim()),
    ['@skill:beds-2', '@src/a.ts'],
  );
  await mentions.nth(0).click();
  await mentions.nth(1).click();
  assert.deepEqual(await bed.said(), [
    { type: 'skill', name: 'beds-2', action: 'open' },
    { type: 'open', path: 'src/a.ts', line: null },
  ]);
});

test('/new starts a new chat', async () => {
  await bed.start({ transcript: ended });
  await bed.page.locator(box).fill('/new');
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(
    (await bed.said()).filter(({ type }) => type !== 'complete'),
    [{ type: 'newChat' }],
  );
});

test('while a model server is looked for a message is sent and waits in the chat', async () => {
  await bed.start({ status: { server: { kind: 'looking' } } });
  await bed.page.locator(box).fill('hello');
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await bed.said(), [{ type: 'send', text: 'hello' }]);
});

test('without a model server nothing is sent and nothing lost; it is looked for again', async () => {
  await bed.start({ status: { server: { kind: 'none', looked: [], ways: [], remote: null } } });
  await bed.page.locator(box).fill('hello');
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await bed.said(), [{ type: 'way', way: 'lookAgain' }]);
  assert.equal(await bed.page.locator(box).inputValue(), 'hello');
});

test('the demo is offered where it can run: in a folder that is trusted', async () => {
  const server = { kind: 'none', looked: [], ways: ['lookAgain', 'demo'], remote: null } as const;
  const demo = bed.page.getByRole('button', { name: 'Try a demo without a model' });
  const again = bed.page.getByRole('button', { name: 'Look again' });
  for (const [folder, trusted, offered] of [
    [true, false, 0],
    [false, true, 0],
    [true, true, 1],
  ] as const) {
    await bed.start({ status: { folder, trusted, server } });
    await again.waitFor();
    assert.equal(await demo.count(), offered, `folder ${folder}, trusted ${trusted}`);
  }
  await demo.click();
  assert.deepEqual(await bed.said(), [{ type: 'way', way: 'demo' }]);
});

test('a suggestion is put into the box, not sent', async () => {
  await bed.start();
  await bed.page.getByText('Find the failing test and fix it').click();
  assert.equal(await bed.page.locator(box).inputValue(), 'Find the failing test and fix it');
  assert.deepEqual(await bed.said(), []);
});

test('draft, caret, edits, reasons and what is open survive the page', async () => {
  const transcript = transcriptOf([
    started,
    { type: 'thinking', id: 'h1', delta: 'Deep thought.' },
    { type: 'thinkingEnded', id: 'h1', seconds: 6 },
    card('k1', callCard, 1, 2),
    card('k2', commandCard, 2, 2),
  ]);
  await bed.start({ transcript });
  await bed.armed();
  await bed.page.locator('.line', { hasText: 'Thought for 6 s' }).click();
  await bed.page.locator('.card textarea').first().fill('{"title": "Kept"}');
  await bed.page.locator('gbs-card').nth(1).locator('[data-answer=deny]').click();
  await bed.page.keyboard.type('because');
  await bed.page.locator(box).fill('half a thought');
  await bed.page.locator(box).press('Home');
  await bed.page.locator('.scroll').focus();
  await bed.reload();
  await bed.start({ transcript, draft: 'an older draft' });
  assert.equal(await bed.page.locator(box).inputValue(), 'half a thought');
  assert.equal(await bed.page.evaluate(`document.querySelector('${box}').selectionStart`), 0);
  assert.equal(await bed.page.getByText('Deep thought.').count(), 1);
  assert.equal(await bed.page.locator('.card textarea').first().inputValue(), '{"title": "Kept"}');
  assert.equal(await bed.page.locator('.card .field').inputValue(), 'because');
  assert.equal(
    await bed.page.evaluate('document.activeElement === document.body'),
    true,
    'no focus taken',
  );
});

test('the draft that the host kept is there when the page kept none', async () => {
  await bed.start({ draft: 'from the host' });
  assert.equal(await bed.page.locator(box).inputValue(), 'from the host');
});

test('the place survives the page', async () => {
  const turns = Array.from({ length: 60 }, (_, n) => [
    {
      type: 'turnStarted',
      turn: `old${n}`,
      text: `Question ${n}`,
      model: 'm',
      mode: 'ask',
    } as const,
    { type: 'text', id: `a${n}`, delta: 'A line.\n\nAnother line.\n\nA third.' } as const,
    {
      type: 'turnEnded',
      turn: `old${n}`,
      end: { kind: 'answered' },
      summary: { ...summary, changes: [] },
    } as const,
  ]).flat();
  const transcript = transcriptOf(turns);
  await bed.start({ transcript });
  await bed.until('document.querySelectorAll("gbs-turn").length === 60');
  await bed.page.evaluate(
    'document.querySelectorAll("gbs-turn")[12].scrollIntoView({ block: "start" }); document.querySelector(".scroll").scrollTop += 20',
  );
  await bed.drawn();
  const place = async (): Promise<number> =>
    (await bed.page.locator('gbs-turn', { hasText: 'Question 12' }).boundingBox())?.y ?? NaN;
  const before = await place();
  await bed.reload();
  await bed.start({ transcript });
  await bed.until('document.querySelectorAll("gbs-turn").length === 60');
  await bed.drawn();
  assert.ok(Math.abs((await place()) - before) <= 2, `${await place()} against ${before}`);
});

test('an empty chat in a low view shows its beginning', async () => {
  await bed.start();
  await bed.page.setViewportSize({ width: 340, height: 420 });
  const top = (): Promise<number> =>
    bed.page.locator('.scroll').evaluate((scroller) => scroller.scrollTop);
  const overflows = await bed.page
    .locator('.scroll')
    .evaluate((scroller) => scroller.scrollHeight > scroller.clientHeight);
  assert.ok(overflows);
  assert.equal(await top(), 0);
});

test('a focus that the editor asked for is not taken from where the user went on to', async () => {
  const { page, frame, send } = await bed.framed();
  await send(await bed.init());
  const inChat = frame.locator(box);
  const editor = page.locator('#editor');
  await editor.focus();
  await send({ type: 'command', command: 'focusInput' });
  await page.keyboard.type('typed on');
  assert.equal(await editor.inputValue(), 'typed on');
  await page.evaluate('document.querySelector("iframe").focus()');
  await page.keyboard.type('asked');
  assert.equal(await inChat.inputValue(), 'asked', 'it comes with the page');

  await editor.focus();
  await send({ type: 'command', command: 'focusInput' });
  await frame.locator('h2').first().click();
  await page.keyboard.type('x');
  assert.equal(await inChat.inputValue(), 'asked', 'a pointer says itself where it goes');
  await page.close();
});

const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Puts files on the page as a paste into the box or a drop does. */
async function give(how: 'paste' | 'drop', files: string, text = ''): Promise<void> {
  await bed.page.evaluate(`(async () => {
    const data = new DataTransfer();
    for (const file of await Promise.all(${files})) data.items.add(file);
    if (${JSON.stringify(text)} !== '') data.setData('text/plain', ${JSON.stringify(text)});
    const box = document.querySelector('${box}');
    box.dispatchEvent(
      '${how}' === 'paste'
        ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
        : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
    );
  })()`);
  await bed.drawn();
}
const png = `[new File([Uint8Array.from(atob('${dot}'), (c) => c.charCodeAt(0))], 'dot.png', { type: 'image/png' })]`;
const wide = `[(async () => {
  const canvas = new OffscreenCanvas(4000, 10);
  canvas.getContext('2d').fillRect(0, 0, 9, 9);
  return new File([await canvas.convertToBlob({ type: 'image/webp' })], 'w.webp', { type: 'image/webp' });
})()]`;
const url = `data:image/png;base64,${dot}`;

test('images are pasted, dropped, removed, sent, and given again by the host', async () => {
  await bed.start({ transcript: ended });
  await give('paste', png);
  await bed.until('document.querySelectorAll(".composer .thumb").length === 1');
  await give('drop', wide);
  await bed.until('document.querySelectorAll(".composer .thumb").length === 2');
  assert.equal(
    await bed.page.evaluate('document.querySelectorAll(".composer .thumb img")[1].naturalWidth'),
    IMAGE_MOST_PX,
    'a large one is made smaller',
  );
  await bed.page.getByRole('button', { name: 'Remove image 2' }).click();
  await bed.page.locator(box).focus();
  await bed.page.keyboard.press('Enter');
  assert.deepEqual((await bed.said()).slice(2), [
    { type: 'draftImages', images: [url] },
    { type: 'send', text: '', images: [url] },
  ]);
  assert.equal(await bed.page.locator('.composer .thumb').count(), 0);
  await bed.reload();
  await bed.start({ transcript: ended, images: [url] });
  assert.equal(await bed.page.locator('.composer .thumb').count(), 1);
  assert.deepEqual(await bed.violations(), []);
});

test('what is no image is no image, and text that comes with one is text', async () => {
  await bed.start({ transcript: ended });
  await give('drop', "[new File(['x'], 'a.txt', { type: 'text/plain' })]");
  await give('paste', png, 'words');
  await give('drop', "[new File(['no picture'], 'a.png', { type: 'image/png' })]");
  await bed.page.getByText('An image could not be read').first().waitFor();
  assert.equal(await bed.page.locator('.composer .thumb').count(), 0);
});

test('a model that takes no images is named before anything is sent', async () => {
  await bed.start({ transcript: ended, images: [url], status: { images: false } });
  await bed.page.getByText('qwen3-coder:30b takes no images.').waitFor();
  await bed.page.locator(box).fill('look');
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await bed.said(), []);
  await bed.send({ type: 'status', status: { ...status, images: true } });
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await bed.said(), [{ type: 'send', text: 'look', images: [url] }]);
});
