/**
 * What a repository can try to get a program started that nobody approved: each attempt comes after
 * an approval, in the editor's way to a start and in the terminal's, and must fail in both.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../gbs.ts';
import { plant } from '../skills/tree.ts';
import { config, planBench } from './plan-bench.ts';

const timeout = 60_000;
const skip = process.platform === 'win32' && 'links and modes are those of POSIX';

/** The server: it writes that it ran, and with which of its parts. */
const script = (words: string): string =>
  `require('node:fs').appendFileSync(process.env.MARK, ${JSON.stringify(words)});\n`;

interface Place {
  /** Holds `ws` and `home`. */
  readonly root: string;
  /** Plants a file of the workspace. */
  plant(path: string, text: string): void;
  path(path: string): string;
  /** The entry is written anew with these fields. */
  entry(more: object, name?: string, file?: string): void;
  /** Variables that the user's own environment has from now on. */
  readonly environment: Record<string, string>;
}

interface Attempt {
  /** Fields of the entry beside its command. */
  readonly entry?: object;
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
  before?(place: Place): void;
  act(place: Place): void;
}

const files = {
  'ws/server.js': script('server'),
  'ws/other.js': script('other'),
  'ws/.env': 'A=1\n',
  'ws/hook.js': '',
  'ws/run': `#!/bin/sh\nexec "${process.execPath}" server.js\n`,
  'ws/run-other': `#!/bin/sh\nexec "${process.execPath}" other.js\n`,
};

function placeOf(root: string, { entry = {}, environment = {} }: Attempt): Place {
  const made: Place = {
    root,
    plant: (path, text) => plant(root, { [`ws/${path}`]: text }),
    path: (path) => join(root, 'ws', path),
    entry: (more, name = 'beds', file = '.mcp.json') => {
      const plain = {
        command: process.execPath,
        args: ['server.js'],
        env: { MARK: '${HOME}/ran' },
      };
      made.plant(file, config({ [name]: { ...plain, ...entry, ...more } }));
    },
    environment: { ...environment },
  };
  return made;
}

function set(root: string, attempt: Attempt): Place {
  plant(root, files);
  const place = placeOf(root, attempt);
  for (const file of ['run', 'run-other']) chmodSync(place.path(file), 0o755);
  attempt.before?.(place);
  place.entry({}, attempt.name);
  return place;
}

/** After the approval the attempt is made: nothing may start that was not shown. */
function check(about: string, attempt: Attempt): void {
  test(`attempt: ${about}`, { timeout, skip }, async (context) => {
    const home = await makeHome();
    context.after(() => home.remove());
    // The editor's way, in a folder of its own.
    const editor = set(join(home.folder, 'editor'), attempt);
    const environment = (): Record<string, string> => ({
      HOME: home.folder,
      ...editor.environment,
    });
    const first = await planBench(editor.root, { environment: environment() }).turn('allow');
    assert.equal(first.approved.length, 1, JSON.stringify(first.plan.servers));
    const again = await planBench(editor.root, { environment: environment() }).turn('deny');
    assert.deepEqual([again.asked, again.approved.length], [[], 1], 'approved is approved');
    const [approved] = again.approved;
    attempt.act(editor);
    const later = await planBench(editor.root, { environment: environment() }).turn('deny');
    assert.deepEqual(later.approved, [], 'the editor starts nothing');
    assert.equal(later.asked.length, 1, 'and asks');
    assert.ok(approved !== undefined);

    // The terminal's, with real processes.
    const terminal = set(join(home.folder, 'terminal'), attempt);
    const mark = join(home.folder, 'ran');
    const gbs = (...args: readonly string[]): ReturnType<typeof home.gbs> =>
      home.gbs([...args, '--workspace', join(terminal.root, 'ws')], {
        environment: terminal.environment,
      });
    assert.equal((await gbs('mcp', 'approve', attempt.name ?? 'beds')).code, 0);
    attempt.act(terminal);
    const { code, stderr } = await gbs('mcp', 'tools');
    assert.equal(existsSync(mark), false, 'nothing ran');
    assert.equal(code, 3, stderr);
  });
}

test('without an attempt what was approved runs', { timeout, skip }, async (context) => {
  const home = await makeHome();
  context.after(() => home.remove());
  const { root } = set(join(home.folder, 'terminal'), { act: () => undefined });
  const gbs = (...args: readonly string[]): ReturnType<typeof home.gbs> =>
    home.gbs([...args, '--workspace', join(root, 'ws')]);
  assert.equal((await gbs('mcp', 'approve', 'beds')).code, 0);
  await gbs('mcp', 'tools');
  assert.match(readFileSync(join(home.folder, 'ran'), 'utf8'), /^server/);
});

check('the script that the command names is another', {
  act: (place) => place.plant('server.js', script('swapped')),
});
check('the script is swapped for a link to another', {
  act: (place) => {
    rmSync(place.path('server.js'));
    symlinkSync('other.js', place.path('server.js'));
  },
});
check('a link on the way to the script leads elsewhere', {
  entry: { args: ['lib/server.js'] },
  before: (place) => {
    place.plant('lib-a/server.js', script('server'));
    place.plant('lib-b/server.js', script('server'));
    symlinkSync('lib-a', place.path('lib'));
  },
  act: (place) => {
    rmSync(place.path('lib'));
    symlinkSync('lib-b', place.path('lib'));
  },
});
check('an argument more', { act: (place) => place.entry({ args: ['server.js', '--all'] }) });
check('another program', { act: (place) => place.entry({ command: '/bin/sh' }) });
check('another environment', {
  act: (place) => place.entry({ env: { MARK: '${HOME}/ran', NODE_OPTIONS: '-r ./hook.js' } }),
});
check('another folder', {
  before: (place) => place.plant('sub/server.js', script('sub')),
  act: (place) => place.entry({ cwd: 'sub' }),
});
check('the folder is swapped for a link to another', {
  entry: { cwd: 'sub' },
  before: (place) => {
    place.plant('sub/server.js', script('server'));
    place.plant('elsewhere/server.js', script('server'));
  },
  act: (place) => {
    renameSync(place.path('sub'), place.path('sub-was'));
    symlinkSync('elsewhere', place.path('sub'));
  },
});
check('the file of variables that an argument names is another', {
  entry: { args: ['--env-file=.env', 'server.js'] },
  act: (place) => place.plant('.env', 'NODE_OPTIONS=-r ./hook.js\n'),
});
check('the module that NODE_OPTIONS loads is another', {
  entry: { env: { MARK: '${HOME}/ran', NODE_OPTIONS: '-r ./hook.js' } },
  act: (place) => place.plant('hook.js', script('hook')),
});
check('a program of the workspace is another', {
  entry: { command: './run', args: [] },
  act: (place) => {
    place.plant('run', readFileSync(place.path('run-other'), 'utf8'));
    chmodSync(place.path('run'), 0o755);
  },
});
check('a program of the workspace is a link that leads elsewhere', {
  entry: { command: './link', args: [] },
  before: (place) => symlinkSync('run', place.path('link')),
  act: (place) => {
    rmSync(place.path('link'));
    symlinkSync('run-other', place.path('link'));
  },
});
check('the value that a variable brings into the command is another', {
  entry: { args: ['${SCRIPT}'] },
  environment: { SCRIPT: 'server.js' },
  act: (place) => {
    place.environment.SCRIPT = 'other.js';
  },
});
check('an entry of the same name in the file that wins', {
  act: (place) => place.entry({ args: ['other.js'] }, 'beds', '.gbs/mcp.json'),
});
check('the same entry in another file', {
  act: (place) => {
    place.entry({}, 'beds', '.gbs/mcp.json');
    place.plant('.mcp.json', '{}');
  },
});
check('the same entry under a name that only looks the same', {
  name: 'caf\u00e9',
  act: (place) => place.entry({ args: ['other.js'] }, 'cafe\u0301'),
});
check('the same entry in other letters', {
  act: (place) => place.entry({ args: ['other.js'] }, 'BEDS'),
});

test(
  'a program planted where the user’s PATH looks is not what starts',
  { timeout, skip },
  async (context) => {
    const home = await makeHome();
    context.after(() => home.remove());
    const {
      root,
      plant: put,
      path,
      entry,
    } = set(join(home.folder, 'terminal'), {
      entry: { command: 'node' },
      act: () => undefined,
    });
    const environment = { PATH: `${path('bin')}:${process.env.PATH ?? ''}` };
    const gbs = (...args: readonly string[]): ReturnType<typeof home.gbs> =>
      home.gbs([...args, '--workspace', join(root, 'ws')], { environment });
    assert.equal((await gbs('mcp', 'approve', 'beds')).code, 0);
    put('bin/node', `#!/bin/sh\necho planted >> ${join(home.folder, 'ran')}\n`);
    chmodSync(path('bin/node'), 0o755);
    await gbs('mcp', 'tools');
    assert.match(readFileSync(join(home.folder, 'ran'), 'utf8'), /^server/);
    // Alone there, it is not found at all.
    entry({ command: 'planted' });
    put('bin/planted', '#!/bin/sh\n');
    chmodSync(path('bin/planted'), 0o755);
    const { code, stderr } = await gbs('mcp', 'approve', 'beds');
    assert.match(stderr, /only found inside this workspace/, String(code));
  },
);

test(
  'approvals that a repository brings along, and settings of its own, grant nothing',
  { timeout, skip },
  async (context) => {
    const home = await makeHome();
    context.after(() => home.remove());
    const { root, plant: put } = set(join(home.folder, 'mine'), { act: () => undefined });
    const bench = planBench(root);
    await bench.turn('allow');
    const state = readdirSync(join(root, 'state'), { recursive: true, encoding: 'utf8' });
    const answers = state.find((path) => path.endsWith('server-consent.json')) ?? '';
    const kept = readFileSync(join(root, 'state', answers), 'utf8');
    // The very answers of this user, but in the repository; and settings that name servers and modes.
    for (const file of [
      '.gbs/server-consent.json',
      '.gbs/state/server-consent.json',
      'server-consent.json',
    ]) {
      put(file, kept);
    }
    const widened = {
      'gbsAgent.mcpServers': { mine: { command: process.execPath, args: ['other.js'] } },
      'gbsAgent.permissionMode': 'auto',
    };
    put('.vscode/settings.json', JSON.stringify(widened));
    put('.gbs/settings.json', JSON.stringify(widened));
    rmSync(join(root, 'state'), { recursive: true });
    const { asked, approved } = await planBench(root).turn('deny');
    assert.deepEqual([asked, approved], [['beds'], []]);
    const { code } = await home.gbs(['mcp', 'tools', '--workspace', join(root, 'ws')]);
    assert.equal(code, 3);
    assert.equal(existsSync(join(home.folder, 'ran')), false);
    const { stdout } = await home.gbs(['mcp', 'list', '--workspace', join(root, 'ws')]);
    assert.doesNotMatch(stdout, /mine/);
  },
);
