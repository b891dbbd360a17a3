/**
 * What a person sees, in a real VS Code: the .vsix is installed, the chat asks the scripted model
 * server, a repository's server is approved, its tool is called, denied, and a long answer stopped.
 */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startScriptedModel, type ScriptedModel } from '../node/scripted-model.ts';
import { screenTests } from './screen-tests.ts';
import { Workbench } from './workbench.ts';

const example = join(__dirname, '..', '..', 'examples', 'workspace');
const script = {
  rules: [
    {
      when: 'Use the (\\S+) tool with (\\w+) (.+?)\\.?$',
      steps: [
        { toolCall: { name: '{{1}}', arguments: { '{{2}}': '{{3}}' } } },
        { text: 'The server answered: **{{result}}**' },
      ],
    },
    { when: 'Count', steps: [[{ pieceMs: 20 }, { forever: 'and one more ' }]] },
  ],
  // A server that takes its time: what is sent before it was found must not be lost.
  modelsDelayMs: 3000,
};

const parts: { model?: ScriptedModel; workbench?: Workbench } = {};

before(
  async () => {
    parts.model = await startScriptedModel(script);
    parts.workbench = await Workbench.open({
      folder: example,
      settings: { 'gbsAgent.openai.baseUrl': parts.model.baseUrl },
    });
  },
  { timeout: 180_000 },
);

after(
  async () => {
    await parts.workbench?.close();
    await parts.model?.stop();
  },
  { timeout: 60_000 },
);

function bed(): { workbench: Workbench; model: ScriptedModel } {
  const { workbench, model } = parts;
  if (!workbench || !model) throw new Error('the workbench did not open');
  return { workbench, model };
}

const test = screenTests(() => parts.workbench);

async function send(workbench: Workbench, text: string): Promise<void> {
  const box = workbench.chat.getByRole('textbox').first();
  await box.click();
  await box.fill(text);
  await box.press('Enter');
}

test('approve the server, allow the call, see the answer', { timeout: 180_000 }, async () => {
  const { workbench, model } = bed();
  const { chat } = workbench;
  await workbench.command('GBS Agent: Focus Chat');
  await chat.getByRole('textbox').first().waitFor({ timeout: 60_000 });
  await workbench.screenshot('1-ready');
  await send(workbench, 'Use the mcp__everything__echo tool with message hello greenhouse.');

  const skills = chat.getByRole('group', { name: /skills/i });
  await skills.waitFor({ timeout: 30_000 });
  await workbench.screenshot('2-skills');
  await skills.getByRole('button', { name: /Not now/ }).click();

  const server = chat.getByRole('group', { name: /Start the server/ });
  await server.waitFor({ timeout: 30_000 });
  await assert.doesNotReject(server.getByText('server-everything/dist/index.js').first().waitFor());
  await workbench.screenshot('3-server');
  assert.equal(
    (await model.requests()).filter(({ path }) => path === '/v1/chat/completions').length,
    0,
  );
  await server.getByRole('button', { name: /Allow and start/ }).click();

  const call = chat.getByRole('group', { name: /echo/ });
  await call.waitFor({ timeout: 60_000 });
  await workbench.screenshot('4-call');
  await call.getByRole('button', { name: /Call once/ }).click();
  await chat.getByText('Echo: hello greenhouse').first().waitFor({ timeout: 30_000 });
  await workbench.screenshot('5-answer');
});

test('deny a call: the server is not called, the model is told', { timeout: 120_000 }, async () => {
  const { workbench, model } = bed();
  const { chat } = workbench;
  await send(workbench, 'Use the mcp__everything__echo tool with message forbidden fruit.');
  const call = chat.getByRole('group', { name: /echo/ });
  await call.waitFor({ timeout: 60_000 });
  await call.getByRole('button', { name: /Deny/ }).first().click();
  await workbench.screenshot('6-deny');
  const confirm = chat.getByRole('button', { name: /^Deny/ }).last();
  await confirm.click();
  await chat.getByText('The server answered:').nth(1).waitFor({ timeout: 30_000 });
  const last = (await model.requests()).at(-1);
  assert.ok(last);
  const { messages } = JSON.parse(last.body) as { messages: { role: string; content: string }[] };
  const told = messages.at(-1);
  assert.equal(told?.role, 'tool');
  assert.doesNotMatch(told.content, /Echo: forbidden fruit/);
  await workbench.screenshot('7-denied');
});

test('stop a long answer', { timeout: 120_000 }, async () => {
  const { workbench } = bed();
  const { chat } = workbench;
  await send(workbench, 'Count for ever.');
  await chat.getByText('and one more and one more').first().waitFor({ timeout: 30_000 });
  await chat.getByRole('button', { name: /^Stop/ }).click();
  await chat.getByRole('button', { name: /^Stop/ }).waitFor({ state: 'hidden', timeout: 10_000 });
  await workbench.screenshot('8-stopped');
});

/** The process that runs the extensions, below the served workbench. */
async function extensionHost(pid: number): Promise<number | null> {
  const children = await readFile(
    `/proc/${String(pid)}/task/${String(pid)}/children`,
    'utf8',
  ).catch(() => '');
  for (const child of children.split(' ').filter(Boolean).map(Number)) {
    const command = await readFile(`/proc/${String(child)}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('--type=extensionHost')) return child;
    const below = await extensionHost(child);
    if (below !== null) return below;
  }
  return null;
}

test(
  'the chat is there again after a reload, and in the list of chats',
  { timeout: 150_000 },
  async () => {
    const { workbench } = bed();
    const { chat } = workbench;
    const answer = chat.getByText('Echo: hello greenhouse').first();
    await chat.getByRole('textbox').first().fill('not sent yet');
    await workbench.page.waitForTimeout(1500);
    await workbench.page.reload();
    await workbench.page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
    await workbench.until(answer, () => workbench.command('GBS Agent: Focus Chat'));
    assert.equal(await chat.getByRole('textbox').first().inputValue(), 'not sent yet');
    await workbench.screenshot('8-taken-up');

    await workbench.command('GBS Agent: New Chat');
    await answer.waitFor({ state: 'detached', timeout: 30_000 });
    const row = chat.getByRole('button', { name: /Use the mcp__everything__echo/ });
    await workbench.until(row.first(), () => workbench.command('GBS Agent: Show Chats'));
    await workbench.screenshot('8-chats');
    await row.first().click();
    await answer.waitFor({ timeout: 30_000 });
  },
);

test('the extension is active and logged no error', { timeout: 150_000 }, async () => {
  const { workbench } = bed();
  await workbench.command('Developer: Show Running Extensions');
  const list = workbench.page.locator('.runtime-extensions-editor .monaco-list');
  const row = list.locator('.extension', { hasText: 'GBS Agent' });
  const activation = row.getByText(/Activation/).first();
  await list.waitFor({ timeout: 40_000 });
  // The slowest stand first, and only what is in view is drawn.
  for (const end = Date.now() + 40_000; !(await activation.isVisible()) && Date.now() < end;) {
    await list.hover();
    await workbench.page.mouse.wheel(0, 300);
    await workbench.page.waitForTimeout(300);
  }
  assert.ok(await activation.isVisible(), 'it is not among the running extensions');
  assert.doesNotMatch(await row.innerText(), /uncaught error|Unresponsive/i);
  await workbench.screenshot('9-running-extensions');
  assert.deepEqual(workbench.errors, []);
  await workbench.closeModal();
});

test(
  'the chat is there again after the extension host was killed',
  { timeout: 150_000 },
  async () => {
    const { workbench } = bed();
    const { chat } = workbench;
    await send(workbench, 'Count for ever.');
    await chat.getByText('and one more and one more').nth(1).waitFor({ timeout: 30_000 });
    await workbench.page.waitForTimeout(1500);
    const host = await extensionHost(workbench.served.pid);
    assert.ok(host !== null);
    process.kill(host, 'SIGKILL');
    const said = chat.getByText('The editor ended while this turn ran.').first();
    await workbench.until(said, () => workbench.command('GBS Agent: Focus Chat'));
    assert.ok(await chat.getByText('Echo: hello greenhouse').first().isVisible());
    await workbench.screenshot('8-killed');
  },
);
