/** The provider and the probe against a real model on a real server. Structure counts, words do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenAiProvider } from '../../extension/models/openai.ts';
import { probeModel } from '../../extension/models/probe.ts';
import { ModelError, type ChatRequest } from '../../extension/models/provider.ts';
import {
  installLocalModel,
  localModelMissing,
  localModelName,
  startLocalModel,
} from '../../scripts/local-model/local-model.mjs';

const skip = localModelMissing() ?? false;
const signal = new AbortController().signal;

const request: ChatRequest = {
  model: localModelName,
  messages: [
    { role: 'user', content: 'Use the mcp__everything__echo tool with message hello world.' },
  ],
  tools: ['mcp__everything__echo', 'read_file'].map((name) => ({
    name,
    description: `Runs ${name}.`,
    parameters:
      '{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}',
  })),
  temperature: 0,
  maxOutputTokens: 120,
};

async function withModel(
  options: { readonly template: boolean; readonly context?: number },
  use: (provider: OpenAiProvider) => Promise<void>,
): Promise<void> {
  await installLocalModel();
  const model = await startLocalModel({ threads: 1, ...options });
  try {
    await use(new OpenAiProvider({ baseUrl: model.baseUrl, apiKey: '' }));
  } finally {
    await model.stop();
  }
}

test('a model that calls natively', { skip, timeout: 300_000 }, async () => {
  await withModel({ template: true }, async (provider) => {
    assert.deepEqual(await provider.models(signal), [{ id: localModelName, contextWindow: 8192 }]);

    const pieces = [];
    for await (const delta of provider.chat(request, signal)) pieces.push(delta);
    const calls = pieces.filter((delta) => delta.type === 'toolCall');
    assert.equal(calls.map(({ name }) => name).join(''), 'mcp__everything__echo');
    const given = JSON.parse(calls.map((call) => call.arguments).join('')) as unknown;
    assert.equal(typeof (given as { message?: unknown }).message, 'string');
    assert.ok(calls.length > 2, 'arguments come in pieces');
    const [usage] = pieces.filter((delta) => delta.type === 'usage');
    assert.ok(usage && usage.promptTokens > 50 && usage.outputTokens > 5);
    assert.deepEqual(pieces.at(-1), { type: 'end', reason: 'toolCalls' });

    const probe = await probeModel(provider, localModelName, signal);
    assert.deepEqual(
      { ...probe, parallelTools: null },
      {
        nativeTools: true,
        parallelTools: null, // As the model likes.
        streams: true,
        images: false,
        contextWindow: 8192,
      },
    );
  });
});

test('a model without native tools', { skip, timeout: 300_000 }, async () => {
  await withModel({ template: false, context: 1024 }, async (provider) => {
    const probe = await probeModel(provider, localModelName, signal);
    assert.deepEqual(probe, {
      nativeTools: false,
      parallelTools: false,
      streams: true,
      images: false,
      contextWindow: 1024,
    });

    // A form that the server holds the model to: whatever it says is a call with these arguments.
    const answerSchema = JSON.stringify({
      type: 'object',
      properties: {
        name: { const: 'read_file' },
        arguments: {
          type: 'object',
          properties: { path: { type: 'string', maxLength: 40 } },
          required: ['path'],
          additionalProperties: false,
        },
      },
      required: ['name', 'arguments'],
      additionalProperties: false,
    });
    let written = '';
    const formed = { ...request, tools: [], maxOutputTokens: 200, answerSchema };
    for await (const delta of provider.chat(formed, signal)) {
      if (delta.type === 'text') written += delta.text;
    }
    const call = JSON.parse(written) as { name: string; arguments: { path: unknown } };
    assert.equal(call.name, 'read_file');
    assert.equal(typeof call.arguments.path, 'string');

    const long = [{ role: 'user' as const, content: 'word '.repeat(3000) }];
    await assert.rejects(
      async () => {
        for await (const delta of provider.chat({ ...request, messages: long }, signal)) void delta;
      },
      (error) => error instanceof ModelError && error.code === 'contextFull',
    );

    const stop = new AbortController();
    const reason = new Error('stopped');
    const endless = { ...request, tools: [], maxOutputTokens: 900 };
    await assert.rejects(async () => {
      for await (const delta of provider.chat(endless, stop.signal)) {
        if (delta.type === 'text') stop.abort(reason);
      }
    }, reason);
    // The server is free again: it noticed that nobody listens any more.
    for await (const delta of provider.chat({ ...endless, maxOutputTokens: 5 }, signal)) {
      if (delta.type === 'end') assert.equal(delta.reason, 'length');
    }
  });
});
