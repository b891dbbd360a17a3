import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { Contribution, Contributor, Workspace } from '../../../extension/agent/contributor.ts';
import type { Tool } from '../../../extension/agent/tool.ts';
import { REPEATS_ASKED, REPEATS_NOTED } from '../../../extension/limits.ts';
import type { ChatDelta, ChatRequest } from '../../../extension/models/provider.ts';
import { call, calls, say, withBed, type Bed } from './support.ts';
import { until } from '../until.ts';

const limit = { timeout: 60_000 };

test('an answer without a call ends the turn', limit, async () => {
  await withBed({ steps: [say('Hello.')] }, async ({ session, events, provider }) => {
    assert.deepEqual(await session.send('Hi'), { kind: 'answered' });
    assert.deepEqual(
      events.map((e) => e.type),
      ['turnStarted', 'phase', 'context', 'phase', 'phase', 'text', 'textEnded', 'turnEnded'],
    );
    assert.deepEqual(provider.drawn(0).slice(1), ['user: Hi']);
  });
});

test('a call runs, its result goes back, and the model answers', limit, async () => {
  const steps = [call('read_file', { path: 'a.md' }), say('It says hello.')];
  await withBed({ files: { 'a.md': 'hello\n' }, steps }, async (bed) => {
    assert.deepEqual(await bed.session.send('What does a.md say?'), { kind: 'answered' });
    assert.deepEqual(bed.lines(), ['Read a.md: done']);
    assert.deepEqual(bed.provider.drawn(1).slice(1), [
      'user: What does a.md say?',
      'assistant: [read_file {"path":"a.md"}]',
      'tool: a.md: 1 line\nhello',
    ]);
    assert.equal(bed.cards.length, 0);
  });
});

/** Runs one call and gives what the model gets back. */
async function answerTo(
  step: readonly ChatDelta[],
  more: Partial<Parameters<typeof withBed>[0]> = {},
  look: (bed: Bed) => void | Promise<void> = () => undefined,
): Promise<string> {
  const given = { text: '' };
  await withBed(
    { files: { 'a.md': 'hello\n' }, steps: [step, say('ok')], ...more },
    async (bed) => {
      await bed.session.send('go');
      given.text = bed.provider.drawn(1).at(-1) ?? '';
      await look(bed);
    },
  );
  return given.text;
}

test('checks come in order: name, JSON, required, permission', limit, async () => {
  assert.match(
    await answerTo(call('open_browser', {})),
    /^tool: There is no tool open_browser\. /u,
  );
  assert.match(
    await answerTo(call('read_file', '[1]')),
    /^tool: The arguments are not JSON \(not a JSON object\)/u,
  );
  assert.equal(
    await answerTo(call('read_file', {})),
    'tool: The call lacks path. Call again with it.',
  );
  assert.match(
    await answerTo(call('read_file', { path: '../x' })),
    /^tool: \.\.\/x is outside the workspace folders\./u,
  );
  const ask = { settings: { permissionMode: 'ask' as const } };
  assert.equal(
    await answerTo(call('run_command', { command: 'echo hi' }), {
      ...ask,
      answers: [{ answer: 'deny', reason: 'use the fixtures' }],
    }),
    'tool: The user denied this call. Their reason: use the fixtures. Do not try it again; find another way or ask.',
  );
});

test('a made-up name goes back in a form that servers take', limit, async () => {
  await answerTo(call('open the browser!', { a: 1 }), {}, ({ provider }) => {
    const [sent] = provider.requests[1]?.messages.filter((m) => m.role === 'assistant') ?? [];
    assert.deepEqual(
      sent?.role === 'assistant' ? sent.toolCalls.map((c) => [c.name, c.arguments]) : [],
      [['open_the_browser_', '{"a":1}']],
    );
  });
});

test('a name that only one tool fits is matched', limit, async () => {
  for (const name of [
    ' read_file',
    'Read_File',
    'READ FILE'.replace(' ', '_'),
    'functions.read_file',
  ]) {
    assert.equal(await answerTo(call(name, { path: 'a.md' })), 'tool: a.md: 1 line\nhello', name);
  }
});

test('arguments: repaired, and never finished when they were cut off', limit, async () => {
  assert.equal(await answerTo(call('read_file', "{'path': 'a.md',}")), 'tool: a.md: 1 line\nhello');
  assert.equal(
    await answerTo(call('read_file', '```json\n{"path": "a.md"}\n```')),
    'tool: a.md: 1 line\nhello',
  );
  const cut = await answerTo(call('run_command', '{"command": "rm -rf bu'));
  assert.match(cut, /^tool: This call was cut off before its end and was not run\./u);
  // The card shows what was repaired.
  await answerTo(
    call('run_command', "{'command': 'echo hi'}"),
    { settings: { permissionMode: 'acceptEdits' }, answers: [{ answer: 'allow' }] },
    ({ cards }) => {
      assert.deepEqual(
        cards[0]?.flags.map((f) => f.code),
        ['repaired'],
      );
      assert.equal(cards[0]?.panes[1]?.title, 'What the model wrote');
    },
  );
});

test('a call in the text counts where the reply has none', limit, async () => {
  const json = '{"name": "read_file", "arguments": {"path": "a.md"}}';
  for (const text of [
    json,
    '```json\n' + json + '\n```',
    `<tool_call>${json}</tool_call>`,
    `<think>hm\n${json}</think>`,
  ]) {
    assert.equal(await answerTo(say(text)), 'tool: a.md: 1 line\nhello', text);
  }
  await withBed(
    { steps: [say(`Look:\n\`\`\`json\n${json}\n\`\`\`\nThat is a call.`)] },
    async (bed) => {
      assert.deepEqual(await bed.session.send('go'), { kind: 'answered' });
      assert.equal(bed.provider.requests.length, 1);
    },
  );
});

test('a call in the text is not shown as an answer, and nothing else is lost', limit, async () => {
  const json = '{"name": "read_file", "arguments": {"path": "a.md"}}';
  const shown = async (text: string): Promise<string> => {
    const pieces = [...text].map((c): ChatDelta => ({ type: 'text', text: c }));
    let drawn = '';
    await withBed(
      { files: { 'a.md': 'x' }, steps: [[...pieces, { type: 'end', reason: 'stop' }], say('')] },
      async (bed) => {
        await bed.session.send('go');
        drawn = bed.events.map((e) => (e.type === 'text' ? e.delta : '')).join('');
      },
    );
    return drawn;
  };
  assert.equal(await shown(`I look.\n<tool_call>${json}</tool_call>`), 'I look.\n');
  assert.equal(await shown(`I look.\n\`\`\`json\n${json}\n\`\`\``), 'I look.\n');
  for (const text of [
    `Like this:\n\`\`\`json\n${json}\n\`\`\`\nDone.`,
    'a <b> [c] `d` {e}\n{ f }\n[g]\n```ts\nlet x = {};\n```\nEnd [TOOL',
    '```json\n{"version": 1}\n```\n',
    '[1, 2]',
    '<tool',
  ]) {
    assert.equal(await shown(text), text);
  }
});

test('thoughts are shown folded and never sent back', limit, async () => {
  const steps = [say('<think>I must look.</think>\nI will look.'), say('again')];
  await withBed({ steps }, async (bed) => {
    await bed.session.send('one');
    await bed.session.send('two');
    const thought = bed.events.map((e) => (e.type === 'thinking' ? e.delta : '')).join('');
    assert.equal(thought, 'I must look.');
    assert.deepEqual(bed.provider.drawn(1).slice(1), [
      'user: one',
      'assistant: I will look.',
      'user: two',
    ]);
  });
});

test('an empty answer is asked for again, three times at most', limit, async () => {
  await withBed({ steps: [say(''), say('There.')] }, async (bed) => {
    assert.deepEqual(await bed.session.send('go'), { kind: 'answered' });
    assert.match(bed.provider.drawn(1).at(-1) ?? '', /Your last answer was empty/u);
  });
  await withBed({ steps: [say('')] }, async (bed) => {
    const end = await bed.session.send('go');
    assert.equal(end.kind === 'failed' ? end.notice.code : end.kind, 'empty-answer');
    assert.equal(bed.provider.requests.length, 3);
  });
});

test('safe calls run side by side, results keep the order of the calls', limit, async () => {
  const seen: string[] = [];
  /** Ends once `after` has ended: side by side a later call can end before an earlier one. */
  const slow = (name: string, parallel: boolean, after = ''): Tool => ({
    name,
    description: name,
    parameters: '{"type":"object","properties":{}}',
    origin: { kind: 'skill' },
    parallel,
    readOnly: true,
    line: () => ({ icon: 'skill', verb: 'Loaded', object: name }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: async () => {
      seen.push(`${name} starts`);
      if (after !== '') await until(() => seen.includes(`${after} ends`));
      seen.push(`${name} ends`);
      return { text: name, isError: false };
    },
  });
  const tools = [slow('a', true, 'b'), slow('b', true), slow('c', false), slow('d', true)];
  const steps = [calls(['a', {}], ['b', {}], ['c', {}], ['d', {}]), say('ok')];
  await withBed({ steps, parts: { tools } }, async (bed) => {
    await bed.session.send('go');
    // Which of the two starts first is left to what each has to look up before.
    assert.deepEqual(seen.slice(0, 4).sort(), ['a ends', 'a starts', 'b ends', 'b starts']);
    assert.ok(seen.indexOf('b ends') < seen.indexOf('a ends'), seen.join(', '));
    assert.deepEqual(seen.slice(4), ['c starts', 'c ends', 'd starts', 'd ends']);
    assert.deepEqual(bed.provider.drawn(1).slice(-4), ['tool: a', 'tool: b', 'tool: c', 'tool: d']);
  });
});

test('a message typed meanwhile is taken up at the next step', limit, async () => {
  const bedded: { bed?: Bed } = {};
  let second: Promise<unknown> = Promise.resolve();
  const steps = [
    async function* (): AsyncIterable<ChatDelta> {
      second = bedded.bed?.session.send('And b.md.') ?? second;
      await sleep(1);
      yield* call('read_file', { path: 'a.md' });
    },
    say('ok'),
  ];
  await withBed({ files: { 'a.md': 'x' }, steps }, async (bed) => {
    bedded.bed = bed;
    const end = await bed.session.send('Read a.md.');
    assert.equal(await second, end);
    assert.equal(bed.provider.drawn(1).at(-1), 'user: And b.md.');
    assert.deepEqual(
      bed.events.flatMap((e) =>
        e.type === 'queue' ? [`${e.messages.length} wait`] : e.type === 'message' ? [e.text] : [],
      ),
      ['1 wait', '0 wait', 'And b.md.'],
    );
  });
});

test('a queued message can be changed and removed', limit, async () => {
  const bedded: { bed?: Bed } = {};
  const steps = [
    async function* (): AsyncIterable<ChatDelta> {
      const session = bedded.bed?.session;
      void session?.send('one');
      void session?.send('two');
      const queue = bedded.bed?.events.findLast((e) => e.type === 'queue');
      const [one, two] = queue?.type === 'queue' ? queue.messages : [];
      assert.equal(session?.editQueued(one?.id ?? '', 'uno'), true);
      assert.equal(session?.editQueued(two?.id ?? '', null), true);
      assert.equal(session?.editQueued('none', null), false);
      await sleep(1);
      yield* say('first');
    },
    say('second'),
  ];
  await withBed({ steps }, async (bed) => {
    bedded.bed = bed;
    await bed.session.send('go');
    assert.deepEqual(bed.provider.drawn(1).slice(1), ['user: go', 'assistant: first', 'user: uno']);
  });
});

test('the same call with the same result gets a note, then asks', limit, async () => {
  const steps = [call('read_file', { path: 'a.md' })];
  const answers = [{ answer: 'deny' as const }];
  await withBed({ files: { 'a.md': 'x' }, steps, answers }, async (bed) => {
    assert.deepEqual(await bed.session.send('go'), { kind: 'stopped' });
    assert.equal(bed.provider.requests.length, REPEATS_ASKED);
    const results = bed.provider.drawn(REPEATS_ASKED - 1).filter((m) => m.startsWith('tool:'));
    assert.equal(results.findIndex((m) => m.includes('[You made this call')) + 1, REPEATS_NOTED);
    assert.deepEqual(
      bed.cards.map((c) => c.kind),
      ['repeat'],
    );
  });
});

test('steps end at the limit', limit, async () => {
  let n = 0;
  const steps = [
    async function* (): AsyncIterable<ChatDelta> {
      yield* call('glob', { pattern: `*.${n++}` });
    },
  ];
  await withBed({ steps, settings: { maxSteps: 4 } }, async (bed) => {
    assert.deepEqual(await bed.session.send('go'), { kind: 'stepLimit', steps: 4 });
    assert.equal(bed.provider.requests.length, 4);
  });
});

/** A contributor that gives `contribution`, as often as `rebuilds` says. */
function contributor(
  contribution: Partial<Contribution>,
  more: Partial<Contributor> = {},
): Contributor {
  return {
    prepare: () =>
      Promise.resolve({ tools: [], catalogue: '', servers: [], hint: '', ...contribution }),
    takeRebuild: () => false,
    forgotten: () => undefined,
    dispose: () => Promise.resolve(),
    ...more,
  };
}

test('contributors with nothing to give change no byte of the request', limit, async () => {
  const request = async (contributors: readonly Contributor[]): Promise<string> => {
    let text = '';
    await withBed({ steps: [say('ok')], contributors }, async (bed) => {
      await bed.session.send('Hi');
      text = JSON.stringify(bed.provider.requests[0]).replaceAll(bed.folder, '/w');
    });
    return text;
  };
  assert.equal(
    await request([contributor({}), contributor({ instructions: [] })]),
    await request([]),
  );
});

test(
  'what contributors give reaches the request; a rebuild comes at the next step',
  limit,
  async () => {
    let rebuild = false;
    let catalogue = '# Skills\n- one: first';
    const skills = contributor(
      {},
      {
        prepare: () =>
          Promise.resolve({ tools: [], catalogue, servers: [], hint: '[The skill one fits.]' }),
        takeRebuild: () => {
          const now = rebuild;
          rebuild = false;
          return now;
        },
      },
    );
    const steps = [
      async function* (): AsyncIterable<ChatDelta> {
        catalogue = '# Skills\n- two: second';
        rebuild = true;
        yield* call('glob', { pattern: '*' });
      },
      call('glob', { pattern: '*.x' }),
      say('ok'),
    ];
    await withBed({ steps, contributors: [skills] }, async (bed) => {
      await bed.session.send('Hi');
      const system = bed.provider.requests.map((r: ChatRequest) => r.messages[0]?.content ?? '');
      assert.ok(system[0]?.includes('- one: first'));
      assert.ok(system[1]?.includes('- two: second'));
      assert.equal(system[1], system[2]);
      assert.equal(bed.provider.drawn(0)[1], 'user: [The skill one fits.]\n\nHi');
    });
  },
);

test('a contributor that fails is told and left out', limit, async () => {
  const broken = contributor({}, { prepare: () => Promise.reject(new Error('no such folder')) });
  await withBed({ steps: [say('ok')], contributors: [broken] }, async (bed) => {
    assert.deepEqual(await bed.session.send('Hi'), { kind: 'answered' });
    const told = bed.events.flatMap((e) => (e.type === 'notice' ? [e.notice.code] : []));
    assert.deepEqual(told, ['contribution-failed']);
  });
});

test('the system prompt and the tools stay small in a window of 4,096', limit, async () => {
  await withBed({ steps: [say('ok')] }, async (bed) => {
    bed.provider.window = 4_096;
    await bed.session.send('Hi');
    const context = bed.events.find((e) => e.type === 'context');
    assert.ok(context?.type === 'context');
    const { system, tools, window } = context.use;
    assert.equal(window, 4_096);
    assert.ok(system + tools < 1_500, `${system} + ${tools}`);
    assert.equal(bed.provider.requests[0]?.maxOutputTokens, 1_024);
    assert.equal(bed.provider.requests[0]?.tools.length, 9);
  });
});

test('the open file is named from its own workspace folder', limit, async () => {
  const check = async (
    folders: readonly string[],
    openFile: string,
    named: string,
  ): Promise<void> => {
    const workspace = (): Workspace => ({ folders, trusted: true, openFile });
    await withBed({ steps: [say('ok')], parts: { workspace } }, async (bed) => {
      await bed.session.send('Hi');
      assert.equal(bed.provider.drawn(0).at(-1), `user: [Open in the editor: ${named}]\n\nHi`);
    });
  };
  const root = tmpdir();
  await check([root], join(root, 'src', 'a.ts'), join('src', 'a.ts'));
  // The name of one folder begins as another's.
  const beside = join(`${root}-api`, 'a.ts');
  await check([root], beside, beside);
});

test('a new chat forgets the conversation and what was allowed', limit, async () => {
  const steps = [call('write_file', { path: 'a', content: 'x' }), say('one'), say('two')];
  const answers = [{ answer: 'allowSession' as const }];
  await withBed({ steps, settings: { permissionMode: 'ask' }, answers }, async (bed) => {
    await bed.session.send('first');
    await bed.session.reset();
    await bed.session.send('second');
    assert.deepEqual(bed.provider.drawn(2).slice(1), ['user: second']);
  });
});

test('compact sums up at once what is old', limit, async () => {
  const steps = [
    say('first answer'),
    say('second answer'),
    async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
      await sleep(0);
      assert.match(request.messages[0]?.content ?? '', /^Sum up/u);
      yield* say('They greeted.');
    },
    say('third answer'),
  ];
  await withBed({ steps }, async (bed) => {
    assert.equal(await bed.session.compact(), false, 'nothing to sum up');
    await bed.session.send('one');
    await bed.session.send('two');
    assert.equal(await bed.session.compact(), true);
    await bed.session.send('three');
    const [, first, ...rest] = bed.provider.drawn(3);
    assert.match(first ?? '', /^user: \[The chat so far, in short\]\nThey greeted\./u);
    assert.equal(rest.at(-1)?.endsWith('three'), true);
  });
});

test('what a queued message asks for stands before it', limit, async () => {
  const asked = contributor(
    { hint: '[Of the first.]' },
    {
      asked: (message) => Promise.resolve(message.startsWith('/') ? `[Of ${message}]` : ''),
    },
  );
  const broken = contributor({}, { asked: () => Promise.reject(new Error('no disk')) });
  const bedded: { bed?: Bed } = {};
  const steps = [
    async function* (): AsyncIterable<ChatDelta> {
      void bedded.bed?.session.send('/two please');
      void bedded.bed?.session.send('three');
      await sleep(1);
      yield* say('first');
    },
    say('second'),
  ];
  await withBed({ steps, contributors: [broken, asked] }, async (bed) => {
    bedded.bed = bed;
    await bed.session.send('one');
    assert.deepEqual(bed.provider.drawn(1).slice(1), [
      'user: [Of the first.]\n\none',
      'assistant: first',
      'user: [Of /two please]\n\n/two please\n\nthree',
    ]);
    assert.equal(bed.events.filter((e) => e.type === 'notice').length, 2, 'a failure is told');
  });
});
