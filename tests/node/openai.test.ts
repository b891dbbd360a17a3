import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isLoopback } from '../../extension/models/address.ts';
import { retryAfter } from '../../extension/models/attempts.ts';
import { OpenAiProvider } from '../../extension/models/openai.ts';
import type { ChatMessage } from '../../extension/models/provider.ts';
import {
  alike,
  call,
  calls,
  collect,
  counted,
  delta,
  event,
  request,
  stop,
  text,
  usage,
} from './model-deltas.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

let server: ScriptedModel;
before(async () => {
  server = await startScriptedModel();
});
after(() => server.stop());
function provider(baseUrl = server.baseUrl, apiKey = ''): OpenAiProvider {
  return new OpenAiProvider({ baseUrl, apiKey, firstRetryMs: 1 });
}
function check(title: string, step: unknown, expected: readonly unknown[]): void {
  test(title, { timeout: 60_000 }, async () => {
    await server.script([{ when: 'go', steps: [step] }]);
    const seen = await collect(provider().chat(request, new AbortController().signal));
    assert.deepEqual(seen, expected);
  });
}

for (const [title, step, expected] of alike) check(title, step, expected);
check(
  'calls that all have index 0 and an id of their own',
  {
    raw:
      delta({
        tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '{"b":1}' } }],
      }) +
      delta({
        tool_calls: [{ index: 0, id: 'y', function: { name: 'a', arguments: '{"b":2}' } }],
      }) +
      delta({}, 'stop'),
  },
  [call(0, 'a', '{"b":1}'), call(1, 'a', '{"b":2}'), calls],
);
check(
  'calls without id and index, arguments as an object',
  {
    raw:
      delta({ tool_calls: [{ function: { name: 'a', arguments: { b: 1 } } }] }) +
      delta({ tool_calls: [{ function: { name: 'c', arguments: null } }] }, 'tool_calls'),
  },
  [call(0, 'a', '{"b":1}'), call(1, 'c', ''), calls],
);
check(
  'a name repeated in every piece is one name',
  {
    raw:
      delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '{' } }] }) +
      delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '}' } }] }) +
      delta({}, 'tool_calls'),
  },
  [call(0, 'a', '{}'), calls],
);
check(
  'comments, CRLF, a missing last blank line',
  {
    raw: `: waiting\r\n\r\ndata:${JSON.stringify({ choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }] })}\r\n`,
  },
  [text('ok'), stop],
);
check(
  'nonsense beside the answer is left out',
  {
    raw:
      event({ choices: [] }) +
      event({ choices: null, usage: null }) +
      delta({ content: null, tool_calls: null, reasoning: 7 }) +
      delta({ content: [{ type: 'text', text: 'ok' }] }, 'stop') +
      'data: [DONE]\n\ndata: not JSON\n\n',
  },
  [text('ok'), stop],
);
check('a stream that ends without an end is no answer', { raw: delta({ content: 'half' }) }, [
  text('half'),
  { code: 'protocol', message: 'HOST broke off its answer.' },
]);
check(
  'a connection that breaks is no answer',
  [{ raw: delta({ content: 'half' }) }, { cut: true }],
  [text('half'), { code: 'broken', message: 'HOST closed the connection before it had answered.' }],
);
check('an event that is not JSON', { raw: 'data: {"choices": [\n\n' }, [
  { code: 'protocol', message: 'HOST sent something that is not a JSON object.' },
]);
check(
  'an error in the middle of the stream',
  { raw: delta({ content: 'a' }) + event({ error: { code: 500, message: 'out of memory' } }) },
  [text('a'), { code: 'server', message: 'HOST failed with status 500: “out of memory”.' }],
);
check(
  'a 429 is repeated and can be seen',
  {
    attempts: [
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 503 },
      [{ text: 'now' }, usage],
    ],
  },
  [
    {
      type: 'retry',
      reason: 'HOST has no room for the request now: “status 429”.',
      seconds: 0,
    },
    {
      type: 'retry',
      reason: 'HOST has no room for the request now: “status 503”.',
      seconds: 0.002,
    },
    text('now'),
    counted,
    stop,
  ],
);
check('three repetitions, then it is over', { status: 502, body: '<html>Bad gateway</html>' }, [
  ...[0.001, 0.002, 0.004].map((seconds) => ({
    type: 'retry',
    reason: 'HOST failed with status 502.',
    seconds,
  })),
  { code: 'server', message: 'HOST failed with status 502.' },
]);
check('a wait of an hour is not waited for', { status: 429, headers: { 'retry-after': '3600' } }, [
  { code: 'overloaded', message: 'HOST has no room for the request now: “status 429”.' },
]);
check('a 500 is not repeated', { status: 500, body: { error: { message: 'boom' } } }, [
  { code: 'server', message: 'HOST failed with status 500: “boom”.' },
]);
check(
  'a prompt over the window has a code of its own',
  {
    status: 400,
    body: { error: { code: 400, message: 'too big', type: 'exceed_context_size_error' } },
  },
  [
    {
      code: 'contextFull',
      message: "The prompt is longer than the model's context window on HOST: “too big”.",
    },
  ],
);
check(
  'a refusal in the shape of other servers',
  { status: 422, body: { detail: [{ loc: ['tools', 0] }] } },
  [
    {
      code: 'badRequest',
      message: 'HOST refused the request with status 422: “[{"loc":["tools",0]}]”.',
    },
  ],
);
check('a missing model', { status: 404, body: { error: 'model "x" not found' } }, [
  { code: 'notFound', message: 'HOST does not have what was asked for: “model "x" not found”.' },
]);
check(
  'another address is not followed',
  { status: 307, headers: { location: 'http://elsewhere/' } },
  [{ code: 'protocol', message: 'HOST points to another address, which is not followed.' }],
);

test('a server that answers in one piece', { timeout: 60_000 }, async () => {
  const body = {
    choices: [
      {
        message: {
          reasoning: 'hm',
          content: 'Yes',
          tool_calls: [
            { id: 'a', function: { name: 'x', arguments: '{}' } },
            { id: 'b', function: { name: 'y', arguments: '{}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  };
  await server.script([{ when: 'go', steps: [{ status: 200, body }] }]);
  assert.deepEqual(await collect(provider().chat(request, new AbortController().signal)), [
    { type: 'thinking', text: 'hm' },
    text('Yes'),
    call(0, 'x', '{}'),
    call(1, 'y', '{}'),
    counted,
    calls,
  ]);
});

test('what is sent: every field in its place, nothing about this machine', async () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'S' },
    { role: 'user', content: 'go', images: ['data:image/png;base64,AAAA'] },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'a', arguments: '{"x":1}' }] },
    { role: 'tool', callId: 'c1', name: 'a', content: 'R' },
  ];
  const tools = [{ name: 'a', description: 'A.', parameters: '{"type":"object","properties":{}}' }];
  await server.script([{ when: 'go', steps: [{ text: 'ok' }] }]);
  const before = (await server.requests()).length;
  const full = { ...request, messages, tools };
  await collect(provider().chat(full, new AbortController().signal));
  await collect(provider(server.baseUrl, 'sk-secret').chat(full, new AbortController().signal));
  const [first, second] = (await server.requests()).slice(before);
  assert.equal(
    first?.body,
    '{"model":"scripted","messages":[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{\\"x\\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"R"}],"tools":[{"type":"function","function":{"name":"a","description":"A.","parameters":{"type":"object","properties":{}}}}],"temperature":0,"max_tokens":100,"stream":true,"stream_options":{"include_usage":true}}',
  );
  assert.equal(second?.body, first.body);
  assert.deepEqual(Object.keys(first.headers).sort(), [
    'accept',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
  ]);
  assert.equal(second.headers['authorization'], 'Bearer sk-secret');
});

test('a refused key is never repeated by us', async () => {
  const guarded = await startScriptedModel(
    [{ when: 'go', steps: [{ status: 401, body: { error: { message: 'bad key sk-secret' } } }] }],
    [],
  );
  try {
    const seen = await collect(
      provider(guarded.baseUrl, 'sk-secret').chat(request, new AbortController().signal),
    );
    assert.deepEqual(seen, [
      { code: 'unauthorized', message: 'HOST refused the key: “bad key ••••”.' },
    ]);
  } finally {
    await guarded.stop();
  }
});

test('addresses', () => {
  assert.throws(() => provider('localhost:11434'), { code: 'badRequest' });
  assert.throws(() => provider('file:///etc'), { code: 'badRequest' });
  assert.equal(provider('http://localhost:1234').host, 'localhost:1234');
  assert.deepEqual(
    ['localhost', '127.0.0.1', '127.8.9.1', '[::1]', 'a.localhost', '[::ffff:7f00:1]'].map(
      isLoopback,
    ),
    Array(6).fill(true),
  );
  assert.deepEqual(
    ['127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1', '0.0.0.0', '[::2]'].map(
      isLoopback,
    ),
    Array(5).fill(false),
  );
});

test('Retry-After in each of its forms', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const read = (headers: Record<string, string>) => retryAfter(new Headers(headers), now);
  assert.deepEqual(
    [
      read({}),
      read({ 'retry-after': '3' }),
      read({ 'retry-after': '1.5' }),
      read({ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }),
      read({ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }),
      read({ 'retry-after': 'soon' }),
      read({ 'retry-after': '-5' }),
      read({ 'retry-after-ms': '250', 'retry-after': '9' }),
    ],
    [null, 3000, 1500, 7000, 0, null, 0, 250],
  );
});
