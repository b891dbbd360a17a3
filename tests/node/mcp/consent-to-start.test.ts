/** From a file of the repository to a process: what was not approved starts none, what was, exactly that. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultSettings } from '../../../extension/agent/settings.ts';
import type { CardAnswer } from '../../../extension/agent/tool.ts';
import { ServersContributor } from '../../../extension/mcp/contributor.ts';
import { FileServerPlans, type ServerPlans } from '../../../extension/mcp/plans.ts';
import type { ServerState } from '../../../extension/mcp/servers.ts';
import { StateFolder } from '../../../extension/state.ts';
import { plant, tree } from '../skills/tree.ts';
import { config, core } from './plan-bench.ts';
import { never, packageFile, processesOf } from './set.ts';

interface Bench {
  readonly asked: string[];
  answer: CardAnswer['answer'];
  /** One request: the tools that came of it. */
  turn(): Promise<readonly string[]>;
  call(tool: string, args: object): Promise<string>;
  /** The command line of each process that belongs to this test. */
  processes(): string[][];
  /** The user takes the approval back, and tries to start the server all the same. */
  revokeAndStart(): Promise<ServerState | null>;
  dispose(): Promise<void>;
}

function bench(context: TestContext, root: string, between?: () => void): Bench {
  const mark = `GBS_TEST_MARK=${root}`;
  const settings = () => ({ ...defaultSettings });
  const state = new StateFolder(join(root, 'state'));
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const environment = { PATH: process.env.PATH ?? '', TMPDIR: root };
  const userHome = join(root, 'home');
  const { platform } = process;
  const files = new FileServerPlans({
    core,
    settings,
    state,
    log,
    environment,
    platform,
    userHome,
  });
  const plans: ServerPlans = {
    read: (of) => files.read(of),
    approve: async (plan, ask, signal) => {
      const approved = await files.approve(plan, ask, signal);
      between?.();
      return approved;
    },
    changedSince: (server) => files.changedSince(server),
    revoke: (of, names) => files.revoke(of, names),
    forgetDeclined: (of, names) => files.forgetDeclined(of, names),
    adopt: (of, path, shown) => files.adopt(of, path, shown),
    check: (path, text) => files.check(path, text),
  };
  const workspace = { folders: [join(root, 'ws')], trusted: true, openFile: null };
  const contributor = new ServersContributor({
    core,
    settings,
    state,
    log,
    plans,
    workspace: () => workspace,
  });
  context.after(() => contributor.dispose());
  const made: Bench = {
    asked: [],
    answer: 'allow',
    turn: async () => {
      const { tools } = await contributor.prepare({
        workspace,
        mode: 'auto',
        contextWindow: 32_768,
        ask: (card) => {
          made.asked.push(...card.about);
          return Promise.resolve({ answer: made.answer });
        },
        emit: () => undefined,
        signal: never,
      });
      return tools.map(({ name }) => name);
    },
    call: async (tool, args) => {
      const end = await contributor.servers.call('memory', tool, JSON.stringify(args), {
        signal: never,
        progress: () => undefined,
      });
      return end.kind;
    },
    processes: () =>
      processesOf(mark).map((pid) =>
        readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
          .split('\0')
          .slice(0, -1),
      ),
    revokeAndStart: async () => {
      const { servers } = contributor;
      const [standing] = servers.standings();
      for (const name of await plans.revoke(workspace, null)) await servers.stop(name);
      if (standing !== undefined) await servers.start(standing.server);
      return servers.state('memory');
    },
    dispose: () => contributor.dispose(),
  };
  return made;
}

function repository(more: object = {}): string {
  const root = tree({ 'home/.keep': '', 'ws/.keep': '' });
  plant(root, {
    'ws/.mcp.json': config({
      memory: {
        command: process.execPath,
        args: [packageFile('@modelcontextprotocol/server-memory/dist/index.js')],
        env: { MEMORY_FILE_PATH: '${workspaceFolder}/memory.jsonl', GBS_TEST_MARK: root },
        ...more,
      },
    }),
  });
  return root;
}

const linux = { skip: process.platform !== 'linux' && 'looks into /proc', timeout: 60_000 };

test('no process before the approval, then exactly the approved one', linux, async (context) => {
  const root = repository();
  const here = bench(context, root);
  here.answer = 'notNow';
  assert.deepEqual([await here.turn(), here.asked, here.processes()], [[], ['memory'], []]);
  // Not now holds, and is no yes.
  here.answer = 'allow';
  assert.deepEqual([await here.turn(), here.asked, here.processes()], [[], ['memory'], []]);
  plant(root, { 'ws/.gbs/mcp.json': config({}) });
  rmSync(join(root, 'state'), { recursive: true });
  assert.ok((await here.turn()).includes('mcp__memory__create_entities'));
  assert.deepEqual(here.asked, ['memory', 'memory']);
  const script = packageFile('@modelcontextprotocol/server-memory/dist/index.js');
  assert.deepEqual(here.processes(), [[process.execPath, script]]);
  // A file that the running server writes asks nothing while it runs.
  const entity = { name: 'a', entityType: 'b', observations: [] };
  assert.equal(await here.call('create_entities', { entities: [entity] }), 'result');
  assert.match(readFileSync(join(root, 'ws/memory.jsonl'), 'utf8'), /"name":"a"/);
  assert.equal((await here.turn()).length > 0, true);
  assert.deepEqual(here.asked, ['memory', 'memory']);
  await here.dispose();
  assert.deepEqual(here.processes(), []);
});

test('one changed argument asks again, and the old process goes', linux, async (context) => {
  const root = repository();
  const here = bench(context, root);
  await here.turn();
  const before = readFileSync(join(root, 'ws/.mcp.json'), 'utf8');
  plant(root, { 'ws/.mcp.json': before.replace('"args": [', '"args": ["--no-warnings", ') });
  here.answer = 'deny';
  assert.deepEqual([await here.turn(), here.asked], [[], ['memory', 'memory']]);
  // It is given time to end by itself.
  for (let waited = 0; here.processes().length > 0 && waited < 200; waited++) await delay(50);
  assert.deepEqual(here.processes(), []);
});

test('what was revoked does not start by an older approval', linux, async (context) => {
  const here = bench(context, repository());
  await here.turn();
  assert.equal(here.processes().length, 1);
  assert.deepEqual(await here.revokeAndStart(), {
    kind: 'waits',
    reason: 'You took its approval back.',
  });
  assert.deepEqual(here.processes(), []);
  await here.turn();
  assert.deepEqual([here.asked, here.processes().length], [['memory', 'memory'], 1]);
});

test(
  'a file that changes between the answer and the start keeps it from starting',
  linux,
  async (context) => {
    const root = repository({ cwd: '.' });
    plant(root, { 'ws/memory.jsonl': '' });
    const here = bench(context, root, () => {
      plant(root, { 'ws/memory.jsonl': 'swapped' });
    });
    assert.deepEqual([await here.turn(), here.processes()], [[], []]);
  },
);
