/** The catalogue by itself: what is read and when, which ids reach a file, what wins. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SkillProvider } from '../../../extension/catalogue/provider.ts';
import {
  CATALOGUE_BODIES,
  CATALOGUE_FILE_BYTES,
  SKILL_FILE_BYTES,
} from '../../../extension/limits.ts';
import { plant, skill, tree } from '../skills/tree.ts';
import { catalogueOf, counted, incident, twoSkills } from './support.ts';

test('a body is read once while its file is unchanged, and an edit is seen at once', async () => {
  const root = tree(twoSkills);
  const { catalogue, providers } = catalogueOf(root);
  const [provider] = providers;
  assert.ok(provider);
  const body = '\n# Incident Response\n\nFollow the runbook for your incident severity...\n';
  for (let time = 0; time < 3; time += 1) {
    assert.equal(await catalogue.body('incident-response'), body);
  }
  await Promise.all([catalogue.body('review-sql'), catalogue.body('review-sql')]);
  assert.deepEqual(provider.reads, ['incident-response', 'review-sql']);

  writeFileSync(join(root, 'incident-response/SKILL.md'), `${incident}Call the lead.\n`);
  assert.equal(await catalogue.body('incident-response'), `${body}Call the lead.\n`);
  assert.deepEqual(provider.reads, ['incident-response', 'review-sql', 'incident-response']);
});

test('256 bodies are kept, and the one asked for longest ago goes first', async () => {
  const id = (at: number): string => `s-${String(at).padStart(3, '0')}`;
  const files = Array.from({ length: CATALOGUE_BODIES + 1 }, (_, at) => id(at));
  const root = tree(Object.fromEntries(files.map((name) => [`${name}/SKILL.md`, skill(name)])));
  const { catalogue, providers } = catalogueOf(root);
  for (const name of files.slice(0, CATALOGUE_BODIES)) await catalogue.body(name);
  await catalogue.body(id(0));
  await catalogue.body(id(CATALOGUE_BODIES));
  const reads = providers[0]?.reads ?? [];
  reads.length = 0;
  await catalogue.body(id(0));
  await catalogue.body(id(2));
  assert.deepEqual(reads, []);
  await catalogue.body(id(1));
  assert.deepEqual(reads, [id(1)]);
});

test('new, changed and removed folders show without a restart, with one look for a burst', async () => {
  const root = tree(twoSkills);
  const { catalogue, providers, later } = catalogueOf(root);
  const ids = async (): Promise<string[]> => (await catalogue.list()).map(({ id }) => id);
  assert.deepEqual(await ids(), ['incident-response', 'review-sql']);
  const asked = providers[0]?.asked.length;
  assert.deepEqual(await ids(), ['incident-response', 'review-sql']);
  assert.equal((await catalogue.search('incident', 5)).length, 1);
  assert.equal(providers[0]?.asked.length, asked);

  plant(root, { 'a-new-one/SKILL.md': skill('a-new-one') });
  assert.equal(await catalogue.body('a-new-one'), 'Body.\n');
  rmSync(join(root, 'incident-response'), { recursive: true });
  writeFileSync(join(root, 'review-sql/SKILL.md'), skill('review-sql', 'Other words.'));
  assert.equal(await catalogue.body('incident-response'), null);
  later();
  assert.deepEqual(await ids(), ['a-new-one', 'review-sql']);
  assert.deepEqual(
    (await catalogue.search('other', 5)).map(({ skill: { id } }) => id),
    ['review-sql'],
  );
  assert.deepEqual(providers[0]?.reads, [
    'incident-response',
    'review-sql',
    'a-new-one',
    'review-sql',
  ]);
});

test('changes are told with what they are about', async () => {
  const root = tree(twoSkills);
  const { catalogue, later } = catalogueOf(root);
  const told: unknown[] = [];
  catalogue.onChange((change) => told.push(change));
  await catalogue.list();
  writeFileSync(join(root, 'incident-response/SKILL.md'), `${incident}More.\n`);
  later();
  await catalogue.list();
  plant(root, { 'b/SKILL.md': skill('b') });
  later();
  await catalogue.list();
  assert.deepEqual(told, [
    { list: false, ids: ['incident-response'] },
    { list: true, ids: ['b'] },
  ]);
});

test('a bad skill is skipped with its reason, and the others stay', async () => {
  const root = tree({
    ...twoSkills,
    'no-header/SKILL.md': '# Just text\n',
    'no-name/SKILL.md': '---\ndescription: Something.\n---\n',
    'no-description/SKILL.md': '---\nname: no-description\n---\n',
    'too-large/SKILL.md': skill('too-large') + 'x'.repeat(SKILL_FILE_BYTES),
    'a-folder/SKILL.md/file': 'x',
    'leads-out': { link: '/etc' },
    'leads-out-inside/SKILL.md': { link: '../review-sql/SKILL.md' },
    'no-skill/readme.md': 'x',
    '.hidden/SKILL.md': skill('hidden'),
  });
  plant(root, { 'other-name/SKILL.md': skill('Another Title') });
  const { catalogue, warnings, later } = catalogueOf(root);
  const ids = (await catalogue.list()).map(({ id }) => id);
  assert.deepEqual(ids, ['incident-response', 'other-name', 'review-sql']);
  later();
  await catalogue.list();
  assert.deepEqual(warnings.map(({ skill: id }) => id).sort(), [
    'a-folder',
    'leads-out-inside',
    'no-description',
    'no-header',
    'no-name',
    'too-large',
  ]);
  for (const { message } of warnings) assert.match(message, /^[A-Z].*\.$/s);
});

test('the first folder with an id wins, and a bad skill there wins over nothing', async () => {
  const first = tree({ 'a/SKILL.md': skill('a', 'First.'), 'b/SKILL.md': 'broken' });
  const second = tree({ 'a/SKILL.md': skill('a', 'Second.'), 'b/SKILL.md': skill('b', 'Second.') });
  const { catalogue, warnings } = catalogueOf(first, second);
  const found = (await catalogue.list()).map(({ id, description }) => [id, description]);
  assert.deepEqual(found, [
    ['a', 'First.'],
    ['b', 'Second.'],
  ]);
  assert.equal((await catalogue.get('b'))?.description, 'Second.');
  assert.deepEqual(warnings.map(({ skill: id }) => id).sort(), ['a', 'b']);
});

test('no id and no name reads a byte outside', async () => {
  const secret = 'not for anyone';
  const outside = tree({ 'secret.md': secret, 'other/SKILL.md': skill('other') });
  const root = tree({
    'skills/a/SKILL.md': skill('a'),
    'skills/a/references/in.md': 'in',
    'skills/a/references/link-in.md': { link: 'in.md' },
    'skills/a/references/link-out.md': { link: join(outside, 'secret.md') },
    'skills/a/references/link-up.md': { link: '../SKILL.md' },
    'skills/a/references/link-other.md': { link: '../../b/SKILL.md' },
    'skills/a/references/pipe': { pipe: true },
    'skills/a/references/folder/x.md': 'x',
    'skills/a/references/.hidden': 'x',
    'skills/a/scripts': { link: outside },
    'skills/a/assets': { link: '..' },
    'skills/b/SKILL.md': skill('b'),
    'skills/out': { link: join(outside, 'other') },
    'secret.md': secret,
  });
  const { catalogue, providers } = catalogueOf(join(root, 'skills'));
  const attempts = [
    '',
    '.',
    '..',
    '...',
    '../a',
    'a/',
    '/a',
    './a',
    'a/.',
    'a/../a',
    '..\\a',
    'a\\b',
    'a\0',
    '\0',
    'C:',
    'C:a',
    'a:b',
    '.git',
    '.hidden',
    ' ',
    'a/references',
    '../../etc/passwd',
    '/etc/passwd',
    'NUL',
    'con',
    'aux.md',
    '\u202ea',
    'x'.repeat(5000),
    '%2e%2e',
    '%2e%2e%2fa',
    '~',
    'out',
  ];
  for (const attempt of attempts) {
    assert.equal(await catalogue.body(attempt), null, JSON.stringify(attempt));
    assert.equal(await catalogue.file(attempt, 'references', 'in.md'), null);
    assert.equal(await catalogue.files(attempt, 'references'), null);
    assert.equal(await catalogue.file('a', 'references', attempt), null, JSON.stringify(attempt));
  }
  // Of the invalid ones nobody was even asked; those that may be a folder's name were looked up.
  const lookedUp = new Set(providers[0]?.asked.filter((what) => what.startsWith('stat ')));
  assert.deepEqual([...lookedUp].sort(), [
    'stat %2e%2e',
    'stat %2e%2e%2fa',
    'stat a',
    'stat out',
    'stat ~',
  ]);

  const give = async (name: string): Promise<unknown> => {
    const bytes = await catalogue.file('a', 'references', name);
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString() : bytes;
  };
  assert.equal(await give('in.md'), 'in');
  assert.equal(await give('link-in.md'), 'in');
  for (const name of ['link-out.md', 'link-up.md', 'link-other.md', 'pipe', 'folder', '.hidden']) {
    assert.equal(await give(name), null, name);
  }
  assert.equal(await catalogue.file('a', 'scripts', 'secret.md'), null);
  assert.equal(await catalogue.file('a', 'assets', 'secret.md'), null);
  assert.deepEqual(await catalogue.files('a', 'scripts'), []);
  assert.deepEqual(
    (await catalogue.files('a', 'references'))?.map(({ name }) => name),
    ['in.md', 'link-in.md'],
  );
});

test('exact scores', async () => {
  const root = tree({
    ...twoSkills,
    'sql/SKILL.md': skill('sql', 'Questions about sql.', 'tags: [sql, sqlite]\n'),
  });
  const { catalogue } = catalogueOf(root);
  const check = async (
    query: string,
    limit: number,
    expected: readonly unknown[],
  ): Promise<void> => {
    const hits = await catalogue.search(query, limit);
    assert.deepEqual(
      hits.map(({ skill: { id }, score }) => [id, score]),
      expected,
      query,
    );
  };
  // id 10, name 10, tag 4, description 2; id contains 3, name contains 5, tag 4.
  await check('SQL', 5, [
    ['sql', 26],
    ['review-sql', 12],
  ]);
  await check('sql', 1, [['sql', 26]]);
  await check('on-call', 5, [['incident-response', 6]]);
  await check('on-call on-call', 5, [['incident-response', 12]]);
  await check('incident response', 5, [['incident-response', 18]]);
  await check('  ', 5, []);
  await check('zebra', 5, []);
});

test('10,000 skills: a search reads no file', async () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `skill-${String(at)}`);
  const many: SkillProvider = {
    list: () => Promise.resolve(ids),
    stat: () => Promise.resolve({ modified: 1, size: 1 }),
    read: (id) => Promise.resolve(new TextEncoder().encode(skill(id, `What ${id} is for.`))),
    listSubdir: () => Promise.resolve(null),
    readSubfile: () => Promise.resolve(null),
  };
  const { catalogue, providers } = catalogueOf(many);
  assert.equal((await catalogue.list()).length, 10_000);
  const reads = providers[0]?.reads ?? [];
  assert.equal(reads.length, 10_000);
  const hits = await catalogue.search('skill-9999', 5);
  assert.deepEqual(
    hits.map(({ skill: { id }, score }) => [id, score]),
    [['skill-9999', 22]],
  );
  assert.equal(reads.length, 10_000);
});

test('a provider that fails keeps what it had, and says so once', async () => {
  const root = tree(twoSkills);
  const broken = { now: false };
  const inner = catalogueOf(root).providers[0];
  assert.ok(inner);
  const provider = counted({
    ...inner,
    list: () => (broken.now ? Promise.reject(new Error('the store is away')) : inner.list()),
  });
  const { catalogue, warnings, later } = catalogueOf(provider);
  assert.equal((await catalogue.list()).length, 2);
  broken.now = true;
  later();
  assert.equal((await catalogue.list()).length, 2);
  later();
  await catalogue.list();
  assert.deepEqual(warnings, [
    { skill: '', message: 'The skills cannot be listed: the store is away.' },
  ]);
});

test('a file that is too large gives its size', async () => {
  const root = tree({
    'a/SKILL.md': skill('a'),
    'a/assets/large.bin': new Uint8Array(CATALOGUE_FILE_BYTES + 1),
  });
  const { catalogue } = catalogueOf(root);
  assert.deepEqual(await catalogue.file('a', 'assets', 'large.bin'), {
    size: CATALOGUE_FILE_BYTES + 1,
  });
});
