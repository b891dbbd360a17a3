/** The public servers, as they are: started, listed, called. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Root } from '../../../extension/core.ts';
import { approved, packageFile, smallEnvironment, testSet, type TestSet } from './set.ts';

const script = (name: string): string =>
  packageFile(`@modelcontextprotocol/server-${name}/dist/index.js`);

const toolsOf = ({ set }: TestSet, name: string): readonly string[] => {
  const state = set.state(name);
  assert.equal(state?.kind, 'running', JSON.stringify(state));
  return state?.kind === 'running' ? state.offer.tools.map((tool) => tool.name) : [];
};

test('server-everything', { timeout: 60_000 }, async (context) => {
  const bench = testSet(context);
  const { start, text, call, core, set, progress } = bench;
  const state = await start(approved('everything', [script('everything')]));
  assert.equal(state?.kind, 'running');
  if (state?.kind !== 'running') return;
  assert.equal(state.offer.peer.protocolVersion, '2025-11-25');
  assert.match(state.offer.peer.instructions, /Everything/);
  assert.deepEqual(state.offer.problems, []);
  const tools = toolsOf(bench, 'everything');
  for (const name of ['echo', 'get-sum', 'get-tiny-image', 'trigger-long-running-operation']) {
    assert.ok(tools.includes(name), name);
  }
  assert.equal(await text('everything', 'echo', { message: 'grün 🐛' }), 'Echo: grün 🐛');
  assert.equal(await text('everything', 'get-sum', { a: 2, b: 40 }), 'The sum of 2 and 40 is 42.');
  const image = await call('everything', 'get-tiny-image');
  assert.equal(image.kind, 'result');
  if (image.kind !== 'result') return;
  const output = core.toolOutput(image.text, { server: 'everything', tool: 'get-tiny-image' });
  assert.deepEqual(
    output.attachments.map(({ label, mimeType }) => ({ label, mimeType })),
    [{ label: 'image 1', mimeType: 'image/png' }],
  );
  assert.equal(
    Buffer.from(output.attachments[0]?.data ?? '', 'base64')
      .subarray(1, 4)
      .toString(),
    'PNG',
  );
  await call('everything', 'trigger-long-running-operation', { duration: 1, steps: 4 });
  assert.deepEqual(progress, ['1 of 4', '2 of 4', '3 of 4', '4 of 4']);
  const stop = new AbortController();
  const slow = call(
    'everything',
    'trigger-long-running-operation',
    { duration: 60, steps: 2 },
    stop.signal,
  );
  setTimeout(() => stop.abort(), 100);
  assert.deepEqual(await slow, { kind: 'cancelled' });
  // A tool that is not there comes back as a result that says so, or as an error.
  const missing = await call('everything', 'no-such-tool');
  assert.ok(missing.kind === 'error' || missing.kind === 'result', missing.kind);
  assert.deepEqual(set.takeFailures(), []);
});

test('server-filesystem', { timeout: 60_000 }, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'a.txt'), 'hello\n');
  const bench = testSet(context);
  await bench.start(approved('files', [script('filesystem'), folder]));
  assert.ok(toolsOf(bench, 'files').includes('write_file'));
  assert.match(
    await bench.text('files', 'read_text_file', { path: join(folder, 'a.txt') }),
    /^hello\n/,
  );
  await bench.call('files', 'write_file', { path: join(folder, 'b.txt'), content: 'new' });
  assert.equal(await readFile(join(folder, 'b.txt'), 'utf8'), 'new');
  const refused = await bench.call('files', 'read_text_file', { path: '/etc/hostname' });
  assert.equal(refused.kind, 'result');
  if (refused.kind === 'result') {
    const limits = { server: 'files', tool: 'read_text_file' };
    assert.equal(bench.core.toolOutput(refused.text, limits).isError, true);
  }
});

test(
  'server-filesystem has the folders of the workspace, and hears when they change',
  { timeout: 60_000 },
  async (context) => {
    const place = await realpath(await mkdtemp(join(tmpdir(), 'gbs-')));
    context.after(() => rm(place, { recursive: true, force: true }));
    const [api = '', web = ''] = await Promise.all(
      ['api', 'web'].map(async (name) => {
        await mkdir(join(place, name));
        await writeFile(join(place, name, 'a.txt'), `${name}\n`);
        return join(place, name);
      }),
    );
    const bench = testSet(context);
    const rootOf = (folder: string): Root => ({ uri: pathToFileURL(folder).href, name: 'f' });
    bench.roots.splice(0, 1, rootOf(api));
    await bench.start(
      approved('told', [script('filesystem'), place], { roots: true }),
      approved('untold', [script('filesystem'), place]),
    );
    const allowed = (name: string): Promise<string> => bench.text(name, 'list_allowed_directories');
    /** It asks for the folders after it was told, and answers calls meanwhile. */
    const until = async (folders: readonly string[]): Promise<void> => {
      const expected = ['Allowed directories:', ...folders].join('\n');
      for (let tries = 0; (await allowed('told')) !== expected; tries += 1) {
        assert.ok(tries < 600, `${await allowed('told')} is not ${expected}`);
        await delay(50);
      }
    };
    await until([api]);
    bench.roots.push(rootOf(web));
    bench.set.rootsChanged();
    await until([api, web]);
    const read = (folder: string): Promise<string> =>
      bench.text('told', 'read_text_file', { path: join(folder, 'a.txt') });
    assert.match(await read(web), /^web\n/);
    bench.roots.shift();
    bench.set.rootsChanged();
    await until([web]);
    assert.match(await read(api), /denied/iu);
    assert.equal(await allowed('untold'), `Allowed directories:\n${place}`);
  },
);

test(
  'server-memory and server-sequential-thinking, side by side',
  { timeout: 60_000 },
  async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'gbs-'));
    context.after(() => rm(folder, { recursive: true, force: true }));
    const bench = testSet(context);
    const env = { ...smallEnvironment, MEMORY_FILE_PATH: join(folder, 'memory.json') };
    await bench.start(
      approved('memory', [script('memory')], { env }),
      approved('thinking', [script('sequential-thinking')]),
    );
    await bench.call('memory', 'create_entities', {
      entities: [{ name: 'retry', entityType: 'module', observations: ['gives up on 429'] }],
    });
    const graph = JSON.parse(await bench.text('memory', 'read_graph')) as { entities: unknown };
    assert.deepEqual(graph.entities, [
      { name: 'retry', entityType: 'module', observations: ['gives up on 429'] },
    ]);
    assert.deepEqual(toolsOf(bench, 'thinking'), ['sequentialthinking']);
    const thought = await bench.text('thinking', 'sequentialthinking', {
      thought: 'First.',
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    });
    assert.equal((JSON.parse(thought) as { thoughtNumber: number }).thoughtNumber, 1);
  },
);
