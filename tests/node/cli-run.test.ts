import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RunEvent } from '../../extension/agent/events.ts';
import { gbsMain, makeHome, type Home } from './gbs.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';
import { hasTerminal, runOnTerminal } from './terminal.ts';

let server: ScriptedModel;
let home: Home;
before(async () => {
  server = await startScriptedModel();
  home = await makeHome();
});
after(async () => {
  await server.stop();
  await home.remove();
});

const limit = { timeout: 60_000 };

/** The host changes from run to run. */
function steady(text: string): string {
  return text.replaceAll(new URL(server.url).host, 'HOST').replace(/\d+\.\d s/g, 'N s');
}

test('0: the answer on stdout, the rest on stderr', limit, async () => {
  await server.script([{ when: 'hello', steps: [{ text: 'Good day.\u001b[2J\u202e' }] }]);
  const { code, stdout, stderr } = await home.gbs(['run', 'hello', '--base-url', server.baseUrl]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'Good day.\\u{1b}[2J\\u{202e}\n');
  assert.equal(
    steady(stderr),
    `scripted on HOST, Auto-edit

- Waiting for the model

Done. 1 step  N s
`,
  );
});

test(
  '2: a file of events that cannot be written is told before anything starts',
  limit,
  async () => {
    const args = ['run', 'hello', '--events', '.', '--base-url', 'http://127.0.0.1:9/v1'];
    const { code, stderr } = await home.gbs(args);
    assert.equal(code, 2);
    assert.match(stderr, /^gbs: the events cannot be written to .*work: EISDIR[^\n]*\n$/u);
  },
);

test('0: events as JSON lines, on stdout and in a file', limit, async () => {
  await server.script([{ when: 'hello', steps: [{ text: 'Good day.' }] }]);
  const args = ['run', 'hello', '--json', '--events', 'events.jsonl', '--base-url', server.baseUrl];
  const { code, stdout, stderr } = await home.gbs(args);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  assert.equal(await readFile(join(home.workspace, 'events.jsonl'), 'utf8'), stdout);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
  assert.equal(events[0]?.type, 'turnStarted');
  const texts = events.map((event) => (event.type === 'text' ? event.delta : ''));
  assert.equal(texts.join(''), 'Good day.');
  const last = events.at(-1);
  assert.ok(last?.type === 'turnEnded');
  assert.deepEqual(last.end, { kind: 'answered' });
});

test(
  'the model: flag, then environment, then the user’s file; never the repository',
  limit,
  async () => {
    await server.script([{ when: 'hello', steps: [{ text: 'ok' }] }]);
    await home.write(
      '.gbs/settings.json',
      `{ "openai.baseUrl": "${server.baseUrl}", "model": "file" }`,
    );
    await home.write(
      'work/.gbs/settings.json',
      '{ "model": "repository", "permissionMode": "auto" }',
    );
    await home.write('work/.vscode/settings.json', '{ "gbsAgent.model": "repository" }');
    const models = async (args: string[], environment: Record<string, string>): Promise<string> => {
      const { code, stderr } = await home.gbs(['run', 'hello', ...args], { environment });
      assert.equal(code, 0, stderr);
      assert.ok(!stderr.includes('Full auto'));
      const sent = (await server.requests()).at(-1)?.body ?? '{}';
      return (JSON.parse(sent) as { model: string }).model;
    };
    assert.equal(await models([], {}), 'file');
    assert.equal(await models([], { GBS_MODEL: 'environment' }), 'environment');
    assert.equal(await models(['--model', 'flag'], { GBS_MODEL: 'environment' }), 'flag');
    await home.write('.gbs/settings.json', '{}');
    assert.equal(await models(['--base-url', server.baseUrl], {}), 'scripted');
  },
);

test('1: a server that is not there is named, with what to do', limit, async () => {
  const { code, stdout, stderr } = await home.gbs([
    'run',
    'x',
    '--base-url',
    'http://127.0.0.1:9/v1',
  ]);
  assert.deepEqual([code, stdout], [1, '']);
  const [fact, remedy] = stderr.split('\n');
  assert.equal(fact, 'gbs: No answer from 127.0.0.1:9 (ECONNREFUSED).');
  assert.equal(remedy, '  Start the model server, or set the address where it listens.');
});

test(
  '1: with Ollama’s own protocol, the flag that is named is the one that counts',
  limit,
  async () => {
    const ollama = ['--set', 'provider=ollama', '--set', 'ollama.baseUrl=http://127.0.0.1:9'];
    const { code, stderr } = await home.gbs(['models', ...ollama, '--base-url', server.baseUrl]);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^gbs: No answer from 127\.0\.0\.1:9/m);
    assert.match(
      stderr,
      /^ {2}What --base-url or GBS_BASE_URL names is not used with provider=ollama\.$/m,
    );
    // Where another server runs on this machine, it is offered instead.
    assert.match(stderr, /with --set ollama\.baseUrl=http|: --set provider=openai --base-url http/);
  },
);

test('1: a turn that failed', limit, async () => {
  await server.script([
    { when: 'hello', steps: [{ status: 500, body: { error: 'out of memory' } }] },
  ]);
  const { code, stderr } = await home.gbs(['run', 'hello', '--base-url', server.baseUrl]);
  assert.equal(code, 1);
  assert.match(steady(stderr), /^x HOST failed with status 500: “out of memory”\.$/m);
  assert.match(stderr, /^Failed\. /m);
});

test('2: usage, with what is wrong', limit, async () => {
  const wrong: readonly [readonly string[], string][] = [
    [['run'], "error: missing required argument 'request'"],
    [['run', '  '], 'gbs: the request is empty'],
    [['nonsense'], "error: unknown command 'nonsense'"],
    [['run', 'x', '--mode', 'yolo'], "error: option '--mode <mode>' argument 'yolo' is invalid."],
    [
      ['run', 'x', '--set', 'maxSteps=0'],
      'gbs: maxSteps: "0" is not a whole number from 1 to 1000.',
    ],
    [
      ['run', 'x', '--set', 'steps=1'],
      'gbs: there is no setting "steps". There are: provider, model, ',
    ],
    [['help', 'mcp', 'lgin'], 'gbs: there is no command "mcp lgin". See: gbs help'],
    [['mcp', 'help', 'lgin'], 'gbs: there is no command "mcp lgin". See: gbs help'],
    [['help', 'nonsense'], 'gbs: there is no command "nonsense". See: gbs help'],
    [['mcp', 'logout'], 'gbs: name which servers to sign out of, or give --all'],
    [['skills', 'list', '--workspace', gbsMain], `gbs: ${gbsMain} is not a folder`],
    [['run', 'x', '--base-url', 'localhost'], 'gbs: "localhost" is not the address of a model'],
    [['run', 'x', '--workspace', 'nowhere'], 'gbs: there is no folder '],
    [['models', '--set', 'provider=vscode'], 'gbs: the models of VS Code are there in the editor'],
  ];
  for (const [args, expected] of wrong) {
    const { code, stdout, stderr } = await home.gbs(args);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.ok(stderr.startsWith(expected), `${args.join(' ')}: ${stderr}`);
  }
});

test('help names a command at any depth', limit, async () => {
  for (const [args, usage] of [
    [['help'], 'gbs [options] [command]'],
    [['help', 'run'], 'gbs run [options] <request>'],
    [['help', 'mcp', 'login'], 'gbs mcp login [options] <name>'],
    [['mcp', 'help', 'login'], 'gbs mcp login [options] <name>'],
    [['--workspace', 'help', 'help', 'run'], 'gbs run [options] <request>'],
    [['skills', 'help'], 'gbs skills [options] [command]'],
    [['help', 'skills', 'serve'], 'gbs skills serve [options]'],
  ] as const) {
    const { code, stdout, stderr } = await home.gbs(args);
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    assert.ok(stdout.startsWith(`Usage: ${usage}\n`), `${args.join(' ')}: ${stdout}`);
  }
});

test('3: what a repository brings needs approval, which is kept', limit, async () => {
  await server.script([{ when: 'hello', steps: [{ text: 'ok' }] }]);
  const text = '---\nname: greet\ndescription: How to greet.\n---\nBow.\n';
  await home.write('repo/.gbs/skills/greet/SKILL.md', text);
  const folder = join(home.folder, 'repo');
  const args = ['run', 'hello', '--base-url', server.baseUrl, '--workspace', folder];
  const before = (await server.requests()).length;
  const refused = await home.gbs(args);
  assert.equal(refused.code, 3, refused.stderr);
  assert.match(refused.stderr, /^\? Use .*greet.*$/m);
  assert.match(refused.stderr, /^ {2}\| Bow\.$/m);
  assert.match(
    refused.stderr,
    /^gbs: needs approval: run it in a terminal, or answer beforehand: --yes-skills$/m,
  );
  const asked = (await server.requests()).slice(before);
  assert.deepEqual(
    asked.filter(({ path }) => path.includes('completions')),
    [],
  );
  const answered = await home.gbs([...args, '--yes-skills']);
  assert.equal(answered.code, 0, answered.stderr);
  assert.match(answered.stderr, /^ {2}Answered by --yes-skills: /m);
  assert.match((await server.requests()).at(-1)?.body ?? '', /How to greet\./);
  const kept = await home.gbs(args);
  assert.equal(kept.code, 0, kept.stderr);
  await home.write('repo/.gbs/skills/greet/SKILL.md', text.replace('Bow', 'Kneel'));
  assert.equal((await home.gbs(args)).code, 3);
});

test('Ctrl-C stops the answer, says so, and leaves nothing running', limit, async () => {
  await server.script([{ when: 'hello', steps: [{ forever: 'and on ' }] }]);
  let pressed = false;
  const { code, stderr } = await home.gbs(['run', 'hello', '--base-url', server.baseUrl], {
    running: (child, output) => {
      child.stdout?.on('data', () => {
        if (pressed || !output().includes('and on')) return;
        pressed = true;
        child.kill('SIGINT');
      });
    },
  });
  assert.equal(code, 130);
  assert.match(stderr, /^Stopped\. /m);
});

test(
  'chat: messages, Ctrl-C stops a turn, the end of the input ends it',
  {
    ...limit,
    skip: !hasTerminal,
  },
  async () => {
    await server.script([
      { when: 'hello', steps: [{ text: 'Good day.' }] },
      { when: 'go', steps: [{ forever: 'and on ' }] },
      { when: 'bye', steps: [{ text: 'Farewell.' }] },
    ]);
    const before = (await server.requests()).length;
    const seen = await runOnTerminal(
      [gbsMain, 'chat', '--base-url', server.baseUrl, '--workspace', home.workspace],
      [
        { after: '> ', type: 'hello\r' },
        { after: 'Good day.', type: '' },
        { after: 'Done.', type: '' },
        { after: '> ', type: 'go\r' },
        { after: 'and on', type: '\u0003' },
        { after: 'Stopped.', type: '' },
        { after: '> ', type: '/new\r' },
        { after: '> ', type: 'bye\r' },
        { after: 'Farewell.', type: '' },
        { after: '> ', type: '\u0004' },
      ],
      { environment: { HOME: home.folder }, until: /Farewell[^]*> \r?\n/ },
    );
    assert.match(seen, /Farewell\.[^]*Done\./);
    const contents = (await server.requests())
      .slice(before)
      .filter(({ path }) => path.includes('completions'))
      .map(({ body }) => JSON.parse(body) as { messages: { role: string; content: string }[] })
      .map(({ messages }) => messages.filter(({ role }) => role === 'user').length);
    // The second message stands beside the first; after /new there is only one.
    assert.deepEqual(contents, [1, 2, 1]);
  },
);

test('a reader that leaves early stops it', limit, async () => {
  await server.script([{ when: 'hello', steps: [{ forever: 'and on ' }] }]);
  const { code } = await home.gbs(['run', 'hello', '--base-url', server.baseUrl], {
    running: (child) => {
      child.stdout?.once('data', () => child.stdout?.destroy());
    },
  });
  assert.equal(code, 130);
});

test('models: what answers, as a table and as JSON, and what was learned', limit, async () => {
  await server.script({ rules: [], models: [{ id: 'a', max_model_len: 8192 }, { id: 'b' }] });
  const flags = ['--base-url', server.baseUrl];
  const plain = await home.gbs(['models', ...flags]);
  assert.equal(plain.code, 0, plain.stderr);
  assert.equal(
    steady(plain.stdout).split('\n').slice(0, 3).join('\n'),
    'HOST  in the settings\n  a  8k tokens\n  b  window unknown',
  );
  const call = { toolCall: { name: 'report_color', arguments: { color: 'red' } } };
  await server.script({
    rules: [{ when: 'Make both calls', steps: [[call, call]] }],
    models: [{ id: 'a', max_model_len: 8192 }, { id: 'b' }],
  });
  const probed = await home.gbs(['models', '--probe', '--json', ...flags]);
  assert.equal(probed.code, 0, probed.stderr);
  const { servers } = JSON.parse(probed.stdout) as { servers: { host: string; models: unknown }[] };
  const probe = {
    nativeTools: true,
    parallelTools: true,
    streams: true,
    images: false,
    contextWindow: 8192,
  };
  assert.deepEqual(servers.find(({ host }) => host === new URL(server.url).host)?.models, [
    { id: 'a', contextWindow: 8192, probe },
    { id: 'b', contextWindow: null, probe: null },
  ]);
  const other = await home.gbs(['models', '--probe', '--model', 'nope', ...flags]);
  assert.match(steady(other.stderr), /^HOST does not list nope\. It lists: a, b$/m);
});
