import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findServers } from '../../extension/models/discover.ts';
import { OpenAiProvider } from '../../extension/models/openai.ts';
import { probeModel, Probes, type ModelProbe } from '../../extension/models/probe.ts';
import { StateFolder } from '../../extension/state.ts';
import { startScriptedModel } from './scripted-model.ts';

const signal = new AbortController().signal;

interface Script {
  readonly models?: unknown;
  readonly routes?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly unknown[];
}

/** What `models()` says of a server that answers so. */
function check(title: string, script: Script, expected: unknown): void {
  test(title, { timeout: 60_000 }, async () => {
    const server = await startScriptedModel({ rules: [], ...script });
    try {
      const provider = new OpenAiProvider({ baseUrl: server.baseUrl, apiKey: '' });
      assert.deepEqual(await provider.models(signal), expected);
    } finally {
      await server.stop();
    }
  });
}

check(
  'the window of llama.cpp is that of its list, not what the model was made for',
  { models: [{ id: 'a', meta: { n_ctx: 8192, n_ctx_train: 131072 } }] },
  [{ id: 'a', contextWindow: 8192 }],
);
check(
  'an older llama.cpp tells it in its properties',
  {
    models: [{ id: 'a', meta: { n_ctx_train: 131072 } }],
    routes: { 'GET /props': { default_generation_settings: { n_ctx: 4096 } } },
  },
  [{ id: 'a', contextWindow: 4096 }],
);
check(
  'vLLM, OpenRouter, Groq and Mistral each have a field',
  {
    models: [
      { id: 'a', max_model_len: 32768 },
      { id: 'b', context_length: 200000 },
      { id: 'c', context_window: 131072 },
      { id: 'd', max_context_length: 65536 },
    ],
  },
  [
    { id: 'a', contextWindow: 32768 },
    { id: 'b', contextWindow: 200000 },
    { id: 'c', contextWindow: 131072 },
    { id: 'd', contextWindow: 65536 },
  ],
);
check(
  'LM Studio tells it beside the protocol, the loaded window before the greatest',
  {
    models: [{ id: 'a' }, { id: 'b' }],
    routes: {
      'GET /api/v0/models': {
        data: [
          { id: 'a', max_context_length: 131072, loaded_context_length: 8192 },
          { id: 'b', max_context_length: 32768 },
        ],
      },
    },
  },
  [
    { id: 'a', contextWindow: 8192 },
    { id: 'b', contextWindow: 32768 },
  ],
);
check(
  'Ollama: as loaded; else what a model’s file sets, else its least default',
  {
    models: [
      { id: 'a:latest', owned_by: 'library' },
      { id: 'b:7b', owned_by: 'library' },
    ],
    routes: {
      'GET /api/ps': { models: [{ name: 'a:latest', model: 'a:latest', context_length: 16384 }] },
      'POST /api/show': { parameters: 'stop "<|im_end|>"\nnum_ctx                        8192' },
    },
  },
  [
    { id: 'a:latest', contextWindow: 16384 },
    { id: 'b:7b', contextWindow: 8192 },
  ],
);
check(
  'Ollama without a word about the window',
  {
    models: [{ id: 'b:7b', owned_by: 'library' }],
    routes: {
      'GET /api/ps': { models: [] },
      'POST /api/show': { model_info: { 'llama.context_length': 131072 } },
    },
  },
  [{ id: 'b:7b', contextWindow: 4096 }],
);
check('a server that says nothing', { models: [{ id: 'a' }, { name: 'b' }, 7, null, { id: '' }] }, [
  { id: 'a', contextWindow: null },
  { id: 'b', contextWindow: null },
]);
check('no models yet', { routes: { 'GET /v1/models': { object: 'list', data: null } } }, []);
check(
  'windows that are none',
  { models: [{ id: 'a', max_model_len: -1, context_length: '4096', context_window: 1.5 }] },
  [{ id: 'a', contextWindow: null }],
);

test('finds what answers as a model server, and only that', { timeout: 60_000 }, async () => {
  const llama = await startScriptedModel({
    rules: [],
    models: [{ id: 'm', owned_by: 'llamacpp', meta: { n_ctx: 2048 } }],
  });
  const unknown = await startScriptedModel({ rules: [], models: [{ id: 'n', owned_by: 'me' }] });
  const other = await startScriptedModel({ rules: [], routes: { 'GET /v1/models': { hello: 1 } } });
  const page = await startScriptedModel({ rules: [], routes: { 'GET /v1/models': '<html>' } });
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const gone = await startScriptedModel();
  await gone.stop();
  const portOf = (url: string) => Number(new URL(url).port);
  const address = silent.address();
  const silentPort = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const ports = [portOf(llama.url), portOf(gone.url), silentPort, portOf(other.url)];
    ports.push(portOf(page.url), portOf(unknown.url));
    const found = await findServers(signal, {
      ports: ports.map((port) => ({ port, name: 'Usual' })),
    });
    const host = (url: string) => `localhost:${String(portOf(url))}`;
    assert.deepEqual(found, [
      {
        name: 'llama.cpp',
        baseUrl: `http://${host(llama.url)}/v1`,
        host: host(llama.url),
        models: [{ id: 'm', contextWindow: 2048 }],
      },
      {
        name: 'Usual',
        baseUrl: `http://${host(unknown.url)}/v1`,
        host: host(unknown.url),
        models: [{ id: 'n', contextWindow: null }],
      },
    ]);
  } finally {
    silent.close();
    await Promise.all([llama, unknown, other, page].map((server) => server.stop()));
  }
});

const call = (color: string) => ({ toolCall: { name: 'report_color', arguments: { color } } });
const count = { when: '^Count', steps: [{ text: '1, 2, 3, 4, 5, 6, 7, 8, 9' }] };
const refuse = { status: 500, body: { error: { message: 'not supported' } } };

function checkProbe(title: string, rules: readonly unknown[], expected: ModelProbe): void {
  test(title, { timeout: 60_000 }, async () => {
    const server = await startScriptedModel({
      rules: [...rules, count],
      models: [{ id: 'scripted', max_model_len: 4096 }],
    });
    const root = await mkdtemp(join(tmpdir(), 'gbs-test-'));
    try {
      const provider = new OpenAiProvider({ baseUrl: server.baseUrl, apiKey: '' });
      const probes = new Probes(new StateFolder(root));
      assert.equal(await probes.read(provider.host, 'scripted'), null);
      assert.deepEqual(await probes.run(provider, 'scripted', signal), expected);
      const again = new Probes(new StateFolder(root));
      assert.deepEqual(await again.read(provider.host, 'scripted'), expected);
      assert.equal(await again.read(provider.host, 'other'), null);
    } finally {
      await server.stop();
      await rm(root, { recursive: true, force: true });
    }
  });
}

checkProbe(
  'a model that can do everything',
  [
    { when: 'Make both calls', steps: [[call('red'), call('blue')]] },
    { when: 'Which two colors', steps: [{ text: 'Blue and yellow.' }] },
  ],
  { nativeTools: true, parallelTools: true, streams: true, images: true, contextWindow: 4096 },
);
checkProbe(
  'one call at a time, no eyes',
  [
    { when: 'Make both calls', steps: [call('red')] },
    { when: 'Which two colors', steps: [{ text: 'Red, I think.' }] },
  ],
  { nativeTools: true, parallelTools: false, streams: true, images: false, contextWindow: 4096 },
);
checkProbe(
  'two calls at once are too much to ask, one is not',
  [
    { when: 'Make both calls', steps: [{ text: 'I would need two calls.' }] },
    { when: 'Use the report_color', steps: [call('red')] },
    { when: 'Which two colors', steps: [refuse] },
  ],
  { nativeTools: true, parallelTools: false, streams: true, images: false, contextWindow: 4096 },
);
checkProbe(
  'calls as text, and arguments cut off, are no native calls',
  [
    { when: 'Make both calls', steps: [{ text: '{"name": "report_color", "arguments": {}}' }] },
    {
      when: 'Use the report_color',
      steps: [
        [{ toolCall: { name: 'report_color', arguments: '{"color": "re' } }, { finish: 'length' }],
      ],
    },
  ],
  { nativeTools: false, parallelTools: false, streams: true, images: false, contextWindow: 4096 },
);
checkProbe('a server that refuses tools', [{ when: 'report_color', steps: [refuse] }], {
  nativeTools: false,
  parallelTools: false,
  streams: true,
  images: false,
  contextWindow: 4096,
});

test('a probe of a server that is not there is an error, not a finding', async () => {
  const gone = await startScriptedModel();
  await gone.stop();
  const provider = new OpenAiProvider({ baseUrl: gone.baseUrl, apiKey: '' });
  await assert.rejects(probeModel(provider, 'x', signal), { code: 'unreachable' });
});
