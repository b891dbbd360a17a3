/** Errors and refusals of a model server: what is told, tried in another way, and learnt. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { Abilities } from '../../../extension/agent/session.ts';
import type { Tool } from '../../../extension/agent/tool.ts';
import {
  ModelError,
  type ChatDelta,
  type ChatRequest,
} from '../../../extension/models/provider.ts';
import { say, withBed } from './support.ts';

const limit = { timeout: 60_000 };

test('an error of the model server ends the turn and keeps the message', limit, async () => {
  const down = new ModelError('unreachable', 'No answer from test:1.', 'Start it.');
  await withBed({ steps: [down, say('Back.')] }, async (bed) => {
    const end = await bed.session.send('Hi');
    assert.deepEqual(
      end.kind === 'failed' && [end.notice.code, end.notice.fact, end.notice.remedy],
      ['model-unreachable', 'No answer from test:1.', 'Start it.'],
    );
    await bed.session.send('Again');
    assert.deepEqual(bed.provider.drawn(1).slice(1), ['user: Hi\n\nAgain']);
  });
});

test('the first request to another host asks once, naming it', limit, async () => {
  const options = {
    steps: [say('ok')],
    answers: [{ answer: 'notNow' as const }, { answer: 'allow' as const }],
  };
  await withBed(options, async (bed) => {
    bed.provider.loopback = false;
    const end = await bed.session.send('one');
    assert.equal(end.kind === 'failed' ? end.notice.code : '', 'host-refused');
    assert.equal(bed.provider.requests.length, 0);
    await bed.session.send('two');
    await bed.session.send('three');
    assert.deepEqual(
      bed.cards.map((c) => [c.kind, ...c.about]),
      [
        ['host', 'test:1'],
        ['host', 'test:1'],
      ],
    );
    assert.equal(bed.provider.requests.length, 2);
  });
});
test('a tool the server refuses is found by halving, left out and named', limit, async () => {
  const bad = new ModelError('badRequest', 'schema is not supported', 'x');
  const tool = (name: string): Tool => ({
    name,
    description: name,
    parameters: '{"type":"object","properties":{}}',
    origin: { kind: 'mcp', server: 's', tool: name },
    parallel: true,
    readOnly: true,
    line: () => ({ icon: 'server', verb: 's', object: name }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: () => Promise.resolve({ text: '', isError: false }),
  });
  const step = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
    await sleep(0);
    if (request.tools.some((t) => t.name === 'mcp__s__bad')) throw bad;
    yield* say('ok');
  };
  const tools = ['mcp__s__a', 'mcp__s__bad', 'mcp__s__c'].map(tool);
  await withBed({ steps: [step], parts: { tools } }, async (bed) => {
    assert.deepEqual(await bed.session.send('Hi'), { kind: 'answered' });
    const notice = bed.events.find((e) => e.type === 'notice');
    assert.equal(
      notice?.type === 'notice' && notice.notice.fact,
      'Left out of this request: mcp__s__bad.',
    );
    const before = bed.provider.requests.length;
    await bed.session.send('Again');
    assert.equal(bed.provider.requests.length, before + 1, 'remembered for the session');
  });
});

/** A model that calls by text, badly every time it is not held to a form; the requests' forms. */
async function formsAsked(
  refusing: (request: ChatRequest, formed: number) => ModelError | null,
): Promise<readonly boolean[]> {
  let formed = 0;
  const step = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
    await sleep(0);
    const last = request.messages.at(-1)?.content ?? '';
    if (last === 'Hi') return yield* say('hello');
    if (request.answerSchema !== undefined) {
      const error = refusing(request, ++formed);
      if (error !== null) throw error;
    }
    // The second message of a turn is the answer to the bad call.
    const calls = request.messages.filter(({ role }) => role === 'assistant').length % 2 === 0;
    yield* say(calls ? '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>' : 'done');
  };
  const abilities = (): Abilities => ({ nativeTools: false, images: null });
  let forms: readonly boolean[] = [];
  await withBed({ steps: [step], parts: { abilities } }, async (bed) => {
    for (const text of ['one', 'two', 'three']) {
      assert.deepEqual(await bed.session.send(text), { kind: 'answered' });
    }
    forms = bed.provider.requests.map(({ answerSchema }) => answerSchema !== undefined);
  });
  return forms;
}

test('forms are given up only for a refusal that is about the form', limit, async () => {
  const said = (code: ModelError['code'], text: string): ModelError =>
    new ModelError(code, text, 'x');
  const [plain, form] = [false, true];
  // It holds the model to the form: one request with it in each turn.
  assert.deepEqual(await formsAsked(() => null), [plain, form, plain, form, plain, form]);
  // The server failed once, for a reason of its own: asked again without, and later with it.
  assert.deepEqual(
    await formsAsked((_, count) => (count === 1 ? said('server', 'test:1 failed: “cuda”.') : null)),
    [plain, form, plain, plain, form, plain, form],
  );
  // It says that the form is what it refuses, or refuses nothing but the request with it.
  for (const error of [
    said('server', 'failed to parse grammar'),
    said('badRequest', 'response_format is not supported'),
    said('badRequest', 'no'),
  ]) {
    assert.deepEqual(await formsAsked(() => error), [
      plain,
      form,
      plain,
      plain,
      plain,
      plain,
      plain,
    ]);
  }
});

test('a server that refuses every tool gets them in the prompt', limit, async () => {
  const step = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
    await sleep(0);
    if (request.tools.length > 0) throw new ModelError('badRequest', 'does not support tools', 'x');
    const last = request.messages.at(-1)?.content ?? '';
    if (last === 'Hi') yield* say('hello');
    else if (last.startsWith('Result of read_file')) yield* say('done');
    else yield* say('<tool_call>{"name": "read_file", "arguments": {"path": "a.md"}}</tool_call>');
  };
  await withBed({ steps: [step], files: { 'a.md': 'x' } }, async (bed) => {
    assert.deepEqual(await bed.session.send('Read a.md'), { kind: 'answered' });
    const last = bed.provider.requests.length - 1;
    assert.ok(bed.provider.drawn(last)[0]?.includes('# Calling tools'));
    assert.deepEqual(bed.provider.drawn(last).slice(1), [
      'user: Read a.md',
      'assistant: <tool_call>\n{"name": "read_file", "arguments": {"path":"a.md"}}\n</tool_call>',
      'user: Result of read_file:\na.md: 1 line\nx',
    ]);
  });
});

test('a prompt that the server cut is told, and told to be over', limit, async () => {
  const usage = (promptTokens: number): ChatDelta => ({
    type: 'usage',
    promptTokens,
    outputTokens: 5,
  });
  const steps = [
    [usage(300), ...say('short')],
    async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
      await sleep(0);
      const sent = JSON.stringify(request).length;
      yield usage(Math.round(sent / 3.6));
      yield* say('whole');
    },
  ];
  await withBed({ steps }, async (bed) => {
    await bed.session.send('one');
    const notice = bed.events.find((e) => e.type === 'notice');
    assert.equal(notice?.type === 'notice' && notice.notice.code, 'prompt-cut');
    assert.equal(notice?.type === 'notice' && notice.notice.lasting, true);
    await bed.session.send('two');
    assert.ok(bed.events.some((e) => e.type === 'noticeGone' && e.code === 'prompt-cut'));
  });
});
