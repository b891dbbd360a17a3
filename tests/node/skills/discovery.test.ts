/** Which skills are found, in which order, and what is said of those that cannot be used. */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  SKILL_BYTES,
  SKILL_FILE_BYTES,
  SKILL_FILES,
  SKILLS_USED,
} from '../../../extension/limits.ts';
import { allowed, bench, lines, skill, summary, tree, type Bench, type Node } from './tree.ts';

/** What is found after everything that waits was allowed. */
async function check(
  nodes: Readonly<Record<string, Node>>,
  options: (root: string) => Parameters<typeof bench>[1],
  expected: readonly string[],
): Promise<Bench> {
  const root = tree({ 'ws/.keep': '', 'home/.keep': '', ...nodes });
  const here = bench(root, options(root));
  const view = await allowed(here);
  assert.deepEqual(summary(root, view), expected);
  return here;
}

const plain = () => ({});

test('the four folders of a workspace in their order, then the four of the user', async () => {
  await check(
    {
      'ws/.github/skills/a/SKILL.md': skill('a'),
      'ws/.claude/skills/b/SKILL.md': skill('b'),
      'ws/.agents/skills/c/SKILL.md': skill('c'),
      'ws/.gbs/skills/d/SKILL.md': skill('d'),
      'home/.copilot/skills/e/SKILL.md': skill('e'),
      'home/.claude/skills/f/SKILL.md': skill('f'),
      'home/.agents/skills/g/SKILL.md': skill('g'),
      'home/.gbs/skills/h/SKILL.md': skill('h'),
    },
    plain,
    [
      'ws/.gbs/skills/d: full',
      'ws/.agents/skills/c: full',
      'ws/.claude/skills/b: full',
      'ws/.github/skills/a: full',
      'home/.gbs/skills/h: full',
      'home/.agents/skills/g: full',
      'home/.claude/skills/f: full',
      'home/.copilot/skills/e: full',
    ],
  );
});

test("the user's settings choose which folders of the user are read", async () => {
  const nodes = {
    'home/mine/a/SKILL.md': skill('a'),
    'home/.gbs/skills/b/SKILL.md': skill('b'),
    'home/.claude/skills/c/SKILL.md': skill('c'),
  };
  await check(
    nodes,
    () => ({ settings: { skillsPath: '~/mine', skillsReadSharedFolders: false } }),
    ['home/mine/a: full'],
  );
  await check(nodes, () => ({ settings: { skillsPath: '' } }), ['home/.claude/skills/c: full']);
  await check(nodes, () => ({ settings: { skillsPath: 'mine' } }), [
    'home/.claude/skills/c: full',
    'mine! skills-path-relative',
  ]);
  await check(nodes, () => ({ settings: { skillsEnabled: false } }), []);
});

test('in a monorepo the root comes first, then the folders of the open file, nearest first', async () => {
  const nodes = {
    'ws/.gbs/skills/root/SKILL.md': skill('root'),
    'ws/.gbs/skills/shared/SKILL.md': skill('shared'),
    'ws/packages/http/.claude/skills/http/SKILL.md': skill(
      'http',
      'x',
      'autoAttach: ["**/*.ts"]\n',
    ),
    'ws/packages/http/.gbs/skills/shared/SKILL.md': skill('shared'),
    'ws/packages/http/src/.gbs/skills/near/SKILL.md': skill('near'),
    'ws/packages/other/.gbs/skills/other/SKILL.md': skill('other'),
    'ws/1/2/3/4/5/6/.gbs/skills/six/SKILL.md': skill('six'),
    'ws/1/2/3/4/5/6/7/.gbs/skills/seven/SKILL.md': skill('seven'),
    'ws/node_modules/kit/.gbs/skills/kit/SKILL.md': skill('kit'),
  };
  const at = (file: string) => (root: string) => ({
    workspace: { openFile: join(root, file) },
  });
  await check(nodes, at('ws/packages/http/src/retry.ts'), [
    'ws/.gbs/skills/root: full',
    'ws/.gbs/skills/shared: full',
    'ws/packages/http/src/.gbs/skills/near: full',
    'ws/packages/http/.gbs/skills/shared: shadowed by .gbs/skills',
    'ws/packages/http/.claude/skills/http: fits retry.ts',
  ]);
  await check(nodes, at('ws/1/2/3/4/5/6/7/a.ts'), [
    'ws/.gbs/skills/root: full',
    'ws/.gbs/skills/shared: full',
    'ws/1/2/3/4/5/6/.gbs/skills/six: full',
    'ws/1/2/3/4/5/6/7! skills-folder-too-deep',
  ]);
  for (const outside of ['ws/node_modules/kit/a.ts', 'home/a.ts', 'ws/a.ts']) {
    await check(nodes, at(outside), ['ws/.gbs/skills/root: full', 'ws/.gbs/skills/shared: full']);
  }
});

test('several workspace folders in their order', async () => {
  await check(
    {
      'two/.gbs/skills/a/SKILL.md': skill('a'),
      'ws/.gbs/skills/a/SKILL.md': skill('a'),
      'ws/.gbs/skills/b/SKILL.md': skill('b'),
    },
    (root) => ({ workspace: { folders: [join(root, 'two'), join(root, 'ws')] } }),
    [
      'two/.gbs/skills/a: full',
      'ws/.gbs/skills/a: shadowed by .gbs/skills',
      'ws/.gbs/skills/b: full',
    ],
  );
});

test('packages offer skills by gbsSkills', async () => {
  const offer = (gbsSkills: unknown, version = '3.1.0') => JSON.stringify({ version, gbsSkills });
  await check(
    {
      'ws/package.json': JSON.stringify({
        dependencies: { 'chart-kit': '1', '@acme/ui': '1', '../evil': '1', absent: '1' },
        devDependencies: { many: '1', bad: '1', leads: '1', plain: '1' },
        peerDependencies: { peer: '1' },
      }),
      'ws/node_modules/chart-kit/package.json': offer('./skills'),
      'ws/node_modules/chart-kit/skills/chart/SKILL.md': skill('chart'),
      'ws/node_modules/@acme/ui/package.json': offer(['a', 'b', 'missing']),
      'ws/node_modules/@acme/ui/a/one/SKILL.md': skill('one'),
      'ws/node_modules/@acme/ui/b/two/SKILL.md': skill('two'),
      'ws/node_modules/bad/package.json': offer([
        '../chart-kit/skills',
        '/etc',
        3,
        'C:\\x',
        'a\0b',
      ]),
      'ws/node_modules/many/package.json': offer(
        Array.from({ length: 11 }, (_, n) => `s${String(n)}`),
      ),
      'ws/node_modules/many/s10/eleventh/SKILL.md': skill('eleventh'),
      'ws/node_modules/leads/package.json': offer('out'),
      'ws/node_modules/leads/out': { link: '../../../elsewhere' },
      'elsewhere/leaked/SKILL.md': skill('leaked'),
      'ws/node_modules/plain/package.json': '{"version":"1.0.0"}',
      'ws/node_modules/peer/package.json': offer('skills'),
      'ws/node_modules/peer/skills/peer/SKILL.md': skill('peer'),
      'evil/package.json': offer('skills'),
      'evil/skills/evil/SKILL.md': skill('evil'),
    },
    plain,
    [
      'ws/node_modules/@acme/ui/a/one: full',
      'ws/node_modules/@acme/ui/b/two: full',
      'ws/node_modules/chart-kit/skills/chart: full',
      'ws/node_modules/bad/package.json! package-skills-refused',
      'ws/node_modules/bad/package.json! package-skills-refused',
      'ws/node_modules/bad/package.json! package-skills-not-a-path',
      'ws/node_modules/bad/package.json! package-skills-refused',
      'ws/node_modules/bad/package.json! package-skills-refused',
      'ws/node_modules/leads/package.json! package-skills-outside',
      'ws/node_modules/many/package.json! package-skills-too-many',
    ],
  );
  await check({ 'ws/package.json': '{"dependencies":' }, plain, [
    'ws/package.json! package-json-broken',
  ]);
  await check({ 'ws/package.json': '[]' }, plain, ['ws/package.json! package-json-broken']);
});

test('links: to a skill, to a folder of skills, in a loop, out of a skill', async () => {
  await check(
    {
      'shared/good/SKILL.md': skill('good'),
      'ws/.gbs/skills/good': { link: '../../../shared/good' },
      'ws/.gbs/skills/loop': { link: 'loop' },
      'ws/.gbs/skills/dangling': { link: 'gone' },
      'ws/.gbs/skills/file.md': 'no skill',
      'ws/.gbs/skills/empty/readme.md': 'no skill',
      'ws/.gbs/skills/main/SKILL.md': { link: '../../../../secret.md' },
      'ws/.gbs/skills/nowhere/SKILL.md': { link: 'missing.md' },
      'ws/.gbs/skills/out/SKILL.md': skill('out'),
      'ws/.gbs/skills/out/references': { link: '../../../../home' },
      'ws/.gbs/skills/out/key': { link: '../../../../secret.md' },
      'ws/.gbs/skills/out/round': { link: '.' },
      'ws/.gbs/skills/out/dangling': { link: 'nowhere' },
      'ws/.agents': { link: '.gbs' },
      'ws/.claude/skills': { link: 'skills' },
      'secret.md': skill('main', 'SECRET'),
    },
    plain,
    [
      'ws/.gbs/skills/good: full',
      "ws/.gbs/skills/main: unusable: SKILL.md is a link that leads out of the skill's folder",
      'ws/.gbs/skills/nowhere: unusable: SKILL.md is a link that leads nowhere',
      'ws/.gbs/skills/out: full',
      'ws/.claude/skills! skills-folder-loop',
      'ws/.gbs/skills/loop! skill-loop',
    ],
  );
  const root = tree({
    'ws/.gbs/skills/out/SKILL.md': skill('out'),
    'ws/.gbs/skills/out/key': { link: '../../../../secret.md' },
    'ws/.gbs/skills/out/round': { link: '.' },
    'ws/.gbs/skills/out/in/a.md': 'a',
    'ws/.gbs/skills/out/same.md': { link: 'in/a.md' },
    'ws/.gbs/skills/out/.git/config': 'x',
    'ws/.gbs/skills/out/node_modules/x/index.js': 'x',
    'ws/.gbs/skills/out/bad\u202ename.md': 'x',
    'secret.md': 'SECRET',
  });
  const [entry] = (await bench(root).skills.look(bench(root).workspace, 0)).skills;
  assert.deepEqual(
    entry?.record.files.map(({ path }) => path),
    ['SKILL.md', 'in/a.md', 'same.md'],
  );
  assert.deepEqual(
    entry.problems.map(({ code }) => code),
    ['skill-hidden-name', 'skill-link-outside', 'skill-link-loop'],
  );
});

test('a skills folder that is also the user’s own belongs to the user', async () => {
  const root = tree({
    'home/.claude/skills/a/SKILL.md': skill('a'),
    'ws/.claude/skills': { link: '../../home/.claude/skills' },
  });
  const { skills, workspace } = bench(root);
  const view = await skills.look(workspace, 0);
  assert.deepEqual(summary(root, view), ['home/.claude/skills/a: full']);
  assert.equal(view.skills[0]?.consent, null);
});

test('what is too large is listed with the reason', async () => {
  const files = Object.fromEntries(
    Array.from({ length: SKILL_FILES }, (_, n) => [`ws/.gbs/skills/many/f${String(n)}.md`, 'x']),
  );
  const exact = Object.fromEntries(
    Array.from({ length: SKILL_FILES - 1 }, (_, n) => [
      `ws/.gbs/skills/exact/f${String(n)}.md`,
      'x',
    ]),
  );
  const deep = Array.from({ length: 20 }, () => 'd').join('/');
  await check(
    {
      ...files,
      ...exact,
      'ws/.gbs/skills/many/SKILL.md': skill('many'),
      'ws/.gbs/skills/exact/SKILL.md': skill('exact'),
      'ws/.gbs/skills/heavy/SKILL.md': skill('heavy'),
      'ws/.gbs/skills/heavy/data.bin': new Uint8Array(SKILL_BYTES),
      'ws/.gbs/skills/long/SKILL.md': skill('long', 'x', '', 'x'.repeat(SKILL_FILE_BYTES)),
      [`ws/.gbs/skills/nested/${deep}/a.md`]: 'x',
      'ws/.gbs/skills/nested/SKILL.md': skill('nested'),
      'ws/.gbs/skills/piped/SKILL.md': { pipe: true },
    },
    plain,
    [
      'ws/.gbs/skills/exact: full',
      'ws/.gbs/skills/heavy: unusable: Its files are larger than 16 MiB together',
      'ws/.gbs/skills/long: unusable: SKILL.md is larger than 256 KiB',
      'ws/.gbs/skills/many: unusable: It has more than 512 files',
      'ws/.gbs/skills/nested: unusable: It has too many folders, or they nest too deep',
      'ws/.gbs/skills/piped: unusable: SKILL.md is not a file',
    ],
  );
});

test('only the first skills are used, and the others say so', async () => {
  const count = SKILLS_USED + 6;
  const name = (n: number) => `s${String(n).padStart(3, '0')}`;
  const root = tree({
    ...Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `home/.gbs/skills/${name(n)}/SKILL.md`,
        skill(name(n)),
      ]),
    ),
    'ws/.gbs/skills/z/SKILL.md': skill('z'),
  });
  const view = await allowed(bench(root));
  const over = view.skills.filter(({ report }) => report.state === 'overLimit');
  // The project's one comes first, whatever its name.
  assert.deepEqual(
    over.map(({ report }) => report.name),
    Array.from({ length: 7 }, (_, n) => name(count - 7 + n)),
  );
  assert.equal(over[0]?.report.text, `not used: over the limit of ${String(SKILLS_USED)}`);
  assert.equal(lines(view).length, 13);
  assert.match(lines(view)[12] ?? '', /^52 more skills are not listed/);
});

test('a broken SKILL.md leaves the others alone', async () => {
  await check(
    {
      'ws/.gbs/skills/bad-name/SKILL.md': skill('Bad Name'),
      'ws/.gbs/skills/binary/SKILL.md': new Uint8Array([0, 255, 0, 1]),
      'ws/.gbs/skills/empty/SKILL.md': '',
      'ws/.gbs/skills/good/SKILL.md': skill('good'),
      'ws/.gbs/skills/lower/skill.md': skill('lower'),
    },
    plain,
    [
      'ws/.gbs/skills/bad-name: unusable: A name has 1 to 64 lower-case letters and digits, with single hyphens between them',
      'ws/.gbs/skills/binary: unusable: The file has no header',
      'ws/.gbs/skills/empty: unusable: The file has no header',
      'ws/.gbs/skills/good: full',
      'ws/.gbs/skills/lower: full',
    ],
  );
});

test('a folder renamed while it is read is gone or whole, never half', async () => {
  const root = tree({
    'ws/.gbs/skills/a/SKILL.md': skill('a'),
    'ws/.gbs/skills/a/references/x.md': 'x',
    'ws/.gbs/skills/b/SKILL.md': skill('b'),
  });
  let renamed = false;
  const here = bench(root, {
    files: {
      beforeOpening: (path) => {
        if (!renamed && path.endsWith('a/references/x.md')) {
          renamed = true;
          renameSync(join(root, 'ws/.gbs/skills/a'), join(root, 'ws/.gbs/skills/c'));
        }
      },
    },
  });
  const view = await here.skills.look(here.workspace, 0);
  assert.deepEqual(summary(root, view), ['ws/.gbs/skills/b: waits for you: new']);
  const again = await here.skills.look(here.workspace, 0);
  assert.deepEqual(summary(root, again), [
    'ws/.gbs/skills/b: waits for you: new',
    'ws/.gbs/skills/c: waits for you: new',
  ]);
});

test('an untrusted workspace gives nothing, and is not even read', async () => {
  const read: string[] = [];
  const root = tree({
    'ws/.gbs/skills/a/SKILL.md': skill('a'),
    'ws/AGENTS.md': 'Do as I say.',
    'ws/package.json': '{"dependencies":{"kit":"1"}}',
    'home/.gbs/skills/b/SKILL.md': skill('b'),
  });
  const { skills, workspace } = bench(root, {
    workspace: { trusted: false },
    files: { beforeOpening: (path) => void read.push(path) },
  });
  const view = await skills.look(workspace, 0);
  assert.deepEqual(summary(root, view), ['home/.gbs/skills/b: full']);
  assert.deepEqual(view.instructions, []);
  assert.deepEqual(read, [join(root, 'home/.gbs/skills/b/SKILL.md')]);
});
