/** Resources and prompts of a real server, as a message names them and as the model reads them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mentionName } from '../../../extension/mcp/mentions.ts';
import { ServerOffers } from '../../../extension/mcp/offers.ts';
import type { CallEnd } from '../../../extension/mcp/servers.ts';
import { benchOf, named, stateFolder, tracker } from './contributor-bench.ts';
import { approved, never, packageFile, root } from './set.ts';

const everything = (name: string): ReturnType<typeof approved> =>
  approved(name, [packageFile('@modelcontextprotocol/server-everything/dist/index.js')], {
    path: `${root}/.mcp.json`,
  });

test('a real server’s resources and prompts reach a run', { timeout: 60_000 }, async (t) => {
  const bench = benchOf(t, await stateFolder(t), [everything('every thing')], {
    maxToolOutputChars: 400,
  });
  const first = await bench.prepare();
  assert.equal(first.hint, '');
  const { offers } = bench.contributor;
  assert.deepEqual(offers.with('resources'), ['every thing']);
  const { items, problem } = await offers.resources('every thing', never);
  assert.equal(problem, '');
  // Two wait for one list, and who asked first is stopped.
  offers.notified('every thing', 'notifications/resources/list_changed');
  const stop = new AbortController();
  const both = [stop.signal, never].map((signal) => offers.resources('every thing', signal));
  stop.abort();
  const [stopped, whole] = await Promise.all(both);
  assert.match(stopped?.problem ?? '', /cancelled/);
  assert.deepEqual([whole?.problem, whole?.items.length], ['', items.length]);
  assert.ok(items.some(({ uri, template }) => !template && uri.startsWith('demo://')));
  assert.ok(items.some(({ uri, template }) => template && uri.includes('{')));
  const prompts = await offers.prompts('every thing', never);
  assert.deepEqual(
    prompts.items.map((prompt) => [prompt.name, prompt.arguments.map(({ name }) => name)]),
    [
      ['simple-prompt', []],
      ['args-prompt', ['city', 'state']],
      ['completable-prompt', ['department', 'name']],
      ['resource-prompt', ['resourceType', 'resourceId']],
    ],
  );

  // By a message.
  const uri = 'demo://resource/dynamic/text/1';
  const prepare = async (message: string): Promise<string> =>
    (await bench.prepare({ message })).hint;
  const attached = await prepare(`Explain @every_thing:${uri} and @nobody:x @src/a.ts`);
  assert.match(
    attached,
    /^The user attached a resource\.\n<server-result server="every thing" tool="demo:\/\/resource\/dynamic\/text\/1">\n\[resource demo/,
  );
  assert.match(
    await prepare('/every_thing.simple-prompt and be short'),
    /^The user chose the prompt "simple-prompt"[^\n]*\n<server-result[^\n]*\nThis is a simple prompt/,
  );
  bench.answer = { answer: 'allow', values: '{"city":"Turin"}' };
  assert.match(await prepare('/every_thing.args-prompt'), /Turin/);
  assert.deepEqual(
    bench.cards.map(({ kind, form }) => [kind, form.map(({ name, required }) => [name, required])]),
    [
      [
        'form',
        [
          ['city', true],
          ['state', false],
        ],
      ],
    ],
  );
  bench.answer = { answer: 'dismiss' };
  assert.match(await prepare('/every_thing.args-prompt'), /put its form away/);
  const queued = await bench.contributor.asked('/every_thing.args-prompt', 32_768);
  assert.match(queued, /It needs arguments/);
  for (const none of [
    '/every_thing.nothing',
    'see /every_thing.simple-prompt',
    '@every_thing: x',
    '',
  ]) {
    assert.equal(await prepare(none), '', none);
  }
  assert.match(await prepare('@every_thing:demo://no/such'), /not found|unknown|error/i);

  // By the model.
  const tool = named(first, 'mcp_read_resource');
  assert.ok(tool !== undefined);
  assert.deepEqual(await tool.subject({ server: 'every thing', uri }), {
    kind: 'mcp',
    server: {
      server: 'every thing',
      tool: 'resources/read',
      description: 'Reads one of its resources.',
      readOnly: true,
      goesTo: 'a program on this computer',
      from: '.mcp.json',
    },
  });
  const read = await bench.run(tool, { server: 'every thing', uri });
  assert.match(read.text, /^<server-result server="every thing" tool="resources\/read">/);
  const blob = 'demo://resource/dynamic/blob/1';
  assert.match(
    (await bench.run(tool, { server: 'every thing', uri: blob })).text,
    /is in \/saved\//,
  );
  const listed = await bench.run(tool, { server: 'every thing' });
  assert.match(listed.text, /characters left out/, 'a long list is cut like a result');
  await assert.rejects(async () => tool.subject({ server: 'other' }), /These have: every thing\./);
});

test('a server without resources leaves no tool for them', { timeout: 60_000 }, async (t) => {
  const bench = benchOf(t, await stateFolder(t), [tracker('well')]);
  const { tools, hint } = await bench.prepare({ message: '@tracker:x:y /tracker.z' });
  assert.equal(hint, '');
  assert.equal(
    tools.some(({ name }) => name === 'mcp_read_resource'),
    false,
  );
});

/** A list over these answers, one a page. */
async function check(answers: readonly CallEnd[], expected: object): Promise<void> {
  let asked = 0;
  const offer = { peer: { capabilities: '{"resources":{}}' } };
  const offers = new ServerOffers({
    standings: () => [],
    state: () => ({ kind: 'running', offer, pid: 1 }) as never,
    request: (_server, method) => {
      if (method !== 'resources/list') return Promise.resolve({ kind: 'broken' });
      asked += 1;
      return Promise.resolve(answers[Math.min(asked, answers.length) - 1] ?? { kind: 'ended' });
    },
  });
  const { items, problem } = await offers.resources('s', never);
  assert.deepEqual({ uris: items.map(({ uri }) => uri), problem }, expected);
}

const page = (result: object): CallEnd => ({ kind: 'result', text: JSON.stringify(result) });

test('hostile lists end, and give what can be used', async () => {
  const odd = [{ uri: 'a:1' }, null, 7, { uri: '' }, { uri: 3 }, { name: 'x' }];
  await check([page({ resources: odd })], { uris: ['a:1'], problem: '' });
  await check([page({ resources: 'x' })], { uris: [], problem: '' });
  await check([page([])], { uris: [], problem: '' });
  await check([{ kind: 'result', text: 'no JSON' }], { uris: [], problem: '' });
  await check(
    [page({ resources: [{ uri: 'a:1' }], nextCursor: '' }), page({ resources: [{ uri: 'a:2' }] })],
    { uris: ['a:1', 'a:2'], problem: '' },
  );
  await check([page({ resources: [], nextCursor: 'same' })], {
    uris: [],
    problem: 'Its list repeats itself.',
  });
  await check([{ kind: 'timedOut', ms: 1 }], {
    uris: [],
    problem: 'The server did not list its resources: timedOut.',
  });
});

test('how a server is written in a message', () => {
  for (const [name, written] of [
    ['tracker', 'tracker'],
    ['a.b-c_1', 'a.b-c_1'],
    ['@scope/x y', '_scope_x_y'],
    ['東京', '__'],
  ] as const) {
    assert.equal(mentionName(name), written);
  }
});
