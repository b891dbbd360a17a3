import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, calls, say, withBed } from './support.ts';

test('an answer without a call ends the turn', async () => {
  await withBed({ steps: [say('Hello.')] }, async ({ session, events, provider }) => {
    assert.deepEqual(await session.send('Hi'), { kind: 'answered' });
    assert.deepEqual(
      events.map((e) => e.type),
      ['turnStarted', 'phase', 'context', 'phase', 'phase', 'text', 'textEnded', 'turnEnded'],
    );
    assert.deepEqual(provider.drawn(0).slice(1), ['user: Hi']);
  });
});

test('a call runs, its result goes back, and the model answers', async () => {
  const steps = [call('read_file', { path: 'a.md' }), say('It says hello.')];
  await withBed({ files: { 'a.md': 'hello\n' }, steps }, async (bed) => {
    assert.deepEqual(await bed.session.send('What does a.md say?'), { kind: 'answered' });
    assert.deepEqual(bed.lines(), ['Read a.md: done']);
    assert.deepEqual(bed.provider.drawn(1).slice(1), [
      'user: What does a.md say?',
      'assistant: [read_file {"path":"a.md"}]',
      'tool: a.md: 1 lines\nhello',
    ]);
    assert.equal(bed.cards.length, 0);
  });
});
