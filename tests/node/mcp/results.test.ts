/** What comes back from real servers: every type of content, and results that do not fit. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import { call, say, withBed } from '../agent/support.ts';
import { benchOf, named, stateFolder, tracker } from './contributor-bench.ts';
import { approved, packageFile } from './set.ts';

const limit = { timeout: 60_000 };

interface Given {
  readonly text: string;
  readonly isError: boolean;
  readonly attached: readonly string[];
  readonly saved: readonly string[];
}

/** Calls a tool, and gives all that comes of it, without the wrapper that marks it as data. */
async function caller(
  context: TestContext,
  server: ReturnType<typeof tracker>,
): Promise<(tool: string, args?: object) => Promise<Given>> {
  const bench = benchOf(context, await stateFolder(context), [server], { mcpToolLoading: 'all' });
  const contribution = await bench.prepare();
  return async (tool, args = {}) => {
    const before = bench.saved.length;
    const found = named(contribution, bench.core.toolName(server.name, tool));
    const { text, isError } = await bench.run(found, args);
    const opened = `<server-result server="${server.name}" tool="${tool}">\n`;
    assert.ok(text.startsWith(opened), text);
    return {
      text: text.slice(opened.length).replace('\n</server-result>', ''),
      isError,
      attached: [...bench.attached],
      saved: bench.saved.slice(before).map(({ ending }) => ending),
    };
  };
}

test('every type of content, and those that nobody knows', limit, async (context) => {
  const called = await caller(context, tracker('contents'));
  const plain = { isError: false, attached: [], saved: [] };
  assert.deepEqual(await called('mixed'), {
    text: [
      'Seen\u202e.',
      '[image 1: image/png, 5 bytes]',
      '[audio 1: audio/wav, 5 bytes]',
      '[resource file:///beds.md]',
      '# Beds',
      '[file 1: application/pdf, 4 bytes, file:///beds.pdf]',
      '[link Plan https://h/plan Of beds.]',
      '[content of the type "hologram"]',
      '{"type":"hologram","depth":3}',
      'image 1 is in /saved/1.png.',
      'audio 1 is in /saved/2.wav.',
      'file 1 is in /saved/3.pdf.',
    ].join('\n'),
    isError: false,
    attached: ['image/png', 'audio/wav'],
    saved: ['.png', '.wav', '.pdf'],
  });
  assert.deepEqual(await called('structured'), { ...plain, text: '{"beds":2,"list":["south"]}' });
  assert.deepEqual(await called('failed'), {
    ...plain,
    text: 'The bed is not there.',
    isError: true,
  });
  assert.deepEqual(await called('empty'), { ...plain, text: '(The result has no content.)' });
  assert.deepEqual(await called('odd'), { ...plain, text: '{"content":"no list","isError":"no"}' });
});

test('what server-everything sends', limit, async (context) => {
  const script = packageFile('@modelcontextprotocol/server-everything/dist/index.js');
  const called = await caller(context, approved('everything', [script]));
  const image = await called('get-tiny-image');
  assert.deepEqual([image.attached, image.saved, image.isError], [['image/png'], ['.png'], false]);
  const noted = await called('get-annotated-message', { messageType: 'error', includeImage: true });
  assert.deepEqual(noted.attached, ['image/png']);
  assert.match(noted.text, /^Error: Operation failed\n/);
  const links = await called('get-resource-links', { count: 2 });
  assert.equal(links.text.match(/demo:\/\/resource\//g)?.length, 2, links.text);
  const words = await called('get-resource-reference', { resourceType: 'Text', resourceId: 1 });
  assert.match(
    words.text,
    /demo:\/\/resource\/dynamic\/text\/1[^]*Resource 1: This is a plaintext/,
  );
  const blob = await called('get-resource-reference', { resourceType: 'Blob', resourceId: 2 });
  assert.equal(blob.saved.length, 1, blob.text);
  const weather = await called('get-structured-content', { location: 'Chicago' });
  assert.match(weather.text, /"temperature":36/);
  const data = 'data:text/plain,beds';
  const zip = await called('gzip-file-as-resource', { name: 'a.gz', data, outputType: 'resource' });
  assert.deepEqual([zip.saved, zip.isError], [['.gz'], false], zip.text);
});

test('the whole of a long result is for this session’s eyes alone', limit, async (context) => {
  const server = tracker('well');
  const servers = benchOf(context, await stateFolder(context), [server]).contributor;
  const text = Array.from({ length: 4000 }, (_, n) => `bed ${String(n)}`).join('\n');
  let path = '';
  const shared = { contributors: [servers], answers: [{ answer: 'allow' as const }] };
  await withBed(
    {
      ...shared,
      steps: [
        call('mcp__tracker__echo', { text }),
        async function* (request) {
          const last = request.messages.at(-1)?.content ?? '';
          path = / is in (\S+); read_file reads it in pieces/.exec(last)?.[1] ?? '';
          yield* call('read_file', { path, part: 2 });
        },
        say('done'),
      ],
    },
    async ({ session, provider, lines, storage }) => {
      await session.send('go');
      assert.ok(path.startsWith(storage), path);
      assert.match(provider.drawn(2).at(-1) ?? '', /part 2 of 2[^]*\nbed 3999/);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.deepEqual(lines().slice(-1), [`Read ${path}: done`]);
      const kept = path;
      // Another session, even of the same folder, does not read there.
      await withBed(
        { ...shared, steps: [call('read_file', { path: kept }), say('done')] },
        async (other) => {
          await other.session.send('go');
          assert.doesNotMatch(other.provider.drawn(1).join('\n'), /bed 3999/);
        },
      );
    },
  );
});
