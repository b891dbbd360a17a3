/** Real servers over HTTP, each started once: streamable HTTP and HTTP+SSE of the older era, and the modern one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createServer as portFinder, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import { until } from '../until.ts';
import { approvedAddress, packageFile, smallEnvironment, testSet } from './set.ts';

const limit = { timeout: 60_000 };

async function freePort(): Promise<number> {
  const finder = portFinder();
  await new Promise<void>((resolve) => finder.listen(0, '127.0.0.1', resolve));
  const { port } = finder.address() as AddressInfo;
  await new Promise((resolve) => finder.close(resolve));
  return port;
}

/** `server-everything` in one of its ways; gives its origin. */
async function everything(context: TestContext, way: 'streamableHttp' | 'sse'): Promise<string> {
  const script = packageFile('@modelcontextprotocol/server-everything/dist/index.js');
  const port = await freePort();
  const env = { ...smallEnvironment, PORT: String(port) };
  const child = spawn(process.execPath, [script, way], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  context.after(() => child.kill());
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (words: Buffer) => {
      if (/listening|running/iu.test(words.toString())) resolve();
    });
    child.once('exit', (code) =>
      reject(new Error(`server-everything exited with ${String(code)}`)),
    );
  });
  return `http://127.0.0.1:${port}`;
}

const ways = [
  ['streamableHttp', '/mcp', false],
  ['sse', '/sse', true],
  // The address alone: that it is the older transport is found out.
  ['sse', '/sse', false],
] as const;

for (const [way, path, sse] of ways) {
  test(`server-everything by ${way}${sse ? ', as its entry says' : ''}`, limit, async (context) => {
    const origin = await everything(context, way);
    const { start, text, call, set, progress } = testSet(context);
    const state = await start(approvedAddress('all', `${origin}${path}`, { sse }));
    assert.ok(state?.kind === 'running', JSON.stringify(state));
    assert.equal(state.offer.peer.protocolVersion, '2025-11-25');
    assert.equal(await text('all', 'echo', { message: 'grün 🐛' }), 'Echo: grün 🐛');
    await call('all', 'trigger-long-running-operation', { duration: 0.4, steps: 2 });
    assert.deepEqual(progress, ['1 of 2', '2 of 2']);
    const stop = new AbortController();
    const slow = call('all', 'trigger-long-running-operation', { duration: 60 }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    assert.deepEqual(await slow, { kind: 'cancelled' });
    await set.stop('all');
    assert.equal(set.state('all')?.kind, 'stopped');
  });
}

test('a server of the modern era by the official package', limit, async (context) => {
  const seen = { aborted: false };
  const later: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: 'modern', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    );
    const region = {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    };
    server.registerTool('where', { inputSchema: fromJsonSchema(region) }, (args) => ({
      content: [{ type: 'text', text: `in ${(args as { region: string }).region}` }],
    }));
    server.registerTool('slow', {}, async (context) => {
      for (let step = 1; step <= 2; step += 1) {
        await delay(20);
        const progressToken = context.mcpReq._meta?.progressToken ?? 0;
        const params = { progressToken, progress: step, total: 2 };
        await context.mcpReq.notify({ method: 'notifications/progress', params });
      }
      return { content: [{ type: 'text', text: 'done' }] };
    });
    server.registerTool('endless', {}, async (context) => {
      await new Promise<void>((resolve) =>
        context.mcpReq.signal.addEventListener('abort', () => resolve()),
      );
      seen.aborted = true;
      return { content: [] };
    });
    server.registerTool('asks', {}, () =>
      inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: 'Who?',
            requestedSchema: { type: 'object', properties: {} },
          }),
        },
      }),
    );
    for (const name of later) server.registerTool(name, {}, () => ({ content: [] }));
    return server;
  });
  const serve = toNodeHandler(handler);
  const http = createServer((request, response) => {
    void serve(request as Parameters<typeof serve>[0], response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    http.close();
    http.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const { start, text, call, set, progress, eras } = testSet(context);
  const server = approvedAddress('modern', url);
  const state = await start(server);
  assert.ok(state?.kind === 'running', JSON.stringify(state));
  assert.deepEqual(
    [state.offer.peer.protocolVersion, state.offer.peer.name],
    ['2026-07-28', 'modern'],
  );
  // The server compares the header with the body, so a value that no header can hold tells.
  assert.equal(await text('modern', 'where', { region: ' Zürich\n' }), 'in  Zürich\n');
  assert.equal(await text('modern', 'slow'), 'done');
  assert.deepEqual(progress, ['1 of 2', '2 of 2']);
  const stop = new AbortController();
  const endless = call('modern', 'endless', {}, stop.signal);
  setTimeout(() => stop.abort(), 50);
  assert.deepEqual(await endless, { kind: 'cancelled' });
  await until(() => seen.aborted);
  const asks = await call('modern', 'asks');
  assert.ok(asks.kind === 'error' && asks.code < 0, JSON.stringify(asks));
  const changed = new Promise<void>((resolve) => {
    set.onChange(() => {
      const now = set.state('modern');
      if (now?.kind === 'running' && now.offer.tools.some(({ name }) => name === 'new')) resolve();
    });
  });
  later.push('new');
  handler.notify.toolsChanged();
  await changed;
  await until(() => eras.get(server.fingerprint) === 'modern');
});
