/** Skills that a server has and does not list: loaded by their addresses, asked about, checked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SkillsContributor } from '../../../extension/skills/contributor.ts';
import { addressesIn, commandOf } from '../../../extension/skills/invoke.ts';
import { bench, tree } from '../skills/tree.ts';
import { benchOf } from './contributor-bench.ts';
import { runOf } from './offered-run.ts';
import { approvedAddress, never } from './set.ts';
import { json, type Misbehave } from './http-server.ts';
import {
  entryOf,
  manifest,
  skillsServer,
  type Folders,
  type SkillsServer,
} from './skills-server.ts';
import { until } from '../until.ts';

const at = 'skill://acme/refunds';
const listed: Folders = { 'skill://tax': { 'SKILL.md': manifest('tax') } };
const unlisted: Folders = {
  [at]: { 'SKILL.md': manifest('refunds', 'Read form.md.\n'), 'form.md': 'The form.\n' },
};

const limit = { timeout: 120_000 };

test('addresses in messages', () => {
  const address = 'docs:skill://acme/refunds/SKILL.md';
  assert.equal(commandOf(`/${address} order 7`), address);
  const found = [{ name: address, label: 'docs', uri: `${at}/SKILL.md` }];
  assert.deepEqual(addressesIn(`/${address} order 7`), found);
  assert.deepEqual(addressesIn(`take @skill:${address}.`), found);
  // The address of the folder is enough.
  assert.deepEqual(addressesIn(`/docs:${at}`), [{ ...found[0], name: `docs:${at}` }]);
  const others = ['/docs:refunds', '/path/to://x', `${address} order`, `/${address}?a=b`];
  for (const other of others) assert.deepEqual(addressesIn(other), [], other);
});

test('the user’s /server:address', limit, async (t) => {
  const server = Object.assign(await skillsServer(t, listed), { unlisted });
  const run = runOf(t, [approvedAddress('docs', server.url)]);
  const message = `/docs:${at}/SKILL.md order 7`;
  const { hint, catalogue } = await run.prepare({ message });
  assert.match(hint, /<server-guidance name="docs:refunds">[^]*Read form\.md\./);
  assert.match(catalogue, /docs:refunds: About refunds\.[^]*docs:tax/);
  assert.deepEqual(
    run.cards.map(({ question }) => question.map(({ text }) => text).join('')),
    ['Use 2 skills from the server docs?'],
  );
  assert.deepEqual(server.reads, [`${at}/SKILL.md`]);
  // It stays, is asked for anew when the list is, and asks again when it changed.
  const lists = run.servers.contributor.skills;
  lists.reload();
  await run.prepare();
  assert.deepEqual(await run.stands(), ['docs:tax: full', 'docs:refunds: full']);
  assert.equal(server.count('skills/get'), 2);
  server.unlisted = { [at]: { 'SKILL.md': manifest('refunds', 'Something else.\n') } };
  lists.reload();
  run.answer = 'notNow';
  await run.prepare({ message });
  assert.equal(run.cards.length, 2);
  assert.deepEqual(await run.stands(), [
    'docs:tax: full',
    'docs:refunds: waits for you: 2 files changed; not now, as you said',
  ]);
  // What it no longer has is gone.
  server.unlisted = {};
  lists.reload();
  await run.prepare();
  assert.deepEqual(await run.stands(), ['docs:tax: full']);
});

test('the model’s skill(server:address)', limit, async (t) => {
  const server = Object.assign(await skillsServer(t, listed), { unlisted });
  const run = runOf(t, [approvedAddress('docs', server.url)]);
  const first = await run.prepare();
  const address = `docs:${at}/SKILL.md`;
  assert.equal(
    await run.load(first, address),
    'The server docs has this skill. Call skill with name docs:refunds now: the user may be asked about it first.',
  );
  assert.deepEqual(server.reads, [], 'nothing is fetched before it is allowed');
  assert.equal(run.contributor.takeRebuild(), true);
  const second = await run.prepare();
  assert.equal(run.cards.length, 2);
  assert.match(await run.load(second, 'docs:refunds'), /^<server-guidance [^]*Read form\.md\./);
  // Known by now, its address is as good as its name.
  assert.match(await run.load(second, address, 'form.md'), /\nThe form\.\n/);
  assert.match(await run.load(second, `docs:skill://tax/SKILL.md`), /^<server-guidance /);
  assert.equal(server.count('skills/get'), 1);
});

test('what is no skill at an address', limit, async (t) => {
  const server = Object.assign(await skillsServer(t, listed), { unlisted });
  const run = runOf(t, [approvedAddress('docs', server.url)]);
  const contribution = await run.prepare();
  const refused = (name: string) => run.load(contribution, name);
  assert.match(
    await refused('docs:skill://none'),
    /^refused: The server "docs" says: .*No skill is served at skill:\/\/none\/SKILL\.md.* Go on without it\.$/,
  );
  assert.match(
    await refused(`other:${at}`),
    /^refused: No server that runs and offers skills is called other\. Go on without it\.$/,
  );
  // Which server is meant, nobody can tell from an address alone.
  assert.equal(
    await refused(`${at}/SKILL.md`),
    `refused: Say which server has this skill: call skill with name SERVER:${at}/SKILL.md, with the server's name for SERVER.`,
  );
  server.got = entryOf('skill://tax', listed['skill://tax'] ?? {});
  assert.match(await refused(`docs:${at}`), /^refused: The server "docs" gave another skill than/);
  server.got = { uri: `${at}/SKILL.md`, frontmatter: {}, resources: 'dynamic' };
  // A skill that cannot be used is known from then on, with the reason.
  assert.match(await refused(`docs:${at}`), /^The server docs has this skill\./);
  assert.match((await run.stands()).join('\n'), /unusable/);
  server.unlisted = {};
  const events = run.events.length;
  await run.prepare({ message: '/docs:skill://none/SKILL.md please' });
  const said = run.events.slice(events).flatMap((event) => {
    return event.type === 'notice' ? [[event.notice.fact, event.notice.cause]] : [];
  });
  assert.deepEqual(said[0]?.[0], 'The skill docs:skill://none/SKILL.md was not loaded.');
  assert.match(said[0]?.[1] ?? '', /No skill is served at/);
  assert.equal(said.filter(([fact]) => fact?.includes('none')).length, 1);
  const lists = run.servers.contributor.skills;
  assert.equal((await lists.get('docs', 'file:///etc/passwd', never)).kind, 'refused');
});

/** Asks `when` first, and the server itself where that does nothing. */
function before(server: SkillsServer, when: Misbehave): void {
  const { misbehave } = server;
  server.misbehave = (asked, response) => when(asked, response) || misbehave(asked, response);
}

/** What was told since there were `events` of them. */
const said = (run: ReturnType<typeof runOf>, events: number): string[][] =>
  run.events.slice(events).flatMap((event) => {
    return event.type === 'notice' ? [[event.notice.fact, event.notice.cause]] : [];
  });

test('an address in a message that was queued', limit, async (t) => {
  const server = Object.assign(await skillsServer(t, listed), { unlisted });
  const run = runOf(t, [approvedAddress('docs', server.url)]);
  await run.prepare();
  const { contributor } = run;
  const emit = (event: (typeof run.events)[number]): number => run.events.push(event);
  const queued = (message: string): Promise<string> =>
    contributor.asked(message, 32_768, emit, never);
  let events = run.events.length;
  assert.equal(
    await queued(`/docs:${at} order 7`),
    'The user asks for the skill docs:refunds with this message: call skill with that name first.',
  );
  assert.deepEqual(said(run, events), []);
  assert.equal(contributor.takeRebuild(), true);
  const second = await run.prepare();
  assert.equal(run.cards.length, 2);
  assert.match(await run.load(second, 'docs:refunds'), /Read form\.md\./);
  // Allowed by now, it is loaded at once, and needs nothing made anew.
  assert.match(await queued(`/docs:${at} order 8`), /<server-guidance [^]*Read form\.md\./);
  assert.equal(contributor.takeRebuild(), false);
  events = run.events.length;
  assert.equal(await queued('/docs:skill://none please'), '');
  const [[fact, cause] = [], ...more] = said(run, events);
  assert.equal(fact, 'The skill docs:skill://none was not loaded.');
  assert.match(cause ?? '', /No skill is served at/);
  assert.deepEqual(more, []);
  // An address elsewhere in the message does not hide that the command is none.
  events = run.events.length;
  assert.match(await queued(`/nothing @skill:docs:${at}/SKILL.md`), /Read form\.md\./);
  assert.deepEqual(said(run, events)[0], ['There is no skill or command named /nothing.', '']);
  // A server that has gone is what is said, and not that there was no such skill.
  await run.servers.contributor.servers.stop('docs');
  events = run.events.length;
  assert.equal(await queued('/docs:skill://other please'), '');
  assert.deepEqual(said(run, events), [
    [
      'The skill docs:skill://other was not loaded.',
      'No server that runs and offers skills is called docs.',
    ],
  ]);
});

test('an address where skills are turned off', limit, async (t) => {
  const server = Object.assign(await skillsServer(t, listed), { unlisted });
  const off = bench(tree({}), { settings: { skillsEnabled: false } });
  const servers = benchOf(t, off.parts.state, [approvedAddress('docs', server.url)]);
  await servers.prepare();
  const offered = () => servers.contributor.skills;
  const contributor = new SkillsContributor({ ...off.parts, offered });
  const notices: string[][] = [];
  await contributor.prepare({
    workspace: off.workspace,
    mode: 'ask',
    contextWindow: 0,
    message: `/docs:${at} order 7`,
    ask: () => Promise.reject(new Error('nothing is asked')),
    emit: (event) => {
      if (event.type === 'notice') notices.push([event.notice.fact, event.notice.cause]);
    },
    signal: never,
  });
  assert.deepEqual(notices, [[`The skill docs:${at} was not loaded.`, 'Skills are turned off.']]);
  assert.equal(server.count('skills/get'), 0);
});

test(
  'a list that is asked for anew loses nothing that was asked for by address',
  limit,
  async (t) => {
    const more = { 'skill://late': { 'SKILL.md': manifest('late') } };
    const server = Object.assign(await skillsServer(t, listed), {
      unlisted: { ...unlisted, ...more },
    });
    const run = runOf(t, [approvedAddress('docs', server.url)]);
    await run.prepare({ message: `/docs:${at}` });
    const lists = run.servers.contributor.skills;
    const names = (): string[] =>
      lists.known().flatMap(({ offered }) => offered.skills.map(({ name }) => name));
    assert.deepEqual(names(), ['docs:tax', 'docs:refunds']);

    // One comes while another one is asked for again.
    let answer = null as (() => void) | null;
    before(server, ({ method, id, params }, response) => {
      if (method !== 'skills/get' || params['uri'] !== `${at}/SKILL.md`) return false;
      answer = () => json(response, id, { skill: entryOf(at, unlisted[at] ?? {}) });
      return true;
    });
    lists.reload();
    const again = lists.ask(never);
    await until(() => answer !== null);
    assert.deepEqual(await lists.get('docs', 'skill://late/SKILL.md', never), {
      kind: 'had',
      name: 'docs:late',
    });
    (answer as () => void)();
    await again;
    assert.deepEqual(names(), ['docs:tax', 'docs:refunds', 'docs:late']);

    // An answer that cannot be used says nothing of the skill.
    let broken: (id: number) => string = () => '';
    before(server, ({ method, id }, response) => {
      if (method !== 'skills/get') return false;
      response.setHeader('content-type', 'application/json');
      response.end(broken(id));
      return true;
    });
    for (const text of ['{"skill":7}', '7', '{']) {
      broken = (id) => `{"jsonrpc":"2.0","id":${String(id)},"result":${text}}`;
      lists.reload();
      await lists.ask(never);
      assert.deepEqual(names(), ['docs:tax', 'docs:refunds', 'docs:late'], text);
    }
  },
);

test('addresses beside lists that are long, or not whole', limit, async (t) => {
  const server = Object.assign(await skillsServer(t, listed), { unlisted });
  const many = Array.from({ length: 2_000 }, (_, n) =>
    entryOf(`skill://s${String(n)}`, { 'SKILL.md': '' }),
  );
  server.listed = () => ({ skills: [null, ...many] });
  const run = runOf(t, [approvedAddress('docs', server.url)]);
  await run.servers.prepare();
  const lists = run.servers.contributor.skills;
  await lists.ask(never);
  const had = { kind: 'had', name: 'docs:refunds' };
  assert.deepEqual(await lists.get('docs', `${at}/SKILL.md`, never), had);
  const [full] = lists.known();
  assert.equal(full?.offered.skills.length, 2_000);
  assert.deepEqual(full.offered.problems, [
    'Entry 1 of its list is left out: it has no address (uri).',
    'Left out for skills that were asked for by address: 1 of its list.',
  ]);

  // Why a list is not whole is still said.
  server.listed = () => ({ skills: [], nextCursor: 'again' });
  lists.reload();
  await lists.ask(never);
  const odd = 'skill://a/../odd';
  server.unlisted = {
    ...unlisted,
    'skill://tax': listed['skill://tax'] ?? {},
    [odd]: { 'SKILL.md': manifest('odd') },
  };
  assert.equal((await lists.get('docs', 'skill://tax/SKILL.md', never)).kind, 'had');
  assert.deepEqual(lists.known()[0]?.offered.problems, ['Its list of skills repeats itself.']);
  // What is no skill is said of it alone: it stands in no list.
  assert.deepEqual(await lists.get('docs', `${odd}/SKILL.md`, never), {
    kind: 'refused',
    message: `The server "docs" gave no skill at ${odd}/SKILL.md: its address ${odd}/SKILL.md is not that of a file.`,
  });
});
