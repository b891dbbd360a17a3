/** Ollama by its own protocol and package, against the scripted model server that speaks it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OllamaProvider } from '../../extension/models/ollama.ts';
import { ModelError, type ChatMessage } from '../../extension/models/provider.ts';
import { alike, collect, request, stop, text } from './model-deltas.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

let server: ScriptedModel;
before(async () => {
  server = await startScriptedModel();
});
after(() => server.stop());

const limit = { timeout: 60_000 };
const never = new AbortController().signal;

function provider(baseUrl = server.url, apiKey = ''): OllamaProvider {
  return new OllamaProvider({ baseUrl, apiKey, firstRetryMs: 1 });
}

function script(steps: readonly unknown[]): Promise<void> {
  return server.script({ rules: [{ when: 'go', steps }], ollama: true });
}

function check(title: string, step: unknown, expected: readonly unknown[]): void {
  test(title, limit, async () => {
    await script([step]);
    assert.deepEqual(await collect(provider().chat(request, never)), expected);
  });
}

const line = (fields: object): string => `${JSON.stringify(fields)}\n`;
const half = line({ message: { role: 'assistant', content: 'half' }, done: false });

for (const [title, step, expected] of alike) check(title, step, expected);
check(
  'no error is no error',
  {
    raw:
      line({ message: { content: 'ok' }, error: null, done: false }) +
      line({ message: { content: '' }, error: null, done: true }),
  },
  [text('ok'), stop],
);
check('counts may be missing', { text: 'ok' }, [text('ok'), stop]);
check('a stream that ends without an end is no answer', { raw: half }, [
  text('half'),
  { code: 'protocol', message: 'HOST broke off its answer.' },
]);
check('half a last line is no answer', { raw: `${half}{"message":{"content":"x"},"done":tr` }, [
  text('half'),
  { code: 'protocol', message: 'HOST broke off its answer.' },
]);
check(
  'a connection that breaks is no answer',
  [{ raw: half }, { cut: true }],
  [text('half'), { code: 'broken', message: 'HOST closed the connection before it had answered.' }],
);
check('a line that is not JSON', { raw: `${half}not JSON\n` }, [
  text('half'),
  { code: 'protocol', message: 'HOST sent something that is not a JSON object.' },
]);
check(
  'an error in the middle of the stream',
  { raw: half + line({ error: 'llama runner process has terminated' }) },
  [
    text('half'),
    {
      code: 'server',
      message: 'HOST failed with status 500: “llama runner process has terminated”.',
    },
  ],
);
check(
  'a 503 is repeated and can be seen',
  { attempts: [{ status: 503, headers: { 'retry-after': '0' } }, { text: 'ok' }] },
  [
    { type: 'retry', reason: 'HOST has no room for the request now: “status 503”.', seconds: 0 },
    text('ok'),
    stop,
  ],
);
check('a model that is not there', { status: 404, body: { error: 'model "x" not found' } }, [
  {
    code: 'notFound',
    message: 'HOST does not have what was asked for: “model "x" not found”.',
  },
]);

const conversation: readonly ChatMessage[] = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'go', images: ['data:image/png;base64,iVBORw0KGgo='] },
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'a', name: 'glob', arguments: '{"pattern":"*"}' },
      { id: 'b', name: 'glob', arguments: '{"pattern":' },
    ],
  },
  { role: 'tool', callId: 'a', name: 'glob', content: 'a.txt' },
  { role: 'tool', callId: 'b', name: 'glob', content: 'The arguments are no JSON.' },
];

test('the request: window, tools, images, calls; nothing about this machine', limit, async () => {
  await script([{ text: 'ok' }]);
  const before = (await server.requests()).length;
  const tools = [{ name: 'glob', description: 'Finds.', parameters: '{"type":"object"}' }];
  const own = provider(`${server.url}/v1/`, 'key');
  const asked = { ...request, messages: conversation, tools };
  const answerSchema = '{"type":"object"}';
  await collect(own.chat({ ...asked, contextWindow: 16_384, answerSchema }, never));
  // A request that names no window keeps the last: another one would load the model anew.
  await collect(own.chat(request, never));
  const [first, second] = (await server.requests()).slice(before);
  assert.ok(first && second);
  assert.equal(first.path, '/api/chat');
  assert.deepEqual(JSON.parse(first.body), {
    model: 'scripted',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'go', images: ['iVBORw0KGgo='] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { function: { name: 'glob', arguments: { pattern: '*' } } },
          { function: { name: 'glob', arguments: {} } },
        ],
      },
      { role: 'tool', content: 'a.txt', tool_name: 'glob' },
      { role: 'tool', content: 'The arguments are no JSON.', tool_name: 'glob' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'glob', description: 'Finds.', parameters: { type: 'object' } },
      },
    ],
    format: { type: 'object' },
    stream: true,
    options: { num_ctx: 16_384, temperature: 0, num_predict: 100 },
  });
  assert.equal(
    (JSON.parse(second.body) as { options: { num_ctx: number } }).options.num_ctx,
    16_384,
  );
  assert.equal(first.headers['authorization'], 'Bearer key');
  assert.equal(first.headers['user-agent'], 'gbs-agent');
  assert.ok(!JSON.stringify(first.headers).includes(process.arch));
});

test('models with the windows that Ollama tells of', limit, async () => {
  await server.script({
    rules: [],
    ollama: true,
    models: [{ id: 'loaded:4b' }, { id: 'set:7b' }, { id: 'plain:1b' }],
    routes: {
      'GET /api/ps': { models: [{ model: 'loaded:4b', context_length: 8192 }] },
      'POST /api/show': { parameters: 'num_ctx 12000\nstop "x"' },
    },
  });
  assert.deepEqual(await provider().models(never), [
    { id: 'loaded:4b', contextWindow: 8192 },
    { id: 'set:7b', contextWindow: 12_000 },
    { id: 'plain:1b', contextWindow: 12_000 },
  ]);
  await server.script({ rules: [], ollama: true, routes: { 'GET /api/tags': 404 } });
  await assert.rejects(provider().models(never), /did not list its models as Ollama does/);
});

test('a list of models that is refused says why', limit, async () => {
  for (const [status, code] of [
    [401, 'unauthorized'],
    [500, 'server'],
  ] as const) {
    await server.script({ rules: [], ollama: true, routes: { 'GET /api/tags': status } });
    await assert.rejects(
      provider().models(never),
      (error) => error instanceof ModelError && error.code === code,
    );
  }
});

test('stopped at any byte, and the server sees it', limit, async () => {
  await script([[{ pieceMs: 5 }, { forever: 'on and ' }]]);
  const own = new AbortController();
  const deltas = provider().chat(request, own.signal);
  for (let k = 0; k < 3; k += 1) await deltas.next();
  own.abort(new Error('enough'));
  await assert.rejects(async () => {
    for (;;) if ((await deltas.next()).done === true) return;
  }, /enough/);
  // Left without a signal: the connection ends as well, or the server would never stop.
  const left = provider().chat(request, never);
  await left.next();
  await left.return(undefined);
});

test('what is no address is refused by name', () => {
  assert.throws(() => provider('localhost:11434'), /"localhost:11434" is not the address/);
});
