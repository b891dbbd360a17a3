/** Servers that write in every wrong way: what is meant arrives all the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inMode, testSet } from './set.ts';

/** Starts the server in a mode and compares what `echo` gives back with `expected`. */
function check(mode: string, expected: string, echoed = 'grün 🐛'): void {
  test(`framing: ${mode}`, { timeout: 60_000 }, async (context) => {
    const { start, text } = testSet(context);
    const state = await start(inMode(mode));
    assert.equal(state?.kind, 'running', JSON.stringify(state));
    assert.equal(await text(mode, 'echo', { text: echoed }), expected);
  });
}

for (const mode of [
  'well',
  'banner',
  'one-byte',
  'crlf',
  'batch',
  'string-ids',
  'odd-ids',
  'asks',
  'cursor',
  'pages',
  'flood',
  'silent-on-probe',
]) {
  check(mode, 'grün 🐛');
}
check('invalid-utf8', 'a\ufffdb');
check('broken', '{"kind":"broken"}');
check(
  'error',
  '{"kind":"error","code":-32602,"message":"Unknown tool: echo","data":"{\\"known\\":[\\"other\\"]}"}',
);
check('huge', 'näh 🐛 '.repeat(3 << 20));
check('deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
check('half-line', '{"kind":"ended"}');
check('modern', 'grün 🐛');

test('every page of the list is read; one that nests too deep is left out alone', async (context) => {
  const { set, start } = testSet(context);
  await start(inMode('pages'), inMode('cursor'), inMode('deep'));
  const offered = ['pages', 'cursor', 'deep'].map((mode) => {
    const state = set.state(mode);
    if (state?.kind !== 'running') return state;
    const { tools, problems } = state.offer;
    return { tools: tools.map((tool) => tool.name), problems };
  });
  const all = ['echo', 'slow', 'facts'];
  assert.deepEqual(offered, [
    { tools: all, problems: [] },
    {
      tools: all,
      problems: ['The list of tools comes back to a page it had already; it ends there.'],
    },
    {
      tools: all,
      problems: [
        'The tool "deep" is left out: its input schema cannot be read, or nests too deep.',
      ],
    },
  ]);
});

test('answers out of order reach their calls', { timeout: 60_000 }, async (context) => {
  const { start, text } = testSet(context);
  await start(inMode('disorder'));
  const texts = ['one', 'two', 'three'];
  const calls = texts.map((words) => text('disorder', 'echo', { text: words }));
  assert.deepEqual(await Promise.all(calls), texts);
});

test('what a server asks is answered or declined', { timeout: 60_000 }, async (context) => {
  const { start, text } = testSet(context);
  await start(inMode('asks'), inMode('asks', { name: 'with roots', roots: true }));
  const heard = async (name: string): Promise<unknown> =>
    (JSON.parse(await text(name, 'facts')) as { heard: unknown }).heard;
  assert.deepEqual(await heard('asks'), ['result ping-1', 'error -32601', 'error -32601']);
  assert.deepEqual(await heard('with roots'), ['result ping-1', 'result 2', 'error -32601']);
});

test(
  'a line without an end, and an answer over the limit, cost one call',
  { timeout: 60_000 },
  async (context) => {
    const { start, text, call } = testSet(context);
    await start(inMode('endless-line', { callTimeoutMs: 4_000 }), inMode('too-long'));
    assert.deepEqual(await call('endless-line', 'slow'), { kind: 'timedOut', ms: 4_000 });
    assert.equal(await text('endless-line', 'echo', { text: 'still here' }), 'still here');
    assert.deepEqual(await call('too-long', 'slow'), { kind: 'tooLong', bytes: 64 * 1024 * 1024 });
    assert.equal(await text('too-long', 'echo', { text: 'still here' }), 'still here');
  },
);

test('what is not a message stands in the log', { timeout: 60_000 }, async (context) => {
  const { set, start } = testSet(context);
  await start(inMode('banner'));
  const lines = set.lines('banner').filter((line) => line.from === 'stdout');
  assert.deepEqual(
    lines.map((line) => line.text),
    ['Starting [1mtracker[0m', '[info] ready', '{"level":"info"}'],
  );
});

test(
  'the era is remembered, and a remembered one does not probe',
  { timeout: 60_000 },
  async (context) => {
    const { set, start, eras } = testSet(context);
    await start(inMode('modern'), inMode('well'));
    assert.deepEqual([...eras.values()].sort(), ['legacy', 'modern']);
    await set.start(inMode('modern'));
    assert.equal(set.state('modern')?.kind, 'running');
  },
);
