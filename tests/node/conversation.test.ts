/** The chat as the host keeps it: increments, and everything again for a page that starts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../extension/agent/events.ts';
import { Conversation } from '../../extension/chat/conversation.ts';
import type { ToPage } from '../../extension/chat/protocol.ts';
import { after, emptyTranscript, type Transcript } from '../../extension/chat/transcript.ts';
import { OUTPUT_INLINE_UNITS } from '../../extension/limits.ts';

function start(): {
  conversation: Conversation;
  posted: ToPage[];
  frame: () => void;
} {
  const posted: ToPage[] = [];
  const waiting: (() => void)[] = [];
  let clock = 0;
  const conversation = new Conversation({
    now: () => (clock += 1),
    post: (message) => posted.push(message),
    soon: (send) => waiting.push(send),
    changed: () => undefined,
  });
  const frame = (): void => waiting.splice(0).forEach((send) => send());
  return { conversation, posted, frame };
}

const turn: RunEvent = { type: 'turnStarted', turn: 't', text: 'hi', model: 'm', mode: 'ask' };
const words = (delta: string): RunEvent => ({ type: 'text', id: '1', delta });
const line = (id: string, text: string): RunEvent => ({
  type: 'line',
  line: {
    id,
    icon: 'read',
    verb: 'Read',
    object: 'a',
    state: 'done',
    measure: '',
    allowedBy: '',
    output: { kind: 'text', text },
  },
});

/** The page's copy: it takes every event that was posted. */
function page(begin: Transcript, posted: readonly ToPage[]): Transcript {
  let transcript = begin;
  for (const message of posted) {
    if (message.type !== 'events') continue;
    for (const { at, event } of message.events) transcript = after(transcript, event, at);
  }
  return transcript;
}

test('a page that opens in the middle ends up with what the host has', () => {
  const { conversation, posted, frame } = start();
  conversation.emit(turn);
  conversation.emit(words('a'));
  const begin = conversation.open();
  conversation.emit(words('b'));
  conversation.emit(words('c'));
  frame();
  conversation.emit({ type: 'textEnded', id: '1' });
  frame();
  assert.deepEqual(page(begin, posted), conversation.transcript);
});

test('deltas of one text are posted as one, and nothing is posted to nobody', () => {
  const { conversation, posted, frame } = start();
  conversation.emit(turn);
  frame();
  assert.deepEqual(posted, []);
  conversation.open();
  for (const delta of ['a', 'b', 'c']) conversation.emit(words(delta));
  frame();
  assert.deepEqual(posted, [
    { type: 'events', events: [{ at: 2, event: { type: 'text', id: '1', delta: 'abc' } }] },
  ]);
  conversation.emit(words('d'));
  conversation.close();
  frame();
  assert.equal(posted.length, 1);
});

test('a page that opens again gets no event twice', () => {
  const { conversation, posted, frame } = start();
  conversation.emit(turn);
  conversation.open();
  conversation.emit(words('a'));
  const begin = conversation.open();
  frame();
  conversation.emit(words('b'));
  frame();
  assert.deepEqual(page(begin, posted), conversation.transcript);
});

test('a long output stays here and is given when asked for', () => {
  const { conversation } = start();
  const long = 'x'.repeat(OUTPUT_INLINE_UNITS + 1);
  conversation.emit(turn);
  conversation.emit(line('long', long));
  conversation.emit(line('short', 'y'));
  assert.deepEqual(conversation.output('long'), { kind: 'text', length: long.length, text: long });
  assert.equal(conversation.output('short'), null);
  conversation.load({
    transcript: emptyTranscript,
    outputs: new Map(),
    draft: { text: '', images: [] },
  });
  assert.equal(conversation.output('long'), null);
  assert.equal(conversation.transcript, emptyTranscript);
});

test('long outputs stay here and are searched here, whatever the case of the words', () => {
  const { conversation } = start();
  const long = (word: string): string => `${'hay '.repeat(OUTPUT_INLINE_UNITS)}${word}`;
  conversation.emit(turn);
  for (const [id, text] of [
    ['1', 'needle'],
    ['2', long('Needle')],
    ['3', long('nothing')],
    ['4', long('a needle')],
  ] as const) {
    conversation.emit(line(id, text));
  }
  const ids = (query: string, most: number): readonly [readonly string[], boolean] => {
    const { outputs, more } = conversation.outputsWith(query, most);
    return [outputs.map(({ id }) => id), more];
  };
  assert.deepEqual(ids('NEEDLE', 2), [['2', '4'], false]);
  assert.deepEqual(ids('needle', 1), [['2'], true]);
  assert.deepEqual(ids('pin', 2), [[], false]);
});
