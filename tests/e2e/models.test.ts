/**
 * Other model servers than OpenAI-style ones, in a real VS Code: Ollama by its own protocol, and
 * models that another extension brings to the editor.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createVSIX } from '@vscode/vsce';
import { startScriptedModel } from '../node/scripted-model.ts';
import { kind, Workbench, type WorkbenchOptions } from './workbench.ts';

const limit = { timeout: 240_000 };

/** Opens a workbench on a folder with a note, and ends both. */
async function withWorkbench(
  options: Omit<WorkbenchOptions, 'folder'>,
  work: (workbench: Workbench) => Promise<void>,
): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'gbs-models-'));
  const folder = join(place, 'work');
  await mkdir(folder);
  await writeFile(join(folder, 'notes.md'), 'The south bed is dry.\n');
  let workbench: Workbench | null = null;
  try {
    workbench = await Workbench.open({ ...options, folder });
    await work(workbench);
  } catch (error) {
    const seen = (await workbench?.seen('failed models')) ?? 'no workbench';
    throw new Error(`${String(error)}\nOn the screen:\n${seen}`, { cause: error });
  } finally {
    await workbench?.close();
    await rm(place, { recursive: true, force: true });
  }
}

async function send(workbench: Workbench, text: string): Promise<void> {
  await workbench.command('GBS Agent: Focus Chat');
  const box = workbench.chat.getByRole('textbox').first();
  await box.waitFor({ timeout: 60_000 });
  await box.fill(text);
  await box.press('Enter');
}

test('Ollama by its own protocol, with a window of the size that was set', limit, async () => {
  const model = await startScriptedModel({
    ollama: true,
    models: [{ id: 'tomato:4b' }],
    rules: [
      {
        when: 'go',
        steps: [
          { toolCall: { name: 'read_file', arguments: { path: 'notes.md' } } },
          { text: 'All is said.' },
        ],
      },
    ],
  });
  try {
    const settings = {
      'gbsAgent.provider': 'ollama',
      'gbsAgent.ollama.baseUrl': model.url,
      'gbsAgent.contextWindow': 12_288,
    };
    await withWorkbench({ settings }, async (workbench) => {
      await send(workbench, 'go');
      await workbench.chat.getByText('All is said.').waitFor({ timeout: 60_000 });
      await workbench.screenshot('models-1-ollama');
    });
    const asked = (await model.requests()).filter(({ path }) => path === '/api/chat');
    assert.equal(asked.length, 2);
    for (const { body } of asked) {
      const { model: name, options } = JSON.parse(body) as {
        model: string;
        options: { num_ctx: number };
      };
      assert.deepEqual([name, options.num_ctx], ['tomato:4b', 12_288]);
    }
  } finally {
    await model.stop();
  }
});

// The oldest VS Code cannot be given models by an extension; there it is said that there are none.
test('models of VS Code, or that there are none', limit, async () => {
  const settings = { 'gbsAgent.provider': 'vscode', 'chat.disableAIFeatures': false };
  if (kind === 'floor') {
    await withWorkbench({ settings }, async (workbench) => {
      await workbench.command('GBS Agent: Focus Chat');
      await workbench.chat
        .getByText(/No model/i)
        .first()
        .waitFor({ timeout: 60_000 });
      await workbench.screenshot('models-2-none');
    });
    return;
  }
  const place = await mkdtemp(join(tmpdir(), 'gbs-vsix-'));
  const packagePath = join(place, 'scripted-models.vsix');
  try {
    await createVSIX({
      cwd: join(__dirname, 'models-extension'),
      packagePath,
      dependencies: false,
      allowMissingRepository: true,
      skipLicense: true,
    });
    await withWorkbench({ settings, vsix: [packagePath] }, async (workbench) => {
      await send(workbench, 'Read notes.md');
      const { chat, page } = workbench;
      // Their messages leave this machine, for all we know: that is asked first.
      const card = chat.getByRole('group', { name: /VS Code/ });
      await card.waitFor({ timeout: 60_000 });
      // Nobody here knows where it runs, so nothing is said of this computer.
      await card.getByText('Another extension brings this model').waitFor();
      await workbench.screenshot('models-3-ask');
      await card
        .getByRole('button', { name: /^(Send|Allow)/ })
        .first()
        .click();
      const answer = chat.getByText(/It says:[^]*The south bed is dry/).first();
      const allow = page.getByRole('button', { name: /^Allow/ }).first();
      // VS Code asks as well, for the account of the other extension.
      await answer.or(allow).first().waitFor({ timeout: 60_000 });
      if (await allow.isVisible()) await allow.click();
      await answer.waitFor({ timeout: 60_000 });
      await workbench.screenshot('models-4-answer');
      const icon = join(__dirname, '..', '..', 'media', 'icon.png');
      await chat.locator('input.files-in').setInputFiles(icon);
      await chat.locator('.composer img').first().waitFor({ timeout: 30_000 });
      await send(workbench, 'What is in this picture?');
      const seen = chat.getByText(/It says:[^]*picture\?[^]*\[image\/\w+, \d+ bytes\]/);
      await seen.first().waitFor({ timeout: 60_000 });
      await workbench.screenshot('models-5-image');
    });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});
