/** The look-up of programs: never in the current folder, never inside the workspace by name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProgram, type Disk } from '../../../extension/mcp/find-program.ts';

interface Case {
  readonly platform: NodeJS.Platform;
  readonly command: string;
  readonly program?: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Paths that can be run; on Windows case does not count. */
  readonly programs: readonly string[];
  /** Links and where they lead. */
  readonly links?: Readonly<Record<string, string>>;
  readonly workspace?: string;
}

/** `expected` is the path, or the code of why there is none. */
async function check(given: Case, expected: string, inside = ''): Promise<void> {
  const { platform, command, program = '', programs, links = {}, workspace = '/w' } = given;
  const folded = (path: string): string => (platform === 'win32' ? path.toLowerCase() : path);
  const looked: string[] = [];
  const disk: Disk = {
    look: (path) => {
      looked.push(path);
      return Promise.resolve(
        programs.some((each) => folded(each) === folded(path)) ? 'program' : 'nothing',
      );
    },
    real: (path) => Promise.resolve(links[path] ?? path),
  };
  const found = await findProgram(
    {
      platform,
      command,
      program,
      shown: null,
      environment: Object.entries(given.environment).map(([name, value]) => ({ name, value })),
      within: (path) => folded(path).startsWith(folded(workspace)),
    },
    disk,
  );
  assert.equal(found.kind === 'found' ? found.path : found.code, expected);
  if (found.kind === 'found') assert.equal(found.inside, inside);
  const relative = looked.filter((path) => !/^(?:\/|[A-Za-z]:\\|\\\\)/.test(path));
  assert.deepEqual(relative, [], 'nothing is looked up from the current folder');
}

test('POSIX', async () => {
  const base = {
    platform: 'linux' as const,
    command: 'npx',
    environment: { PATH: ':.:bin:/w/bin:/a:/b', Path: '/wrong' },
  };
  await check({ ...base, programs: ['/a/npx', '/b/npx'] }, '/a/npx');
  await check({ ...base, programs: ['npx', 'bin/npx', '/w/bin/npx', '/b/npx'] }, '/b/npx');
  await check({ ...base, programs: ['/w/bin/npx'] }, 'program-only-in-workspace');
  await check({ ...base, programs: ['/wrong/npx'] }, 'program-not-found');
  await check({ ...base, environment: {}, programs: ['/a/npx'] }, 'program-not-found');
  // By a link of the folder, or of the program.
  await check({ ...base, programs: ['/a/npx', '/b/npx'], links: { '/a': '/w/bin' } }, '/b/npx');
  await check({ ...base, programs: ['/a/npx', '/b/npx'], links: { '/a/npx': '/w/x' } }, '/b/npx');
  // A link that stays outside is spawned under its own name.
  await check({ ...base, programs: ['/a/npx'], links: { '/a/npx': '/lib/npx-cli.js' } }, '/a/npx');
  await check(
    { ...base, command: './npx', program: '/w/npx', programs: ['/w/npx'] },
    '/w/npx',
    '/w/npx',
  );
  await check({ ...base, command: '/a/npx', program: '/a/npx', programs: ['/a/npx'] }, '/a/npx');
  await check({ ...base, command: '/a/x', program: '/a/x', programs: [] }, 'program-not-found');
});

test('Windows', async () => {
  const base = {
    platform: 'win32' as const,
    command: 'npx',
    workspace: 'C:\\w',
    environment: {
      Path: 'bin;C:\\w\\bin;"C:\\Program Files\\nodejs";D:\\x',
      PATHEXT: '.JS;.EXE;.CMD',
    },
  };
  const npx = 'C:\\Program Files\\nodejs\\npx';
  await check({ ...base, programs: [`${npx}.cmd`, npx] }, `${npx}.cmd`);
  await check({ ...base, programs: [`${npx}.cmd`, `${npx}.exe`] }, `${npx}.exe`);
  await check({ ...base, programs: [`${npx}.js`] }, 'program-not-found');
  // Without its drive a folder lies on the one of the current folder.
  await check(
    { ...base, environment: { Path: '\\tools;C:tools' }, programs: ['\\tools\\npx.cmd'] },
    'program-not-found',
  );
  await check(
    { ...base, command: '\\x\\a', program: '\\x\\a', programs: ['\\x\\a.exe'] },
    'program-not-found',
  );
  const share = '\\\\host\\share\\npx';
  await check(
    { ...base, environment: { Path: '\\\\host\\share' }, programs: [`${share}.cmd`] },
    `${share}.cmd`,
  );
  await check({ ...base, programs: ['C:\\w\\bin\\npx.cmd'] }, 'program-only-in-workspace');
  await check(
    { ...base, programs: ['npx.cmd', 'bin\\npx.cmd', 'D:\\x\\NPX.CMD'] },
    'D:\\x\\npx.cmd',
  );
  await check({ ...base, command: 'npx.cmd', programs: [`${npx}.cmd`] }, `${npx}.cmd`);
  await check({ ...base, command: 'a.b', programs: ['D:\\x\\a.b.exe'] }, 'D:\\x\\a.b.exe');
  await check(
    { ...base, environment: { PATH: 'D:\\x' }, programs: ['D:\\x\\npx.bat'] },
    'D:\\x\\npx.bat',
  );
  await check(
    { ...base, command: '.\\run', program: 'C:\\w\\run', programs: ['C:\\w\\run.cmd'] },
    'C:\\w\\run.cmd',
    'C:\\w\\run.cmd',
  );
});

test('messages say what to do, and show no value', async () => {
  const disk: Disk = {
    look: () => Promise.resolve('nothing'),
    real: (path) => Promise.resolve(path),
  };
  const search = (command: string, shown: string | null, program = '') =>
    findProgram(
      { platform: 'linux', command, program, shown, environment: [], within: () => false },
      disk,
    );
  const words = async (command: string, shown: string | null = null, program = '') => {
    const found = await search(command, shown, program);
    return found.kind === 'missing' ? `${found.message} ${found.remedy}` : '';
  };
  assert.match(await words('npx'), /"npx" on the PATH\. Install Node\.js/);
  assert.match(await words('npx -y x'), /each argument in "args"/);
  assert.match(await words('tool'), /Install it, or write its whole path/);
  assert.match(await words('s3cret', '${TOOL}'), /^There is no program "\$\{TOOL\}" on the PATH/);
  assert.match(await words('x', '${DIR}/x', '/s3cret/x'), /^There is no program at \$\{DIR\}\/x\./);
});
