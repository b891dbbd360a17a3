/** The transcript's events, one after the other, against what the chat shows afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Line, Notice, RunEvent, TurnSummary } from '../../../extension/agent/events.ts';
import { rows } from '../../../extension/chat/runs.ts';
import {
  after,
  emptyTranscript,
  running,
  shown,
  waitingCards,
  type ChatEvent,
  type Transcript,
} from '../../../extension/chat/transcript.ts';
import type { Card, CardKind } from '../../../extension/core.ts';
import { OUTPUT_INLINE_UNITS } from '../../../extension/limits.ts';

const start: RunEvent = { type: 'turnStarted', turn: 't1', text: 'Do it', model: 'm', mode: 'ask' };
const summary: TurnSummary = {
  seconds: 1,
  steps: 1,
  promptTokens: 1,
  outputTokens: 1,
  changes: [],
};
const end: RunEvent = { type: 'turnEnded', turn: 't1', end: { kind: 'answered' }, summary };

const line = (
  id: string,
  state: Line['state'],
  icon: Line['icon'] = 'read',
  more: Partial<Line> = {},
): RunEvent => ({
  type: 'line',
  line: {
    id,
    icon,
    verb: 'Read',
    object: id,
    state,
    measure: '',
    output: null,
    allowedBy: '',
    ...more,
  },
});

const card = (id: string, kind: CardKind): RunEvent => ({
  type: 'card',
  id,
  number: 1,
  of: 1,
  card: {
    kind,
    about: [],
    question: [],
    sentence: [],
    changed: null,
    flags: [],
    panes: [],
    form: [],
    facts: [],
    actions: [],
    footnote: [],
  } satisfies Card,
});

const notice = (code: string, lasting: boolean): RunEvent => ({
  type: 'notice',
  notice: {
    code,
    severity: 'info',
    fact: code,
    cause: '',
    remedy: '',
    lasting,
    actions: [],
  } satisfies Notice,
});

/** Events a second apart. */
function made(
  ...events: readonly (RunEvent | Extract<ChatEvent, { type: 'undone' }>)[]
): Transcript {
  return events.reduce(
    (transcript, event, index) =>
      after(transcript, event.type === 'undone' ? event : shown(event).event, index * 1000),
    emptyTranscript,
  );
}

/** Items of the last turn in short. */
function items(transcript: Transcript): readonly string[] {
  return (transcript.turns.at(-1)?.items ?? []).map((item) => {
    switch (item.kind) {
      case 'text':
        return `text ${item.text}${item.streaming ? '…' : ''}`;
      case 'thought':
        return `thought ${item.text} ${item.seconds}`;
      case 'line':
        return `line ${item.id} ${item.line.state} ${item.progress} ${item.seconds} s`;
      case 'card':
        return `card ${item.id} ${item.answer?.answer ?? 'waits'}`;
      case 'message':
        return `message ${item.text}`;
      case 'notice':
        return `notice ${item.notice.code}`;
    }
  });
}

function check(name: string, events: readonly RunEvent[], expected: readonly string[]): void {
  test(name, () => assert.deepEqual(items(made(...events)), expected));
}

check(
  'deltas grow one text until it ends',
  [
    start,
    { type: 'text', id: 'a', delta: 'One ' },
    { type: 'text', id: 'a', delta: 'two' },
    { type: 'textEnded', id: 'a' },
    { type: 'text', id: 'b', delta: 'Three' },
  ],
  ['text One two', 'text Three…'],
);
check(
  'a thought has its seconds once it ended',
  [
    start,
    { type: 'thinking', id: 'h', delta: 'Hm' },
    { type: 'thinkingEnded', id: 'h', seconds: 6 },
  ],
  ['thought Hm 6'],
);
check(
  'a line is replaced by its later state; progress shows only while it runs',
  [start, line('r', 'running'), { type: 'progress', id: 'r', text: '3 of 8' }, line('r', 'done')],
  ['line r done  2 s'],
);
check(
  'progress shows while it runs',
  [start, line('r', 'running'), { type: 'progress', id: 'r', text: '3 of 8' }],
  ['line r running 3 of 8 0 s'],
);
check(
  'a card about a call leaves the line of the call',
  [
    start,
    card('c', 'command'),
    { type: 'answered', id: 'c', answer: { answer: 'deny' } },
    line('m', 'denied'),
  ],
  ['line m denied  0 s'],
);
for (const kind of ['server', 'skill', 'drift', 'host', 'repeat'] as const) {
  check(
    `a card about a ${kind} leaves a line of its own`,
    [start, card('c', kind), { type: 'answered', id: 'c', answer: { answer: 'allow' } }],
    ['card c allow'],
  );
}
check(
  'a message taken up stands where it was taken up',
  [
    start,
    { type: 'text', id: 'a', delta: 'One' },
    { type: 'textEnded', id: 'a' },
    { type: 'message', id: 'q', text: 'Also' },
  ],
  ['text One', 'message Also'],
);
check(
  'nothing goes on after a turn ended: no caret, no spinner, no waiting card',
  [
    start,
    { type: 'thinking', id: 'h', delta: 'Hm' },
    { type: 'text', id: 'a', delta: 'One' },
    line('r', 'running'),
    card('c', 'command'),
    { type: 'turnEnded', turn: 't1', end: { kind: 'stopped' }, summary },
  ],
  ['thought Hm 0', 'text One', 'line r stopped  0 s'],
);
check(
  'a dismissed notice is gone',
  [start, notice('a', false), notice('b', false), { type: 'noticeGone', code: 'a' }],
  ['notice b'],
);
check(
  'an event about something unknown changes nothing',
  [
    start,
    { type: 'answered', id: 'nobody', answer: { answer: 'allow' } },
    { type: 'progress', id: 'nobody', text: 'x' },
    { type: 'textEnded', id: 'nobody' },
  ],
  [],
);

test('no two notices share an id, whatever was dismissed between them', () => {
  const transcript = made(
    start,
    notice('b', false),
    notice('a', false),
    { type: 'noticeGone', code: 'b' },
    notice('a', false),
  );
  const ids = transcript.turns.flatMap((turn) => turn.items).map(({ id }) => id);
  assert.equal(new Set(ids).size, 2);
});

test('the same id of another kind is another item', () => {
  const transcript = made(
    start,
    { type: 'text', id: '1', delta: 'a' },
    { type: 'thinking', id: '1', delta: 'b' },
    line('1', 'done'),
  );
  assert.deepEqual(items(transcript), ['text a…', 'thought b null', 'line 1 done  0 s']);
});

test('lasting notices of one code replace each other, in the dock', () => {
  const transcript = made(start, notice('cut', true), notice('slow', true), notice('cut', true));
  assert.deepEqual(
    transcript.lasting.map(({ code }) => code),
    ['slow', 'cut'],
  );
  assert.deepEqual(items(transcript), []);
  assert.deepEqual(after(transcript, { type: 'noticeGone', code: 'cut' }, 0).lasting.length, 1);
});

test('cards wait in and out of a turn, oldest first, and not after its end', () => {
  assert.deepEqual(
    waitingCards(made(card('a', 'server'), start, card('b', 'call'))).map(({ id }) => id),
    ['a', 'b'],
  );
  assert.deepEqual(waitingCards(made(start, card('b', 'call'), end)), []);
});

test('a turn runs from its first event to its last', () => {
  assert.equal(running(emptyTranscript), false);
  assert.equal(running(made(start)), true);
  assert.equal(running(made(start, end)), false);
  assert.equal(running(made(notice('a', false))), false);
});

test('a phase keeps its start while it stays the same', () => {
  const transcript = made(
    start,
    { type: 'phase', phase: { kind: 'runningTools', count: 1 } },
    { type: 'phase', phase: { kind: 'runningTools', count: 2 } },
  );
  assert.deepEqual(transcript.phase, { phase: { kind: 'runningTools', count: 2 }, since: 1000 });
  assert.equal(made(start, { type: 'phase', phase: { kind: 'writing' } }, end).phase, null);
});

test('what did not change stays the same object', () => {
  const before = made(start, { type: 'text', id: 'a', delta: 'One' }, end, {
    ...start,
    turn: 't2',
  });
  const next = after(before, { type: 'text', id: 'b', delta: 'Two' }, 0);
  assert.equal(next.turns[0], before.turns[0]);
  assert.notEqual(next.turns[1], before.turns[1]);
  assert.equal(after(before, { type: 'noticeGone', code: 'none' }, 0).turns, before.turns);
});

test('undoing is said on its turn', () => {
  assert.equal(
    made(start, end, { type: 'undone', turn: 't1', note: '2 files put back.' }).turns[0]?.undone,
    '2 files put back.',
  );
});

test('a long output stays with the host, a short one travels', () => {
  const of = (text: string) =>
    shown(line('m', 'done', 'command', { output: { kind: 'text', text } }));
  const short = of('x'.repeat(OUTPUT_INLINE_UNITS));
  assert.equal(short.output, null);
  assert.ok(short.event.type === 'line');
  assert.equal(short.event.line.output?.text?.length, OUTPUT_INLINE_UNITS);
  const long = of('x'.repeat(OUTPUT_INLINE_UNITS + 1));
  assert.deepEqual(long.output, {
    kind: 'text',
    length: OUTPUT_INLINE_UNITS + 1,
    text: 'x'.repeat(OUTPUT_INLINE_UNITS + 1),
  });
  assert.ok(long.event.type === 'line');
  assert.deepEqual(long.event.line.output, {
    kind: 'text',
    length: OUTPUT_INLINE_UNITS + 1,
    text: null,
  });
});

test('runs of reads and searches fold; edits, commands, calls and failures do not', () => {
  const transcript = made(
    start,
    line('a', 'done'),
    line('b', 'done', 'search'),
    line('c', 'done'),
    line('d', 'failed'),
    line('e', 'done'),
    line('f', 'done', 'edit'),
    line('g', 'done', 'server'),
    line('h', 'running'),
  );
  const folded = rows(transcript.turns[0]?.items ?? []).map((row) =>
    row.kind === 'run' ? `${row.id}: ${row.reads} reads, ${row.searches} searches` : row.id,
  );
  assert.deepEqual(folded, [
    'run-a: 2 reads, 1 searches',
    'line-d',
    'line-e',
    'line-f',
    'line-g',
    'line-h',
  ]);
});
