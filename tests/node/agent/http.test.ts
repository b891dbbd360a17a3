/** The session over the real provider and a real HTTP server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OpenAiProvider } from '../../../extension/models/openai.ts';
import { startScriptedModel, type ScriptedModel } from '../scripted-model.ts';
import { until } from '../until.ts';
import { withBed, type Bed, type BedOptions } from './support.ts';

const limit = { timeout: 60_000 };
const server: { model?: ScriptedModel } = {};

before(async () => {
  server.model = await startScriptedModel();
});

after(async () => {
  await server.model?.stop();
});

/** A session against the server, which answers by `rules`. */
async function withModel(
  rules: unknown,
  options: Omit<BedOptions, 'steps'>,
  work: (bed: Bed, model: ScriptedModel) => Promise<void>,
): Promise<void> {
  const { model } = server;
  assert.ok(model);
  await model.script(rules);
  const provider = new OpenAiProvider({ baseUrl: model.baseUrl, apiKey: '', firstRetryMs: 1 });
  await withBed(
    { ...options, steps: [], parts: { ...options.parts, provider: () => provider } },
    (bed) => work(bed, model),
  );
}

interface SentBody {
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: unknown;
  }[];
  readonly tools?: readonly unknown[];
  readonly response_format?: { readonly json_schema: { readonly schema: unknown } };
}

/** The chat requests as they went over the wire. */
async function bodies(model: ScriptedModel): Promise<readonly SentBody[]> {
  const requests = await model.requests();
  return requests
    .filter((r) => r.path.endsWith('/chat/completions'))
    .map((r) => JSON.parse(r.body) as SentBody);
}

const write = { toolCall: { name: 'write_file', arguments: { path: 'a.md', content: 'hello\n' } } };

test('a turn with a native call, over the wire', limit, async () => {
  const rules = [
    {
      when: 'write',
      steps: [[{ thinking: 'Hm.' }, { text: 'I write. ' }, write], { text: 'Result: {{result}}' }],
    },
  ];
  await withModel(rules, {}, async (bed, model) => {
    assert.deepEqual(await bed.session.send('write it'), { kind: 'answered' });
    assert.equal(await bed.read('a.md'), 'hello\n');
    const text = bed.events.map((e) => (e.type === 'text' ? e.delta : '')).join('');
    assert.equal(text, 'I write. Result: Made a.md.');
    const sent = (await bodies(model)).at(-1);
    assert.deepEqual(
      sent?.messages.map((m) => m.role),
      ['system', 'user', 'assistant', 'tool'],
    );
    assert.equal(sent.tools?.length, 9);
    assert.ok(!JSON.stringify(sent).includes('Hm.'), 'thoughts are not sent back');
    const ended = bed.events.at(-1);
    assert.ok(
      ended?.type === 'turnEnded' && ended.summary.promptTokens > 0 && ended.summary.steps === 2,
    );
  });
});

test('a call in the text runs as any other', limit, async () => {
  const text = `<tool_call>${JSON.stringify({ name: 'write_file', arguments: write.toolCall.arguments })}</tool_call>`;
  await withModel([{ when: 'write', steps: [{ text }, { text: 'Done.' }] }], {}, async (bed) => {
    assert.deepEqual(await bed.session.send('write it'), { kind: 'answered' });
    assert.equal(await bed.read('a.md'), 'hello\n');
  });
});

/** The form that a request holds the answer to. */
function formOf(body: SentBody | undefined): unknown {
  return body?.response_format?.json_schema.schema;
}

const byText = { abilities: () => ({ nativeTools: false, images: false }) };
const lacking = {
  text: '<tool_call>{"name":"write_file","arguments":{"path":"a.md"}}</tool_call>',
};
const whole = { text: JSON.stringify({ name: 'write_file', arguments: write.toolCall.arguments }) };

/** In text a result is the last message of the user. */
function rulesByText(again: unknown): unknown {
  return [
    { when: 'The call lacks', steps: [again] },
    { when: '^write it', steps: [lacking] },
    { when: '.', steps: [{ text: 'Done.' }] },
  ];
}

test('a call by text with bad arguments is asked for again in a form', limit, async () => {
  await withModel(rulesByText(whole), { parts: byText }, async (bed, model) => {
    const before = (await bodies(model)).length;
    assert.deepEqual(await bed.session.send('write it'), { kind: 'answered' });
    assert.equal(await bed.read('a.md'), 'hello\n');
    const [first, second, third] = (await bodies(model)).slice(before);
    assert.equal(formOf(first), undefined);
    const form = formOf(second) as { properties: { name: unknown; arguments: object } };
    assert.deepEqual(form.properties.name, { const: 'write_file' });
    assert.match(JSON.stringify(form.properties.arguments), /"content"/u);
    assert.equal(formOf(third), undefined);
  });
});

test('a server that knows no forms is asked once, then without', limit, async () => {
  const again = { attempts: [{ status: 400 }, lacking, whole] };
  await withModel(rulesByText(again), { parts: byText }, async (bed, model) => {
    const before = (await bodies(model)).length;
    assert.deepEqual(await bed.session.send('write it'), { kind: 'answered' });
    const forms = (await bodies(model)).slice(before).map((body) => formOf(body) !== undefined);
    // The call, the form, without it, once more without it, and the end.
    assert.deepEqual(forms, [false, true, false, false, false]);
  });
});

test('a server that never ends its answer is left within moments of a stop', limit, async () => {
  await withModel([{ when: 'go', steps: [{ forever: 'word ' }] }], {}, async (bed) => {
    const turn = bed.session.send('go');
    await until(() => bed.events.some((e) => e.type === 'text'));
    bed.session.stop();
    assert.deepEqual(await turn, { kind: 'stopped' });
  });
});

test('a 400 that names no tool: the offending one is found and left out', limit, async () => {
  const error = { status: 400, body: { error: { message: 'Unsupported schema' } } };
  await withModel([{ when: '.', steps: [error] }], {}, async (bed) => {
    const end = await bed.session.send('go');
    // This server refuses everything, so the tools are not the cause, and its error is what is told.
    assert.equal(end.kind === 'failed' ? end.notice.code : end.kind, 'model-badRequest');
  });
});

test('retries are told, and the turn goes on', limit, async () => {
  const busy = { status: 429, headers: { 'retry-after': '0' }, body: {} };
  const rules = [{ when: 'go', steps: [{ attempts: [busy, { text: 'There.' }] }] }];
  await withModel(rules, {}, async (bed) => {
    assert.deepEqual(await bed.session.send('go'), { kind: 'answered' });
    assert.ok(bed.events.some((e) => e.type === 'phase' && e.phase.kind === 'retrying'));
  });
});

test('a server that is down: one clear notice', limit, async () => {
  const provider = new OpenAiProvider({
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: '',
    firstRetryMs: 1,
  });
  await withBed({ steps: [], parts: { provider: () => provider } }, async (bed) => {
    const end = await bed.session.send('go');
    assert.ok(end.kind === 'failed');
    assert.equal(end.notice.code, 'model-unreachable');
    assert.ok(end.notice.fact.includes('127.0.0.1:9') && end.notice.remedy !== '');
  });
});
