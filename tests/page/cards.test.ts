/** Cards: what may answer them, and what they never do. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { FromPage } from '../../extension/chat/protocol.ts';
import { Bed } from './bed.ts';
import {
  addressCard,
  callCard,
  commandCard,
  connectCard,
  formCard,
  pane,
  quoted,
  secretFormCard,
  serverCard,
} from './sample-cards.ts';
import { card, started, transcriptOf } from './sample-turn.ts';
import { scenes } from './scenes.ts';

let bed: Bed;
before(async () => {
  bed = await Bed.open();
});
after(() => bed.close());
beforeEach(async () => {
  await bed.fresh();
  await bed.start({ transcript: transcriptOf([started]) });
});

const answers = async (): Promise<readonly FromPage[]> =>
  (await bed.said()).filter(({ type }) => type === 'answer');
const allow = '[data-answer=allow]';

test('a new card takes no answer for half a second, by click or key', async () => {
  await bed.events(card('k1', commandCard));
  await bed.page.locator(allow).click({ force: true });
  await bed.page.keyboard.press('Control+Enter');
  assert.deepEqual(await answers(), []);
  await bed.armed();
  await bed.page.locator(allow).click();
  assert.deepEqual(await answers(), [{ type: 'answer', card: 'k1', answer: { answer: 'allow' } }]);
  await bed.page.locator(allow).click({ force: true });
  assert.equal((await answers()).length, 1, 'one answer only');
});

test('a card that moves takes no answer for half a second again', async () => {
  await bed.events(card('k1', commandCard, 1, 2), card('k2', callCard, 2, 2));
  await bed.armed();
  await bed.page.keyboard.press('Control+Enter');
  await bed.events({ type: 'answered', id: 'k1', answer: { answer: 'allow' } });
  await bed.page.keyboard.press('Control+Enter');
  assert.deepEqual(await answers(), [{ type: 'answer', card: 'k1', answer: { answer: 'allow' } }]);
  await bed.armed();
  await bed.page.keyboard.press('Control+Enter');
  assert.equal((await answers()).length, 2);
});

test('Enter alone, and a held key, answer nothing', async () => {
  await bed.events(card('k1', commandCard));
  await bed.armed();
  await bed.page.keyboard.press('Alt+KeyJ');
  assert.equal(await bed.page.evaluate('document.activeElement.className'), 'card active');
  await bed.page.keyboard.press('Enter');
  await bed.page.evaluate(
    'document.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, repeat: true }))',
  );
  assert.deepEqual(await answers(), []);
});

test('Deny asks for a reason in place; Esc goes back, Enter denies', async () => {
  await bed.events(card('k1', commandCard));
  await bed.armed();
  await bed.page.keyboard.press('Control+Backspace');
  await bed.page.keyboard.type('Use the fixtures');
  await bed.page.keyboard.press('Escape');
  assert.deepEqual(await bed.said(), [], 'Esc neither denies nor stops');
  await bed.page.keyboard.press('Control+Backspace');
  await bed.page.keyboard.type('Use the fixtures in test/data');
  await bed.page.keyboard.press('Enter');
  assert.deepEqual(await answers(), [
    {
      type: 'answer',
      card: 'k1',
      answer: { answer: 'deny', reason: 'Use the fixtures in test/data' },
    },
  ]);
});

test('a card takes no focus; what is written goes on being written', async () => {
  await bed.page.locator('textarea').first().focus();
  await bed.page.keyboard.type('Also the ');
  await bed.events(card('k1', commandCard));
  await bed.page.keyboard.type('changelog');
  await bed.armed();
  assert.equal(await bed.page.locator('.composer textarea').inputValue(), 'Also the changelog');
  assert.equal(
    await bed.page.locator('[role=status]').textContent(),
    'Waits for you: Run this command?',
  );
  assert.equal(await bed.page.locator('.card.active').count(), 0, 'keys belong to the text');
  await bed.page.keyboard.press('Control+Backspace');
  assert.equal(await bed.page.locator('.composer textarea').inputValue(), 'Also the ');
  await bed.page.keyboard.press('Control+Enter');
  assert.deepEqual(await bed.said(), [{ type: 'send', text: 'Also the' }]);
  assert.equal(await bed.page.locator('.card.active').count(), 1, 'the box is empty again');
});

test('changed arguments go with the answer; what is not JSON does not', async () => {
  await bed.events(card('k1', callCard));
  await bed.armed();
  const field = bed.page.locator('.card textarea');
  await field.fill('{"title": "Other"');
  await bed.page.locator(allow).click();
  assert.deepEqual(await answers(), []);
  assert.equal(await bed.page.locator('.card .below .bad-text').count(), 1);
  await field.fill('{"title": "Other"}');
  await bed.page.keyboard.press('Control+Enter');
  assert.deepEqual(await answers(), [
    {
      type: 'answer',
      card: 'k1',
      answer: { answer: 'allow', edited: { 0: '{"title": "Other"}' } },
    },
  ]);
});

test('Esc leaves the field of a pane, and stops nothing', async () => {
  await bed.events(card('k1', commandCard));
  await bed.page.locator('.card textarea').fill('npm run other');
  await bed.page.keyboard.press('Escape');
  assert.deepEqual(await bed.said(), []);
  assert.equal(await bed.page.evaluate('document.activeElement.className'), 'card active');
  assert.equal(await bed.page.locator('.card textarea').inputValue(), 'npm run other');
});

test('Reset puts back what came', async () => {
  await bed.events(card('k1', commandCard));
  await bed.armed();
  await bed.page.locator('.card textarea').fill('npm run evil');
  await bed.page.getByText('Reset').click();
  await bed.page.locator(allow).click();
  assert.deepEqual(await answers(), [{ type: 'answer', card: 'k1', answer: { answer: 'allow' } }]);
});

test('the field over a pane shows the same letters at the same places', async () => {
  await bed.events(card('k1', callCard));
  const [under, over] = (await bed.page.evaluate(
    `[...document.querySelector('.pane.edit').children].map((part) => {
      const { left, top, width, height } = part.getBoundingClientRect();
      const style = getComputedStyle(part);
      return [left, top, width, height, style.font, style.padding, style.letterSpacing, style.tabSize].join(' ');
    })`,
  )) as [string, string];
  assert.equal(over, under);
  assert.equal(
    await bed.page.evaluate('document.querySelector(".pane.edit textarea").scrollHeight'),
    await bed.page.evaluate('document.querySelector(".pane.edit textarea").clientHeight'),
  );
});

test('a card with a flag, and a consent, have equal buttons', async () => {
  await bed.events(card('k1', serverCard));
  assert.equal(await bed.page.locator('.card .primary').count(), 0);
  await bed.events(
    { type: 'answered', id: 'k1', answer: { answer: 'notNow' } },
    card('k2', { ...commandCard, flags: [{ code: 'x', text: [quoted('x')] }] }),
  );
  assert.equal(await bed.page.locator('.card .primary').count(), 0);
});

test('a secret is not in the page before it is revealed', async () => {
  await bed.events(card('k1', serverCard));
  const text = async (): Promise<boolean> => (await bed.page.content()).includes('s3cr3t-value');
  assert.equal(await text(), false);
  await bed.page.getByText('Reveal').click();
  assert.equal(await text(), true);
  await bed.page.getByText('Hide').click();
  assert.equal(await text(), false);
});

test('what is to be approved is drawn whole and exactly', async () => {
  const command = `printf '%s\\n' ${'x'.repeat(3000)}\n  && echo "two  blanks"\t# tab\n`;
  await bed.events(card('k1', { ...commandCard, panes: [pane('command', command)] }));
  assert.equal(await bed.page.locator('.card pre.pane').textContent(), command);
  await bed.events(
    { type: 'answered', id: 'k1', answer: { answer: 'deny' } },
    card('k2', {
      ...commandCard,
      panes: [pane('command', [quoted('npx'), quoted('a b'), quoted(''), quoted('say "hi"')])],
    }),
  );
  assert.equal(
    await bed.page.locator('.card pre.pane').textContent(),
    'npx "a b" "" "say \\"hi\\""',
  );
});

test('hidden characters stand as marks with their numbers', async () => {
  await bed.events(
    card('k1', {
      ...commandCard,
      panes: [pane('command', 'rm \u202ea\u200b\u200db', { editable: true })],
    }),
  );
  assert.deepEqual(
    await bed.page
      .locator('.card .hid')
      .evaluateAll((marks: readonly { textContent: string; title: string }[]) =>
        marks.map((mark) => `${mark.textContent}: ${mark.title}`),
      ),
    ['text direction: U+202E', '2 zero-width: U+200B U+200D'],
  );
  assert.equal(await bed.page.locator('.card textarea').count(), 0);
  await bed.page.getByRole('button', { name: 'Edit the text' }).click();
  assert.equal(await bed.page.locator('.card textarea').inputValue(), 'rm \u202ea\u200b\u200db');
});

test('a key answers no card whose buttons are out of view; it shows them', async () => {
  await bed.page.setViewportSize({ width: 340, height: 500 });
  const long = Array.from({ length: 80 }, (_, n) => `echo ${n}`).join('\n');
  await bed.events(card('k1', { ...commandCard, panes: [pane('command', long)] }));
  await bed.armed();
  await bed.page.locator('.scroll').evaluate((scroll: { scrollTop: number }) => {
    scroll.scrollTop = 0;
  });
  await bed.page.keyboard.press('Control+Enter');
  assert.deepEqual(await answers(), []);
  await bed.page.keyboard.press('Control+Enter');
  assert.deepEqual(await answers(), [{ type: 'answer', card: 'k1', answer: { answer: 'allow' } }]);
  await bed.page.setViewportSize({ width: 340, height: 760 });
});

test('the focus of an answered card goes to the next, then to the box', async () => {
  await bed.events(card('k1', commandCard, 1, 2), card('k2', callCard, 2, 2));
  await bed.armed();
  await bed.page.keyboard.press('Alt+KeyJ');
  await bed.page.keyboard.press('Control+Enter');
  await bed.events({ type: 'answered', id: 'k1', answer: { answer: 'allow' } });
  assert.equal(
    await bed.page.evaluate('document.activeElement.getAttribute("aria-label")'),
    'Call create_issue on tracker?',
  );
  await bed.armed();
  await bed.page.keyboard.press('Control+Enter');
  await bed.events({ type: 'answered', id: 'k2', answer: { answer: 'allow' } });
  assert.equal(await bed.page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
});

test('a card is drawn and answered by the keyboard alone', async () => {
  await bed.events(card('k1', serverCard));
  await bed.armed();
  await bed.page.keyboard.press('Alt+KeyJ');
  const reached: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    await bed.page.keyboard.press('Tab');
    reached.push(
      (await bed.page.evaluate(
        '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim().replace(/\\s+/g, " ")',
      )) as string,
    );
  }
  assert.deepEqual(reached.slice(0, 6), [
    'Open',
    'Copy What will run',
    'Reveal',
    '.mcp.json, line 4',
    'Allow and startCtrl+⏎',
    'Not nowCtrl+⌫',
  ]);
  await bed.page.keyboard.press('Alt+KeyJ');
  for (let n = 0; n < 6; n += 1) await bed.page.keyboard.press('Tab');
  await bed.page.keyboard.press('Space');
  assert.deepEqual(await answers(), [{ type: 'answer', card: 'k1', answer: { answer: 'notNow' } }]);
});

test('the session button has a key of its own; a card without it does nothing', async () => {
  await bed.events(card('k1', commandCard, 1, 2), card('k2', callCard, 2, 2));
  await bed.armed();
  await bed.page.keyboard.press('Control+Shift+Enter');
  await bed.events({ type: 'answered', id: 'k1', answer: { answer: 'allowSession' } });
  await bed.armed();
  await bed.page.keyboard.press('Control+Shift+Enter');
  assert.deepEqual(await answers(), [
    { type: 'answer', card: 'k1', answer: { answer: 'allowSession' } },
  ]);
});

test('a server that the agent asks for is kept by a key', async () => {
  const keys = { keepForUser: 'Control+Shift+Enter', keepInProject: 'Control+Alt+Enter' } as const;
  for (const answer of ['keepForUser', 'keepInProject'] as const) {
    await bed.events(card(answer, connectCard));
    await bed.armed();
    await bed.page.keyboard.press(keys[answer]);
    await bed.events({ type: 'answered', id: answer, answer: { answer } });
  }
  assert.deepEqual(await answers(), [
    { type: 'answer', card: 'keepForUser', answer: { answer: 'keepForUser' } },
    { type: 'answer', card: 'keepInProject', answer: { answer: 'keepInProject' } },
  ]);
});

test('commands of the editor answer like keys', async () => {
  await bed.events(card('k1', commandCard));
  await bed.armed();
  await bed.send({ type: 'command', command: 'allow' });
  assert.equal((await answers()).length, 1);
});

test('undoing shows what it would do, and does nothing before it is confirmed', async () => {
  const scene = scenes.find(({ name }) => name === 'summary');
  assert.ok(scene?.then !== undefined);
  await bed.start({ transcript: transcriptOf(scene.events) });
  await bed.page.getByText('Undo turn').click();
  assert.deepEqual(await bed.said(), [{ type: 'undo', turn: 't1' }]);
  await bed.send(...scene.then);
  await bed.page.keyboard.press('Escape');
  assert.equal(await bed.page.locator('.undo').count(), 0);
  await bed.send(...scene.then);
  await bed.page.keyboard.press('Control+Enter');
  assert.equal((await bed.said()).length, 1, 'nobody can have read it yet');
  await new Promise((resolve) => setTimeout(resolve, 600));
  await bed.page.keyboard.press('Control+Enter');
  assert.deepEqual((await bed.said()).at(-1), { type: 'undoNow', turn: 't1' });
  await bed.events({ type: 'undone', turn: 't1', note: '2 files put back.' });
  assert.equal(await bed.page.getByText('2 files put back.').count(), 1);
});

test('a form is filled in by keys alone, and what it holds goes with the answer', async () => {
  await bed.events(card('k1', formCard));
  await bed.armed();
  const { keyboard } = bed.page;
  await keyboard.press('Alt+KeyJ');
  // Past the button that copies the server's words, into the first field.
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  await keyboard.press('Control+A');
  await keyboard.type('14');
  await keyboard.press('Enter');
  assert.deepEqual(await answers(), [], 'Enter in a field sends nothing');
  await keyboard.press('Control+Enter');
  await bed.page.locator('.card footer').scrollIntoViewIfNeeded();
  await keyboard.press('Control+Enter');
  const values = {
    guests: '14',
    day: '2026-12-04',
    email: '',
    place: 'in',
    needs: [],
    hour: null,
    remind: true,
  };
  const sent = (given: object): unknown => ({
    type: 'answer',
    card: 'k1',
    answer: { answer: 'allow', values: JSON.stringify(given) },
  });
  assert.deepEqual(await answers(), [sent(values)]);
  const problems = [{ name: 'guests', message: 'Must be 12 or less.' }];
  await bed.send({ type: 'formProblems', card: 'k1', problems });
  const focus = 'document.activeElement';
  assert.equal(await bed.page.evaluate(`${focus}.getAttribute('aria-invalid')`), 'true');
  assert.match(
    String(
      await bed.page.evaluate(
        `document.getElementById(${focus}.getAttribute('aria-describedby')).textContent`,
      ),
    ),
    /Must be 12 or less\./,
  );
  await keyboard.press('Control+A');
  await keyboard.type('4');
  await bed.page.getByLabel('On the terrace').check();
  await bed.page.getByLabel('No steps').check();
  await bed.page.getByLabel('High chair').check();
  await bed.page.getByLabel('Hour').selectOption({ label: '20 h' });
  await bed.page.getByLabel('Remind me the day before').uncheck();
  // A page that is thrown away comes back as it was.
  await bed.page.evaluate('window.dispatchEvent(new Event("pagehide"))');
  await bed.reload();
  await bed.start({ transcript: transcriptOf([started, card('k1', formCard)]) });
  await bed.armed();
  await bed.page.locator(allow).click();
  assert.deepEqual(await answers(), [
    sent({
      guests: '4',
      day: '2026-12-04',
      email: '',
      place: 'out',
      needs: ['chair', 'ramp'],
      hour: '20',
      remind: false,
    }),
  ]);
});

test('a form is declined and dismissed by its own keys; Esc only leaves a field', async () => {
  for (const [keys, answer] of [
    ['Control+Backspace', 'decline'],
    ['Control+Shift+Backspace', 'dismiss'],
  ] as const) {
    await bed.fresh();
    await bed.start({ transcript: transcriptOf([started]) });
    await bed.events(card('k1', formCard));
    await bed.armed();
    await bed.page.locator('.form input').first().focus();
    await bed.page.keyboard.press('Escape');
    assert.deepEqual(await bed.said(), []);
    await bed.page.keyboard.press(keys);
    assert.deepEqual(await bed.said(), [{ type: 'answer', card: 'k1', answer: { answer } }]);
  }
});

test('a secret that is typed is not kept by the editor; an address opens nothing by itself', async () => {
  await bed.events(card('k1', secretFormCard, 1, 2), card('k2', addressCard, 2, 2));
  await bed.armed();
  assert.equal(await bed.page.locator('.btn.primary').count(), 0);
  await bed.page.locator('.form input').fill('hunter2');
  await bed.page.evaluate('window.dispatchEvent(new Event("pagehide"))');
  assert.doesNotMatch(
    String(await bed.page.evaluate('sessionStorage.getItem("state")')),
    /hunter2/,
  );
  assert.deepEqual(await bed.said(), []);
  assert.equal(await bed.page.locator('gbs-card:last-of-type a').count(), 0);
});
