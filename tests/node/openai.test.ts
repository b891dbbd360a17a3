import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { isLoopback, OpenAiProvider, retryAfter } from '../../extension/models/openai.ts';
import {
  ModelError,
  type ChatDelta,
  type ChatMessage,
  type ChatRequest,
} from '../../extension/models/provider.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

let server: ScriptedModel;
before(async () => {
  server = await startScriptedModel();
});
after(() => server.stop());

const request: ChatRequest = {
  model: 'scripted',
  messages: [{ role: 'user', content: 'go' }],
  tools: [],
  temperature: 0,
  maxOutputTokens: 100,
};

function provider(baseUrl = server.baseUrl, apiKey = ''): OpenAiProvider {
  return new OpenAiProvider({ baseUrl, apiKey, firstRetryMs: 1 });
}

interface Joined {
  type: string;
  id?: string;
  text?: string;
  index?: number;
  arguments?: string;
}

/** The deltas, with neighbours of one kind joined and ids numbered, then what was thrown. */
async function collect(deltas: AsyncIterable<ChatDelta>): Promise<unknown[]> {
  const seen: unknown[] = [];
  let last: Joined | undefined;
  const ids = new Map<string, string>();
  try {
    for await (const delta of deltas) {
      if (delta.type === 'toolCall') {
        if (!ids.has(delta.id)) ids.set(delta.id, `#${String(ids.size)}`);
        if (last?.type === 'toolCall' && last.index === delta.index) {
          last.arguments = `${last.arguments ?? ''}${delta.arguments}`;
          assert.equal(delta.name, '');
          continue;
        }
        last = { ...delta, id: ids.get(delta.id) ?? '' };
      } else if (
        (delta.type === 'text' || delta.type === 'thinking') &&
        last?.type === delta.type
      ) {
        last.text = `${last.text ?? ''}${delta.text}`;
        continue;
      } else last = { ...delta };
      seen.push(last);
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    seen.push({ code: error.code, message: error.message });
  }
  return JSON.parse(JSON.stringify(seen).replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')) as unknown[];
}

function check(title: string, step: unknown, expected: readonly unknown[]): void {
  test(title, { timeout: 20_000 }, async () => {
    await server.script([{ when: 'go', steps: [step] }]);
    const seen = await collect(provider().chat(request, new AbortController().signal));
    assert.deepEqual(seen, expected);
  });
}

const usage = { usage: { prompt_tokens: 10, completion_tokens: 5 } };
const counted = { type: 'usage', promptTokens: 10, outputTokens: 5 };
const stop = { type: 'end', reason: 'stop' };
const calls = { type: 'end', reason: 'toolCalls' };
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (value: unknown, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
const text = (words: string) => ({ type: 'text', text: words });
const call = (index: number, name: string, given: string, id = `#${String(index)}`) => ({
  type: 'toolCall',
  index,
  id,
  name,
  arguments: given,
});

check(
  'text in pieces, split inside nothing',
  [{ text: 'Grüße, 世界 🙂 done' }, usage],
  [text('Grüße, 世界 🙂 done'), counted, stop],
);
check(
  'thinking has its own channel',
  [{ thinking: 'hm, hm, hm' }, { text: 'Yes' }, usage],
  [{ type: 'thinking', text: 'hm, hm, hm' }, text('Yes'), counted, stop],
);
check(
  'calls in pieces, two of them',
  [
    { text: 'Now' },
    { toolCall: { name: 'read_file', arguments: { path: 'a "b".txt' } } },
    { toolCall: { name: 'glob', arguments: {} } },
    usage,
  ],
  [
    text('Now'),
    call(0, 'read_file', '{"path":"a \\"b\\".txt"}'),
    call(1, 'glob', '{}'),
    counted,
    calls,
  ],
);
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
  'an answer cut by its limit says so',
  [{ text: 'half' }, { finish: 'length' }, usage],
  [text('half'), counted, { type: 'end', reason: 'length' }],
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
  { code: 'protocol', message: 'HOST sent something that is no JSON object.' },
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

test('a server that answers in one piece', { timeout: 20_000 }, async () => {
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

test(
  'stops at any point: before, while waiting, while streaming, between retries',
  {
    timeout: 20_000,
  },
  async () => {
    const stopped = new Error('stopped by the test');
    const run = async (
      step: unknown,
      when: (delta: ChatDelta | null) => boolean,
    ): Promise<number> => {
      await server.script([{ when: 'go', steps: [step] }]);
      const controller = new AbortController();
      let count = 0;
      if (when(null)) controller.abort(stopped);
      else setTimeout(() => when({ type: 'text', text: '' }) && controller.abort(stopped), 50);
      await assert.rejects(async () => {
        for await (const delta of provider().chat(request, controller.signal)) {
          count += 1;
          if (when(delta)) controller.abort(stopped);
        }
      }, stopped);
      return count;
    };
    assert.equal(await run({ text: 'x' }, () => true), 0);
    assert.equal(await run({ delayMs: 60_000 }, (seen) => seen !== null), 0);
    assert.equal(
      await run(
        { forever: 'word '.repeat(10) },
        (seen) => seen?.type === 'text' && seen.text !== '',
      ),
      1,
    );
    assert.equal(
      await run(
        { status: 429, headers: { 'retry-after': '60' } },
        (seen) => seen?.type === 'retry',
      ),
      1,
    );
  },
);

/** A server that speaks bytes: `serve` is told how many connections came before. */
async function rawServer(
  serve: (socket: Socket, before: number) => void,
  use: (baseUrl: string) => Promise<void>,
): Promise<void> {
  let before = 0;
  const raw = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      serve(socket, before++);
    });
  });
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const address = raw.address();
  assert.ok(typeof address === 'object' && address !== null);
  try {
    await use(`http://127.0.0.1:${String(address.port)}/v1`);
  } finally {
    raw.close();
  }
}

const header = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';

test('a connection that breaks before the answer is repeated', { timeout: 20_000 }, async () => {
  await rawServer(
    (socket, before) => {
      if (before < 2) socket.destroy();
      else socket.end(header + delta({ content: 'now' }, 'stop'));
    },
    async (baseUrl) => {
      const reason = 'HOST closed the connection before it had answered.';
      assert.deepEqual(
        await collect(provider(baseUrl).chat(request, new AbortController().signal)),
        [
          { type: 'retry', reason, seconds: 0.001 },
          { type: 'retry', reason, seconds: 0.002 },
          text('now'),
          stop,
        ],
      );
    },
  );
});

test('a kept connection that the server closed meanwhile is not an error', async () => {
  const body = delta({ content: 'now' }, 'stop');
  const kept = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`;
  await rawServer(
    (socket) => {
      socket.write(kept);
      socket.once('data', () => {
        socket.destroy();
      });
    },
    async (baseUrl) => {
      for (let times = 0; times < 3; times += 1) {
        const seen = await collect(provider(baseUrl).chat(request, new AbortController().signal));
        assert.deepEqual(seen, [text('now'), stop]);
      }
    },
  );
});

test('a signal that lives through many requests keeps no listener', async () => {
  await server.script([{ when: 'go', steps: [{ text: 'ok' }] }]);
  const { signal } = new AbortController();
  for (let times = 0; times < 3; times += 1) {
    await collect(provider().chat(request, signal));
    await provider().models(signal);
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test(
  'a stream cut at every byte gives an error and never an end',
  { timeout: 60_000 },
  async () => {
    const whole = Buffer.from(
      delta({ content: 'Grüße 🙂' }) +
        delta({
          tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '{"b":1}' } }],
        }) +
        delta({}, 'tool_calls'),
    );
    // The finish reason stands in the last event: from its last brace on the answer is whole.
    const complete = whole.length - 2;
    let cut = 0;
    await rawServer(
      (socket) => {
        socket.write(header);
        socket.end(whole.subarray(0, cut));
      },
      async (baseUrl) => {
        for (cut = 0; cut <= whole.length; cut += 1) {
          const seen = await collect(provider(baseUrl).chat(request, new AbortController().signal));
          const last = seen.at(-1) as { type?: string; code?: string };
          if (cut >= complete) assert.deepEqual(last, calls, `at ${String(cut)}`);
          else assert.equal(last.code, 'protocol', `at ${String(cut)}: ${JSON.stringify(seen)}`);
        }
      },
    );
  },
);

test('a server that is not there is named', async () => {
  const gone = await startScriptedModel();
  await gone.stop();
  const host = new URL(gone.url).host;
  const broken = new OpenAiProvider({ baseUrl: gone.baseUrl, apiKey: '' });
  for (const attempt of [
    () => collect(broken.chat(request, new AbortController().signal)),
    () => broken.models(new AbortController().signal),
  ]) {
    await attempt().then(
      (seen) => {
        assert.deepEqual(seen, [
          { code: 'unreachable', message: 'No answer from HOST (ECONNREFUSED).' },
        ]);
      },
      (error: unknown) => {
        assert.ok(error instanceof ModelError);
        assert.equal(error.message, `No answer from ${host} (ECONNREFUSED).`);
        assert.equal(error.remedy, 'Start the model server, or set the address where it listens.');
      },
    );
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
