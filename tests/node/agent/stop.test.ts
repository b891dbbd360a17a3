import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { Tool } from '../../../extension/agent/tool.ts';
import { ModelError, type ChatDelta } from '../../../extension/models/provider.ts';
import { until } from '../until.ts';
import { call, calls, say, withBed, type Bed, type BedOptions } from './support.ts';

const limit = { timeout: 60_000 };

/**
 * Stops as soon as `when` holds; the turn must end though what runs never does by itself. Gives what
 * the next turn sends, which must be a history that a server takes.
 */
async function stopped(
  options: BedOptions,
  when: (bed: Bed) => boolean,
): Promise<{
  readonly next: readonly string[];
  readonly lines: readonly string[];
  readonly types: readonly string[];
}> {
  const result = {
    next: [] as readonly string[],
    lines: [] as readonly string[],
    types: [] as readonly string[],
  };
  await withBed(options, async (bed) => {
    const turn = bed.session.send('go');
    await until(() => when(bed));
    bed.session.stop();
    assert.deepEqual(await turn, { kind: 'stopped' });
    const before = bed.provider.requests.length;
    result.lines = bed.lines();
    result.types = bed.events.map((e) => e.type);
    await bed.session.send('next');
    result.next = bed.provider.drawn(before).slice(1);
  });
  return result;
}

/** A model that never says another word, and takes no notice of the signal. */
async function* silent(...first: readonly ChatDelta[]): AsyncIterable<ChatDelta> {
  yield* first;
  await new Promise(() => undefined);
}

/** A tool that never ends, and takes no notice of the signal. */
const deaf: Tool = {
  name: 'deaf',
  description: 'd',
  parameters: '{"type":"object","properties":{}}',
  origin: { kind: 'skill' },
  parallel: true,
  readOnly: true,
  line: () => ({ icon: 'skill', verb: 'Loaded', object: 'deaf' }),
  subject: () => Promise.resolve({ kind: 'harmless' }),
  run: () => new Promise(() => undefined),
};

test('while the model has not answered', limit, async () => {
  const { next } = await stopped(
    { steps: [() => silent(), say('ok')] },
    (bed) => bed.provider.requests.length === 1,
  );
  assert.deepEqual(next, ['user: go\n\nnext']);
});

test('in the middle of an answer: what was said stays', limit, async () => {
  const steps = [() => silent({ type: 'text', text: 'Half an ans' }), say('ok')];
  const { next, types } = await stopped({ steps }, (bed) =>
    bed.events.some((e) => e.type === 'text'),
  );
  assert.deepEqual(next, ['user: go', 'assistant: Half an ans', 'user: next']);
  assert.ok(types.indexOf('textEnded') > 0 && types.at(-1) === 'turnEnded');
});

test(
  'an answer that breaks off in a call by text: the model has of it what the chat showed',
  limit,
  async () => {
    const breaks = async function* (): AsyncIterable<ChatDelta> {
      yield { type: 'text', text: 'I look.\n<tool_call>\n{"name": "list_dir", "argu' };
      await Promise.resolve();
      throw new ModelError('broken', 'It broke.', 'x');
    };
    await withBed({ steps: [breaks, say('ok')] }, async (bed) => {
      assert.equal((await bed.session.send('go')).kind, 'failed');
      const shown = bed.events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
      assert.equal(shown.trim(), 'I look.');
      await bed.session.send('next');
      assert.deepEqual(bed.provider.drawn(1).slice(1), [
        'user: go',
        'assistant: I look.',
        'user: next',
      ]);
    });
  },
);

test('a new chat in the middle of an answer holds nothing of the old one', limit, async () => {
  const steps = [() => silent({ type: 'text', text: 'Half an ans' }), say('ok')];
  await withBed({ steps }, async (bed) => {
    const turn = bed.session.send('go');
    await until(() => bed.events.some((e) => e.type === 'text'));
    void bed.session.send('queued for the old one');
    await bed.session.reset();
    assert.deepEqual(await turn, { kind: 'stopped' });
    assert.equal(bed.events.at(-2)?.type, 'turnEnded');
    assert.deepEqual(bed.events.at(-1), { type: 'queue', messages: [] });
    await bed.session.send('new');
    assert.deepEqual(bed.provider.drawn(1).slice(1), ['user: new']);
  });
});

test('in the middle of a call: it never runs', limit, async () => {
  const half: ChatDelta = {
    type: 'toolCall',
    index: 0,
    id: 'a',
    name: 'write_file',
    arguments: '{"path": "a", "content": "x"}',
  };
  const steps = [() => silent(half, { type: 'thinking', text: 'x' }), say('ok')];
  const { next } = await stopped({ steps }, (bed) => bed.events.some((e) => e.type === 'thinking'));
  assert.deepEqual(next, ['user: go\n\nnext']);
});

test('while tools run: every call keeps a result', limit, async () => {
  const steps = [
    calls(['glob', { pattern: '*' }], ['deaf', {}], ['deaf', {}], ['list_dir', {}]),
    say('ok'),
  ];
  const { next, lines } = await stopped(
    { steps, parts: { tools: [deaf] } },
    (bed) =>
      bed.lines().filter((line) => / (?:running|done)$/u.test(line)).length === 4 &&
      bed.lines().includes('Searched *: done'),
  );
  assert.ok(next[5]?.startsWith('tool: '));
  assert.deepEqual(next.slice(1), [
    'assistant: [glob {"pattern":"*"}][deaf {}][deaf {}][list_dir {}]',
    'tool: No file matches.',
    'tool: Stopped by the user before it ended.',
    'tool: Stopped by the user before it ended.',
    next[5] ?? '',
    'user: next',
  ]);
  assert.ok(lines.every((line) => !line.endsWith('running')));
});

test('while a card waits: it is denied, and nothing runs', limit, async () => {
  const steps = [call('run_command', { command: 'echo x > made' }), say('ok')];
  const options: BedOptions = {
    steps,
    settings: { permissionMode: 'ask' },
    answers: [() => new Promise(() => undefined)],
  };
  const { next, types, lines } = await stopped(options, (bed) => bed.cards.length === 1);
  assert.equal(next.at(-2), 'tool: Stopped by the user before it ended.');
  assert.ok(types.includes('answered'));
  assert.deepEqual(lines, ['Ran echo x > made: stopped']);
});

test('while a contributor prepares', limit, async () => {
  const deafContributor = {
    prepare: () => new Promise<never>(() => undefined),
    takeRebuild: () => false,
    forgotten: () => undefined,
    dispose: () => Promise.resolve(),
  };
  await withBed({ steps: [say('ok')], contributors: [deafContributor] }, async (bed) => {
    const turn = bed.session.send('go');
    await sleep(50);
    bed.session.stop();
    assert.deepEqual(await turn, { kind: 'stopped' });
    assert.equal(bed.provider.requests.length, 0);
  });
});

test('what is queued stays, and is taken up by the next turn', limit, async () => {
  await withBed({ steps: [() => silent(), say('ok')] }, async (bed) => {
    const turn = bed.session.send('go');
    await until(() => bed.provider.requests.length > 0);
    const queued = bed.session.send('queued');
    bed.session.stop();
    assert.deepEqual(await turn, { kind: 'stopped' });
    assert.deepEqual(await queued, { kind: 'stopped' });
    await bed.session.send('next');
    assert.deepEqual(bed.provider.drawn(1).slice(1), ['user: go\n\nnext\n\nqueued']);
  });
});

test('a stop without a turn does nothing', limit, async () => {
  await withBed({ steps: [say('ok')] }, async (bed) => {
    bed.session.stop();
    assert.deepEqual(await bed.session.send('go'), { kind: 'answered' });
  });
});

test('while the model server is still looked for', limit, async () => {
  const { next, types } = await stopped(
    {
      steps: [say('ok')],
      found: (turn) => (turn === 1 ? new Promise(() => undefined) : Promise.resolve()),
    },
    (bed) => bed.events.some((e) => e.type === 'phase'),
  );
  // The message stood in the chat before the server was found.
  assert.deepEqual(types.slice(0, 2), ['turnStarted', 'phase']);
  assert.deepEqual(next, ['user: go\n\nnext']);
});
