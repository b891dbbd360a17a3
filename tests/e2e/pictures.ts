/**
 * Takes the README's pictures, dark and light, in a real VS Code: `npm run pictures`. The model is the
 * scripted model server, the workspace a copy of the example; server, tools and files are real.
 */
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedModel } from '../node/scripted-model.ts';
import { Workbench } from './workbench.ts';

const root = join(__dirname, '..', '..');
const images = join(root, 'docs', 'images');

/** Messages of other chats, and what is answered. */
const others = [
  ['Which beds need water today?', 'Only the herbs'],
  ['How is the greenhouse laid out in code?', 'Readings come in'],
] as const;

const script = {
  models: [{ id: 'scripted', object: 'model', owned_by: 'gbs-agent', max_model_len: 32768 }],
  rules: [
    { when: 'water today', steps: [{ text: 'Only the herbs: they are at 22 %.' }] },
    {
      when: 'laid out',
      steps: [{ text: 'Readings come in by `readings.js`; `alerts.js` says which beds are dry.' }],
    },
    {
      when: 'falls out',
      steps: [
        { toolCall: { name: 'skill', arguments: { name: 'reading-files' } } },
        { toolCall: { name: 'read_file', arguments: { path: 'src/alerts.js' } } },
        {
          toolCall: {
            name: 'edit_file',
            arguments: {
              path: 'src/alerts.js',
              old_string: 'reading.moisture < minMoisture ||',
              new_string: '(reading.moisture > 0 && reading.moisture < minMoisture) ||',
            },
          },
        },
        { toolCall: { name: 'run_command', arguments: { command: 'npm test' } } },
        {
          toolCall: {
            name: 'mcp__everything__echo',
            arguments: { message: 'South bed: a sensor at 0 % is no longer taken for dry soil.' },
          },
        },
        {
          text: `A sensor that lies on the soil writes **0** for hours, which counted as dry. \`bedsInNeed\` now leaves such a reading out:

\`\`\`js
(reading.moisture > 0 && reading.moisture < minMoisture)
\`\`\`

| Bed      | Moisture | Needs water |
| -------- | -------- | ----------- |
| herbs    | 22 %     | yes         |
| tomatoes | 37 %     | no          |

The tests pass, and the station was told.`,
        },
      ],
    },
  ],
};

async function take(theme: 'dark' | 'light'): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'gbs-pictures-'));
  const folder = join(place, 'examples', 'greenhouse');
  await mkdir(join(place, 'examples'));
  await cp(join(root, 'examples', 'workspace'), folder, { recursive: true });
  await symlink(join(root, 'node_modules'), join(place, 'node_modules'));
  const model = await startScriptedModel(script);
  const workbench = await Workbench.open({
    folder,
    theme,
    settings: { 'gbsAgent.openai.baseUrl': model.baseUrl, 'window.commandCenter': false },
  });
  const { chat, page } = workbench;
  const shot = (name: string): Promise<unknown> =>
    page.screenshot({ path: join(images, `${name}-${theme}.png`) });
  try {
    // The bed has no language server for JavaScript, and says so again and again.
    await page.addStyleTag({ content: '.notifications-toasts { visibility: hidden; }' });
    await workbench.command('GBS Agent: Focus Chat');
    const box = chat.getByRole('textbox').first();
    await box.waitFor({ timeout: 60_000 });
    const sash = await page.locator('.monaco-sash.vertical').nth(1).boundingBox();
    if (sash === null) throw new Error('the side bar has no edge to pull');
    await page.mouse.move(sash.x + 2, 400);
    await page.mouse.down();
    await page.mouse.move(sash.x + 120, 400, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.press('Control+p');
    await page.locator('.quick-input-widget input.input').fill('alerts.js');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'src' }).first().click();
    await box.click();
    await box.fill(
      'A sensor that falls out of the soil writes 0, and the bed counts as dry. Fix it.',
    );
    await box.press('Enter');
    const card = (title: RegExp): ReturnType<typeof chat.getByRole> =>
      chat.getByRole('group', { name: title });
    const answer = async (title: RegExp, button: RegExp, name: string | null): Promise<void> => {
      await card(title).waitFor({ timeout: 30_000 });
      // A card takes no answer in its first moment.
      await new Promise((resolve) => setTimeout(resolve, 900));
      if (name !== null) await shot(name);
      await card(title).getByRole('button', { name: button }).first().click();
    };
    await answer(/skills/, /^Allow/, null);
    await answer(/Start the server/, /Allow and start/, 'consent');
    await answer(/Run this command/, /Run once|Allow/, 'card');
    await answer(/Call echo/, /Call once/, null);
    await chat.getByText('the station was told').first().waitFor({ timeout: 30_000 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    await shot('chat');
    // Going back, with what becomes of the files.
    await chat.getByRole('article', { name: 'Your message' }).first().hover();
    await chat.getByRole('button', { name: 'Go back to before this message' }).first().click();
    await chat.getByRole('group', { name: /Go back/ }).waitFor({ timeout: 30_000 });
    await page.mouse.move(900, 500);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await shot('back');
    await chat.getByRole('button', { name: /Cancel/ }).click();
    // A few chats, and the list of them.
    for (const [text, said] of others) {
      await workbench.command('GBS Agent: New Chat');
      await chat.getByText('the station was told').first().waitFor({ state: 'detached' });
      await box.fill(text);
      await box.press('Enter');
      await chat.getByText(said).first().waitFor({ timeout: 30_000 });
    }
    await workbench.command('GBS Agent: Show Chats');
    await chat
      .getByRole('button', { name: /falls out/ })
      .first()
      .waitFor({ timeout: 30_000 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    await shot('chats');
  } catch (error) {
    process.stderr.write(`${await workbench.seen('pictures')}\n`);
    throw error;
  } finally {
    await workbench.close();
    await model.stop();
    await rm(place, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  await take('dark');
  await take('light');
}

void main();
