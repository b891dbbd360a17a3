import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, calls, say, withBed } from './support.ts';

const posix =
  process.platform === 'win32' ? { skip: 'The programs are shell scripts' } : { timeout: 60_000 };

/** Runs Git in `folder` as somebody whose own settings play no part. */
function git(folder: string, ...args: readonly string[]): string {
  const environment = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', HOME: folder };
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  }).trim();
}

/** Proves that the trap is set: plain Git springs it. */
async function springs(folder: string, command: string, started: string): Promise<void> {
  git(folder, command);
  await rm(started);
}

test('a checked-out folder that looks like a bare repository starts nothing', posix, async () => {
  const lines = ['git status', 'git diff', 'git log'];
  const steps = [
    calls(...lines.map((command) => ['run_command', { command, folder: 'sub' }] as const)),
    say('done'),
  ];
  await withBed({ steps, files: { 'sub/f': 'one\n' } }, async (bed) => {
    const sub = join(bed.folder, 'sub');
    git(bed.folder, 'init', '-q');
    git(sub, 'init', '-q', '--bare', '.');
    git(sub, 'config', 'core.bare', 'false');
    git(sub, 'config', 'core.worktree', '.');
    git(sub, 'add', 'f');
    await writeFile(join(sub, '.gitattributes'), '* filter=x\n');
    await writeFile(join(sub, 'f'), 'two\n');
    git(sub, 'config', 'filter.x.clean', `touch '${join(bed.folder, 'started')}'; cat`);
    for (const command of ['status', 'diff']) {
      await springs(sub, command, join(bed.folder, 'started'));
    }
    await bed.session.send('go');
    assert.deepEqual(bed.cards, []);
    assert.ok(!(await readdir(bed.folder)).includes('started'));
  });
});

test('a hook and a signature check of the repository are not started', posix, async () => {
  const steps = [
    call('run_command', { command: 'git status' }),
    call('run_command', { command: 'git diff' }),
    call('run_command', { command: 'git log' }),
    say('done'),
  ];
  await withBed({ steps, files: { f: 'one\n' } }, async (bed) => {
    const started = join(bed.folder, 'started');
    git(bed.folder, 'init', '-q');
    git(bed.folder, 'add', 'f');
    git(bed.folder, 'commit', '-qm', 'first');
    const signed = git(bed.folder, 'cat-file', 'commit', 'HEAD').replace(
      '\n\n',
      '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n YQ==\n -----END PGP SIGNATURE-----\n\n',
    );
    const file = join(bed.folder, '.git/signed');
    await writeFile(file, `${signed}\n`);
    const commit = git(bed.folder, 'hash-object', '-t', 'commit', '-w', file);
    git(bed.folder, 'update-ref', 'HEAD', commit);
    const program = join(bed.folder, '.git/program');
    await mkdir(join(bed.folder, '.git/hooks'), { recursive: true });
    for (const each of [program, join(bed.folder, '.git/hooks/post-index-change')]) {
      await writeFile(each, `#!/bin/sh\ntouch '${started}'\n`);
      await chmod(each, 0o755);
    }
    git(bed.folder, 'config', 'gpg.program', program);
    git(bed.folder, 'config', 'format.pretty', '%G? %s');
    // The index is out of date, so that reading wants to refresh it.
    for (const [seconds, command] of [
      [1_000_000_000, 'status'],
      [1_100_000_000, 'diff'],
      [1_200_000_000, 'log'],
    ] as const) {
      await utimes(join(bed.folder, 'f'), seconds, seconds);
      await springs(bed.folder, command, started);
    }
    await bed.session.send('go');
    assert.deepEqual(bed.cards, []);
    assert.ok(!(await readdir(bed.folder)).includes('started'));
  });
});

test('where the repository itself names programs, reading commands ask', posix, async () => {
  const settings: readonly (readonly [key: string, value: string])[] = [
    ['filter.x.clean', 'cat'],
    ['filter.a.b.process', 'cat'],
    ['remote.origin.promisor', 'true'],
    ['extensions.partialClone', 'origin'],
  ];
  const lines = ['git status', 'git diff', 'git log', 'git branch'];
  const steps = [
    calls(...lines.map((command) => ['run_command', { command }] as const)),
    say('done'),
  ];
  for (const [key, value] of settings) {
    await withBed({ steps, settings: { permissionMode: 'acceptEdits' } }, async (bed) => {
      git(bed.folder, 'init', '-q');
      git(bed.folder, 'config', key, value);
      await bed.session.send('go');
      assert.deepEqual(
        bed.cards.map(({ flags }) => flags.map(({ code }) => code)),
        lines.map(() => ['repository-programs']),
        key,
      );
    });
  }
});

test('a filter that is only reached through an include asks too', posix, async () => {
  const steps = [call('run_command', { command: 'git status' }), say('done')];
  await withBed(
    { steps, files: { f: 'one\n' }, settings: { permissionMode: 'acceptEdits' } },
    async (bed) => {
      const started = join(bed.folder, 'started');
      git(bed.folder, 'init', '-q');
      git(bed.folder, 'add', 'f');
      git(bed.folder, 'commit', '-qm', 'first');
      git(bed.folder, 'config', 'include.path', 'more');
      await writeFile(join(bed.folder, '.gitattributes'), '* filter=x\n');
      await writeFile(
        join(bed.folder, '.git/more'),
        `[filter "x"]\n\tclean = touch '${started}'; cat\n`,
      );
      await writeFile(join(bed.folder, 'f'), 'two\n');
      await springs(bed.folder, 'status', started);
      await bed.session.send('go');
      assert.equal(bed.cards.length, 1);
      assert.ok(!(await readdir(bed.folder)).includes('started'));
    },
  );
});

test('a submodule with settings of its own is not looked into', posix, async () => {
  const lines = ['git status', 'git diff', 'git status -s', 'git diff --staged'];
  const steps = [
    calls(...lines.map((command) => ['run_command', { command }] as const)),
    say('done'),
  ];
  await withBed({ steps, files: { 'sub/f': 'one\n' } }, async (bed) => {
    const started = join(bed.folder, 'started');
    const sub = join(bed.folder, 'sub');
    git(sub, 'init', '-q');
    git(sub, 'add', 'f');
    git(sub, 'commit', '-qm', 'first');
    git(bed.folder, 'init', '-q');
    git(bed.folder, 'add', 'sub');
    git(bed.folder, 'commit', '-qm', 'first');
    git(bed.folder, 'config', 'status.submoduleSummary', 'true');
    git(sub, 'config', 'filter.x.clean', `touch '${started}'; cat`);
    await writeFile(join(sub, '.gitattributes'), '* filter=x\n');
    await writeFile(join(sub, 'f'), 'two\n');
    await springs(bed.folder, 'status', started);
    await bed.session.send('go');
    assert.deepEqual(bed.cards, []);
    assert.ok(!(await readdir(bed.folder)).includes('started'));
  });
});

test('a filter of the user’s own, as Git LFS sets it up, asks nothing', posix, async () => {
  const steps = [call('run_command', { command: 'git status' }), say('done')];
  const options = { steps, settings: { permissionMode: 'acceptEdits' as const } };
  const home = await mkdtemp(join(tmpdir(), 'gbs-git-'));
  try {
    await writeFile(join(home, '.gitconfig'), '[filter "lfs"]\n\tclean = cat\n');
    const environment = { PATH: process.env['PATH'] ?? '', HOME: home };
    await withBed({ ...options, parts: { environment } }, async (bed) => {
      git(bed.folder, 'init', '-q');
      await bed.session.send('go');
      assert.deepEqual(bed.cards, []);
      assert.match(bed.lines().join(), /^Ran git .*: done$/);
    });
  } finally {
    await rm(home, { recursive: true });
  }
});
