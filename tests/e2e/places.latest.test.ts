/**
 * Odd places in a real VS Code, one server and one page for all of them: a folder that is not trusted,
 * another machine without and with a model server, several folders, a page that was killed, no folder.
 * Each says what is so. The bed is itself a remote one: what runs there is not on the user's machine.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { startScriptedModel, type ScriptedModel } from '../node/scripted-model.ts';
import type { Locator } from 'playwright-core';
import { onDisk, screenTests } from './screen-tests.ts';
import { Workbench } from './workbench.ts';

const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: How ${name} is done here. Use it for ${name}.\n---\nWith care.\n`;
const server = (name: string): string =>
  JSON.stringify({ mcpServers: { [name]: { command: 'touch', args: ['ran-without-consent'] } } });

const files = {
  'api/notes.md': 'The north bed is wet.\n',
  'api/.gbs/skills/pruning/SKILL.md': skill('pruning'),
  'api/.mcp.json': server('of-api'),
  'web/notes.md': 'The south bed is dry.\n',
  'web/.gbs/skills/mulching/SKILL.md': skill('mulching'),
  'web/.mcp.json': server('of-web'),
  'bare/notes.md': 'Nothing grows here.\n',
  'garden.code-workspace': JSON.stringify({ folders: [{ path: 'api' }, { path: 'web' }] }),
};

const script = [
  {
    when: 'water',
    steps: [
      { toolCall: { name: 'glob', arguments: { pattern: 'notes.md' } } },
      { toolCall: { name: 'read_file', arguments: { path: 'web/notes.md' } } },
      {
        toolCall: {
          name: 'edit_file',
          arguments: { path: 'web/notes.md', old_string: 'dry', new_string: 'watered' },
        },
      },
      { text: 'It is watered.' },
    ],
  },
];

const parts: { model?: ScriptedModel; workbench?: Workbench; place?: string } = {};

const test = screenTests(() => parts.workbench);

before(
  async () => {
    const place = await mkdtemp(join(tmpdir(), 'gbs-places-'));
    parts.place = place;
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(place, path)), { recursive: true });
      await writeFile(join(place, path), text);
    }
    parts.model = await startScriptedModel(script);
    parts.workbench = await Workbench.open({
      folder: join(place, 'api'),
      trust: true,
      settings: {
        'gbsAgent.openai.baseUrl': `http://127.0.0.1:${String(await closedPort())}/v1`,
        'security.workspace.trust.startupPrompt': 'never',
      },
    });
  },
  { timeout: 180_000 },
);

after(
  async () => {
    await parts.workbench?.close();
    await parts.model?.stop();
    if (parts.place !== undefined) await rm(parts.place, { recursive: true, force: true });
  },
  { timeout: 60_000 },
);

function bed(): { workbench: Workbench; model: ScriptedModel; place: string } {
  const { workbench, model, place } = parts;
  if (workbench === undefined || model === undefined || place === undefined) {
    throw new Error('the workbench did not open');
  }
  return { workbench, model, place };
}

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const limit = { timeout: 180_000 };

/** Opens the extension's views, which have no chat to be focused while a folder is not trusted. */
async function showViews(shown: string | RegExp): Promise<void> {
  const { workbench } = bed();
  const { page } = workbench;
  // A click on the sign in the activity bar would hide what is shown already.
  await workbench.until(page.getByText(shown).first(), () =>
    workbench.command('View: Show GBS Agent'),
  );
}

/** Trusts what is open, in the editor's own way. */
async function trust(): Promise<void> {
  const { workbench } = bed();
  const { page } = workbench;
  const button = page.locator('.workspace-trust-editor').getByText('Trust', { exact: true });
  await workbench.until(button.first(), () =>
    page.getByText('Manage Workspace Trust').first().click({ timeout: 4000 }),
  );
  const box = workbench.chat.getByRole('textbox').first();
  await workbench.until(box, async () => {
    if (await button.first().isVisible()) await button.first().click({ timeout: 4000 });
  });
  await workbench.closeModal();
}

/** Presses a button until it took the answer: in its first half second it takes none. */
async function answer(button: Locator): Promise<void> {
  await button.waitFor();
  for (const end = Date.now() + 60_000; (await button.isVisible()) && Date.now() < end;) {
    await button.click({ timeout: 4000 }).catch(() => undefined);
    await bed().workbench.page.waitForTimeout(1000);
  }
  await button.waitFor({ state: 'detached' });
}

test('a folder that is not trusted: nothing of it is used, and it says so', limit, async () => {
  const { workbench, model, place } = bed();
  const { page } = workbench;
  await showViews('You have not trusted this folder. Until you do');
  for (const view of ['Skills', 'Servers']) {
    // A server that is found already has a line of its own, which says the same.
    const said = page.getByText(
      view === 'Skills'
        ? 'You have not trusted this folder: no skills are used.'
        : /You have not trusted this folder: no server starts\.|not started: you have not trusted this folder/,
    );
    const header = page.locator('.pane-header', { hasText: view }).first();
    await workbench.until(said.first(), async () => {
      // What is open already would be closed by a click, and may only be slow to draw.
      if ((await header.getAttribute('aria-expanded')) !== 'true')
        await header.click({ timeout: 4000 });
    });
  }
  await workbench.screenshot('places-1-untrusted');
  assert.deepEqual(await model.requests(), [], 'no model server was asked for anything');
  assert.equal(existsSync(join(place, 'api', 'ran-without-consent')), false);
});

test(
  'trusted, on another machine without a model server: whose localhost it is',
  limit,
  async () => {
    const { workbench, model } = bed();
    const { chat } = workbench;
    await trust();
    await chat.getByText('No model server found').first().waitFor({ timeout: 60_000 });
    const where = chat.getByText('You work on another machine: localhost is that machine’s.');
    await where.first().waitFor();
    await chat.getByRole('button', { name: 'Try a demo without a model' }).waitFor();
    await workbench.screenshot('places-2-remote-none');
    for (const level of ['User', 'Machine']) {
      const path = join(workbench.served.data, level, 'settings.json');
      const settings = JSON.parse(await readFile(path, 'utf8')) as object;
      const now = { ...settings, 'gbsAgent.openai.baseUrl': model.baseUrl };
      await writeFile(path, JSON.stringify(now, null, 2));
    }
    const there = 'The model runs on the machine that this window works on.';
    await workbench.until(chat.getByText(there).first(), async () => {
      const again = chat.getByText('Look again').first();
      if (await again.isVisible()) await again.click({ timeout: 4000 });
    });
    await workbench.screenshot('places-3-remote-found');
  },
);

test('several folders: paths name theirs, and each brings skills and servers', limit, async () => {
  const { workbench, model, place } = bed();
  const { page, chat } = workbench;
  // A window that reads the workspace's file before its file system is there has no folder: again then.
  const untrusted = 'You have not trusted this folder. Until you do';
  for (let tries = 0; tries < 3; tries++) {
    await workbench.visit({ workspace: join(place, 'garden.code-workspace') });
    await showViews(new RegExp(`${untrusted}|The agent works in a folder`));
    if (await page.getByText(untrusted).first().isVisible()) break;
  }
  await showViews(untrusted);
  await trust();
  await chat.getByText('The model runs on the machine').first().waitFor({ timeout: 60_000 });
  for (const name of ['of-api', 'of-web']) {
    await chat.getByText(name).first().waitFor({ timeout: 30_000 });
  }
  const box = chat.getByRole('textbox').first();
  await box.click();
  await box.fill('');
  // The oldest bed has no program for the editor's own search: ours finds the files there.
  await box.pressSequentially('@notes');
  const row = chat.getByRole('option', { name: /notes\.md.*web/ }).first();
  await row.waitFor({ timeout: 30_000 });
  await workbench.screenshot('places-4-completions');
  await row.click();
  assert.equal((await box.inputValue()).trim(), '@web/notes.md');
  await box.pressSequentially('Give it water');
  await box.press('Enter');
  const skills = chat.getByRole('group', { name: /skills/i });
  await skills.waitFor({ timeout: 60_000 });
  for (const name of ['pruning', 'mulching']) {
    await skills.getByText(name).first().waitFor();
  }
  await skills.getByRole('button', { name: /Allow/ }).first().click();
  // Nothing orders the two; each says in which folder it would run.
  const asked = new Set<string>();
  while (asked.size < 2) {
    const card = chat.getByRole('group', { name: /Start the server/ }).first();
    await card.waitFor({ timeout: 60_000 });
    const text = await card.innerText();
    const [, name = ''] = /the server\s+of-(\w+)/.exec(text) ?? [];
    assert.ok(!asked.has(name), text);
    asked.add(name);
    await card.getByText(join(place, name)).first().waitFor();
    await card.getByText(`${name}/.mcp.json, line 1`).first().waitFor();
    await card.getByRole('button', { name: /Not now/ }).click();
    const still = chat.getByRole('group', { name: new RegExp(`Start the server.*of-${name}`) });
    await still.waitFor({ state: 'detached', timeout: 30_000 });
  }
  await chat.getByText('It is watered.').waitFor({ timeout: 60_000 });
  await workbench.screenshot('places-5-several');
  assert.equal(
    await readFile(join(place, 'web', 'notes.md'), 'utf8'),
    'The south bed is watered.\n',
  );
  assert.equal(await readFile(join(place, 'api', 'notes.md'), 'utf8'), files['api/notes.md']);
  const requests = (await model.requests()).filter(({ path }) => path === '/v1/chat/completions');
  const { messages } = JSON.parse(requests.at(-1)?.body ?? '{}') as {
    messages: readonly { readonly role: string; readonly content: string }[];
  };
  const system = messages[0]?.content ?? '';
  assert.match(system, /Workspace folders: api \([^)]*\/api\), web \([^)]*\/web\)\n/);
  assert.match(system, /pruning[^]*mulching|mulching[^]*pruning/);
  assert.deepEqual(
    messages.filter(({ role }) => role === 'tool').map(({ content }) => content.split('\n')),
    [
      ['api/notes.md', 'web/notes.md'],
      ['web/notes.md: 1 line', 'The south bed is dry.'],
      ['Edited web/notes.md.'],
    ],
  );
  await chat.getByText('web/notes.md', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
});

test('a page that was killed is there again, with what was being written', limit, async () => {
  const { workbench } = bed();
  const { chat, page } = workbench;
  const box = chat.getByRole('textbox').first();
  await box.fill('not sent yet');
  const posted = chat.locator('gbs-chat');
  await posted.first().waitFor();
  // Who hides a view kills its page; so does a crash, which the frame's removal stands for.
  for (const kill of [
    () => workbench.command('View: Show Explorer'),
    () => workbench.command('Developer: Reload Webviews'),
  ]) {
    await kill();
    await workbench.until(chat.getByText('It is watered.').first(), () =>
      workbench.command('GBS Agent: Focus Chat'),
    );
    assert.equal(await box.inputValue(), 'not sent yet');
  }
  await workbench.screenshot('places-6-killed-page');
  await page.keyboard.press('Escape');
});

test('undo, redo and select all work in the box, and reach no document', limit, async () => {
  const { workbench, place } = bed();
  const { chat, page } = workbench;
  await workbench.open(join(place, 'api', 'notes.md'));
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('Mine: ');
  const group = page.locator('.editor-group-container.active');
  const mine = group.locator('.view-line', { hasText: /^Mine:\sThe\snorth\sbed/ }).first();
  await mine.waitFor({ timeout: 30_000 });
  const box = chat.getByRole('textbox').first();
  await box.click();
  await box.fill('');
  await box.pressSequentially('one');
  // How much one step takes back is the browser's affair.
  await box.press('Control+z');
  assert.notEqual(await box.inputValue(), 'one');
  for (let tries = 0; (await box.inputValue()) !== 'one' && tries < 5; tries += 1) {
    await box.press('Control+Shift+z');
  }
  assert.equal(await box.inputValue(), 'one');
  await box.press('Control+a');
  await box.pressSequentially('two');
  assert.equal(await box.inputValue(), 'two');
  assert.ok(await mine.isVisible(), 'the document is as it was');
});

test(
  'the walkthrough opens; a button of its first step runs the demo, which needs no model',
  limit,
  async () => {
    const { workbench, model, place } = bed();
    const { page, chat } = workbench;
    const asked = (await model.requests()).length;
    await workbench.visit({ folder: join(place, 'bare') });
    await showViews('You have not trusted this folder. Until you do');
    await trust();
    await chat.getByText('The model runs on the machine').first().waitFor({ timeout: 60_000 });
    const steps = page.locator('.gettingStartedContainer');
    const step = (name: string): Locator => steps.getByText(name, { exact: true }).first();
    await workbench.until(step('Find a model server'), () =>
      workbench.command('GBS Agent: Get Started'),
    );
    for (const name of ['Decide what asks', 'Write down what it should know', 'Give it tools'])
      await step(name).waitFor();
    const demo = steps.getByText('Try a Demo Without a Model').first();
    await demo.waitFor({ timeout: 30_000 });
    await steps.getByText('Choose Model…').first().waitFor();
    await workbench.screenshot('places-2-walkthrough');

    const card = chat.getByRole('group', { name: /Run this command/ });
    const sent = chat.getByText('Show me how you work.').first();
    for (const end = Date.now() + 60_000; !(await card.isVisible()) && Date.now() < end;) {
      if (!(await sent.isVisible())) await demo.click({ timeout: 4000 }).catch(() => undefined);
      await page.waitForTimeout(1000);
    }
    await card.waitFor();
    await chat.getByText('No model runs').first().waitFor();
    await card.getByText('echo Hello from the demo').first().waitFor();
    await workbench.screenshot('places-2-demo');
    const waits = page.locator('.statusbar-item', { hasText: '1 card waits' });
    await waits.waitFor();
    await answer(card.getByRole('button', { name: /Run once/ }));
    await chat.getByText('That was a whole turn.').waitFor({ timeout: 60_000 });
    await waits.waitFor({ state: 'hidden' });
    const written = join(place, 'bare', 'gbs-demo.md');
    assert.match(await readFile(written, 'utf8'), /GBS Agent wrote this file/);
    await workbench.screenshot('places-2-demo-end');
    await chat.getByRole('button', { name: /Undo turn/ }).click();
    const undo = chat.getByRole('button', { name: /^Undo 1 file/ });
    await answer(undo);
    await onDisk(written, /^$/);
    assert.equal(existsSync(written), false);
    // Who asked something has done the last step.
    const asks = '.codicon-getting-started-step-checked[data-done-step-id$="#ask"]';
    await steps.locator(asks).waitFor({ state: 'attached', timeout: 30_000 });
    const later = (await model.requests()).slice(asked);
    assert.deepEqual(
      later.filter(({ path }) => path === '/v1/chat/completions'),
      [],
      'no model was asked',
    );
  },
);

test('no folder: what a folder is for, and how to open one', limit, async () => {
  const { workbench } = bed();
  await workbench.visit({ ew: 'true' });
  await showViews('The agent works in a folder');
  const { page } = workbench;
  await page.getByRole('button', { name: 'Open Folder' }).first().waitFor();
  await workbench.screenshot('places-7-no-folder');
  assert.deepEqual(workbench.errors, []);
});
