/**
 * Prints the milliseconds of calls over HTTP, one by one and 50 at once, of our client and the SDK's by
 * turns, in each era: `http.ts ROUNDS`. The older era is spoken with version 1 of the SDK, the modern
 * one with version 2; the server is the same small one for all.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createCore, type Era } from '../../extension/core.ts';
import { ServerSet } from '../../extension/mcp/servers.ts';
import { callsByTurns } from './by-turns.ts';
import type { Connected } from './clients.ts';

const rounds = Number(process.argv[2]);
const amount = { calls: rounds * 100, bursts: rounds * 4, warm: 1_000 };

const unstopped = new AbortController().signal;
const none = (): void => undefined;
const who = { name: 'bench', version: '1' };

async function server(): Promise<{ readonly url: string; end(): void }> {
  const child = spawn(process.execPath, [join(process.cwd(), 'benches/mcp/http-server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const url of createInterface({ input: child.stdout })) {
    return { url, end: () => void child.kill() };
  }
  throw new Error('the server of the bench did not start');
}

async function ours(url: string, era: Era): Promise<Connected> {
  const set = new ServerSet({
    core: createCore(),
    client: who,
    log: { info: none, warn: none, error: none },
    roots: () => [],
    eras: { read: () => Promise.resolve(era), write: () => Promise.resolve() },
    changedSince: () => Promise.resolve(null),
  });
  await set.start({
    name: 'small',
    kind: 'address',
    origin: 'user',
    path: 'bench',
    url,
    shown: url,
    headers: [],
    secrets: [],
    sse: false,
    startTimeoutMs: 60_000,
    callTimeoutMs: 60_000,
    fingerprint: era,
    launch: era,
    roots: false,
  });
  const state = set.state('small');
  if (state?.kind !== 'running' || state.offer.peer.era !== era) {
    throw new Error(JSON.stringify(state));
  }
  return {
    call: async (tool, args) => {
      const options = { signal: unstopped, progress: none };
      const end = await set.call('small', tool, JSON.stringify(args), options);
      if (end.kind !== 'result') throw new Error(end.kind);
      return JSON.parse(end.text) as unknown;
    },
    end: () => set.dispose(),
  };
}

async function first(url: string): Promise<Connected> {
  const client = new Client1(who);
  // The package's own types differ under the strictest flags.
  await client.connect(new Http1(new URL(url)) as Parameters<Client1['connect']>[0]);
  await client.listTools();
  return {
    call: (tool, args) => client.callTool({ name: tool, arguments: { ...args } }),
    end: () => client.close(),
  };
}

async function second(url: string): Promise<Connected> {
  const client = new Client2(who, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new Http2(new URL(url)));
  await client.listTools();
  return {
    call: (tool, args) => client.callTool({ name: tool, arguments: { ...args } }),
    end: () => client.close(),
  };
}

/** What both are asked for. */
const asked = ['echo', { text: 'What the gauge says this week. '.repeat(8) }] as const;

async function all(): Promise<object> {
  const { url, end } = await server();
  try {
    return {
      legacy: await callsByTurns(
        { ours: await ours(url, 'legacy'), sdk: await first(url) },
        asked,
        amount,
      ),
      modern: await callsByTurns(
        { ours: await ours(url, 'modern'), sdk: await second(url) },
        asked,
        amount,
      ),
    };
  } finally {
    end();
  }
}

void all().then((measured) => {
  process.stdout.write(JSON.stringify(measured), () => process.exit(0));
});
