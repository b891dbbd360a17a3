/** The server over streamable HTTP: who is let in, how much may come, and how it ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request as send, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createSkillsServer } from '../../../extension/catalogue/create.ts';
import type { SkillProvider } from '../../../extension/catalogue/provider.ts';
import { CATALOGUE_REQUEST_BYTES } from '../../../extension/limits.ts';
import { core, skill, tree } from '../skills/tree.ts';
import { incident, serverCommand, twoSkills } from './support.ts';

interface Started {
  readonly url: string;
  stop(): Promise<void>;
}

interface StartOptions {
  readonly token?: string;
  readonly allowHosts?: readonly string[];
  readonly allowOrigins?: readonly string[];
  readonly provider?: SkillProvider;
}

async function start(root: string, { provider, ...http }: StartOptions = {}): Promise<Started> {
  const stop = new AbortController();
  const server = createSkillsServer({ core, skillsRoot: root, ...(provider && { provider }) });
  let running: Promise<void> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    running = server.run({
      transport: 'streamable-http',
      port: 0,
      signal: stop.signal,
      onListening: resolve,
      ...http,
    });
    running.catch(reject);
  });
  return {
    url,
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request as it is, with any Host. */
async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_skill_body', arguments: { skill_id: 'review-sql' } },
  }),
  method = 'POST',
): Promise<Answer> {
  const request = send(url, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
  request.end(method === 'GET' ? undefined : body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

const limits = { timeout: 60_000 };
const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

async function modernClient(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, modern);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function bodyLength(client: Pick<Client, 'callTool'>): Promise<number> {
  const { structuredContent } = await client.callTool({
    name: 'get_skill_body',
    arguments: { skill_id: 'incident-response' },
  });
  return String((structuredContent as { result: unknown }).result).length;
}

const expected = incident.slice(incident.indexOf('---\n\n') + 4).length;

describe('one server', limits, () => {
  const root = tree(twoSkills);
  let server: Started = { url: '', stop: () => Promise.resolve() };
  before(async () => {
    server = await start(root, { allowHosts: ['skills.example'], allowOrigins: ['page.example'] });
  });
  after(() => server.stop());

  test('a request says by Host and Origin whom it is for and who sends it', async () => {
    const check = async (
      headers: Readonly<Record<string, string>>,
      status: number,
    ): Promise<void> => {
      assert.equal((await ask(server.url, headers)).status, status, JSON.stringify(headers));
    };
    await check({}, 200);
    await check({ host: 'localhost:1' }, 200);
    await check({ host: '[::1]' }, 200);
    await check({ host: 'skills.example' }, 200);
    await check({ host: 'evil.example' }, 403);
    await check({ host: '127.0.0.1.evil.example' }, 403);
    await check({ host: 'localhost@evil.example' }, 403);
    await check({ origin: 'http://localhost:3000' }, 200);
    await check({ origin: 'https://page.example' }, 200);
    await check({ origin: 'https://evil.example' }, 403);
    await check({ origin: 'null' }, 403);
    await check({ origin: 'http://localhost.evil.example' }, 403);
  });

  test('a request is a JSON message of a bounded length, at /mcp', async () => {
    const check = async (
      answered: Promise<Answer>,
      status: number,
      said: RegExp,
    ): Promise<void> => {
      const { status: got, text } = await answered;
      assert.deepEqual([got, said.test(text)], [status, true], text);
    };
    const { url } = server;
    await check(ask(url), 200, /No table locks|rules\.md/);
    await check(ask(url, {}, 'x'.repeat(CATALOGUE_REQUEST_BYTES + 1)), 413, /Large/);
    await check(
      ask(url, { 'transfer-encoding': 'chunked' }, 'x'.repeat(CATALOGUE_REQUEST_BYTES + 1)),
      413,
      /Large/,
    );
    await check(ask(url, {}, 'no json'), 400, /Parse error/);
    await check(ask(url, { 'content-type': 'text/plain' }), 415, /Content-Type/);
    await check(ask(url, {}, '', 'GET'), 405, /not allowed/);
    await check(ask(url, {}, '', 'DELETE'), 405, /not allowed/);
    await check(ask(url.replace('/mcp', '/other')), 404, /\/mcp/);
    await check(
      ask(url.replace('/mcp', '/health'), { host: 'any' }, '', 'GET'),
      200,
      /^{"status":"ok","skills":2}$/m,
    );
  });

  test('there are no sessions that could be fixed or stolen', async () => {
    const { status, headers } = await ask(server.url, { 'mcp-session-id': 'mine' });
    assert.deepEqual([status, headers['mcp-session-id']], [200, undefined]);
  });

  test('both eras, 1,000 clients in turn and 50 at once', async () => {
    const first = new FirstClient({ name: 'test', version: '1' });
    await first.connect(new FirstTransport(new URL(server.url)));
    assert.equal((await first.listTools()).tools.length, 10);
    await first.close();

    // Each with a connection of its own, as a client does that starts anew.
    const hello = JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    });
    const own = { connection: 'close' };
    for (let time = 0; time < 1_000; time += 1) {
      assert.match((await ask(server.url, own, hello)).text, /"gbs-skills-mcp"/);
      assert.match((await ask(server.url, own)).text, /rules\.md/);
    }
    const clients = await Promise.all(Array.from({ length: 50 }, () => modernClient(server.url)));
    const lengths = await Promise.all(clients.map(bodyLength));
    assert.deepEqual(new Set(lengths), new Set([expected]));
    await Promise.all(clients.map((client) => client.close()));
  });

  test('a client that sends slowly, or nothing, keeps no other waiting', async () => {
    const port = Number(new URL(server.url).port);
    const slow = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
    for (const socket of slow) {
      socket.on('error', () => socket.destroy());
      socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    }
    await Promise.all(slow.map((socket) => socket.pending && once(socket, 'connect')));
    assert.equal((await ask(server.url)).status, 200);
    for (const socket of slow) socket.destroy();
  });

  test('changes are told to who listens', async () => {
    const client = await modernClient(server.url);
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/resources/list_changed', () => resolve());
    });
    await client.listen({ resourcesListChanged: true });
    writeFileSync(join(root, 'review-sql/SKILL.md'), skill('review-sql', 'Other.'));
    await told;
    await client.close();
  });
});

test('with a token, only who sends it comes in', limits, async () => {
  const server = await start(tree(twoSkills), { token: 'right' });
  const check = async (authorization: string, status: number): Promise<void> => {
    const { status: got, headers } = await ask(server.url, { authorization });
    assert.equal(got, status, authorization);
    assert.equal(headers['www-authenticate'], status === 401 ? 'Bearer' : undefined);
  };
  await check('Bearer right', 200);
  await check('bearer right', 200);
  for (const wrong of [
    '',
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    'Bearer righ',
    'Bearer right!',
    'Basic right',
    'right',
  ]) {
    await check(wrong, 401);
  }
  await server.stop();
});

test('a stop lets running requests come to their end, and ends streams', limits, async () => {
  let go: () => void = () => undefined;
  const asked = { yes: (): void => undefined };
  const reached = new Promise<void>((resolve) => (asked.yes = resolve));
  const waiting = new Promise<void>((resolve) => (go = resolve));
  const slow: SkillProvider = {
    list: () => Promise.resolve(['slow']),
    stat: () => Promise.resolve({ modified: 1, size: 1 }),
    read: () => Promise.resolve(new TextEncoder().encode(skill('slow'))),
    listSubdir: () => Promise.resolve([]),
    readSubfile: async () => {
      asked.yes();
      await waiting;
      return new TextEncoder().encode('at last');
    },
  };
  const server = await start(tree({}), { provider: slow });
  const listening = await modernClient(server.url);
  await listening.listen({ resourcesListChanged: true });
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_skill_reference', arguments: { skill_id: 'slow', name: 'a.md' } },
  };
  const answered = ask(server.url, {}, JSON.stringify(body));
  await reached;
  const stopped = server.stop();
  await assert.rejects(ask(server.url));
  go();
  const { status, text } = await answered;
  assert.deepEqual([status, /at last/.test(text)], [200, true]);
  await stopped;
  await listening.close();
});

test('the command: a line of JSON says where it is, SIGTERM ends it', limits, async () => {
  const root = tree(twoSkills);
  const { command, args } = serverCommand(
    '--skills-root',
    root,
    '--transport',
    'streamable-http',
    '--port',
    '0',
    '--token-env',
    'TOKEN',
  );
  const child = spawn(command, args, {
    env: { ...process.env, TOKEN: 'right' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.setEncoding('utf8');
  let printed = '';
  child.stdout.on('data', (text: string) => (printed += text));
  for await (const line of createInterface(child.stderr)) {
    const { event, url } = JSON.parse(line) as { event: string; url?: string };
    if (event === 'ended') break;
    assert.ok(url);
    assert.equal((await ask(url)).status, 401);
    assert.equal((await ask(url, { authorization: 'Bearer right' })).status, 200);
    child.kill('SIGTERM');
  }
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.deepEqual([code, printed], [0, '']);
});
