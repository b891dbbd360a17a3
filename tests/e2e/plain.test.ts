/**
 * In a folder without skills and servers the extension sends, byte for byte, what an agent sends that
 * was built without them (tests/node/programs/plain-agent.ts); and nothing of its own runs.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startScriptedModel } from '../node/scripted-model.ts';
import { Workbench } from './workbench.ts';

const root = join(__dirname, '..', '..');
const script = [
  {
    when: 'go',
    steps: [
      { toolCall: { name: 'read_file', arguments: { path: 'notes.md' } } },
      { text: 'All is said.' },
    ],
  },
];

/** Where two texts part, for a message that can be read; empty when they are the same. */
function difference(one: string, other: string): string {
  const at = [...one].findIndex((character, k) => character !== other.charAt(k));
  if (at < 0 && one.length === other.length) return '';
  const from = Math.max(0, at < 0 ? one.length - 60 : at - 60);
  return `${one.slice(from, from + 160)}\n≠ ${other.slice(from, from + 160)}`;
}

test('an empty workspace', { timeout: 180_000 }, async () => {
  const place = await mkdtemp(join(tmpdir(), 'gbs-plain-'));
  const folder = join(place, 'work');
  await mkdir(folder);
  await writeFile(join(folder, 'notes.md'), 'The south bed is dry.\n');
  const model = await startScriptedModel(script);
  const bodies = async (): Promise<readonly string[]> =>
    (await model.requests())
      .filter(({ path }) => path === '/v1/chat/completions')
      .map(({ body }) => body);
  let workbench: Workbench | null = null;
  try {
    workbench = await Workbench.open({
      folder,
      settings: { 'gbsAgent.openai.baseUrl': model.baseUrl },
    });
    await workbench.command('GBS Agent: Focus Chat');
    const box = workbench.chat.getByRole('textbox').first();
    await box.waitFor({ timeout: 60_000 });
    // The oldest VS Code of the tests has no program for its own search; files are found there too.
    await box.pressSequentially('@not');
    const offered = workbench.chat.getByRole('option', { name: /notes\.md/ });
    await offered.first().waitFor({ timeout: 30_000 });
    assert.equal(await workbench.page.locator('.notifications-toasts .codicon-error').count(), 0);
    await box.fill('go');
    await box.press('Enter');
    await workbench.chat.getByText('All is said.').waitFor({ timeout: 30_000 });
    const sent = await bodies();
    assert.equal(sent.length, 2);
    const agent = join(root, 'tests', 'node', 'programs', 'plain-agent.ts');
    await promisify(execFile)(
      process.execPath,
      [
        '--import',
        join(root, 'node_modules', 'tsx', 'dist', 'loader.mjs'),
        agent,
        model.baseUrl,
        join(place, 'state'),
        'acceptEdits',
        'go',
      ],
      { cwd: folder, timeout: 50_000, env: workbench.served.env },
    );
    const expected = (await bodies()).slice(sent.length);
    for (const [k, body] of sent.entries()) assert.equal(difference(body, expected[k] ?? ''), '');
    assert.deepEqual(sent, expected);
  } catch (error) {
    process.stderr.write(`${(await workbench?.seen('failed plain')) ?? ''}\n`);
    throw error;
  } finally {
    await workbench?.close();
    await model.stop();
    await rm(place, { recursive: true, force: true });
  }
});
