// An MCP server that asks the user while it works, for tests: `node asks.mjs --era legacy|modern`.
//
// `ask {params}` asks once and gives back what it heard; `flood {count, params}` asks that often, one
// after the other, and counts the actions. In the modern era both ask by `input_required`.
import { createInterface } from 'node:readline';

const modern = process.argv.includes('modern');
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answer = (id, result) => send({ id, result });
const said = (id, value) =>
  answer(id, {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    ...(modern ? { resultType: 'complete' } : {}),
  });
const info = { name: 'asks', version: '1.0.0' };
const tools = ['ask', 'flood'].map((name) => ({ name, inputSchema: { type: 'object' } }));

/** Open questions of the older era, by their id. */
const waiting = new Map();
let asked = 0;
const ask = (params) =>
  new Promise((resolve) => {
    asked += 1;
    const id = `ask-${asked}`;
    waiting.set(id, resolve);
    send({ id, method: 'elicitation/create', params });
  });

const legacy = {
  async ask(id, { params }) {
    said(id, await ask(params));
  },
  async flood(id, { count, params }) {
    const actions = [];
    for (let n = 0; n < count; n += 1) actions.push((await ask(params)).result?.action);
    said(id, actions);
  },
};

const question = (params) => ({ method: 'elicitation/create', params });
const rounds = {
  ask(id, { params }, { inputResponses, requestState }) {
    if (inputResponses !== undefined) return said(id, { inputResponses, requestState });
    return answer(id, {
      resultType: 'input_required',
      inputRequests: { 'the key': question(params) },
      requestState: 'état 1',
    });
  },
  flood(id, { count, params }) {
    const keys = Array.from({ length: count }, (_, n) => [String(n), question(params)]);
    answer(id, { resultType: 'input_required', inputRequests: Object.fromEntries(keys) });
  },
};

function handle({ id, method, params = {}, result, error }) {
  switch (method) {
    case undefined: {
      const resolve = waiting.get(id);
      waiting.delete(id);
      resolve?.({ result, error });
      return;
    }
    case 'server/discover':
      if (!modern) return send({ id, error: { code: -32601, message: 'Method not found' } });
      return answer(id, {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': info },
      });
    case 'initialize':
      return answer(id, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: info,
        instructions: JSON.stringify(params.capabilities),
      });
    case 'tools/list':
      return answer(id, { tools });
    case 'tools/call':
      return (modern ? rounds : legacy)[params.name](id, params.arguments, params);
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => handle(JSON.parse(line)))
  .on('close', () => process.exit(0));
