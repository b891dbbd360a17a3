/** The agent connects a server on the command line: what asks, what is answered beforehand. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gbsMain, makeHome, type Home } from './gbs.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';
import { hasTerminal, runOnTerminal } from './terminal.ts';

const memory = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-memory/dist/index.js',
);
const limit = { timeout: 120_000, skip: process.platform === 'win32' };

let model: ScriptedModel;
let home: Home;
let marker = '';
before(async () => {
  model = await startScriptedModel();
  home = await makeHome();
  marker = `--marker=${home.folder}`;
  await home.write('work/.mcp.json', '{"mcpServers":{"notes":{"command":"x","disabled":true}}}');
  const connect = {
    toolCall: {
      name: 'mcp_connect',
      arguments: { name: 'memory', command: process.execPath, args: [memory, marker] },
    },
  };
  const use = { toolCall: { name: 'mcp__memory__read_graph', arguments: {} } };
  const end = { toolCall: { name: 'mcp_disconnect', arguments: { name: 'memory' } } };
  await model.script([{ when: 'go', steps: [connect, use, end, { text: 'It said: {{result}}' }] }]);
});
after(async () => {
  await model.stop();
  await home.remove();
});

const on = ['--set', 'selfConfiguration=true', '--set', 'mcp.toolLoading=all'];

function args(...more: string[]): string[] {
  return ['run', 'go', '--base-url', model.baseUrl, '--mode', 'auto', ...more];
}

function running(): string[] {
  const table = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return table.split('\n').filter((line) => line.includes(memory) && line.includes(marker));
}

test('3: without an answer the exact command is shown, and nothing starts', limit, async () => {
  const { code, stderr } = await home.gbs(args(...on));
  assert.equal(code, 3, stderr);
  assert.match(stderr, /^\? Start the server memory for this session\?$/m);
  assert.ok(stderr.includes(`\n  ${process.execPath} ${memory} ${marker}\n`), stderr);
  assert.match(stderr, /answer beforehand: --yes-mcp memory$/m);
  assert.deepEqual(running(), []);
});

test('0: answered beforehand it starts, works, and is gone', limit, async () => {
  const allow = ['--allow', 'mcp__memory__read_graph'];
  const { code, stdout, stderr } = await home.gbs(args(...on, '--yes-mcp', 'memory', ...allow));
  assert.equal(code, 0, stderr);
  // Its server is there later.
  assert.doesNotMatch(stderr, /answers nothing/);
  assert.match(stderr, /Answered by --yes-mcp memory: allow and start/);
  assert.match(stderr, /^ok Connected memory/m);
  assert.match(stderr, /^ok Called memory read_graph/m);
  assert.match(stderr, /^- Disconnected memory/m);
  assert.match(stdout, /It said: "memory" was ended and is gone\./);
  assert.deepEqual(running(), []);
});

test('an answer for another server is none for this one', limit, async () => {
  const { code, stderr } = await home.gbs(args(...on, '--yes-mcp', 'notes'));
  assert.equal(code, 3, stderr);
  assert.deepEqual(running(), []);
});

test('without the setting there are no such tools', limit, async () => {
  const { code, stderr } = await home.gbs(args('--yes-mcp', 'memory'));
  assert.equal(code, 0, stderr);
  assert.match(stderr, /There is no tool mcp_connect\./);
  const requests = await model.requests();
  assert.ok(!(requests.at(-1)?.body ?? '').includes('"name":"mcp_list"'));
});

test(
  '0: on a terminal a letter keeps it for the user, who is not asked again',
  { ...limit, skip: !hasTerminal },
  async () => {
    const seen = await runOnTerminal(
      [gbsMain, ...args(...on), '--workspace', home.workspace],
      [{ after: 'more  > ', type: 'u\r' }],
      { environment: { HOME: home.folder }, until: /It said: / },
    );
    assert.ok(seen.includes('Start the server memory for this session?'), seen);
    assert.ok(seen.includes('start and keep for you'), seen);
    const { code, stdout } = await home.gbs(['mcp', 'list', '--json']);
    assert.equal(code, 0);
    assert.match(stdout, /"name": "memory"/);
    const again = await home.gbs(args('--set', 'mcp.toolLoading=all'));
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /^ok Called memory read_graph/m);
    assert.deepEqual(running(), []);
  },
);
