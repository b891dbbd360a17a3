/** Skills from a git repository that the test makes, by the real git. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Catalogue } from '../../../extension/catalogue/catalogue.ts';
import { createSkillsServer } from '../../../extension/catalogue/create.ts';
import { GitProvider, GitRefusal, gitSource } from '../../../extension/catalogue/git-provider.ts';
import { smokeTest } from '../../../extension/catalogue/smoke.ts';
import { core, plant, skill, tree, type Node } from '../skills/tree.ts';

interface Remote {
  readonly path: string;
  /** Writes and commits; gives the commit. */
  commit(nodes: Readonly<Record<string, Node>>): string;
  git(...args: readonly string[]): string;
}

function remote(nodes: Readonly<Record<string, Node>>): Remote {
  const path = join(tree({}), 'team');
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    }).trim();
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', path]);
  const commit = (changed: Readonly<Record<string, Node>>): string => {
    plant(path, changed);
    git('add', '--all');
    git('commit', '--quiet', '--message=x');
    return git('rev-parse', 'HEAD');
  };
  commit(nodes);
  return { path, commit, git };
}

interface Served {
  readonly provider: GitProvider;
  readonly catalogue: Catalogue;
  readonly problems: (string | null)[];
  /** Descriptions by id, as a client sees them now. */
  seen(): Promise<Readonly<Record<string, string>>>;
}

function serve(address: string, cache = tree({})): Served {
  const problems: (string | null)[] = [];
  const provider = new GitProvider({
    core,
    source: gitSource(address),
    cache,
    onProblem: (message) => problems.push(message),
    refreshMs: 0,
  });
  const clock = { now: 0 };
  const catalogue = new Catalogue({
    core,
    providers: [provider],
    onWarning: () => undefined,
    now: () => (clock.now += 60_000),
  });
  const seen = async (): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries((await catalogue.list()).map(({ id, description }) => [id, description]));
  return { provider, catalogue, problems, seen };
}

const limits = { timeout: 60_000 };

test('a branch, a tag and a commit', limits, async () => {
  const team = remote({ 'a/SKILL.md': skill('a', 'One.') });
  team.git('tag', '--annotate', '--message=v1', 'v1');
  const first = team.git('rev-parse', 'HEAD');
  team.git('checkout', '--quiet', '-b', 'next/one');
  const second = team.commit({ 'a/SKILL.md': skill('a', 'Two.') });
  team.git('checkout', '--quiet', 'main');
  const check = async (ref: string, commit: string, description: string): Promise<void> => {
    const served = serve(`${team.path}${ref}`);
    assert.deepEqual(await served.seen(), { a: description }, ref);
    assert.deepEqual([served.provider.commit, served.problems], [commit, [null]]);
    await served.catalogue.close();
  };
  await check('', first, 'One.');
  await check('#main', first, 'One.');
  await check('#v1', first, 'One.');
  await check('#next/one', second, 'Two.');
  await check(`#${second}`, second, 'Two.');
  const file = serve(`file://${team.path}#v1`);
  assert.deepEqual(await file.seen(), { a: 'One.' });
});

test('a new commit comes as a whole, while calls go on', limits, async () => {
  const all = (words: string): Record<string, Node> =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `skills/s${String(at)}/SKILL.md`,
        skill(`s${String(at)}`, words),
      ]),
    );
  const team = remote({ 'README.md': 'x', ...all('Before.') });
  const { provider, catalogue, seen } = serve(team.path);
  assert.equal(Object.keys(await seen()).length, 30);
  team.commit(all('After.'));
  const states = new Set<string>();
  const reading = { on: true };
  const look = async (): Promise<void> => {
    while (reading.on) {
      // A listing that runs while the state changes may see both; each call alone sees one.
      const bodies = await Promise.all([catalogue.body('s0'), catalogue.body('s29')]);
      assert.deepEqual(bodies, ['Body.\n', 'Body.\n']);
      states.add((await catalogue.get('s29'))?.description ?? 'none');
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const loads = [look(), look(), look()];
  await provider.refresh();
  reading.on = false;
  await Promise.all(loads);
  assert.deepEqual(new Set(Object.values(await seen())), new Set(['After.']));
  for (const state of states) assert.match(state, /^(Before|After)\.$/);
});

test(
  'a remote that is away keeps serving, also after a new start, and comes back',
  limits,
  async () => {
    const team = remote({ 'a/SKILL.md': skill('a', 'One.') });
    const cache = tree({});
    const served = serve(team.path, cache);
    assert.deepEqual(await served.seen(), { a: 'One.' });
    renameSync(team.path, `${team.path}-away`);
    await served.provider.refresh();
    assert.deepEqual(await served.seen(), { a: 'One.' });

    const again = serve(team.path, cache);
    assert.deepEqual(await again.seen(), { a: 'One.' });
    for (const { problems } of [served, again]) {
      assert.match(
        problems.at(-1) ?? '',
        /could not be fetched: git failed: .* is served: commit /,
      );
    }
    const nothing = serve(`${team.path}#main`);
    assert.deepEqual(await nothing.seen(), {});
    assert.match(nothing.problems.at(-1) ?? '', /could not be fetched: git failed: [^.]*\.$/);

    renameSync(`${team.path}-away`, team.path);
    team.commit({ 'a/SKILL.md': skill('a', 'Two.') });
    await again.provider.refresh();
    assert.deepEqual([await again.seen(), again.problems.at(-1)], [{ a: 'Two.' }, null]);
  },
);

test('nothing of a repository runs, and its links lead nowhere', limits, async () => {
  const root = tree({ 'secret.md': 'not for anyone' });
  const ran = join(root, 'ran');
  const team = remote({
    'a/SKILL.md': skill('a'),
    'a/references/out.md': { link: join(root, 'secret.md') },
    '.gitattributes': '* filter=evil\n',
    '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch ${ran}"\n`,
  });
  writeFileSync(join(team.path, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${ran}\n`, {
    mode: 0o755,
  });
  const cache = tree({});
  const { catalogue, seen } = serve(team.path, cache);
  assert.deepEqual(Object.keys(await seen()), ['a']);
  assert.equal(await catalogue.file('a', 'references', 'out.md'), null);
  assert.equal(existsSync(ran), false);
  // The checkout holds the files and nothing else that was needed to make it.
  const [repository = ''] = readdirSync(cache);
  assert.equal(readdirSync(join(cache, repository, 'checkouts')).length, 1);
});

test('addresses and refs that are none', () => {
  for (const text of [
    '',
    '#main',
    '-x',
    '--upload-pack=touch x',
    'ext::sh -c touch% x',
    'team/skills',
    './x',
    'C:x',
    '/x#-x',
    '/x#',
    '/x#a b',
    '/x#..',
    '/x#a..b',
    '/x#+a:b',
    '/x#a\nb',
    '-o@host:x',
    'fd::17',
  ]) {
    assert.throws(() => gitSource(text), GitRefusal, text);
  }
  assert.deepEqual(gitSource('git@host.example:team/skills.git#v1.2'), {
    url: 'git@host.example:team/skills.git',
    ref: 'v1.2',
  });
});

test('the smoke test of a repository that is not there says so, and ends', limits, async () => {
  const { provider } = serve(join(tree({}), 'none'));
  const server = createSkillsServer({ core, provider });
  const lines = await smokeTest(server);
  await server.catalogue.close();
  const body = lines.find(({ what }) => what === 'get_skill_body');
  assert.equal(body?.ok, false);
  assert.notEqual(body.saw, '');
});
