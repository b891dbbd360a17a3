/** Processes that behave badly: what the user is told, and that nothing is left of them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovedServer } from '../../../extension/mcp/plans.ts';
import type { ServerFailure } from '../../../extension/mcp/failures.ts';
import type { ServerState } from '../../../extension/mcp/servers.ts';
import {
  alive,
  approved,
  inMode,
  never,
  processesOf,
  root,
  smallEnvironment,
  testSet,
} from './set.ts';

const failureOf = (state: ServerState | null): ServerFailure | string =>
  state?.kind === 'failed' ? state.failure : JSON.stringify(state);

/** A server that cannot come up, and what is said of it. */
function check(name: string, server: ApprovedServer, expected: ServerFailure): void {
  test(`does not start: ${name}`, { timeout: 60_000 }, async (context) => {
    const { set, start } = testSet(context);
    assert.deepEqual(failureOf(await start(server)), expected);
    const told = set.takeFailures().map(({ failure }) => failure);
    assert.deepEqual(told, [expected], 'told once');
    await set.ensure([server], never);
    assert.deepEqual(set.takeFailures(), [], 'not tried again, not told again');
  });
}

check(
  'a program that is not there',
  approved('a', [], { command: { file: '/nowhere/uvx', argv: ['x'], windowsVerbatim: false } }),
  {
    code: 'program-missing',
    fact: 'The program /nowhere/uvx is not there.',
    remedy: 'Install it, or correct "command" in /repo/.mcp.json.',
    stderr: '',
  },
);
const below = join(root, 'package.json', 'uvx');
check(
  'a program below a file',
  approved('a', [], { command: { file: below, argv: [], windowsVerbatim: false } }),
  {
    code: 'program-missing',
    fact: `The program ${below} is not there.`,
    remedy: 'Install it, or correct "command" in /repo/.mcp.json.',
    stderr: '',
  },
);
if (process.platform === 'linux') {
  check('an argument that is longer than the system takes', approved('a', ['x'.repeat(200_000)]), {
    code: 'not-started',
    fact: 'It could not be started: spawn E2BIG.',
    remedy: 'Check its entry in /repo/.mcp.json.',
    stderr: '',
  });
}
check('a folder that is not there', inMode('well', { cwd: '/nowhere' }), {
  code: 'folder-missing',
  fact: 'Its working folder /nowhere is not there.',
  remedy: 'Create the folder, or correct "cwd" in /repo/.mcp.json.',
  stderr: '',
});
check(
  'a file that is no program',
  approved('a', [], {
    command: { file: join(root, 'package.json'), argv: [], windowsVerbatim: false },
  }),
  {
    code: 'not-allowed',
    fact: `The file ${join(root, 'package.json')} cannot be executed.`,
    remedy: 'Make it executable, or correct "command" in /repo/.mcp.json.',
    stderr: '',
  },
);
check('one that exits at once', inMode('exit-at-once'), {
  code: 'exited',
  fact: 'It exited with code 3 before it was ready.',
  remedy: 'Check the command and its arguments in /repo/.mcp.json.',
  stderr: 'tracker: TRACKER_TOKEN is not set',
});
check('one that never answers', inMode('silent', { startTimeoutMs: 900 }), {
  code: 'timed-out',
  fact: 'No answer within 0.9 s.',
  remedy:
    'If it downloads something first, start it again; for slow starts raise gbsAgent.mcp.startTimeoutSeconds.',
  stderr: '',
});
check(
  'one that frames as language servers do',
  inMode('content-length', { startTimeoutMs: 5_000 }),
  {
    code: 'content-length',
    fact: 'It frames its messages with Content-Length headers, as language servers do.',
    remedy: 'MCP over stdio is one message a line. Use a version of the server that does this.',
    stderr: '',
  },
);

test(
  'a server that exits on the probe is asked the older way',
  { timeout: 60_000 },
  async (context) => {
    const { start, text } = testSet(context);
    assert.equal((await start(inMode('exits-on-probe')))?.kind, 'running');
    assert.equal(await text('exits-on-probe', 'echo', { text: 'a' }), 'a');
  },
);

test('a flood of stderr is read and kept short', { timeout: 60_000 }, async (context) => {
  const { set, start, text } = testSet(context);
  assert.equal((await start(inMode('flood-stderr')))?.kind, 'running');
  assert.equal(await text('flood-stderr', 'echo', { text: 'a' }), 'a');
  const last = (): string | undefined => set.lines('flood-stderr').at(-1)?.text;
  for (let n = 0; n < 100 && last() !== 'last words'; n += 1) await delay(100);
  assert.equal(last(), 'last words');
  const lines = set.lines('flood-stderr');
  assert.ok(lines.length <= 1000 && lines.every((line) => line.text.length <= 2000));
});

test(
  'a call in flight when its server dies may have taken effect, and is not repeated',
  { timeout: 60_000 },
  async (context) => {
    const { set, start, call, text } = testSet(context);
    await start(inMode('dies-in-call'));
    assert.deepEqual(await call('dies-in-call', 'slow'), { kind: 'ended' });
    assert.deepEqual(set.state('dies-in-call'), {
      kind: 'exited',
      exit: { kind: 'exited', code: 7, signal: null },
    });
    assert.equal(
      await text('dies-in-call', 'echo', { text: 'again' }),
      'again',
      'starts at the next need',
    );
  },
);

test('three exits in five minutes count as a failure', { timeout: 60_000 }, async (context) => {
  const { set, start, call } = testSet(context);
  await start(inMode('dies-in-call'));
  for (let n = 0; n < 3; n += 1) {
    assert.deepEqual(await call('dies-in-call', 'slow'), { kind: 'ended' });
  }
  assert.deepEqual(failureOf(set.state('dies-in-call')), {
    code: 'exits-often',
    fact: 'It exited 3 times within 5 minutes; the last time it exited with code 7.',
    remedy: 'Start it again once the cause is gone.',
    stderr: '',
  });
  assert.deepEqual(await call('dies-in-call', 'echo'), {
    kind: 'notRunning',
    message: 'It exited 3 times within 5 minutes; the last time it exited with code 7.',
  });
  await set.start(inMode('dies-in-call'));
  assert.equal(set.state('dies-in-call')?.kind, 'running', 'the user may try again');
});

test(
  'progress extends a call, a limit and Stop end it, and the server is told',
  { timeout: 60_000 },
  async (context) => {
    const { start, call, text, progress } = testSet(context);
    await start(inMode('well', { callTimeoutMs: 2_000 }));
    assert.equal(await text('well', 'slow', { ms: 3_000, steps: 20 }), 'waited 3000');
    assert.deepEqual(progress.slice(0, 2), ['1 of 20', '2 of 20']);
    assert.deepEqual(await call('well', 'slow', { ms: 60_000 }), { kind: 'timedOut', ms: 2_000 });
    const stop = new AbortController();
    const stopped = call('well', 'slow', { ms: 60_000 }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    assert.deepEqual(await stopped, { kind: 'cancelled' });
    const { heard } = JSON.parse(await text('well', 'facts')) as { heard: string[] };
    assert.equal(heard.filter((words) => words.startsWith('cancelled')).length, 2);
  },
);

test(
  'exactly the approved command runs, in its folder, with its environment alone',
  { timeout: 60_000 },
  async (context) => {
    const { start, text } = testSet(context);
    const env = { ...smallEnvironment, TRACKER: 'a "b"\n$c' };
    await start(inMode('well', { env, cwd: tmpdir() }, ['--flag', 'x y', '']));
    const facts = JSON.parse(await text('well', 'facts')) as Record<string, unknown>;
    assert.deepEqual(
      { cwd: facts.cwd, env: facts.env, argv: facts.argv },
      { cwd: tmpdir(), env, argv: ['--mode', 'well', '--flag', 'x y', ''] },
    );
  },
);

test(
  'a changed launch restarts, a server no longer wanted stops',
  { timeout: 60_000 },
  async (context) => {
    const { set, start, text } = testSet(context);
    const pidOf = async (): Promise<number> =>
      (JSON.parse(await text('well', 'facts')) as { pid: number }).pid;
    await start(inMode('well'));
    const first = await pidOf();
    await start(inMode('well'));
    assert.equal(await pidOf(), first, 'kept while nothing changes');
    await start(inMode('well', {}, ['--more']));
    const second = await pidOf();
    assert.notEqual(second, first);
    assert.equal(alive(first), false);
    await start();
    await delay(300);
    assert.equal(alive(second), false);
    assert.deepEqual(
      await set.call('well', 'echo', '{}', { signal: never, progress: () => undefined }),
      {
        kind: 'notRunning',
        message: 'It is not configured.',
      },
    );
  },
);

test('what changed since its approval does not start', { timeout: 60_000 }, async (context) => {
  const { set, start, call } = testSet(context, () => Promise.resolve('hook.js changed.'));
  const server = inMode('well');
  assert.deepEqual(await start(server), { kind: 'waits', reason: 'hook.js changed.' });
  assert.deepEqual(await call('well', 'echo'), { kind: 'notRunning', message: 'hook.js changed.' });
  assert.deepEqual(set.takeFailures(), []);
});

/** Starts it with a mark in its environment, stops it, and looks for what is left. */
function leavesNothing(mode: string, hurried: boolean): void {
  test(
    `${hurried ? 'a hurried end' : 'stop'} leaves nothing: ${mode}`,
    { timeout: 60_000 },
    async (context) => {
      const { set, start } = testSet(context);
      const mark = `GBS_MARK=${mode}-${String(hurried)}-${process.pid}`;
      const [name = '', value = ''] = mark.split('=');
      const env = { ...smallEnvironment, [name]: value };
      assert.equal((await start(inMode(mode, { env })))?.kind, 'running');
      assert.ok(processesOf(mark).length > 0, 'it runs');
      await (hurried ? set.dispose(true) : set.stop(mode));
      assert.deepEqual(processesOf(mark).filter(alive), []);
    },
  );
}
for (const mode of ['well', 'stubborn', 'grandchild', 'closes-stdin']) {
  for (const hurried of [false, true]) leavesNothing(mode, hurried);
}

test(
  'what a server started ends with it when it exits by itself',
  { timeout: 60_000 },
  async (context) => {
    const { start, text } = testSet(context);
    const server = inMode('grandchild');
    await start(server);
    const facts = JSON.parse(await text('grandchild', 'facts')) as {
      pid: number;
      grandchild: number;
    };
    assert.ok(alive(facts.grandchild));
    process.kill(facts.pid, 'SIGKILL');
    for (let n = 0; n < 60 && alive(facts.grandchild); n += 1) await delay(100);
    assert.equal(alive(facts.grandchild), false);
  },
);

test('a hundred starts and stops leave no process', { timeout: 60_000 }, async (context) => {
  const { set, start } = testSet(context);
  const mark = `GBS_MARK=hundred-${process.pid}`;
  const env = { ...smallEnvironment, GBS_MARK: `hundred-${process.pid}` };
  // A small program that speaks the protocol: a start of Node itself takes most of the time.
  const folder = await mkdtemp(join(tmpdir(), 'gbs-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'small.sh');
  await writeFile(
    file,
    `#!/bin/sh
while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
  case $line in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}\\n' "$id" ;;
    *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}\\n' "$id" ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\\n' "$id" ;;
  esac
done
`,
  );
  await chmod(file, 0o755);
  const small = (n: number, round: number): ApprovedServer =>
    approved(`small ${n}`, [String(round)], {
      env,
      command: { file, argv: [String(round)], windowsVerbatim: false },
    });
  for (let round = 0; round < 20; round += 1) {
    const servers = [0, 1, 2, 3, 4].map((n) => small(n, round));
    assert.equal((await start(...servers))?.kind, 'running');
    const states = set.standings().map(({ state }) => state.kind);
    assert.deepEqual(states, Array<string>(5).fill('running'));
  }
  await set.dispose();
  assert.deepEqual(processesOf(mark).filter(alive), []);
});

test('after the editor is killed no process is left', { timeout: 60_000 }, async () => {
  const mark = `GBS_MARK=killed-${process.pid}`;
  const program = join(import.meta.dirname, 'programs/holds-servers.ts');
  const editor = spawn(process.execPath, ['--import', 'tsx', program, `killed-${process.pid}`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve) => editor.stdout.once('data', () => resolve()));
  const before = processesOf(mark).filter(alive);
  assert.ok(before.length >= 4, `servers run: ${before.length}`);
  editor.kill('SIGKILL');
  for (let n = 0; n < 100 && processesOf(mark).some(alive); n += 1) await delay(100);
  assert.deepEqual(processesOf(mark).filter(alive), []);
});
