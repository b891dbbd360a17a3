/**
 * Prints the milliseconds of a first request's preparation with approved servers, and those that
 * the servers take by themselves: `first.ts ROUNDS`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { defaultSettings } from '../../extension/agent/settings.ts';
import { createCore } from '../../extension/core.ts';
import { ServersContributor } from '../../extension/mcp/contributor.ts';
import { FileServerPlans } from '../../extension/mcp/plans.ts';
import { StateFolder } from '../../extension/state.ts';
import { scripts } from './clients.ts';

const rounds = Number(process.argv[2]);
const core = createCore();
const none = (): void => undefined;
const log = { info: none, warn: none, error: none };

type Script = readonly string[];

/** A first request in a window of its own: what was approved and pinned is on the disk. */
async function request(place: string, count: number): Promise<number> {
  const state = new StateFolder(join(place, 'state'));
  const settings = (): typeof defaultSettings => defaultSettings;
  const workspace = { folders: [join(place, 'work')], trusted: true, openFile: null };
  const environment = { PATH: process.env.PATH ?? '', HOME: place };
  const { platform } = process;
  const plans = new FileServerPlans({
    core,
    settings,
    state,
    log,
    environment,
    platform,
    userHome: place,
  });
  const contributor = new ServersContributor({
    core,
    settings,
    state,
    log,
    plans,
    workspace: () => workspace,
  });
  const start = performance.now();
  const { tools } = await contributor.prepare({
    workspace,
    mode: 'ask',
    contextWindow: 1_000_000,
    ask: () => Promise.resolve({ answer: 'allow' }),
    emit: none,
    signal: new AbortController().signal,
  });
  const time = performance.now() - start;
  const running = contributor.servers
    .standings()
    .filter(({ state: { kind } }) => kind === 'running');
  if (running.length !== count || tools.length === 0) throw new Error('not all of them run');
  await contributor.dispose();
  return time;
}

/** A server by itself: from its start to its list of tools, asked for without any client. */
async function alone(argv: Script): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [...argv], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const say = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  say({ id: 1, method: 'initialize', params });
  const time = await new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id } = JSON.parse(line) as { readonly id?: number };
      if (id === 1) {
        say({ method: 'notifications/initialized' });
        say({ id: 2, method: 'tools/list' });
      } else if (id === 2) resolve(performance.now() - start);
    });
  });
  child.stdin.end();
  await ended;
  return time;
}

/** By rounds: the request, the slowest server alone, and all of them at once without a client. */
async function compare(servers: readonly Script[]): Promise<object> {
  const place = mkdtempSync(join(tmpdir(), 'gbs-bench-'));
  try {
    mkdirSync(join(place, 'work'));
    const entry = (args: Script): object => ({ command: process.execPath, args });
    const mcpServers = Object.fromEntries(servers.map((args, n) => [`s${String(n)}`, entry(args)]));
    writeFileSync(join(place, 'work', '.mcp.json'), JSON.stringify({ mcpServers }));
    // The very first one asks, and pins what the servers offer once their lists are at rest.
    const veryFirst = await request(place, servers.length);
    const times = { ours: [] as number[], alone: [] as number[], atOnce: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.ours.push(await request(place, servers.length));
      let slowest = 0;
      for (const server of servers) slowest = Math.max(slowest, await alone(server));
      times.alone.push(slowest);
      times.atOnce.push(Math.max(...(await Promise.all(servers.map(alone)))));
    }
    return { veryFirst, ...times };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function all(): Promise<object> {
  const { everything, filesystem, memory, thinking, small } = scripts;
  const sluggish = (ms: number): Script => [...small, '--mode', 'sluggish', '--ms', String(ms)];
  const computing = [everything, filesystem, memory, thinking, small];
  const processors = Math.min(availableParallelism(), computing.length);
  return {
    processors,
    real: await compare(computing),
    // As many as there are processors, so that none waits for one that another has; the slowest
    // server is among them.
    oneEach: await compare(computing.slice(0, processors)),
    waiting: await compare([200, 400, 600, 800, 1000].map(sluggish)),
  };
}

void all().then((measured) => process.stdout.write(JSON.stringify(measured)));
