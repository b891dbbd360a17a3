/** Many servers at once, one server never twice, and what is left after many starts or a crash. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createCore } from '../../../extension/core.ts';
import type { ApprovedServer } from '../../../extension/mcp/plans.ts';
import { Watcher } from '../../../extension/mcp/watcher.ts';
import { gbsMain, makeHome } from '../gbs.ts';
import {
  alive,
  inMode,
  misbehaving,
  never,
  processesOf,
  smallEnvironment,
  testSet,
  watched,
  type TestSet,
} from './set.ts';

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gbs-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Waits for what comes in its own time, but not for ever. */
async function until(seconds: number, holds: () => boolean): Promise<boolean> {
  for (let n = 0; n < seconds * 20 && !holds(); n += 1) await delay(50);
  return holds();
}

test('twenty servers start side by side', { timeout: 60_000 }, async (context) => {
  const { set, start } = testSet(context);
  const flags = ['--folder', folderOf(context), '--count', '20'];
  // None of them answers before all of them run: one after the other, the first would never be ready.
  const servers = Array.from({ length: 20 }, (_, n) =>
    inMode('together', { name: `s${n}`, launch: `s${n}`, startTimeoutMs: 40_000 }, flags),
  );
  await start(...servers);
  const states = set.standings().map(({ state }) => state.kind);
  assert.deepEqual(states, Array<string>(20).fill('running'));
});

/** A server that writes down when it comes and goes, and takes its time to go. */
interface Lingering {
  readonly bench: TestSet;
  readonly server: ApprovedServer;
  /** What it wrote down, in order. */
  events(): string[];
}

function lingering(context: TestContext): Lingering {
  const file = join(folderOf(context), 'events');
  return {
    bench: testSet(context),
    server: inMode('lingers', {}, ['--events', file]),
    events: () =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/ \d+$/, '')),
  };
}

/** Whatever is done to a server that runs: the next process comes after the end of the one before. */
function neverTwice(
  name: string,
  act: (set: TestSet['set'], server: ApprovedServer) => Promise<unknown>,
): void {
  test(`never twice: ${name}`, { timeout: 60_000 }, async (context) => {
    const { bench, server, events } = lingering(context);
    await bench.start(server);
    await act(bench.set, server);
    assert.equal(bench.set.state('lingers')?.kind, 'running');
    assert.deepEqual(events(), ['start', 'end', 'start']);
    await bench.set.dispose();
    assert.deepEqual(events(), ['start', 'end', 'start', 'end']);
  });
}
neverTwice('removed and added again while it ends', async (set, server) => {
  await set.ensure([], never);
  await set.ensure([server], never);
});
neverTwice('stopped and started again while it ends', async (set, server) => {
  const stop = set.stop('lingers');
  await set.start(server);
  await stop;
});
neverTwice('restarted by two at once', (set, server) =>
  Promise.all([set.start(server), set.start(server)]),
);
neverTwice('changed, removed and added while it ends', async (set, server) => {
  void set.ensure([{ ...server, launch: 'other' }], never);
  void set.ensure([], never);
  await set.ensure([server], never);
});

test('a server starts anew only when what it had started is gone', async (context) => {
  const { start, text } = testSet(context);
  await start(inMode('grandchild'));
  const facts = async (): Promise<{ pid: number; grandchild: number }> =>
    JSON.parse(await text('grandchild', 'facts')) as { pid: number; grandchild: number };
  const before = await facts();
  process.kill(before.pid, 'SIGKILL');
  assert.ok(await until(5, () => !alive(before.pid)));
  await delay(300);
  const after = await facts();
  assert.notEqual(after.pid, before.pid);
  assert.equal(alive(before.grandchild), false);
});

test('exits that lie five minutes back do not count', { timeout: 60_000 }, async (context) => {
  const clock = { now: 0 };
  const { set, start, call } = testSet(context, undefined, createCore(), () => clock.now);
  await start(inMode('dies-in-call'));
  for (let n = 0; n < 4; n += 1) {
    assert.deepEqual(await call('dies-in-call', 'slow'), { kind: 'ended' });
    assert.equal(set.state('dies-in-call')?.kind, 'exited');
    clock.now += 151_000;
  }
});

test(
  'a hundred starts, calls and stops leave nothing behind',
  { timeout: 120_000 },
  async (context) => {
    const stop = new AbortController();
    const mark = `growth-${process.pid}`;
    const env = { ...smallEnvironment, GBS_MARK: mark };
    const { core, memory } = watched();
    const { set, call } = testSet(context, undefined, core);
    const once = async (n: number): Promise<void> => {
      // A changed launch, so that each of them ends one process and starts the next.
      await set.ensure([inMode('well', { env, launch: String(n) })], stop.signal);
      assert.equal((await call('well', 'echo', { text: 'a' }, stop.signal)).kind, 'result');
      if (n % 10 === 9) await set.ensure([], stop.signal);
    };
    const held = (): Record<string, number> => {
      const resources = process.getActiveResourcesInfo();
      return {
        pipes: resources.filter((kind) => kind === 'PipeWrap').length,
        processes: resources.filter((kind) => kind === 'ProcessWrap').length,
        timers: resources.filter((kind) => kind === 'Timeout').length,
        listeners: getEventListeners(stop.signal, 'abort').length,
        memory: memory(),
      };
    };
    const rest = async (): Promise<Record<string, number>> => {
      await set.ensure([], stop.signal);
      assert.ok(await until(5, () => processesOf(`GBS_MARK=${mark}`).filter(alive).length === 0));
      await delay(100);
      return held();
    };
    for (let n = 0; n < 10; n += 1) await once(n);
    const before = await rest();
    for (let n = 10; n < 110; n += 1) await once(n);
    assert.deepEqual(await rest(), before);
  },
);

test(
  'a watcher that was killed is replaced by one that knows all',
  { timeout: 60_000 },
  async (context) => {
    const told: string[] = [];
    const log = {
      info: () => undefined,
      error: () => undefined,
      warn: (text: string) => told.push(text),
    };
    const script = 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)';
    const groups = [0, 1].map(() => {
      const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: 'ignore' });
      assert.ok(child.pid !== undefined);
      return child.pid;
    });
    context.after(() => {
      for (const group of groups.filter(alive)) process.kill(-group, 'SIGKILL');
    });
    const watcher = new Watcher(log);
    const [first = 0, second = 0] = groups;
    watcher.add(first);
    assert.ok(watcher.pid !== undefined);
    process.kill(watcher.pid, 'SIGKILL');
    assert.ok(await until(5, () => told.length > 0));
    assert.deepEqual(told, [
      'The process that ends servers after a crash is not there: it ended, SIGKILL',
    ]);
    watcher.add(second);
    // As if this process had died: the pipe ends while both still run.
    watcher.dispose();
    assert.ok(await until(10, () => !groups.some(alive)));
  },
);

test(
  'after gbs is killed no server is left, not even a stubborn one',
  { timeout: 60_000 },
  async (context) => {
    const home = await makeHome();
    context.after(() => home.remove());
    const mark = `GBS_MARK=${home.folder}`;
    const entry = (mode: string): object => ({
      command: process.execPath,
      args: [misbehaving, '--mode', mode],
      env: { GBS_MARK: home.folder },
    });
    const servers = {
      well: entry('well'),
      stubborn: entry('stubborn'),
      grandchild: entry('grandchild'),
      silent: entry('silent'),
    };
    await home.write('work/.mcp.json', JSON.stringify({ mcpServers: servers }));
    const yes = Object.keys(servers).flatMap((name) => ['--yes-mcp', name]);
    const seen = { most: 0 };
    const { code } = await home.gbs(['mcp', 'tools', ...yes], {
      running: (child) => {
        const timer = setInterval(() => {
          const count = processesOf(mark).filter(alive).length;
          seen.most = Math.max(seen.most, count);
          // Four servers and a grandchild; one of them never answers, so that it waits.
          if (count >= 5) child.kill('SIGKILL');
        }, 100);
        child.once('close', () => clearInterval(timer));
      },
    });
    assert.equal(code, null, `killed by a signal, with ${seen.most} processes, of ${gbsMain}`);
    assert.ok(await until(10, () => processesOf(mark).filter(alive).length === 0));
  },
);

test(
  'the log says what was done, in order, without arguments',
  { timeout: 60_000 },
  async (context) => {
    const { set, start, call, text } = testSet(context);
    const read: string[] = [];
    set.onLine((name) => read.push(name));
    await start(inMode('dies-in-call'));
    await text('dies-in-call', 'echo', { text: 'my secret' });
    await call('dies-in-call', 'slow');
    await set.stop('dies-in-call');
    const lines = set
      .lines('dies-in-call')
      .map((line) => `${line.level} ${line.from} ${line.text}`);
    assert.deepEqual(
      lines.map((line) => line.replace(/ \d+ ms\.| process \d+\./, ' N.')),
      [
        'info agent Starting.',
        'info agent Ready: misbehaving 1.0.0, MCP 2025-06-18, 3 tools, N.',
        'info agent Called echo: answered after N.',
        'info agent It exited with code 7. It starts again when it is needed.',
        'warn agent Called slow: the server ended after N.',
        'info agent Stopped.',
      ],
    );
    assert.deepEqual(read, Array<string>(lines.length).fill('dies-in-call'));
  },
);
