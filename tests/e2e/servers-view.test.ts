/**
 * MCP servers in a real VS Code: the Servers view from the first look over approval, log, stop and
 * start to a tool that is held back, and what a server's tool writes, in summary and undo.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Locator } from 'playwright-core';
import { startScriptedModel, type ScriptedModel } from '../node/scripted-model.ts';
import { screenTests } from './screen-tests.ts';
import { Workbench } from './workbench.ts';

const root = join(__dirname, '..', '..');
const misbehaving = join(root, 'tests', 'servers', 'misbehaving.mjs');
const filesystem = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

const parts: { model?: ScriptedModel; workbench?: Workbench; place?: string } = {};

before(
  async () => {
    const place = await realpath(await mkdtemp(join(tmpdir(), 'gbs-servers-')));
    parts.place = place;
    const server = (...args: readonly string[]): object => ({ command: process.execPath, args });
    const mcpServers = {
      tracker: server(misbehaving, '--mode', 'changes'),
      beds: server(filesystem, place),
      broken: server(misbehaving, '--mode', 'exit-at-once'),
      gone: { command: 'gbs-no-such-program' },
      off: { command: 'node', disabled: true },
    };
    await writeFile(join(place, '.mcp.json'), `${JSON.stringify({ mcpServers }, null, 2)}\n`);
    await mkdir(join(place, 'notes'));
    parts.model = await startScriptedModel([
      {
        when: 'Write the note',
        steps: [
          {
            toolCall: {
              name: 'mcp__beds__write_file',
              arguments: { path: join(place, 'notes', 'south.md'), content: 'Dry.\n' },
            },
          },
          { text: 'The note is written.' },
        ],
      },
      {
        when: 'Wait a little',
        steps: [
          { toolCall: { name: 'mcp__tracker__slow', arguments: { ms: 1 } } },
          { text: 'Waited.' },
        ],
      },
      { when: 'Say something', steps: [{ text: 'Something.' }] },
    ]);
    parts.workbench = await Workbench.open({
      folder: place,
      settings: {
        'gbsAgent.openai.baseUrl': parts.model.baseUrl,
        'gbsAgent.permissionMode': 'auto',
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

function bed(): { workbench: Workbench; place: string } {
  const { workbench, place } = parts;
  if (workbench === undefined || place === undefined) throw new Error('the workbench did not open');
  return { workbench, place };
}

const test = screenTests(() => parts.workbench);
const limit = { timeout: 240_000 };

/** Rows of the Servers view that hold this text. */
function row(workbench: Workbench, text: string | RegExp): Locator {
  const pane = workbench.page.locator('.pane', { has: workbench.page.getByLabel(/^Servers/) });
  return pane.locator('.monaco-list-row', { hasText: text }).first();
}

/** The row of a server, or of a group of tools. */
function named(workbench: Workbench, name: string): Locator {
  const { page } = workbench;
  const label = page.locator('.label-name', { hasText: new RegExp(`^${name}$`) });
  return page.locator('.pane .monaco-list-row', { has: label }).first();
}

/** Opens a row that has others below it. */
async function unfold(workbench: Workbench, name: string, child: Locator): Promise<void> {
  await workbench.until(child, async () => {
    if (await child.isVisible()) return;
    await named(workbench, name).click({ timeout: 4000 });
    await workbench.page.keyboard.press('ArrowRight');
  });
}

/** The view with its rows in sight, whatever was in front. */
async function showServers(workbench: Workbench): Promise<void> {
  await workbench.until(row(workbench, 'tracker'), () =>
    workbench.command('GBS Agent: Focus on Servers View'),
  );
}

/** Gives the view the lower half: what is out of sight is not drawn. */
async function makeRoom(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await workbench.until(row(workbench, /off.*turned off/), async () => {
    const box = await page
      .getByRole('button', { name: /^Servers/ })
      .first()
      .boundingBox();
    if (box === null) throw new Error('the Servers view has no header');
    await page.mouse.move(box.x + 100, box.y);
    await page.mouse.down();
    await page.mouse.move(box.x + 100, 330, { steps: 8 });
    await page.mouse.up();
  });
}

/** Presses a button of a row until the effect is seen. */
async function press(
  workbench: Workbench,
  server: string,
  button: string,
  effect: Locator,
): Promise<void> {
  await workbench.until(effect, async () => {
    if (await effect.isVisible()) return;
    const one = named(workbench, server);
    await one.hover({ timeout: 4000 });
    await one.getByRole('button', { name: button }).first().click({ timeout: 4000 });
  });
}

/** Takes an item of a row's context menu until the effect is seen. */
async function choose(
  workbench: Workbench,
  server: string,
  item: string,
  effect: Locator,
): Promise<void> {
  const { page } = workbench;
  const entry = page.getByRole('menuitem', { name: item });
  await workbench.until(effect, async () => {
    await named(workbench, server).click({ button: 'right', timeout: 4000 });
    await entry.hover({ timeout: 4000 });
    // VS Code lets a menu take no click at first, so that the one that opened it chooses nothing.
    await page.waitForTimeout(300);
    await entry.click({ timeout: 4000 });
  });
}

async function allow(workbench: Workbench, server: string): Promise<void> {
  const card = workbench.chat.getByRole('group', {
    name: new RegExp(`Start the server ${server}`),
  });
  await press(workbench, server, 'Review and Approve…', card);
  const button = card.getByRole('button', { name: /Allow and start/ });
  for (const end = Date.now() + 60_000; await card.isVisible();) {
    await button.click({ timeout: 4000 }).catch(() => undefined);
    await workbench.page.waitForTimeout(700);
    if (Date.now() > end) throw new Error(`the card of ${server} does not go`);
  }
}

async function send(workbench: Workbench, text: string, answer: string): Promise<void> {
  await workbench.command('GBS Agent: Focus Chat');
  const box = workbench.chat.getByRole('textbox').first();
  await box.waitFor({ timeout: 60_000 });
  await box.fill(text);
  await box.press('Enter');
  await workbench.chat.getByText(answer).first().waitFor({ timeout: 60_000 });
}

test('every entry stands there with its state, before anything starts', limit, async () => {
  const { workbench } = bed();
  await workbench.command('GBS Agent: Focus Chat');
  await showServers(workbench);
  await makeRoom(workbench);
  for (const text of [
    /tracker.*not approved/,
    /beds.*not approved/,
    /gone.*cannot start: there is no program "gbs-no-such-program" on the PATH/,
    /off.*turned off/,
  ]) {
    await row(workbench, text).waitFor({ timeout: 30_000 });
  }
  await workbench.screenshot('servers-1-before');
});

test(
  'approved from its row, a server runs, lists its tools, and its log says so',
  limit,
  async () => {
    const { workbench } = bed();
    const { page } = workbench;
    await allow(workbench, 'tracker');
    await row(workbench, /tracker.*running, 3 tools/).waitFor({ timeout: 30_000 });
    await unfold(workbench, 'tracker', named(workbench, 'Ready'));
    await unfold(workbench, 'Ready', row(workbench, /echo.*says it only reads/));
    await workbench.screenshot('servers-2-running');
    const log = page.locator('.part.panel .view-lines').first();
    await press(
      workbench,
      'tracker',
      "Show Server's Log",
      log.getByText(/Ready:\smisbehaving\s1\.0\.0/).first(),
    );
    await workbench.screenshot('servers-3-log');
  },
);

test('stop, start and restart do what they say, and the log follows', limit, async () => {
  const { workbench } = bed();
  const log = workbench.page.locator('.part.panel .view-lines').first();
  await press(workbench, 'tracker', 'Stop Server', row(workbench, /tracker.*stopped by you/));
  await log
    .getByText(/Stopped\./)
    .first()
    .waitFor({ timeout: 10_000 });
  await press(workbench, 'tracker', 'Start Server', row(workbench, /tracker.*running, 3 tools/));
  await press(workbench, 'tracker', 'Restart Server', log.getByText(/Starting\./).nth(2));
  await row(workbench, /tracker.*running, 3 tools/).waitFor({ timeout: 30_000 });
  await workbench.screenshot('servers-4-restarted');
});

test('a server that fails says why, what to do, and the last it wrote', limit, async () => {
  const { workbench } = bed();
  await allow(workbench, 'broken');
  await row(workbench, /broken.*failed: it exited with code 3 before it was ready/).waitFor({
    timeout: 30_000,
  });
  await row(workbench, /Check the command and its arguments/).waitFor({ timeout: 10_000 });
  await row(workbench, /The last it wrote.*TRACKER_TOKEN is not set/).waitFor({ timeout: 10_000 });
  await workbench.screenshot('servers-5-failed');
});

test('what a tool of a server writes stands in the summary, and can be undone', limit, async () => {
  const { workbench, place } = bed();
  await allow(workbench, 'beds');
  await row(workbench, /beds.*running, \d+ tools/).waitFor({ timeout: 30_000 });
  await send(workbench, 'Write the note.', 'The note is written.');
  const file = join(place, 'notes', 'south.md');
  assert.equal(await readFile(file, 'utf8'), 'Dry.\n');
  const { chat } = workbench;
  await chat.getByText('south.md').first().waitFor({ timeout: 20_000 });
  await workbench.screenshot('servers-6-written');
  const plan = chat.getByRole('button', { name: /Undo 1 file/ });
  await workbench.until(plan, () =>
    chat
      .getByRole('button', { name: /Undo turn/ })
      .last()
      .click(),
  );
  await workbench.screenshot('servers-7-undo');
  for (const end = Date.now() + 30_000; ;) {
    // It takes no answer before anybody can have read it.
    await plan.click({ timeout: 2000 }).catch(() => undefined);
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) break;
    if (Date.now() > end) assert.fail(`${file} is still there: ${text}`);
    await workbench.page.waitForTimeout(300);
  }
});

test('a tool that changed is held back, and every place says why', limit, async () => {
  const { workbench } = bed();
  const { page, chat } = workbench;
  await send(workbench, 'Wait a little.', 'Waited.');
  await row(workbench, /tracker.*running, 2 of 4 tools/).waitFor({ timeout: 30_000 });
  const box = chat.getByRole('textbox').first();
  await box.fill('Say something.');
  await box.press('Enter');
  const card = chat.getByRole('group', {
    name: /is not what you approved|are not what you approved/,
  });
  await card.waitFor({ timeout: 60_000 });
  await workbench.screenshot('servers-8-drift');
  for (const end = Date.now() + 60_000; await card.isVisible();) {
    await card
      .getByRole('button', { name: /Not now/ })
      .click({ timeout: 4000 })
      .catch(() => undefined);
    await page.waitForTimeout(700);
    if (Date.now() > end) throw new Error('the card does not go');
  }
  await chat.getByText('Something.').first().waitFor({ timeout: 60_000 });
  await showServers(workbench);
  await row(workbench, /tracker.*running, 2 of 4 tools/).waitFor({ timeout: 30_000 });
  await row(workbench, /echo.*its description changed/).waitFor({ timeout: 10_000 });
  await row(workbench, /later.*it is new/).waitFor({ timeout: 10_000 });
  await workbench.screenshot('servers-9-withheld');
  const why = page.locator('.quick-input-list .monaco-list-row', {
    hasText: /echo.*withheld: its description changed/,
  });
  await choose(workbench, 'tracker', 'Why Is a Tool Missing?', why);
  await workbench.screenshot('servers-10-why');
  await page.keyboard.press('Escape');
});

test('its configuration opens at its entry', limit, async () => {
  const { workbench } = bed();
  const { page } = workbench;
  const tab = page.locator('.tab.active', { hasText: '.mcp.json' });
  await choose(workbench, 'beds', 'Open Its Configuration', tab);
  await page.getByText(/^Ln 11, Col /).waitFor({ timeout: 10_000 });
  assert.deepEqual(workbench.errors, []);
});
