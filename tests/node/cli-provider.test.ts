/** Which model server the command line uses, against scripted model servers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defaultSettings, type Settings } from '../../extension/agent/settings.ts';
import { openServer } from '../../extension/cli/provider.ts';
import type { CliParts } from '../../extension/cli/parts.ts';
import { createCore } from '../../extension/core.ts';
import type { FoundServer } from '../../extension/models/discover.ts';
import { ModelError } from '../../extension/models/provider.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

let server: ScriptedModel;
before(async () => {
  server = await startScriptedModel({ rules: [], ollama: true, models: [{ id: 'here:4b' }] });
});
after(() => server.stop());

const nobody = 'http://127.0.0.1:9/v1';
const core = createCore();

async function open(
  settings: Partial<Settings>,
  named: readonly (keyof Settings)[],
  found: readonly FoundServer[] = [],
): Promise<{ host: string; model: string | null; said: readonly string[] }> {
  const said: string[] = [];
  const plain = (text: string): string => text;
  const err = { line: (text: string) => said.push(text), paint: { dim: plain } };
  const parts = {
    core,
    settings: () => ({ ...defaultSettings, ...settings }),
    named: (key: keyof Settings) => named.includes(key),
    apiKey: () => 'secret',
    signal: AbortSignal.timeout(10_000),
    screen: { err } as unknown as CliParts['screen'],
  };
  const { provider, model } = await openServer(parts, () => Promise.resolve(found));
  return { host: provider.host, model: model?.id ?? null, said };
}

const limit = { timeout: 60_000 };

test('a server on another usual port is used where nobody named one', limit, async () => {
  const { host } = new URL(server.url);
  const found: FoundServer[] = [
    { name: 'Empty', host: 'localhost:1', baseUrl: 'http://localhost:1/v1', models: [] },
    {
      name: 'llama.cpp',
      host,
      baseUrl: server.baseUrl,
      models: [{ id: 'here:4b', contextWindow: null }],
    },
  ];
  assert.deepEqual(await open({ openaiBaseUrl: nobody }, [], found), {
    host,
    model: 'here:4b',
    said: [`Nothing answers at 127.0.0.1:9; llama.cpp on ${host} is used.`],
  });
  assert.ok((await server.requests()).every(({ headers }) => !('authorization' in headers)));
  const unreachable = (error: unknown): boolean =>
    error instanceof ModelError && error.code === 'unreachable';
  // Named by somebody: that one is meant, or nothing.
  await assert.rejects(open({ openaiBaseUrl: nobody }, ['openaiBaseUrl'], found), unreachable);
  // Another model than the one that was asked for is not what was meant either.
  await assert.rejects(open({ openaiBaseUrl: nobody, model: 'x' }, [], found), unreachable);
});

test('Ollama by its own protocol', limit, async () => {
  const settings = { provider: 'ollama', ollamaBaseUrl: server.url } as const;
  const opened = await open(settings, ['ollamaBaseUrl']);
  assert.deepEqual(opened, { host: new URL(server.url).host, model: 'here:4b', said: [] });
  assert.ok((await server.requests()).some(({ path }) => path === '/api/tags'));
});

test('a model that the server does not list is used, and it is said', limit, async () => {
  const { host } = new URL(server.url);
  const settings = { openaiBaseUrl: server.baseUrl, model: 'there:4b' };
  assert.deepEqual(await open(settings, ['openaiBaseUrl']), {
    host,
    model: 'there:4b',
    said: [`${host} does not list there:4b. It lists: here:4b`],
  });
});

test('a server elsewhere is not asked before the user is', limit, async () => {
  const opened = await open({ openaiBaseUrl: 'https://models.example/v1' }, ['openaiBaseUrl']);
  assert.deepEqual(opened, { host: 'models.example', model: null, said: [] });
});
