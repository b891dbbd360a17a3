/** Recording a real server and being it again; what a recording never holds. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRecording, Recorder, Replay } from '../../../extension/mcp/recording.ts';
import { gbsMain, makeHome } from '../gbs.ts';
import { approved, packageFile, root, smallEnvironment, testSet } from './set.ts';

const tsx = join(root, 'node_modules/tsx/dist/loader.mjs');

test('a recorded session of server-everything is had again', { timeout: 90_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-record-'));
  const home = await makeHome();
  t.after(() => Promise.all([rm(folder, { recursive: true }), home.remove()]));
  const out = join(folder, 'session.jsonl');
  await home.write(
    '.gbs/mcp.json',
    JSON.stringify({
      mcpServers: {
        everything: {
          command: process.execPath,
          args: [packageFile('@modelcontextprotocol/server-everything/dist/index.js')],
          env: { API_TOKEN: 'hunter2-hunter2' },
        },
        // Longer than Linux lets an argument be.
        huge: { command: process.execPath, args: ['x'.repeat(200_000)] },
      },
    }),
  );
  const gbs = (name: string, ...args: string[]): ReturnType<typeof approved> =>
    approved(name, ['--import', tsx, gbsMain, '--workspace', home.workspace, 'mcp', ...args], {
      env: { ...smallEnvironment, HOME: home.folder, TMPDIR: tmpdir() },
      startTimeoutMs: 60_000,
    });
  const record = gbs('r', 'record', 'everything', '--out', out, '--yes-mcp', 'everything');
  const replay = gbs('p', 'replay', out);
  /** The same conversation with either. */
  const talk = async (server: ReturnType<typeof approved>): Promise<unknown> => {
    const bench = testSet(t);
    const state = await bench.start(server);
    assert.equal(state?.kind, 'running', JSON.stringify(state));
    const { text, progress } = bench;
    const said = [
      await text(server.name, 'echo', { message: 'grün 🐛' }),
      await text(server.name, 'echo', { message: 'twice' }),
      await text(server.name, 'get-sum', { a: 2, b: 40 }),
      await text(server.name, 'trigger-long-running-operation', { duration: 0.2, steps: 2 }),
      await text(server.name, 'get-env'),
    ];
    const tools = state?.kind === 'running' ? state.offer.tools : [];
    await bench.set.dispose();
    return { said: said.slice(0, 4), progress, tools };
  };
  const first = await talk(record);
  const file = await readFile(out, 'utf8');
  assert.ok(file.includes('API_TOKEN'), 'the server did tell its environment');
  assert.doesNotMatch(file, /hunter2/);
  assert.equal((await stat(out)).mode & 0o777, 0o600);
  assert.deepEqual(await talk(replay), first);
  const again = await home.gbs([
    'mcp',
    'record',
    'everything',
    '--out',
    out,
    '--yes-mcp',
    'everything',
  ]);
  assert.equal(again.code, 1);
  assert.ok(again.stderr.endsWith(`gbs: ${out} is already there. Name another file with --out\n`));
  assert.equal(await readFile(out, 'utf8'), file);
  if (process.platform !== 'linux') return;
  const none = ['--out', join(folder, 'none.jsonl'), '--yes-mcp', 'huge'];
  const huge = await home.gbs(['mcp', 'record', 'huge', ...none]);
  assert.equal(huge.code, 1);
  assert.match(huge.stderr, /^gbs: huge: It could not be started: spawn E2BIG\. Check its entry/m);
});

test('an answer goes to the request that it fits best', () => {
  const recorder = new Recorder({ MY_SECRET: 'a"b\nc-secret' });
  const lines = [
    recorder.line(
      'client',
      '{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":1,"password":"x"},"_meta":{"progressToken":1}}}',
    ),
    recorder.line(
      'client',
      '{"id":2,"method":"tools/call","params":{"name":"a","arguments":{"n":2}}}',
    ),
    recorder.line('server', '{"id":2,"result":"two"}'),
    recorder.line(
      'server',
      '{"method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
    ),
    recorder.line('server', JSON.stringify({ id: 1, result: 'a"b\nc-secret' })),
    recorder.line('server', 'a banner'),
    recorder.line('client', '{"id":3,"method":"never/answered"}'),
  ];
  const text = lines.filter((line) => line !== null).join('');
  assert.doesNotMatch(text, /c-secret|"x"/);
  const replay = new Replay(readRecording(text));
  const check = (asked: object, expected: readonly object[]): void => {
    const said = replay.lines(JSON.stringify(asked)).map((line) => JSON.parse(line) as object);
    assert.deepEqual(said, expected);
  };
  const call = (id: number, args: object, token?: string): object => ({
    id,
    method: 'tools/call',
    params: { name: 'a', arguments: args, _meta: { progressToken: token } },
  });
  check(call(7, { n: 2 }), [{ id: 7, result: 'two' }]);
  check(call(8, { n: 1, password: 'another' }, 't'), [
    { method: 'notifications/progress', params: { progressToken: 't', progress: 1 } },
    { id: 8, result: '••••' },
  ]);
  check(call(9, { n: 2 }), [{ id: 9, result: 'two' }]);
  check({ method: 'notifications/initialized' }, []);
  const error = { code: -32601, message: 'The recording has no answer to never/answered.' };
  check({ id: 5, method: 'never/answered' }, [{ jsonrpc: '2.0', id: 5, error }]);
  assert.deepEqual(replay.lines('no JSON'), []);
  assert.throws(() => readRecording(`${text}{"from":"x"}\n`), { line: 7 });
});

test('what stands under a secret name stands nowhere else', () => {
  const recorder = new Recorder({});
  const lineOf = (message: object): string =>
    recorder.line('server', JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })) ?? '';
  const result = {
    privateKey: 'pk-0123456789',
    tokens: ['tk-0123456789', 'tk-abcdefghij'],
    note: 'a "quoted" word',
    clientSecret: 'cs-"quoted"-value',
  };
  const text = JSON.stringify(result);
  const line = lineOf({ result: { content: [{ type: 'text', text }], structuredContent: result } });
  const later = lineOf({ result: { content: [{ type: 'text', text: 'Use pk-0123456789.' }] } });
  for (const each of [line, later]) {
    assert.doesNotMatch(each, /pk-0|tk-|cs-/u);
    assert.equal(readRecording(each).length, 1);
  }
  const said = readRecording(line)[0]?.message.result as { structuredContent: object };
  assert.deepEqual(said.structuredContent, {
    privateKey: '••••',
    tokens: ['••••', '••••'],
    note: 'a "quoted" word',
    clientSecret: '••••',
  });
  // A server cannot make the recording unreadable by what it calls a secret.
  lineOf({ result: { token: 'tools/list', session: 'structuredContent', key: 'progressToken' } });
  const after = lineOf({ method: 'tools/list', result: { structuredContent: { a: 1 } } });
  assert.deepEqual(readRecording(after)[0]?.message, {
    jsonrpc: '2.0',
    method: 'tools/list',
    id: 1,
    result: { structuredContent: { a: 1 } },
  });
});
