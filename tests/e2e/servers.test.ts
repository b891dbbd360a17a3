/**
 * MCP configuration files for their authors, in a real VS Code: findings at the field, live and in
 * files that nobody opened, their quick fixes, completion and hover.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import type { Locator } from 'playwright-core';
import { onDisk, screenTests } from './screen-tests.ts';
import { Workbench } from './workbench.ts';

/** The file that is worked on; nothing is typed into it, since what is typed may go elsewhere. */
const own = '.gbs/mcp.json';

/** Its text, with these arguments and a last field. */
function text(args: string, last: string): string {
  return `{
  // Servers of this project.
  "mcpServers": {
    "notes": {
      "command": "notes-mcp",
      "args": ["--url", ${args}],
      ${last}
    }
  }
}
`;
}

const unset = '"${NOTES_URL_NOBODY_SET}"';

const files = {
  [own]: text(unset, '"disabled": "true"'),
  '.mcp.json': '{\n  "mcpServers": {\n    "unopened": { "command": 5 }\n  }\n}\n',
};

const parts: { workbench?: Workbench; place?: string } = {};

const test = screenTests(() => parts.workbench);

before(
  async () => {
    parts.place = await mkdtemp(join(tmpdir(), 'gbs-servers-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(parts.place, path)), { recursive: true });
      await writeFile(join(parts.place, path), text);
    }
    parts.workbench = await Workbench.open({
      folder: parts.place,
    });
  },
  { timeout: 180_000 },
);

after(
  async () => {
    await parts.workbench?.close();
    if (parts.place !== undefined) await rm(parts.place, { recursive: true, force: true });
  },
  { timeout: 60_000 },
);

function bed(): { workbench: Workbench; place: string } {
  const { workbench, place } = parts;
  if (workbench === undefined || place === undefined) throw new Error('the workbench did not open');
  return { workbench, place };
}

const limit = { timeout: 180_000 };

test('findings of every file stand in the Problems panel, opened or not', limit, async () => {
  const { workbench } = bed();
  await workbench.command('GBS Agent: Focus Chat');
  await workbench.command('Problems: Focus on Problems View');
  const problems = workbench.page.locator('.markers-panel');
  for (const text of ['"disabled" must be true or false', '"command" must be text']) {
    await problems.getByText(text).first().waitFor({ timeout: 60_000 });
  }
  await workbench.screenshot('servers-1-problems');
});

function finding(words: string | RegExp): Locator {
  return bed().workbench.page.locator('.markers-panel').getByText(words).first();
}

test('what VS Code says of broken JSON is not said again', limit, async () => {
  const { workbench, place } = bed();
  const path = join(place, own);
  await workbench.open(path);
  await finding('"disabled" must be true or false').waitFor();
  await writeFile(
    path,
    '{\n  "mcpServers": {\n    "notes": { "command": "x" "args": [] }\n  }\n}\n',
  );
  // Both have read the file as it is by now.
  await finding(/Expected comma/).waitFor({ timeout: 60_000 });
  await finding('"disabled" must be true or false').waitFor({ state: 'hidden', timeout: 60_000 });
  await finding('A comma is missing here').waitFor({ state: 'hidden', timeout: 30_000 });
  await workbench.screenshot('servers-6-json');
  await writeFile(path, files[own]);
  await finding('"disabled" must be true or false').waitFor({ timeout: 60_000 });
});

/** Takes the quick fix with this title at a place of the file until the file on disk fits. */
async function mend(line: number, column: number, title: string, wanted: RegExp): Promise<void> {
  const { workbench, place } = bed();
  const { page } = workbench;
  const fix = page.locator('.action-widget').getByText(title).first();
  const path = join(place, own);
  await workbench.open(path);
  await workbench.until(page.locator('.view-line', { hasText: wanted }).first(), async () => {
    await workbench.goTo(line, column);
    await page.keyboard.press('Control+.');
    await fix.waitFor({ timeout: 4000 });
    await workbench.screenshot(`servers-2-${title.replace(/\W+/g, '-')}`);
    // It is the first one; a click may meet what the pointer rests on.
    await page.keyboard.press('Enter');
  });
  await onDisk(path, wanted, () => page.keyboard.press('Control+s'));
}

test('a quick fix mends the field, live, and the finding goes', limit, async () => {
  await mend(7, 22, 'Write true', /"disabled":\strue/);
  await finding(/"disabled" must be/).waitFor({ state: 'hidden', timeout: 30_000 });
});

test('an unset variable is said at its place and given a default', limit, async () => {
  const { place } = bed();
  // Switched off it had nothing to say.
  await writeFile(join(place, own), text(unset, '"disabled": false'));
  await finding(/NOTES_URL_NOBODY_SET.*is not set/).waitFor({ timeout: 30_000 });
  await mend(6, 30, 'Add a default to NOTES_URL_NOBODY_SET', /\$\{NOTES_URL_NOBODY_SET:-\}/);
  await finding(/NOTES_URL_NOBODY_SET.*is not set/).waitFor({ state: 'hidden', timeout: 30_000 });
});

test('variables and fields are completed and explained', limit, async () => {
  const { workbench, place } = bed();
  const { page } = workbench;
  const path = join(place, own);
  const list = page.locator('.suggest-widget');
  const offered = async (line: number, column: number, label: string): Promise<void> => {
    const editor = await workbench.open(path);
    await editor.locator('.view-line').first().waitFor();
    await workbench.keyAt([line, column], 'Control+Space', list.getByText(label).first());
  };
  await writeFile(path, text('"$"', '"disabled": false'));
  await offered(6, 27, '${userHome}');
  await workbench.screenshot('servers-3-variables');
  await page.keyboard.press('Escape');
  await writeFile(path, text(unset, '"disabled": false, "time"'));
  await offered(7, 30, 'timeout');
  await workbench.screenshot('servers-4-fields');
  await page.keyboard.press('Escape');
  await writeFile(path, text(unset, '"disabled": false'));
  await workbench.open(path);
  const hover = page.locator('.monaco-hover').getByText(/Not\sset,\sand\swithout\sa\sdefault/);
  await workbench.until(hover.first(), async () => {
    await workbench.goTo(6, 35);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
  });
  await workbench.screenshot('servers-5-hover');
  await page.keyboard.press('Escape');
});
