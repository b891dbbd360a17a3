import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Line, Notice, RunEvent, TurnEnd } from '../../extension/agent/events.ts';
import { Drawing, seconds } from '../../extension/cli/draw.ts';
import { eventLine } from '../../extension/cli/event-line.ts';
import { createScreen } from '../../extension/cli/screen.ts';
import { createCore } from '../../extension/core.ts';
import { PROGRESS_MS } from '../../extension/limits.ts';

const core = createCore();

/** A stream that keeps what is written, as a terminal or not. */
function stream(kept: string[], isTTY: boolean): NodeJS.WriteStream {
  const fake = { isTTY, columns: 60, write: (text: string) => kept.push(text) > 0 };
  return fake as unknown as NodeJS.WriteStream;
}

type Timed = RunEvent | { readonly type: 'wait'; readonly ms: number };

function draw(events: readonly Timed[], terminal: boolean): { out: string; err: string } {
  const out: string[] = [];
  const err: string[] = [];
  let now = 0;
  const drawing = new Drawing({
    screen: createScreen(
      { out: stream(out, terminal), err: stream(err, terminal) },
      'auto',
      { LC_ALL: 'C.UTF-8' },
      'linux',
    ),
    visible: (text) => core.visibleText(text),
    folder: '/work',
    now: () => now,
    outputLines: 2,
  });
  for (const event of events) {
    if (event.type === 'wait') now += event.ms;
    else drawing.handle(event);
  }
  drawing.close();
  return { out: out.join(''), err: err.join('') };
}

function check(
  title: string,
  events: readonly Timed[],
  expected: { readonly out?: string; readonly err: string },
): void {
  test(title, () => {
    assert.deepEqual(draw(events, false), { out: expected.out ?? '', err: expected.err });
  });
}

function line(more: Partial<Line>): RunEvent {
  return {
    type: 'line',
    line: {
      id: '1',
      icon: 'server',
      verb: 'Called',
      object: 'tracker search_issues',
      state: 'done',
      measure: '',
      output: null,
      allowedBy: '',
      ...more,
    },
  };
}

const read = (object: string) => line({ icon: 'read', verb: 'Read', object });
const search = (object: string) => line({ icon: 'search', verb: 'Searched', object });
const text = (delta: string): RunEvent => ({ type: 'text', id: 't', delta });
const textEnded: RunEvent = { type: 'textEnded', id: 't' };

function ended(end: TurnEnd, changes: readonly [string, number, number, string][] = []): RunEvent {
  return {
    type: 'turnEnded',
    turn: '1',
    end,
    summary: {
      seconds: 72,
      steps: 3,
      promptTokens: 1,
      outputTokens: 1,
      changes: changes.map(([path, added, removed, by]) => ({ path, added, removed, by })),
    },
  };
}

const notice: Notice = {
  code: 'held-back',
  severity: 'warning',
  fact: 'tracker create_issue waits for your review:',
  cause: 'its description changed.',
  remedy: 'See it: gbs mcp approve tracker',
  lasting: false,
  actions: [],
};

check(
  'what it did by itself, folded where it read and searched',
  [
    { type: 'thinkingEnded', id: 'h', seconds: 6.2 },
    line({
      icon: 'skill',
      verb: 'Loaded skill',
      object: 'http-conventions',
      measure: 'part 1 of 2',
    }),
    read('a.ts'),
    search('retry'),
    read('b.ts'),
    read('c.ts'),
    search('back-off'),
    line({ measure: '0.8 s', output: { kind: 'text', text: 'one\ntwo\nthree\nfour\n' } }),
    read('d.ts'),
    textEnded,
  ],
  {
    err: `- Thought 6.2 s
- Loaded skill http-conventions part 1 of 2
- Read 3 files, searched twice
- Called tracker search_issues 0.8 s
  one
  two
  and 2 lines more
- Read d.ts
`,
  },
);
check(
  'what was allowed, what failed, what was denied, what was stopped',
  [
    line({
      icon: 'edit',
      verb: 'Edited',
      object: 'src/a.ts',
      measure: '+5 −2',
      allowedBy: 'Allowed by you',
    }),
    line({
      icon: 'command',
      verb: 'Ran',
      object: 'npm test',
      state: 'failed',
      measure: 'exit code 1',
      output: { kind: 'text', text: 'not ok 3\u001b[31m' },
      allowedBy: 'Allowed by you',
    }),
    line({ icon: 'command', verb: 'Ran', object: 'rm -rf /\nls', state: 'denied' }),
    line({ state: 'stopped' }),
    line({ icon: 'read', verb: 'Read', object: '.env', allowedBy: 'Allowed by you' }),
  ],
  {
    err: `ok Edited src/a.ts +5 −2
x Ran npm test exit code 1
  not ok 3\\u{1b}[31m
x Denied rm -rf / ls
x Stopped tracker search_issues
ok Read .env
`,
  },
);
check(
  'the answer on stdout; only what moves the cursor is made visible',
  [text('Sm'), text('ile ☺️ 👩‍👩‍👧\r\n'), text('\u001b[2J\u0007a\u202eb'), textEnded, read('a.ts')],
  { out: 'Smile ☺️ 👩‍👩‍👧\n\\u{1b}[2J\\u{7}a\\u{202e}b\n', err: '- Read a.ts\n' },
);
check(
  'phases, at most one line in ten seconds',
  [
    { type: 'phase', phase: { kind: 'preparing' } },
    { type: 'phase', phase: { kind: 'startingServers', names: ['a', 'b\u0007'] } },
    { type: 'phase', phase: { kind: 'waitingForModel' } },
    { type: 'wait', ms: PROGRESS_MS },
    { type: 'phase', phase: { kind: 'runningTools', count: 2 } },
    { type: 'phase', phase: { kind: 'waitingForYou' } },
    { type: 'wait', ms: PROGRESS_MS },
    { type: 'phase', phase: { kind: 'retrying', reason: 'h:1 is busy.', seconds: 2 } },
  ],
  { err: '- Starting a, b\\u{7}\n- Running 2 calls\n- h:1 is busy. Trying again in 2.0 s\n' },
);
check('a notice: fact, cause, remedy', [{ type: 'notice', notice }], {
  err: `! tracker create_issue waits for your review: its description changed.
  See it: gbs mcp approve tracker
`,
});
check(
  'the end with what changed',
  [
    ended({ kind: 'answered' }, [
      ['/work/src/http/retry.ts', 31, 4, ''],
      ['/work/new.ts', 58, 0, ''],
      ['/work/old.ts', 0, 7, ''],
      ['/elsewhere/x', 4, 6, 'changed by npm test'],
    ]),
  ],
  {
    err: `
Done. 4 files changed +93 -17  1 m 12 s
  src/http/retry.ts   +31 -4
  new.ts              +58
  old.ts              -7
  /elsewhere/x        +4 -6  changed by npm test
`,
  },
);
check('the end at the step limit', [ended({ kind: 'stepLimit', steps: 3 })], {
  err: `
Stopped at the step limit. 3 steps  1 m 12 s
  ! More steps: --set maxSteps=60
`,
});
check(
  'the end by a failure',
  [text('half'), ended({ kind: 'failed', notice: { ...notice, severity: 'error' } })],
  {
    out: 'half\n',
    err: `x tracker create_issue waits for your review: its description changed.
  See it: gbs mcp approve tracker

Failed. 3 steps  1 m 12 s
`,
  },
);

test('on a terminal the phase is one line that is taken away', () => {
  const { out, err } = draw(
    [
      { type: 'rate', tokensPerSecond: 38.2 },
      { type: 'phase', phase: { kind: 'waitingForModel' } },
      text('Yes'),
      textEnded,
      line({ allowedBy: 'Allowed by you', measure: '0.4 s' }),
    ],
    true,
  );
  assert.equal(out, 'Yes\n');
  assert.equal(
    err,
    '\r\x1b[K\x1b[36m⠋\x1b[39m Waiting for the model \x1b[2m0 s, 38 tok/s, Ctrl+C stops\x1b[22m' +
      '\r\x1b[K' +
      '\n\n' +
      '\x1b[32m✓\x1b[39m Called tracker search_issues \x1b[2m0.4 s\x1b[22m\n',
  );
});

test('durations as people say them', () => {
  assert.deepEqual([0.04, 0.44, 9.94, 9.96, 59.4, 59.6, 72, 3601].map(seconds), [
    '0.0 s',
    '0.4 s',
    '9.9 s',
    '10 s',
    '59 s',
    '1 m 0 s',
    '1 m 12 s',
    '60 m 1 s',
  ]);
});

test('recorded events keep no secret', () => {
  const secret = { kind: 'secret', text: '--key=hunter2', masked: '--key=••••••••' } as const;
  const event: RunEvent = {
    type: 'card',
    id: '1',
    number: 1,
    of: 1,
    card: {
      kind: 'server',
      about: ['a'],
      question: [],
      sentence: [],
      changed: null,
      flags: [],
      panes: [{ title: '', measure: '', kind: 'command', content: [secret], editable: false }],
      form: [],
      facts: [{ term: 'Key', value: [secret] }],
      actions: [],
      footnote: [],
    },
  };
  const recorded = eventLine(event);
  assert.ok(!recorded.includes('hunter2'));
  assert.equal(recorded.split('••••••••').length - 1, 4);
});
