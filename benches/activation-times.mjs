// Milliseconds of activation as VS Code itself reports them, as JSON; benches/activation.mjs runs
// this, by tsx, with the variables of the end-to-end tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workbench } from '../tests/e2e/workbench.ts';

/** Name → milliseconds, of every extension that runs in a fresh window with our view open. */
async function once() {
  const folder = mkdtempSync(join(tmpdir(), 'gbs-bench-'));
  const workbench = await Workbench.open({ folder });
  try {
    const { page } = workbench;
    await workbench.command('GBS Agent: Focus Chat');
    await workbench.chat.getByRole('textbox').first().waitFor({ timeout: 60_000 });
    await workbench.command('Developer: Show Running Extensions');
    const list = page.locator('.runtime-extensions-editor .monaco-list');
    await list.waitFor({ timeout: 40_000 });
    const seen = {};
    // Only what is in view is drawn.
    for (let turns = 0; turns < 12; turns += 1) {
      for (const row of await list.locator('.extension').all()) {
        const text = await row.innerText().catch(() => '');
        const time = /Activation[^:]*:\s*(\d+)\s*ms/.exec(text);
        if (time) seen[text.split('\n')[0].trim()] = Number(time[1]);
      }
      await list.hover();
      await page.mouse.wheel(0, 250);
      await page.waitForTimeout(200);
    }
    return seen;
  } finally {
    await workbench.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const rounds = Number(process.argv[2]);
const all = [];
for (let round = 0; round < rounds; round += 1) all.push(await once());
console.log(JSON.stringify(all));
