/** Skills that a server has and does not list: loaded by their addresses, asked about, checked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesIn, commandOf } from '../../../extension/skills/invoke.ts';
import { runOf } from './offered-run.ts';
import { approvedAddress, never } from './set.ts';
import { entryOf, manifest, skillsServer, type Folders } from './skills-server.ts';

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
  assert.deepEqual(said[0]?.[0], 'There is no skill docs:skill://none/SKILL.md.');
  assert.match(said[0]?.[1] ?? '', /No skill is served at/);
  assert.equal(said.filter(([fact]) => fact?.includes('none')).length, 1);
  const lists = run.servers.contributor.skills;
  assert.equal((await lists.get('docs', 'file:///etc/passwd', never)).kind, 'refused');
});
