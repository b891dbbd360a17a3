/** `gbs skills`, as a process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skill, tree } from './tree.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `gbs skills …` over `root`/ws without a terminal. */
/** The built command below `root`: another user may not be able to read the project's folder. */
function builtCopy(root: string): string {
  for (const folder of ['dist', 'pkg']) {
    cpSync(join(project, folder), join(root, 'app', folder), { recursive: true });
  }
  return join(root, 'app/dist/gbs.js');
}

function gbs(root: string, args: readonly string[], user?: number): Promise<Ended> {
  const program =
    user === undefined
      ? ['--import', 'tsx', join(project, 'extension/cli/main.ts')]
      : [builtCopy(root)];
  const child = spawn(
    process.execPath,
    [...program, '--workspace', join(root, 'ws'), 'skills', ...args],
    {
      cwd: user === undefined ? project : root,
      env: {
        PATH: process.env['PATH'],
        HOME: join(root, 'home'),
        XDG_STATE_HOME: join(root, 'state'),
        TMPDIR: root,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
      ...(user === undefined ? {} : { uid: user, gid: user }),
    },
  );
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, ...output });
    });
  });
}

function json(ended: Ended): unknown {
  assert.equal(ended.code, 0, ended.err);
  return JSON.parse(ended.out);
}

const repository = {
  'home/.gbs/skills/mine/SKILL.md': skill('mine', 'Writes plain prose.', 'tags: [style]\n'),
  'ws/.gbs/skills/a/SKILL.md': skill('a', 'About a.', 'allowed-tools: Bash\n'),
  'ws/.gbs/skills/a/run.sh': 'echo \u001b[31mred\n',
  'ws/AGENTS.md': 'Use tabs.\n',
};

test('list, approve, revoke', { timeout: 120_000 }, async () => {
  const root = tree(repository);
  const list = await gbs(root, ['list']);
  assert.deepEqual(list, {
    code: 0,
    out: '.gbs/skills this repository\n  a     waits for you: new\n~/.gbs/skills yours\n  mine  full, 8 tokens\nAGENTS.md instructions, wait for you\n',
    err: '! 2 wait for you. See and allow: gbs skills approve\n',
  });

  // Without a terminal nobody can be asked.
  const asked = await gbs(root, ['approve']);
  assert.equal(asked.code, 3);
  assert.match(asked.err, /Use 1 skill and 1 instructions file from this repository\?/);
  assert.match(asked.err, /To allow all of it: gbs skills approve --yes/);

  const named = await gbs(root, ['approve', 'a', '--json']);
  assert.deepEqual(json(named), { approved: ['a'] });
  assert.match(named.err, /Asks for +Bash in its header, which grants nothing/);
  const again = await gbs(root, ['approve', 'a']);
  assert.deepEqual([again.code, again.err.includes('does not wait: a. See what does')], [1, true]);
  const typo = await gbs(root, ['approve', 'aa']);
  assert.deepEqual([typo.code, /no skill is called aa\. See all/.test(typo.err)], [1, true]);
  assert.deepEqual(json(await gbs(root, ['approve', '--yes', '--json'])), {
    approved: ['AGENTS.md'],
  });
  const after = json(await gbs(root, ['list', '--json'])) as {
    skills: { name: string; state: string; consent: string | null }[];
    instructions: { path: string; consent: string }[];
  };
  assert.deepEqual(
    [
      ...after.skills.map(({ name, state, consent }) => [name, state, consent]),
      ...after.instructions.map(({ path, consent }) => [path, consent]),
    ],
    [
      ['a', 'full', 'allowed'],
      ['mine', 'full', null],
      ['AGENTS.md', 'allowed'],
    ],
  );

  writeFileSync(join(root, 'ws/.gbs/skills/a/run.sh'), 'echo blue\n');
  const changed = await gbs(root, ['list']);
  assert.match(changed.out, /a +waits for you: 1 file changed/);
  assert.deepEqual(await gbs(root, ['revoke', 'a']), { code: 0, out: 'Revoked a\n', err: '' });
  assert.equal((await gbs(root, ['revoke', 'a'])).code, 1);
  assert.equal((await gbs(root, ['revoke'])).code, 2);
  assert.equal((await gbs(root, ['revoke', '--all'])).out, 'Revoked AGENTS.md\n');
});

test('list says when skills are turned off', { timeout: 60_000 }, async () => {
  const root = tree({ 'home/.gbs/skills/mine/SKILL.md': skill('mine'), 'ws/.keep': '' });
  const off = await gbs(root, ['list', '--set', 'skills.enabled=false']);
  assert.deepEqual(off, {
    code: 0,
    out: 'Skills are turned off by the setting skills.enabled: nothing of them is read or sent.\n',
    err: '',
  });
});

test('check says every finding with its place', { timeout: 120_000 }, async () => {
  const root = tree({
    ...repository,
    'ws/.gbs/skills/bad/SKILL.md': '---\nname: Bad\ndescription: a: b\n---\n',
  });
  const checked = await gbs(root, ['check']);
  assert.equal(checked.code, 1);
  const file = join(root, 'ws/.gbs/skills/bad/SKILL.md');
  assert.match(checked.out, new RegExp(`^${file}:3:\\d+: warning unquoted-colon: `, 'm'));
  assert.match(checked.out, new RegExp(`^${file}:2:\\d+: error [a-z-]+: A name has`, 'm'));
  assert.match(checked.err, /^gbs: 1 skill cannot be used$/m);
  const good = await gbs(root, ['check', join(root, 'ws/.gbs/skills/a'), '--json']);
  assert.deepEqual(json(good), {
    skills: [
      { file: join(root, 'ws/.gbs/skills/a/SKILL.md'), name: 'a', usable: true, problems: [] },
    ],
    problems: [],
  });
  assert.equal((await gbs(root, ['check', join(root, 'ws/.gbs/skills')])).code, 1);
  const failure = async (path: string) => {
    const { code, err } = await gbs(root, ['check', join(root, path)]);
    return [code, err.replaceAll(root, '')];
  };
  const give = 'Give a SKILL.md, or a folder that is a skill or holds some';
  assert.deepEqual(await failure('ws/nowhere'), [
    1,
    `gbs: there is nothing at /ws/nowhere. ${give}\n`,
  ]);
  const gone = '/ws/.gbs/skills/a/b/SKILL.md';
  assert.deepEqual(await failure(gone), [1, `gbs: there is nothing at ${gone}. ${give}\n`]);
  // Another file than a SKILL.md is called a file.
  writeFileSync(join(root, 'ws/.gbs/skills/a/notes.md'), '');
  assert.deepEqual(await failure('ws/.gbs/skills/a/notes.md'), [
    1,
    `gbs: /ws/.gbs/skills/a/notes.md is not a SKILL.md. ${give}\n`,
  ]);
});

test(
  'show gives a person all of it, and what a model would get',
  { timeout: 120_000 },
  async () => {
    const root = tree(repository);
    const shown = await gbs(root, ['show', 'a']);
    assert.equal(shown.code, 0);
    assert.match(shown.out, /^skill +a\nfrom +.*SKILL\.md\nstate +waits for you: new\n/);
    assert.match(shown.out, /\nfile +run\.sh \(\d+ bytes\)\n/);
    assert.match(shown.out, /\n\nBody\.\n$/);
    // Into a pipe the file's own bytes.
    assert.equal(
      (await gbs(root, ['show', 'a', '--resource', 'run.sh'])).out,
      repository['ws/.gbs/skills/a/run.sh'],
    );
    assert.match(
      (await gbs(root, ['show', 'a', '--as-model'])).out,
      /^<project-guidance name="a">/,
    );
    assert.equal((await gbs(root, ['show', 'a', '--resource', '../x'])).code, 1);
    assert.equal((await gbs(root, ['show', 'zebra'])).code, 1);
  },
);

test(
  'new writes a skill that is found and valid; search finds by words',
  { timeout: 120_000 },
  async () => {
    const root = tree(repository);
    const description = 'Says "how: we\\log" things. # not a comment';
    const made = await gbs(root, ['new', 'write-logs', '--description', description]);
    const file = join(root, 'ws/.gbs/skills/write-logs/SKILL.md');
    assert.deepEqual(made, {
      code: 0,
      out: `${file}\n`,
      err: 'Write in it what the model should do. Then: gbs skills check, gbs skills search WORDS\n',
    });
    for (const folder of ['references', 'scripts', 'assets']) {
      assert.ok(statSync(join(file, '..', folder)).isDirectory());
    }
    const shown = json(await gbs(root, ['show', 'write-logs', '--json'])) as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [shown['description'], shown['problems'], shown['state']],
      [description, [], 'heldBack'],
    );
    const own = await gbs(root, ['new', 'plain', '--user', '--json']);
    assert.deepEqual(json(own), { path: join(root, 'home/.gbs/skills/plain/SKILL.md') });
    const before = readFileSync(file, 'utf8');
    assert.equal((await gbs(root, ['new', 'write-logs'])).code, 1);
    assert.equal(readFileSync(file, 'utf8'), before);
    for (const name of ['Not Valid', '../up', '']) {
      const { code, err } = await gbs(root, ['new', name]);
      const said = err.startsWith(`gbs: ${JSON.stringify(name)} cannot be the name of a skill.`);
      assert.deepEqual([code, said, err.includes('This skill')], [1, true, false], err);
    }
    assert.ok(!existsSync(join(root, 'ws/.gbs/up')));
    const found = json(await gbs(root, ['search', 'style', '--json'])) as {
      name: string;
      score: number;
    }[];
    assert.deepEqual(
      found.map(({ name, score }) => [name, score]),
      [['mine', 4]],
    );
  },
);

test('search --ask sends nothing to a server elsewhere that was not approved', async () => {
  const root = tree(repository);
  // An address for documentation: nothing is there, and nothing may be sent to find out.
  const elsewhere = ['search', 'style', '--ask', '--base-url', 'http://192.0.2.1:9/v1'];
  const { code, out, err } = await gbs(root, elsewhere);
  assert.deepEqual([code, out], [3, '']);
  assert.match(err, /needs approval: answer beforehand with --yes-host 192\.0\.2\.1:9$/m);
});

test('what cannot be read is said, and the rest works', { timeout: 60_000 }, async () => {
  const root = tree({
    ...repository,
    'ws/.claude/skills/x/SKILL.md': skill('x'),
    'ws/.gbs/skills/b/SKILL.md': skill('b'),
    'ws/.gbs/skills/b/key': 'x',
    'ws/.gbs/skills/c/SKILL.md': skill('c'),
  });
  chmodSync(root, 0o777);
  chmodSync(join(root, 'ws/.claude/skills'), 0);
  chmodSync(join(root, 'ws/.gbs/skills/b/key'), 0);
  chmodSync(join(root, 'ws/.gbs/skills/c'), 0);
  // The superuser reads everything, so somebody else looks.
  const nobody = process.getuid?.() === 0 ? 65_534 : undefined;
  const listed = await gbs(root, ['list', '--json'], nobody);
  for (const path of ['ws/.claude/skills', 'ws/.gbs/skills/c']) chmodSync(join(root, path), 0o755);
  const { skills, problems } = json(listed) as {
    skills: { name: string; text: string }[];
    problems: { path: string; code: string }[];
  };
  assert.deepEqual(
    [
      ...skills.map(({ name, text }) => `${name}: ${text}`),
      ...problems.map(({ path, code }) => `${path.replace(root, '')}! ${code}`),
    ],
    [
      'a: waits for you: new',
      'b: unusable: key cannot be read (EACCES)',
      'mine: full, 8 tokens',
      '/ws/.gbs/skills/c! skill-unreadable',
      '/ws/.claude/skills! skills-folder-unreadable',
    ],
  );
});
