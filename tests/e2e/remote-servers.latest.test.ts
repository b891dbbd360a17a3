/**
 * Servers that are reached by a url, in a real VS Code: started from the Servers view and called from the
 * chat; behind networks that die and crawl, and flooding; signed in to against a real authorization server;
 * a form of a server's filled in by keyboard; and servers of other programs taken along.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { loopbackNetwork, type LoopbackNetwork } from '../node/loopback-network.ts';
import { Flood, ownServer, type OwnServer } from '../node/mcp/http-server.ts';
import { startServers, type Servers } from '../node/mcp/oauth-bed.ts';
import { startScriptedModel, type ScriptedModel } from '../node/scripted-model.ts';
import { onDisk, screenTests } from './screen-tests.ts';
import { Workbench } from './workbench.ts';

const root = join(__dirname, '..', '..');

const question = {
  message: 'Which bed is dry?',
  requestedSchema: {
    type: 'object',
    properties: { bed: { type: 'string', title: 'Bed' } },
    required: ['bed'],
  },
};

const parts: {
  model?: ScriptedModel;
  own?: OwnServer;
  /** Between the window and `own`, and between it and the model. */
  toGauge?: LoopbackNetwork;
  toModel?: LoopbackNetwork;
  guarded?: Servers;
  workbench?: Workbench;
  place?: string;
} = {};

before(
  async () => {
    const place = await realpath(await mkdtemp(join(tmpdir(), 'gbs-remote-')));
    parts.place = place;
    parts.own = await ownServer();
    parts.toGauge = await loopbackNetwork(parts.own.url);
    // A workbench in a browser leads 127.0.0.1 through itself, and spoils the addresses in an address.
    parts.guarded = await startServers('127.0.0.2');
    const mcpServers = {
      gauge: { url: `${parts.toGauge.origin}/mcp`, headers: { 'X-Team': 'greenhouse' } },
      guarded: { url: parts.guarded.server },
      asks: {
        command: process.execPath,
        args: [join(root, 'tests', 'servers', 'asks.mjs'), '--era', 'modern'],
      },
    };
    await writeFile(join(place, '.mcp.json'), `${JSON.stringify({ mcpServers }, null, 2)}\n`);
    await mkdir(join(place, '.vscode'));
    const other = { servers: { tracker: { type: 'stdio', command: 'tracker-mcp' } } };
    await writeFile(join(place, '.vscode', 'mcp.json'), JSON.stringify(other));
    parts.model = await startScriptedModel([
      {
        when: 'Read the gauge',
        steps: [
          { toolCall: { name: 'mcp__gauge__echo', arguments: { bed: 'south' } } },
          { text: 'The gauge is read.' },
        ],
      },
      {
        when: 'Check the (\\w+) gauge',
        steps: [
          { toolCall: { name: 'mcp__gauge__echo', arguments: { bed: '{{1}}' } } },
          { text: 'Checked: {{result}}' },
        ],
      },
      {
        when: 'Talk about beds',
        steps: [{ attempts: [{ forever: 'and a bed ' }, { text: 'That was all about beds.' }] }],
      },
      {
        when: 'Ask about beds',
        steps: [
          { toolCall: { name: 'mcp__asks__ask', arguments: { params: question } } },
          { text: 'You were asked.' },
        ],
      },
    ]);
    parts.toModel = await loopbackNetwork(parts.model.url);
    parts.workbench = await Workbench.open({
      folder: place,
      settings: {
        'gbsAgent.openai.baseUrl': `${parts.toModel.origin}/v1`,
        'gbsAgent.permissionMode': 'auto',
      },
    });
  },
  { timeout: 180_000 },
);

after(
  async () => {
    await parts.workbench?.close();
    await parts.toModel?.close();
    await parts.toGauge?.close();
    await parts.model?.stop();
    await parts.own?.close();
    await parts.guarded?.stop();
    if (parts.place !== undefined) await rm(parts.place, { recursive: true, force: true });
  },
  { timeout: 60_000 },
);

function bed(): Required<typeof parts> {
  const { workbench, model, own, toGauge, toModel, guarded, place } = parts;
  if (!workbench || !model || !own || !toGauge || !toModel || !guarded || place === undefined) {
    throw new Error('the workbench did not open');
  }
  return { workbench, model, own, toGauge, toModel, guarded, place };
}

const test = screenTests(() => parts.workbench);
const limit = { timeout: 240_000 };

/** Rows of the Servers view that hold this text. */
function row(text: RegExp): Locator {
  const { page } = bed().workbench;
  const pane = page.locator('.pane', { has: page.getByLabel(/^Servers/) });
  return pane.locator('.monaco-list-row', { hasText: text }).first();
}

async function showServers(): Promise<void> {
  const { workbench } = bed();
  await workbench.until(row(/gauge/), () => workbench.command('GBS Agent: Focus on Servers View'));
}

/** Presses a button of a server's row until the effect is seen. */
async function press(server: string, button: string, effect: Locator): Promise<void> {
  const { workbench } = bed();
  const { page } = workbench;
  await workbench.until(effect, async () => {
    if (await effect.isVisible()) return;
    const label = page.locator('.label-name', { hasText: new RegExp(`^${server}$`) });
    const one = page.locator('.pane .monaco-list-row', { has: label }).first();
    await one.hover({ timeout: 4000 });
    await one.getByRole('button', { name: button }).first().click({ timeout: 4000 });
  });
}

async function allow(server: string): Promise<void> {
  const { workbench } = bed();
  const name = new RegExp(`Start the server ${server}`);
  const card = workbench.chat.getByRole('group', { name });
  await press(server, 'Review and Approve…', card);
  const button = card.getByRole('button', { name: /Allow and start/ });
  for (const end = Date.now() + 60_000; await card.isVisible();) {
    await button.click({ timeout: 4000 }).catch(() => undefined);
    await workbench.page.waitForTimeout(700);
    if (Date.now() > end) throw new Error(`the card of ${server} does not go`);
  }
}

/** Agrees to everything on the pages of the authorization server, as a person does. */
async function signInAt(tab: Page): Promise<void> {
  const { issuer } = bed().guarded;
  try {
    await tab.waitForURL((url) => url.origin === issuer, { timeout: 30_000 });
    await tab.locator('input[name=login]').fill('ada', { timeout: 30_000 });
    await tab.locator('input[name=password]').fill('none');
    await tab.locator('button[type=submit]').click();
    await tab.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
    await tab.locator('button[type=submit]').click();
  } catch (error) {
    const text = await tab.locator('body').innerText({ timeout: 2000 }).catch(String);
    throw new Error(`at ${tab.url()}: ${text}`, { cause: error });
  }
}

async function send(text: string): Promise<void> {
  const { workbench } = bed();
  await workbench.command('GBS Agent: Focus Chat');
  const box = workbench.chat.getByRole('textbox').first();
  await box.waitFor({ timeout: 60_000 });
  await box.fill(text);
  await box.press('Enter');
}

test('a server by its url is approved, runs, and its tool is called', limit, async () => {
  const { workbench, own } = bed();
  await workbench.command('GBS Agent: Focus Chat');
  await showServers();
  // A request asks for every server that nobody was asked about yet.
  for (const server of ['gauge', 'asks', 'guarded']) await allow(server);
  await row(/asks.*running, 2 tools/).waitFor({ timeout: 60_000 });
  await row(/guarded.*needs sign-in/).waitFor({ timeout: 60_000 });
  await row(/gauge.*running, 1 tool/).waitFor({ timeout: 60_000 });
  await workbench.screenshot('remote-1-running');
  await send('Read the gauge.');
  await workbench.chat.getByText('The gauge is read.').first().waitFor({ timeout: 60_000 });
  const call = own.asked.find(({ method }) => method === 'tools/call');
  assert.deepEqual(call?.params['arguments'], { bed: 'south' });
  assert.equal(call?.headers['x-team'], 'greenhouse');
});

test('a form of a server is filled in and sent by keyboard alone', limit, async () => {
  const { workbench, model } = bed();
  const { chat, page } = workbench;
  await send('Ask about beds.');
  const card = chat.getByRole('group', { name: /asks/ }).filter({ hasText: 'Which bed is dry?' });
  const field = card.getByRole('textbox').first();
  await field.waitFor({ timeout: 60_000 });
  await workbench.screenshot('remote-2-form');
  // From wherever the focus is, the Tab key comes to the field, and from there to the button.
  const focused = async (target: Locator): Promise<void> => {
    for (let tries = 0; tries < 60; tries += 1) {
      if (await target.evaluate((element) => element.ownerDocument.activeElement === element))
        return;
      await page.keyboard.press('Tab');
    }
    throw new Error('the Tab key does not come there');
  };
  await focused(field);
  await page.keyboard.type('south');
  await focused(card.getByRole('button', { name: /^Send/ }).first());
  const answered = chat.getByText('You were asked.').first();
  // It takes no answer before anybody can have read it.
  await workbench.until(answered, async () => {
    if (!(await card.isVisible())) return;
    await page.keyboard.press('Enter');
  });
  const last = (await model.requests()).at(-1);
  const { messages } = JSON.parse(last?.body ?? '{}') as { messages: { content: string }[] };
  assert.match(messages.at(-1)?.content ?? '', /"action":"accept".*"bed":"south"/u);
});

/** What says a failure in the chat: lines that failed, and notices of errors. */
const failures = (): Promise<number> =>
  bed().workbench.chat.locator('.c-bad.kind, section.notice:has(.c-bad)').count();

/** Keys reach the box, whatever else goes on. */
async function writeInBox(text: string): Promise<void> {
  const box = bed().workbench.chat.locator('.composer textarea');
  await box.click();
  await box.pressSequentially(text);
  assert.equal(await box.inputValue(), text);
}

async function stop(): Promise<void> {
  const button = bed().workbench.chat.getByRole('button', { name: /^Stop/ });
  await button.click();
  await button.waitFor({ state: 'hidden', timeout: 60_000 });
}

test(
  'a network that dies under a call: one message, and the next call goes on',
  limit,
  async () => {
    const { workbench, own, toGauge } = bed();
    const { chat } = workbench;
    const before = await failures();
    own.misbehave = ({ method }) => method === 'tools/call' && (toGauge.cut(), true);
    await send('Check the eastern gauge.');
    await chat
      .getByText('Checked: The connection to gauge broke during this call.')
      .waitFor({ timeout: 60_000 });
    assert.equal(await failures(), before + 1);
    await workbench.screenshot('remote-2-cut');
    own.misbehave = () => false;
    toGauge.mend();
    await send('Check the northern gauge.');
    await chat.getByText(/Checked:[^]*"bed":"northern"/u).waitFor({ timeout: 60_000 });
    assert.equal(await failures(), before + 1);
    assert.ok(await chat.getByText('The gauge is read.').first().isVisible(), 'nothing is lost');
  },
);

test(
  'a server that floods: the box takes keys and a message, and a stop ends it',
  limit,
  async () => {
    const { workbench, own } = bed();
    const { chat } = workbench;
    const before = await failures();
    const flood = new Flood();
    own.misbehave = flood.misbehave;
    await send('Check the western gauge.');
    for (const end = Date.now() + 60_000; flood.batches < 50;) {
      assert.ok(Date.now() < end, 'the flood does not come in');
      await workbench.page.waitForTimeout(50);
    }
    await writeInBox('And the weather?');
    await chat.locator('.composer textarea').press('Enter');
    const queued = chat.locator('.queue', { hasText: 'And the weather?' });
    await queued.waitFor({ timeout: 60_000 });
    await workbench.screenshot('remote-2-flood');
    await stop();
    for (const end = Date.now() + 60_000; flood.closed < 1;) {
      assert.ok(Date.now() < end, 'the flood goes on');
      await workbench.page.waitForTimeout(50);
    }
    own.misbehave = () => false;
    await send('Check the upper gauge.');
    await queued.waitFor({ state: 'hidden', timeout: 60_000 });
    await chat.getByText(/Checked:[^]*"bed":"upper"/u).waitFor({ timeout: 60_000 });
    assert.equal(await failures(), before, 'what a user stops is no failure');
  },
);

test('a network to the model that crawls, then dies: one message, and a retry', limit, async () => {
  const { workbench, toModel } = bed();
  const { chat } = workbench;
  const before = await failures();
  await send('Talk about beds.');
  await chat.getByText('and a bed and a bed').first().waitFor({ timeout: 60_000 });
  toModel.slow();
  await writeInBox('While it crawls');
  toModel.cut();
  const again = chat.getByRole('button', { name: 'Try again' });
  await again.waitFor({ timeout: 60_000 });
  assert.equal(await failures(), before + 1);
  await workbench.screenshot('remote-2-model');
  const box = chat.locator('.composer textarea');
  assert.equal(await box.inputValue(), 'While it crawls', 'what was being written stays');
  toModel.mend();
  await again.click();
  await chat.getByText('That was all about beds.').waitFor({ timeout: 60_000 });
  assert.ok(await chat.getByText('and a bed and a bed').first().isVisible(), 'what was said stays');
  await box.fill('');
});

test(
  'signing in opens the page of the authorization server, and the server runs',
  limit,
  async () => {
    const { workbench } = bed();
    const { page } = workbench;
    await showServers();
    const dialog = page.locator('.monaco-dialog-box');
    await press('guarded', 'Sign In to Server…', dialog);
    await dialog
      .getByText(/Signed in by/)
      .first()
      .waitFor({ timeout: 60_000 });
    await workbench.screenshot('remote-3-sign-in');
    const opened = page.context().waitForEvent('page', { timeout: 120_000 });
    await dialog.getByRole('button', { name: 'Open the Browser' }).click();
    const outside = dialog.getByRole('button', { name: /^Open$/ });
    const tab = await Promise.race([
      opened,
      outside.waitFor({ timeout: 120_000 }).then(async () => {
        await outside.click();
        return opened;
      }),
    ]);
    await signInAt(tab);
    await row(/guarded.*running, 2 tools/).waitFor({ timeout: 90_000 });
    await workbench.screenshot('remote-4-signed-in');
  },
);

test('servers of other programs are shown, and taken along', limit, async () => {
  const { workbench, place } = bed();
  const { page } = workbench;
  const list = page.locator('.quick-input-list .monaco-list-row');
  const tracker = list.filter({ hasText: 'tracker' }).first();
  await workbench.until(tracker, () => workbench.command('GBS Agent: Import Servers…'));
  await workbench.screenshot('remote-5-import');
  const input = page.locator('.quick-input-widget input.input');
  await tracker.click();
  await page.keyboard.press('Enter');
  await list.filter({ hasText: 'This project' }).first().waitFor({ timeout: 30_000 });
  // By keyboard: what the pointer rests on explains itself, above the list.
  await input.fill('This project', { timeout: 30_000 });
  await page.keyboard.press('Enter');
  await onDisk(join(place, '.gbs', 'mcp.json'), /"tracker"[^]*"command": "tracker-mcp"/u);
  await row(/tracker.*cannot start: there is no program/).waitFor({ timeout: 60_000 });
  assert.deepEqual(workbench.errors, []);
});
