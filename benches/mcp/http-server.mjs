// A small MCP server over HTTP for the bench, of both eras: the less it does, the more the clients show.
// Prints its address.
import { createServer } from 'node:http';

const serverInfo = { name: 'small', version: '1.0.0' };
const capabilities = { tools: {} };
const inputSchema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
};
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

function answer({ method, params }) {
  switch (method) {
    case 'initialize':
      return { protocolVersion: '2025-11-25', capabilities, serverInfo };
    case 'server/discover':
      return { ...complete, supportedVersions: ['2026-07-28'], capabilities, serverInfo };
    case 'tools/list':
      return { ...complete, tools: [{ name: 'echo', description: 'Says it again.', inputSchema }] };
    case 'tools/call':
      return { ...complete, content: [{ type: 'text', text: params.arguments.text }] };
    default:
      return null;
  }
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = answer(message);
    const body =
      result === null ? { error: { code: -32601, message: 'Method not found' } } : { result };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`);
});
