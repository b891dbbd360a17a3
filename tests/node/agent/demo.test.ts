/** The demo: only the model's words are written down; calls, cards, files and undo are real. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DemoModel, demoModel } from '../../../extension/models/demo.ts';
import { withBed } from './support.ts';

const limit = { timeout: 60_000 };
const script = {
  folder: '.',
  file: 'gbs-demo.md',
  content: '# Demo\n',
  look: 'No model runs.',
  command: 'A command asks.',
  edit: 'An edit can be undone.',
  end: 'That was a turn.',
  over: 'The demo is over.',
};
const demo = (): DemoModel => new DemoModel(script, () => Promise.resolve());

test('a demo lists, asks, runs, writes, and is undone', limit, async () => {
  const model = demo();
  await withBed(
    {
      files: { 'a.md': 'mine\n' },
      steps: [],
      settings: { model: '', permissionMode: 'acceptEdits' },
      answers: [{ answer: 'allow' }],
      parts: { provider: () => Promise.resolve(model) },
    },
    async (bed) => {
      const end = await bed.session.send('Show me how you work.');
      assert.equal(end.kind, 'answered');
      assert.deepEqual(bed.lines(), [
        'Listed .: done',
        'Ran echo Hello from the demo: done',
        'Wrote gbs-demo.md: done',
      ]);
      assert.deepEqual(
        bed.cards.map(({ kind }) => kind),
        ['command'],
      );
      assert.equal(await bed.read('gbs-demo.md'), script.content);
      const started = bed.events.find(({ type }) => type === 'turnStarted');
      assert.ok(started?.type === 'turnStarted');
      const said = bed.events
        .map((event) => (event.type === 'text' ? event.delta : ''))
        .join('')
        .trim();
      assert.equal(said, [script.look, script.command, script.edit, script.end].join(''));
      await bed.session.undo(started.turn);
      assert.equal(existsSync(join(bed.folder, 'gbs-demo.md')), false);
      assert.equal(await bed.read('a.md'), 'mine\n');
    },
  );
});

test(
  'a demo whose command is denied goes on; a file of that name is not overwritten',
  limit,
  async () => {
    const model = demo();
    await withBed(
      {
        files: { 'gbs-demo.md': 'mine\n' },
        steps: [],
        settings: { model: '', permissionMode: 'acceptEdits' },
        parts: { provider: () => Promise.resolve(model) },
      },
      async (bed) => {
        assert.equal((await bed.session.send('Show me how you work.')).kind, 'answered');
        assert.deepEqual(bed.lines(), [
          'Listed .: done',
          'Ran echo Hello from the demo: denied',
          'Wrote gbs-demo.md: failed',
        ]);
        assert.equal(await bed.read('gbs-demo.md'), 'mine\n');
      },
    );
  },
);

test('a demo is one model with a window; it stops between two words', async () => {
  assert.deepEqual(
    (await demo().models()).map(({ id }) => id),
    [demoModel],
  );
  const stop = new AbortController();
  const words: string[] = [];
  const request = { model: '', messages: [], tools: [], temperature: 0, maxOutputTokens: 1 };
  await assert.rejects(async () => {
    for await (const delta of demo().chat(request, stop.signal)) {
      if (delta.type === 'text') words.push(delta.text);
      stop.abort();
    }
  });
  assert.deepEqual(words, ['No ']);
});
