/** A connection that a server closed while nothing was asked: the next call takes another one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { approvedAddress, testSet } from './set.ts';

/** What the two sides tell each other, in shared memory: a blocked loop reads no messages. */
const NOTHING = 0;
const CLOSE = 1;
const CLOSED = 2;

/** A server in a thread of its own, which closes all its connections when the memory says so. */
const program = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const state = new Int32Array(workerData);
const sockets = new Set();
let calls = 0;
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => { text += chunk; });
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method } = JSON.parse(text);
    const results = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'idle', version: '1' } },
      'tools/list': { tools: [{ name: 'count', inputSchema: { type: 'object' } }] },
    };
    if (method === 'tools/call') calls += 1;
    const result = results[method] ?? { content: [{ type: 'text', text: String(calls) }] };
    if (id === undefined) return response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
});
server.keepAliveTimeout = 0;
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.on('close', () => {
    sockets.delete(socket);
    if (sockets.size === 0 && Atomics.load(state, 0) === ${CLOSE}) {
      Atomics.store(state, 0, ${CLOSED});
      Atomics.notify(state, 0);
    }
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
setInterval(() => {
  if (Atomics.load(state, 0) === ${CLOSE}) for (const socket of sockets) socket.destroy();
}, 5);
`;

test(
  'a connection that was closed while the loop was blocked',
  { timeout: 60_000 },
  async (context) => {
    const shared = new SharedArrayBuffer(4);
    const state = new Int32Array(shared);
    const worker = new Worker(program, { eval: true, workerData: shared });
    context.after(() => worker.terminate().then(() => undefined));
    const [port] = (await once(worker, 'message')) as [number];
    const { start, text } = testSet(context);
    await start(approvedAddress('idle', `http://127.0.0.1:${String(port)}/mcp`));
    for (const expected of ['1', '2', '3']) {
      assert.equal(await text('idle', 'count'), expected);
      // Nothing is read here until the server has closed every connection.
      Atomics.store(state, 0, CLOSE);
      assert.notEqual(Atomics.wait(state, 0, CLOSE, 30_000), 'timed-out');
      assert.equal(Atomics.exchange(state, 0, NOTHING), CLOSED);
    }
    assert.equal(await text('idle', 'count'), '4');
  },
);
