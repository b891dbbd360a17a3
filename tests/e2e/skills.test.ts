/**
 * Skills for their authors and users, in a real VS Code: findings with their quick fixes, completion
 * and hover in a header, New Skill…, Which Skill Fits…, and the Skills view.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import type { Locator } from 'playwright-core';
import { startScriptedModel, type ScriptedModel } from '../node/scripted-model.ts';
import { onDisk, screenTests } from './screen-tests.ts';
import { kind, Workbench } from './workbench.ts';

const files = {
  '.gbs/skills/broken/SKILL.md': '---\nname: broken\ndescription: Use it: always\n---\nBody.\n',
  '.gbs/skills/bare/SKILL.md': 'No header.\n',
  '.gbs/skills/watering/SKILL.md':
    '---\nname: watering\ndescription: How much water each bed gets. Use it before watering.\n---\nLittle.\n',
  '.gbs/skills/renamed/SKILL.md':
    '---\nname: pruning\ndescription: How to prune. Use it in March.\n---\nAbove a bud.\n',
  '.gbs/skills/typo/SKILL.md':
    '---\nname: typo\ndescripton: How to mulch. Use it in autumn.\n---\nWith leaves.\n',
  '.gbs/skills/long/SKILL.md': `---\nname: long\ndescription: All about soil.\n---\n# Soil\n\n${'Dig.\n'.repeat(300)}\n## Compost\n\n${'Turn.\n'.repeat(300)}`,
};

/** What a server offers: our own skills server, started from the project's .mcp.json. */
const offered = {
  'shop/composting/SKILL.md':
    '---\nname: composting\ndescription: How the shop turns its heaps. Use it for anything about compost.\n---\nTurn it on Mondays, as references/heaps.md says.\n',
  'shop/composting/references/heaps.md': 'The north heap first.\n',
  'shop/watering/SKILL.md':
    '---\nname: watering\ndescription: How the shop waters what it sells.\n---\nAt noon, never.\n',
};

const parts: { model?: ScriptedModel; workbench?: Workbench; place?: string } = {};

const test = screenTests(() => parts.workbench);

before(
  async () => {
    parts.place = await mkdtemp(join(tmpdir(), 'gbs-skills-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(parts.place, path)), { recursive: true });
      await writeFile(join(parts.place, path), text);
    }
    parts.model = await startScriptedModel([
      { when: 'north heap', steps: [{ text: 'The north heap is turned.' }] },
      { when: 'beds', steps: [{ text: 'I would load **beds**.' }] },
    ]);
    parts.workbench = await Workbench.open({
      folder: parts.place,
      settings: { 'gbsAgent.openai.baseUrl': parts.model.baseUrl },
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

const limit = { timeout: 120_000 };

test('findings stand in the Problems panel, without anybody opening the files', limit, async () => {
  const { workbench } = bed();
  await workbench.command('GBS Agent: Focus Chat');
  await workbench.command('Problems: Focus on Problems View');
  const problems = workbench.page.locator('.markers-panel');
  for (const text of ['The file has no header', 'A colon and a blank', 'The name differs']) {
    await problems.getByText(text).first().waitFor({ timeout: 30_000 });
  }
  await workbench.screenshot('skills-1-problems');
});

test('a quick fix mends the header, live, and the finding goes', limit, async () => {
  const { workbench, place } = bed();
  const { page } = workbench;
  await workbench.open(join(place, '.gbs/skills/broken/SKILL.md'));
  const fix = page.locator('.action-widget').getByText(/quote/i).first();
  // Fixes are there a moment after the finding is.
  await workbench.keyAt([3, 20], 'Control+.', fix);
  await workbench.screenshot('skills-2-fix');
  await page.keyboard.press('Enter');
  await onDisk(
    join(place, '.gbs/skills/broken/SKILL.md'),
    /description: ["']Use it: always["']/,
    save,
  );
  await page
    .locator('.markers-panel')
    .getByText('A colon and a blank')
    .waitFor({ state: 'hidden' });
});

function save(): Promise<void> {
  return bed().workbench.page.keyboard.press('Control+s');
}

/** Applies a quick fix by its title, where the caret is put; saving is the caller's. */
async function applyFix(
  path: string,
  at: readonly [number, number],
  title: string,
  picture: string,
): Promise<void> {
  const { workbench, place } = bed();
  const { page } = workbench;
  await workbench.open(join(place, path));
  const fix = page.locator('.action-widget').getByText(title).first();
  await workbench.keyAt(at, 'Control+.', fix);
  await workbench.screenshot(picture);
  // Until the pointer has moved, VS Code 1.96 keeps it from the list that came up under it.
  await fix.hover({ force: true });
  await fix.click();
  await fix.waitFor({ state: 'hidden' });
}

test('a name that differs from its folder offers to rename either', limit, async () => {
  const { workbench, place } = bed();
  const path = '.gbs/skills/renamed/SKILL.md';
  await workbench.open(join(place, path));
  const { page } = workbench;
  const folder = page.locator('.action-widget').getByText("Rename the folder to the skill's name");
  await workbench.keyAt([2, 8], 'Control+.', folder.first());
  await page.keyboard.press('Escape');
  await applyFix(path, [2, 8], "Use the folder's name", 'skills-9-rename');
  await onDisk(join(place, path), /^---\nname: renamed\n/, save);
});

test('a misspelled field says which one was meant', limit, async () => {
  const { workbench, place } = bed();
  await workbench.command('Problems: Focus on Problems View');
  const problems = workbench.page.locator('.markers-panel');
  await problems.getByText('Did you mean description?').first().waitFor({ timeout: 30_000 });
  const path = '.gbs/skills/typo/SKILL.md';
  await applyFix(path, [3, 3], 'Correct the name of the field', 'skills-10-misspelled');
  await onDisk(join(place, path), /\ndescription: How to mulch\./, save);
  await problems.getByText('Did you mean description?').first().waitFor({ state: 'hidden' });
});

test('a body that is too long is split, and its end goes to a file', limit, async () => {
  const { place } = bed();
  const path = '.gbs/skills/long/SKILL.md';
  const title = 'Move the end of the text to references/compost.md';
  await applyFix(path, [505, 1], title, 'skills-11-split');
  await onDisk(
    join(place, '.gbs/skills/long/references/compost.md'),
    /^## Compost\n\nTurn\./,
    save,
  );
  await onDisk(
    join(place, path),
    /Dig\.\n\nFor the rest, from “Compost” on, read references\/compost\.md\.\n$/,
    save,
  );
});

test('fields are completed and explained', limit, async () => {
  const { workbench, place } = bed();
  const { page } = workbench;
  const path = join(place, '.gbs/skills/watering/SKILL.md');
  const before = await readFile(path, 'utf8');
  await writeFile(path, before.replace('\n---\n', '\nargu\n---\n'));
  const editor = await workbench.open(path);
  const list = page.locator('.suggest-widget');
  await workbench.keyAt([4, 5], 'Control+Space', list.getByText('argument-hint').first());
  await workbench.screenshot('skills-3-completion');
  await page.keyboard.press('Enter');
  await onDisk(path, /\nargument-hint: "\[version\]"\n/, save);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  const hover = page.locator('.monaco-hover').getByText(/1 to 64 lower-case letters/);
  const header = editor.locator('.view-line');
  await workbench.until(hover, async () => {
    await header.getByText('description').first().hover();
    await header.getByText('name').first().hover();
  });
  await workbench.screenshot('skills-4-hover');
});

test('New Skill… writes a valid one and opens it', limit, async () => {
  const { workbench, place } = bed();
  const { page } = workbench;
  const input = page.locator('.quick-input-widget input.input');
  await workbench.command('GBS Agent: New Skill…');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'This project' }).click();
  await page
    .getByText(/lower-case letters, digits and hyphens/)
    .first()
    .waitFor();
  await input.fill('Bad Name');
  await page
    .locator('.quick-input-message')
    .getByText(/single hyphens/)
    .waitFor();
  await input.fill('potting');
  await page.keyboard.press('Enter');
  await page
    .getByText(/when to use it/)
    .first()
    .waitFor();
  await input.fill('How to pot plants: with care. Use it in spring.');
  await page.keyboard.press('Enter');
  const made = join(place, '.gbs/skills/potting/SKILL.md');
  await onDisk(made, /^---\nname: potting\ndescription: ["']How to pot plants: with care\./);
  await workbench.editorOf('potting');
  await workbench.screenshot('skills-5-new');
});

test('Which Skill Fits… ranks, and asks the model on wish', limit, async () => {
  const { workbench } = bed();
  const { page } = workbench;
  const own = join(workbench.served.home, '.gbs', 'skills', 'beds', 'SKILL.md');
  const text = '---\nname: beds\ndescription: Which plants stand in which of the beds.\n---\nx\n';
  await mkdir(dirname(own), { recursive: true });
  await writeFile(own, text);
  await workbench.command('GBS Agent: Reload');
  await workbench.command('GBS Agent: Which Skill Fits…');
  await page
    .getByText(/as you would in the chat/)
    .first()
    .waitFor();
  await page.locator('.quick-input-widget input.input').fill('water the beds');
  await page.keyboard.press('Enter');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.filter({ hasText: 'beds' }).filter({ hasText: 'points' }).first().waitFor();
  await rows.filter({ hasText: 'watering' }).filter({ hasText: 'waits for you' }).waitFor();
  await workbench.screenshot('skills-6-which');
  await rows.filter({ hasText: 'Ask the model' }).click();
  const picked = rows.filter({ hasText: 'the model picks it' }).filter({ hasText: 'beds' });
  await picked.waitFor({ timeout: 30_000 });
  await workbench.screenshot('skills-7-picked');
  await page.keyboard.press('Enter');
  // Until the file has the focus, it would take what the next test types into the palette.
  await workbench.editorOf('beds');
});

test('the Skills view says state and cost of each', limit, async () => {
  const { workbench } = bed();
  const { page } = workbench;
  await workbench.command('Focus on Skills View');
  await page.locator('.pane-header', { hasText: 'Chat' }).click();
  const row = (name: string): Locator =>
    page.locator('.pane-body .monaco-list-row', { hasText: name }).first();
  await row('beds')
    .getByText(/tokens/)
    .waitFor({ timeout: 30_000 });
  await row('bare')
    .getByText(/no header/)
    .waitFor();
  await row('watering').getByText(/new/).waitFor();
  await workbench.screenshot('skills-8-view');
});

test('@ offers skills beside files, and the one that is taken is loaded', limit, async () => {
  const { workbench } = bed();
  await workbench.command('GBS Agent: Focus Chat');
  const { chat } = workbench;
  const box = chat.getByRole('textbox').first();
  await box.waitFor({ timeout: 30_000 });
  const option = chat.getByRole('option').filter({ hasText: 'beds' }).first();
  await workbench.until(option, async () => {
    await box.fill('');
    await box.pressSequentially('Tell me about @be');
  });
  await workbench.screenshot('skills-12-mention');
  await option.click();
  assert.equal(await box.inputValue(), 'Tell me about @skill:beds ');
  await box.press('Enter');
  // What waits in this repository is asked about first; a card takes no answer until it can be read.
  const loaded = chat.getByText('Loaded skill').first();
  await workbench.until(loaded, () =>
    chat
      .getByRole('button', { name: 'Not now' })
      .first()
      .click({ timeout: 4000 })
      .catch(() => undefined),
  );
  await chat.getByText('@skill:beds', { exact: true }).first().waitFor();
  await workbench.screenshot('skills-13-mentioned');
});

test('skills are turned off in this workspace, and on again', limit, async () => {
  const { workbench } = bed();
  const { page } = workbench;
  await workbench.command('GBS Agent: Turn Skills Off in This Workspace');
  await workbench.command('Focus on Skills View');
  const off = page.getByText('Skills are turned off here').first();
  await off.waitFor({ timeout: 30_000 });
  await workbench.screenshot('skills-14-off');
  await workbench.command('GBS Agent: Turn Skills On in This Workspace');
  // Rows further down are not drawn.
  const row = page.locator('.pane-body .monaco-list-row', { hasText: 'broken' }).first();
  await row.waitFor({ timeout: 30_000 });
  await off.waitFor({ state: 'hidden' });
});

// One window is enough for what does not depend on the editor's version.
if (kind === 'latest') {
  test('a server’s skill is allowed, used by its name, and stands in the view', limit, async () => {
    const { workbench, place } = bed();
    const { page, chat } = workbench;
    for (const [path, text] of Object.entries(offered)) {
      await mkdir(dirname(join(place, path)), { recursive: true });
      await writeFile(join(place, path), text);
    }
    const program = join(__dirname, '../../dist/gbs-skills-mcp.js');
    const args = [program, '--skills-root', join(place, 'shop')];
    const mcpServers = { shop: { command: process.execPath, args } };
    await writeFile(join(place, '.mcp.json'), JSON.stringify({ mcpServers }));
    await workbench.command('GBS Agent: New Chat');
    const box = chat.getByRole('textbox').first();
    await box.waitFor({ timeout: 30_000 });
    await box.fill('/shop:composting the north heap');
    await box.press('Enter');
    await answer(/Start the server shop/, /Allow and start/, null);
    await answer(/Use 2 skills from (a|the) server/, /^Allow/, 'skills-15-offered-card');
    await chat.getByText('The north heap is turned.').first().waitFor({ timeout: 60_000 });
    await chat.getByText('shop:composting').first().waitFor();
    await workbench.screenshot('skills-16-offered-used');
    const requests = (await parts.model?.requests()) ?? [];
    const asked = requests.filter(({ path }) => path === '/v1/chat/completions').at(-1)?.body ?? '';
    assert.match(asked, /<server-guidance name=.{1,2}shop:composting/);
    assert.match(asked, /Turn it on Mondays/);

    await workbench.command('Focus on Skills View');
    const row = (name: string): Locator =>
      page.locator('.pane-body .monaco-list-row', { hasText: name }).first();
    const used = row('shop:composting').getByText(/full, \d+ tokens/);
    await workbench.until(used, async () => {
      await page.getByRole('button', { name: /^Chat/ }).first().click({ timeout: 4000 });
    });
    await row('MCP servers').getByText('2 skills').waitFor();
    // The project's own of that name keeps it.
    await row('shop:watering')
      .getByText(/full, \d+ tokens/)
      .waitFor();
    await workbench.screenshot('skills-17-offered-view');
    await workbench.command('Preferences: Toggle between Light/Dark Themes');
    await page.locator('.monaco-workbench.vs').waitFor();
    await workbench.screenshot('skills-18-offered-view-light');
  });
}

/** Answers a card of the chat; it takes no answer until it can be read. */
async function answer(card: RegExp, button: RegExp, picture: string | null): Promise<void> {
  const { workbench } = bed();
  const group = workbench.chat.getByRole('group', { name: card }).first();
  await group.waitFor({ timeout: 60_000 });
  if (picture !== null) await workbench.screenshot(picture);
  const pressed = group.getByRole('button', { name: button }).first();
  for (const end = Date.now() + 60_000; await group.isVisible();) {
    await pressed.click({ timeout: 4000 }).catch(() => undefined);
    await group.waitFor({ state: 'hidden', timeout: 2000 }).catch(() => undefined);
    if (Date.now() > end) throw new Error(`the card ${String(card)} does not go`);
  }
}
