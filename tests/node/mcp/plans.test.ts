/** A server of the repository starts only as it was approved; nothing else ever asks or starts. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COVERED_FILE_BYTES, LOOKS_IN_ALL } from '../../../extension/limits.ts';
import { CoveredFiles } from '../../../extension/mcp/covered-files.ts';
import { plant, tree } from '../skills/tree.ts';
import { config, core, planBench, said, type PlanBench } from './plan-bench.ts';

const entry = {
  command: 'node',
  args: ['server.js', '--port', '1'],
  env: { TOKEN: '${TOKEN}', MODE: 'x' },
};

function repository(servers: Readonly<Record<string, unknown>> = { fs: entry }): string {
  return tree({
    'ws/.mcp.json': config(servers),
    'ws/server.js': 'one',
    'home/.keep': '',
  });
}

async function check(
  bench: PlanBench,
  answer: 'allow' | 'deny' | 'notNow',
  asked: readonly string[],
  approved: readonly string[],
): Promise<void> {
  const turn = await bench.turn(answer);
  assert.deepEqual(
    { asked: turn.asked, approved: turn.approved.map(({ name }) => name) },
    { asked, approved },
  );
}

test('what was not approved gives nothing to start; what was is exactly what the card showed', async () => {
  const root = repository();
  const bench = planBench(root, { environment: { TOKEN: 's3cret', OTHER: 'not for it' } });
  await check(bench, 'deny', ['fs'], []);
  const { cards, approved } = await bench.turn('allow');
  const [card] = cards;
  const [server] = approved;
  assert.ok(card && server?.kind === 'program');
  assert.equal(said(card.question), 'Start the server fs from this repository?');
  assert.deepEqual(
    card.panes[0]?.content.map((span) => span.text),
    ['node', 'server.js', '--port', '1'],
  );
  assert.deepEqual(server.command.argv, ['server.js', '--port', '1']);
  assert.equal(
    server.command.file,
    said(card.facts.find(({ term }) => term === 'Program')?.value ?? []),
  );
  assert.equal(server.cwd, join(root, 'ws'));
  assert.deepEqual(server.env, {
    PATH: process.env.PATH,
    HOME: join(root, 'home'),
    TOKEN: 's3cret',
    MODE: 'x',
  });
  assert.ok(
    Object.isFrozen(server) && Object.isFrozen(server.env) && Object.isFrozen(server.command.argv),
  );
  assert.equal(await bench.plans.changedSince(server), null);
});

test('an approval holds in other windows and for this very form alone', async () => {
  const root = repository({ fs: entry, db: { command: 'node', args: ['server.js'] } });
  await check(planBench(root), 'allow', ['fs', 'db'], ['fs', 'db']);
  await check(planBench(root), 'deny', [], ['fs', 'db']);
  const changed = { ...entry, args: ['server.js', '--port', '2'] };
  plant(root, {
    'ws/.mcp.json': config({ db: { args: ['server.js'], command: 'node' }, fs: changed }),
  });
  const { cards, asked, approved } = await planBench(root).turn('deny');
  assert.deepEqual([asked, approved.map(({ name }) => name)], [['fs'], ['db']]);
  assert.equal(said(cards[0]?.changed?.content ?? []), 'args\n-"1"\n+"2"');
  assert.match(said(cards[0]?.sentence ?? []), /^It changed since you approved it on \d+ \w+\.$/);
});

test('a rotated secret does not ask, but on the command line it does; neither is kept', async () => {
  const inArgs = { ...entry, args: ['server.js', '--key=${KEY}'] };
  const root = repository({ fs: inArgs });
  const secrets = { TOKEN: 't0ken-1', KEY: 'k3y-1' };
  const { cards } = await planBench(root, { environment: secrets }).turn('allow');
  const shown = cards[0]?.panes[0]?.content.at(-1);
  assert.deepEqual(shown, { kind: 'secret', text: '--key=k3y-1', masked: '--key=••••••••' });
  await check(
    planBench(root, { environment: { ...secrets, TOKEN: 't0ken-2' } }),
    'deny',
    [],
    ['fs'],
  );
  await check(planBench(root, { environment: { ...secrets, KEY: 'k3y-2' } }), 'deny', ['fs'], []);
  const kept = stateFiles(root);
  assert.ok(kept.includes('value of') && !/k3y|t0ken/.test(kept));
});

test('hashes are salted per workspace', async () => {
  const seals = async (): Promise<string[]> => {
    const root = repository({ fs: { command: 'node', args: ['${KEY}'] } });
    await planBench(root, { environment: { KEY: 'k3y' } }).turn('allow');
    return stateFiles(root).match(/"seal": "[0-9a-f]{64}"/g) ?? [];
  };
  const [one, other] = [await seals(), await seals()];
  assert.ok(one.length > 0);
  assert.notDeepEqual(one, other);
});

test('the files that a command names are covered: content, links, and files that appear', async () => {
  const root = repository({
    fs: { command: 'node', args: ['server.js', '--config', 'conf.json'] },
  });
  const asks = async (asked: readonly string[]): Promise<void> => {
    const turn = await planBench(root).turn('allow');
    assert.deepEqual(turn.asked, asked);
  };
  await asks(['fs']);
  await asks([]);
  plant(root, { 'ws/server.js': 'two' });
  await asks(['fs']);
  plant(root, { 'ws/conf.json': '{}' });
  await asks(['fs']);
  plant(root, { 'ws/other/server.js': 'two' });
  rmSync(join(root, 'ws/server.js'));
  symlinkSync('other/server.js', join(root, 'ws/server.js'));
  await asks(['fs']);
  plant(root, { 'ws/another/server.js': 'two' });
  rmSync(join(root, 'ws/server.js'));
  symlinkSync('another/server.js', join(root, 'ws/server.js'));
  await asks(['fs']);
  // Out of the workspace, with the same bytes: still named, still covered.
  plant(root, { 'outside.js': 'two' });
  rmSync(join(root, 'ws/server.js'));
  symlinkSync('../outside.js', join(root, 'ws/server.js'));
  await asks(['fs']);
  plant(root, { 'outside.js': 'three' });
  await asks(['fs']);
  await asks([]);
});

test('a file that changes while the card stands there is asked about again', async () => {
  const root = repository();
  let changes = 0;
  const { cards, approved } = await planBench(root).turn(() => {
    if (changes++ === 0) plant(root, { 'ws/server.js': 'swapped' });
    return 'allow';
  });
  assert.equal(approved.length, 1);
  assert.equal(cards.length, 2);
  assert.equal(
    said(cards[1]?.changed?.content ?? []),
    'files\n-"server.js" (as approved)\n+"server.js" (as it is now)',
  );
  // One that never rests is not started.
  plant(root, { 'ws/server.js': 'new' });
  const bench = planBench(root);
  const never = await bench.turn(() => {
    plant(root, { 'ws/server.js': String(changes++) });
    return 'allow';
  });
  assert.deepEqual([never.approved, never.cards.length], [[], 3]);
  assert.match(bench.log.join('\n'), /fs is not started: its files change/);
});

test('what changes between the answer and the start is caught, and never alters what starts', async () => {
  const root = repository();
  const bench = planBench(root);
  const { approved } = await bench.turn('allow');
  const [server] = approved;
  assert.ok(server);
  const before = JSON.stringify(server);
  plant(root, { 'ws/.mcp.json': config({ fs: { command: 'node', args: ['evil.js'] } }) });
  assert.equal(await bench.plans.changedSince(server), null, 'the entry is not read again');
  assert.equal(JSON.stringify(server), before);
  plant(root, { 'ws/server.js': 'swapped' });
  assert.match((await bench.plans.changedSince(server)) ?? '', /"server\.js" \(as it is now\)/);
  rmSync(join(root, 'ws/server.js'));
  assert.match((await bench.plans.changedSince(server)) ?? '', /"server\.js" \(as approved\)/);
  plant(root, { 'ws/server.js': 'one' });
  assert.equal(await bench.plans.changedSince(server), null, 'as it was approved');
  renameSync(join(root, 'ws'), join(root, 'moved'));
  symlinkSync('moved', join(root, 'ws'));
  assert.match((await bench.plans.changedSince(server)) ?? '', /which is/);
});

test('an untrusted workspace starts nothing and asks nothing, the user’s servers neither', async () => {
  const root = repository();
  const settings = { mcpServers: JSON.stringify({ mine: { command: 'node' } }) };
  const bench = planBench(root, { settings, workspace: { trusted: false } });
  const { plan, asked, approved } = await bench.turn('allow');
  assert.deepEqual([asked, approved], [[], []]);
  assert.deepEqual(
    plan.servers.map(({ name, standing }) => [name, standing.kind]),
    [
      ['fs', 'untrusted'],
      ['mine', 'untrusted'],
    ],
  );
});

test('not now is remembered until something changes or it is asked for; a stopped turn is not', async () => {
  const root = repository();
  await check(planBench(root), 'deny', ['fs'], []);
  await check(planBench(root), 'notNow', ['fs'], []);
  const bench = planBench(root);
  await check(bench, 'allow', [], []);
  await bench.plans.forgetDeclined(bench.workspace, ['other']);
  await check(bench, 'allow', [], []);
  await bench.plans.forgetDeclined(bench.workspace, ['fs']);
  await check(bench, 'notNow', ['fs'], []);
  plant(root, { 'ws/server.js': 'two' });
  await check(bench, 'allow', ['fs'], ['fs']);
});

test('what is revoked asks again', async () => {
  const root = repository({ fs: entry, db: { command: 'node' } });
  const bench = planBench(root);
  await check(bench, 'allow', ['fs', 'db'], ['fs', 'db']);
  assert.deepEqual(await bench.plans.revoke(bench.workspace, ['fs', 'no']), ['fs']);
  await check(bench, 'deny', ['fs'], ['db']);
  assert.deepEqual(await bench.plans.revoke(bench.workspace, null), ['db']);
  await check(bench, 'deny', ['fs', 'db'], []);
  assert.deepEqual(await bench.plans.revoke(bench.workspace, null), []);
});

test('the user’s setting never asks; files that programs can write ask once, for every workspace', async () => {
  const own = (args: readonly string[]) => config({ own: { command: 'node', args } });
  const root = tree({ 'ws/.keep': '', 'ws2/.keep': '', 'home/.gbs/mcp.json': own(['a.js']) });
  const settings = {
    mcpServers: JSON.stringify({ mine: { command: 'node', args: ['${workspaceFolder}'] } }),
  };
  const environment = { SECRET: 's', VSCODE_PID: '1', ELECTRON_RUN_AS_NODE: '1' };
  const bench = planBench(root, { settings, environment });
  const { asked, approved, cards } = await bench.turn('allow');
  assert.deepEqual([asked, approved.map(({ name }) => name)], [['own'], ['own', 'mine']]);
  assert.equal(said(cards[0]?.question ?? []), 'Start the server own from your own configuration?');
  assert.equal(approved[1]?.path, 'gbsAgent.mcpServers');
  const [whole] = approved;
  assert.deepEqual(Object.keys(whole?.kind === 'program' ? whole.env : {}).sort(), [
    'HOME',
    'PATH',
    'SECRET',
  ]);
  const elsewhere = planBench(root, { workspace: { folders: [join(root, 'ws2')] } });
  await check(elsewhere, 'deny', [], ['own']);
  plant(root, { 'home/.gbs/mcp.json': own(['b.js']) });
  await check(elsewhere, 'deny', ['own'], []);
});

test('a repository never takes the place of a user’s server, and the list says so', async () => {
  const root = tree({
    'ws/.mcp.json': config({ FS: { command: 'node' }, other: { command: 'node' } }),
    'ws/.gbs/mcp.json': config({ other: { command: 'node', disabled: true } }),
    'home/.claude/mcp.json': config({ fs: { command: 'node', enabled: false } }),
  });
  const { plan } = await planBench(root).turn('allow');
  assert.deepEqual(plan.servers, []);
  assert.deepEqual(
    plan.shadowed.map(({ name, by }) => [name, by?.name]),
    [
      ['FS', 'fs'],
      ['other', 'other'],
    ],
  );
  assert.deepEqual(
    plan.disabled.map(({ name, by }) => [name, by]),
    [
      ['other', null],
      ['fs', null],
    ],
  );
});

test('a program is looked up outside of the workspace alone', async () => {
  const root = repository({
    bare: { command: 'gbs-test-program' },
    named: { command: './node_modules/.bin/gbs-test-program' },
    none: { command: 'gbs-no-such-program' },
    plain: { command: './server.js' },
    nowhere: { command: 'node', cwd: 'missing' },
  });
  plant(root, { 'ws/node_modules/.bin/gbs-test-program': '#!/bin/sh\n', 'ws/bin/.keep': '' });
  chmodSync(join(root, 'ws/node_modules/.bin/gbs-test-program'), 0o755);
  symlinkSync(join(root, 'ws/node_modules/.bin'), join(root, 'link'));
  const PATH = [
    '',
    '.',
    'node_modules/.bin',
    join(root, 'ws/node_modules/.bin'),
    join(root, 'link'),
    process.env.PATH,
  ].join(':');
  const { plan, cards } = await planBench(root, { environment: { PATH } }).turn('allow');
  assert.deepEqual(
    plan.servers.map(({ name, standing }) => [
      name,
      standing.kind === 'unavailable' ? standing.code : standing.kind,
    ]),
    [
      ['bare', 'program-only-in-workspace'],
      ['named', 'asks'],
      ['none', 'program-not-found'],
      ['plain', 'program-not-executable'],
      ['nowhere', 'no-working-folder'],
    ],
  );
  assert.deepEqual(
    cards.map(({ about, flags }) => [about[0], flags.map(({ code }) => code)]),
    [['named', ['program-inside']]],
  );
  plant(root, { 'ws/node_modules/.bin/gbs-test-program': '#!/bin/sh\nexit\n' });
  assert.deepEqual((await planBench(root).turn('deny')).asked, ['named'], 'its content is covered');
});

test('an entry with a url is approved as written; a rotated key does not ask again', async () => {
  const headers = { Authorization: 'Bearer ${TOKEN}', 'X-Team': 'blue' };
  const root = repository({ far: { url: 'https://h/${TEAM}/mcp', headers } });
  const environment = { TOKEN: 's3cret-key', TEAM: 'blue-team' };
  const { cards, approved } = await planBench(root, { environment }).turn('allow');
  const [card] = cards;
  assert.deepEqual(card?.panes[0]?.content, [
    { kind: 'secret', text: 'https://h/blue-team/mcp', masked: 'https://h/••••••••/mcp' },
  ]);
  const fact = (term: string): string =>
    said(card?.facts.find((each) => each.term === term)?.value ?? []);
  assert.equal(fact('Sends'), 'Authorization, X-Team');
  assert.equal(fact('Reads'), 'TEAM (set), TOKEN (set)');
  const [server] = approved;
  assert.ok(server?.kind === 'address');
  assert.deepEqual(
    [server.url, server.shown, server.headers, server.sse, server.secrets],
    [
      'https://h/blue-team/mcp',
      'https://h/••••/mcp',
      [
        { name: 'Authorization', value: 'Bearer s3cret-key' },
        { name: 'X-Team', value: 'blue' },
      ],
      false,
      ['blue-team', 's3cret-key', 'Bearer s3cret-key', 's3cret-key'],
    ],
  );
  const rotated = planBench(root, { environment: { ...environment, TOKEN: 'another' } });
  await check(rotated, 'deny', [], ['far']);
  const moved = planBench(root, { environment: { ...environment, TEAM: 'red' } });
  await check(moved, 'deny', ['far'], []);
  const unset = planBench(root, { environment: { TEAM: 'blue-team' } });
  assert.deepEqual((await unset.turn('allow')).approved, [], 'a header without its value');
});

test('what cannot be covered asks every time, but for a server that runs', async () => {
  const root = repository({ fs: { command: 'node', args: ['huge.bin', 'pipe'] } });
  writeFileSync(join(root, 'ws/huge.bin'), '');
  truncateSync(join(root, 'ws/huge.bin'), COVERED_FILE_BYTES + 1);
  const bench = planBench(root);
  const { cards, approved } = await bench.turn('allow');
  assert.deepEqual(
    cards[0]?.flags.map(({ code }) => code),
    ['uncovered'],
  );
  await check(bench, 'allow', ['fs'], ['fs']);
  const running = new Set(approved.map(({ launch }) => launch));
  assert.deepEqual(
    (await bench.turn('deny', running)).approved.map(({ name }) => name),
    ['fs'],
  );
  execFileSync('mkfifo', [join(root, 'ws/pipe')]);
  rmSync(join(root, 'ws/huge.bin'));
  await check(bench, 'allow', ['fs'], ['fs']);
});

test('servers that name more paths than can be looked at ask every time', async () => {
  const root = repository();
  const folders = [join(root, 'ws')];
  const covered = new CoveredFiles({ core, style: 'posix', folders, realFolders: folders });
  const named = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      path: join(root, 'ws', String(index)),
      field: 'args[0]',
      secret: false,
    }));
  assert.equal(await covered.of(named(LOOKS_IN_ALL + 1)), null);
  const server = { path: join(root, 'ws/server.js'), field: 'args[1]', secret: false };
  const found = await covered.of([...named(3), server]);
  assert.deepEqual(
    found?.map(({ path }) => path),
    [server.path],
  );
});

test('a file that a running server writes does not ask until it needs a start', async () => {
  const root = repository({
    memory: { command: 'node', args: ['server.js'], env: { FILE: './memory.json' } },
  });
  const bench = planBench(root);
  const { approved } = await bench.turn('allow');
  plant(root, { 'ws/memory.json': '{}' });
  const running = new Set(approved.map(({ launch }) => launch));
  const next = await bench.turn('deny', running);
  assert.deepEqual([next.asked, next.approved], [[], approved]);
  await check(bench, 'deny', ['memory'], []);
  await bench.plans.revoke(bench.workspace, ['memory']);
  assert.deepEqual((await bench.turn('deny', running)).asked, ['memory'], 'revoked is revoked');
});

test('of two turns at once only one asks', async () => {
  const bench = planBench(repository());
  const [one, other] = await Promise.all([bench.turn('allow'), bench.turn('allow')]);
  assert.deepEqual([...one.asked, ...other.asked], ['fs']);
  assert.deepEqual([one.approved.length, other.approved.length], [1, 1]);
});

test('two windows that answer at once agree on the salt', async () => {
  const root = repository({ fs: entry, db: { command: 'node' } });
  const [one, other] = [planBench(root), planBench(root)];
  await Promise.all([one.turn('allow'), other.turn('allow')]);
  await check(planBench(root), 'deny', [], ['fs', 'db']);
});

test('an answer that cannot be kept holds once and says so', async () => {
  const root = repository();
  plant(root, { state: 'a file where the folder should be' });
  const bench = planBench(root);
  await check(bench, 'allow', ['fs'], ['fs']);
  assert.match(bench.log.join('\n'), /answer about fs could not be kept/);
});

test('a state file that was damaged grants nothing', async () => {
  const root = repository();
  await planBench(root).turn('allow');
  for (const damaged of ['{', '{"servers": 1}', '{"servers": [["x"]], "salt": "zz"}', 'null']) {
    for (const file of statePaths(root)) writeFileSync(file, damaged);
    await check(planBench(root), 'deny', ['fs'], []);
  }
});

test('of several folders the first wins; each keeps its own answers', async () => {
  const root = tree({
    'ws/.mcp.json': config({ a: { command: 'node', args: ['first'] } }),
    'ws2/.mcp.json': config({ a: { command: 'node', args: ['second'] }, b: { command: 'node' } }),
    'home/.keep': '',
  });
  const folders = [join(root, 'ws'), join(root, 'ws2')];
  const { plan, approved } = await planBench(root, { workspace: { folders } }).turn('allow');
  assert.deepEqual(
    approved.map((server) =>
      server.kind === 'program' ? [server.name, server.cwd, server.command.argv] : [],
    ),
    [
      ['b', join(root, 'ws2'), []],
      ['a', join(root, 'ws'), ['first']],
    ],
  );
  assert.deepEqual(
    plan.shadowed.map(({ path }) => path),
    [join(root, 'ws2/.mcp.json')],
  );
  await check(
    planBench(root, { workspace: { folders: [join(root, 'ws2')] } }),
    'deny',
    ['a'],
    ['b'],
  );
});

test('findings name the file, the entry and the place, for texts in an editor too', async () => {
  const root = tree({
    'ws/.mcp.json': '{\n  "mcpServers": {\n    "a": { "command": 1 }\n',
    'home/.keep': '',
  });
  const bench = planBench(root);
  const { plan } = await bench.turn('allow');
  assert.deepEqual(
    plan.problems.map(({ path, problem }) => [path, problem.code, problem.start]),
    [[join(root, 'ws/.mcp.json'), 'invalid-json', { line: 2, column: 17 }]],
  );
  const found = bench.plans.check(
    join(root, 'ws/.gbs/mcp.json'),
    config({ a: { command: '${NO}' } }),
  );
  assert.deepEqual(
    found.map(({ code }) => code),
    ['unset-variable'],
  );
  assert.deepEqual(
    bench.plans.check(join(root, 'ws/.mcp.json'), config({ fs: entry })).map(({ code }) => code),
    ['unset-variable'],
  );
});

function statePaths(root: string): string[] {
  const folder = join(root, 'state');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('server-consent.json'))
    .map((path) => join(folder, path));
}

function stateFiles(root: string): string {
  return statePaths(root)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

test(
  'what is kept is for the user’s eyes alone',
  { skip: process.platform === 'win32' },
  async () => {
    const root = repository();
    await planBench(root).turn('allow');
    assert.deepEqual(
      statePaths(root).map((path) => (statSync(path).mode & 0o777).toString(8)),
      ['600'],
    );
  },
);
