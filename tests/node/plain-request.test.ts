/**
 * Who uses no skills and no servers pays nothing for them: what is sent to the model is, byte for
 * byte, what an agent sends that was built without them.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { makeHome, type Home } from './gbs.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

const plainAgent = join(import.meta.dirname, 'programs', 'plain-agent.ts');
const tsx = join(import.meta.dirname, '../../node_modules/tsx/dist/loader.mjs');
const limit = { timeout: 60_000 };

/** Three requests: the first, one with a result, one with an error. */
const script = [
  {
    when: 'go',
    steps: [
      { toolCall: { name: 'read_file', arguments: { path: 'notes.md' } } },
      { toolCall: { name: 'read_file', arguments: { path: 'missing.md' } } },
      { text: 'Done.' },
    ],
  },
];

let model: ScriptedModel;
let home: Home;
before(async () => {
  model = await startScriptedModel(script);
  home = await makeHome();
  await home.write('work/notes.md', 'The south bed is dry.\n');
});
after(async () => {
  await model.stop();
  await home.remove();
});

/** The bodies of what `work` sends to the model. */
async function bodies(work: () => Promise<unknown>): Promise<readonly string[]> {
  const known = (await model.requests()).length;
  await work();
  return (await model.requests())
    .slice(known)
    .filter(({ path }) => path === '/v1/chat/completions')
    .map(({ body }) => body);
}

async function plain(): Promise<readonly string[]> {
  const storage = join(home.folder, 'plain');
  const args = ['--import', tsx, plainAgent, model.baseUrl, storage, 'auto', 'go'];
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: home.folder, USERPROFILE: home.folder };
  const run = promisify(execFile);
  return bodies(() => run(process.execPath, args, { cwd: home.workspace, env, timeout: 50_000 }));
}

async function gbs(...more: readonly string[]): Promise<readonly string[]> {
  return bodies(async () => {
    const args = ['run', 'go', '--mode', 'auto', '--base-url', model.baseUrl, ...more];
    const { code, stderr } = await home.gbs(args);
    assert.equal(code, 0, stderr);
  });
}

test('in a workspace without skills and servers', limit, async () => {
  const expected = await plain();
  assert.equal(expected.length, 3);
  assert.deepEqual(await gbs(), expected);
});

test('in a workspace that has some, when they are switched off', limit, async () => {
  await home.write(
    'work/.gbs/skills/watering/SKILL.md',
    '---\nname: watering\ndescription: How to water.\n---\n',
  );
  await home.write(
    'work/.mcp.json',
    '{"mcpServers":{"beds":{"command":"node","args":["beds.js"]}}}',
  );
  const off = ['--set', 'skills.enabled=false', '--set', 'mcp.enabled=false'];
  assert.deepEqual(await gbs(...off), await plain());
  // And the two would have been seen: what was off is not simply never there.
  const { stderr, code } = await home.gbs([
    'run',
    'go',
    '--mode',
    'auto',
    '--base-url',
    model.baseUrl,
  ]);
  assert.equal(code, 3, stderr);
});
