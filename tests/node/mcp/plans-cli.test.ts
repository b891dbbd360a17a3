/** `gbs mcp list|plan|approve|revoke` as a user runs them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before as beforeAll, test } from 'node:test';
import { makeHome, type Home } from '../gbs.ts';
import { config } from './plan-bench.ts';

let home: Home;

beforeAll(async () => {
  home = await makeHome();
  await home.write(
    'work/.mcp.json',
    `${config({
      fs: {
        command: 'node',
        args: ['server.js', '--key=${KEY}'],
        env: { NODE_OPTIONS: '-r ./hook.js' },
      },
      broken: { command: 7 },
      off: { command: 'node', disabled: true },
      mine: { command: 'node' },
      gone: { command: 'gbs-no-such-program' },
    }).trimEnd()} // theirs\n`,
  );
  await home.write('work/server.js', '');
  await home.write('work/hook.js', '');
  await home.write('.gbs/mcp.json', config({ mine: { command: 'node', args: ['mine.js'] } }));
});
after(() => home.remove());

const environment = { KEY: 's3cret\u001b[2J' };

async function check(
  args: readonly string[],
  expected: { code: number; stdout: RegExp[]; stderr: RegExp[] },
): Promise<void> {
  const found = await home.gbs(args, { environment });
  const shown = `${found.stdout}\n---\n${found.stderr}`;
  assert.equal(found.code, expected.code, shown);
  for (const words of expected.stdout) assert.match(found.stdout, words, shown);
  for (const words of expected.stderr) assert.match(found.stderr, words, shown);
  assert.ok(
    !shown.includes('s3cret') && !shown.includes('\u001b'),
    'no secret, no control character',
  );
}

async function standings(): Promise<Record<string, string>> {
  const { stdout } = await home.gbs(['mcp', 'list', '--json'], { environment });
  const { servers } = JSON.parse(stdout) as {
    servers: { name: string; standing: { kind: string } }[];
  };
  return Object.fromEntries(servers.map(({ name, standing }) => [name, standing.kind]));
}

const unusable =
  /^gbs: not everything that is written here can be used: correct what is said above$/m;

test('list shows every entry, how it stands, and problems with their place', async () => {
  await check(['mcp', 'list'], {
    code: 1,
    stdout: [
      /^\.mcp\.json this repository$/m,
      /^ {2}fs +waits for your approval$/m,
      /^ {2}gone +There is no program "gbs-no-such-program" on the PATH\./m,
      /^mine \.mcp\.json, line \d+, shadowed by mine of ~\/\.gbs\/mcp\.json$/m,
      /^off \.mcp\.json, line \d+, switched off$/m,
    ],
    stderr: [
      /\.mcp\.json:14:18: Server "broken": "command" must be text, or a list of texts, not a number\./,
      /gbs mcp approve/,
      unusable,
    ],
  });
  // For scripts: the whole plan fails as well, a server of it that can be used does not.
  for (const args of [['plan'], ['plan', '--json'], ['list', '--json']]) {
    await check(['mcp', ...args], {
      code: 1,
      stdout: [/fs/],
      stderr: [/\.mcp\.json:14:18: Server "broken"/, unusable],
    });
  }
  assert.deepEqual(await standings(), { fs: 'asks', gone: 'unavailable', mine: 'asks' });
});

test('plan shows what would run, values masked unless asked for', async () => {
  await check(['mcp', 'plan', 'fs'], {
    code: 0,
    stdout: [
      /node server\.js --key=••••••••/,
      /NODE_OPTIONS loads code before the server starts: "-r \.\/hook\.js"/,
      /Written in +"?\.mcp\.json, line \d+/,
    ],
    stderr: [],
  });
  const { stdout } = await home.gbs(['mcp', 'plan', 'fs', '--json', '--reveal'], { environment });
  const { servers } = JSON.parse(stdout) as {
    servers: {
      plan: {
        command: { argv: string[] };
        cwd: string;
        flags: string[];
        files: { path: string }[];
      };
    }[];
  };
  const [found] = servers;
  assert.deepEqual(found?.plan.command.argv, ['server.js', `--key=${environment.KEY}`]);
  assert.deepEqual(found.plan.flags, ['loads-code', 'hidden-characters']);
  assert.deepEqual(
    found.plan.files.map(({ path }) => path.replace(`${found.plan.cwd}/`, '')),
    ['server.js', 'hook.js'],
  );
  await check(['mcp', 'plan', 'fs', '--json'], {
    code: 0,
    stdout: [/"--key=••••••••"/],
    stderr: [],
  });
  await check(['mcp', 'plan', 'nobody'], {
    code: 1,
    stdout: [],
    stderr: [/no server nobody here/],
  });
});

test('approve asks, or is told by name; revoke takes it back', async () => {
  await check(['mcp', 'approve'], {
    code: 3,
    stdout: [],
    stderr: [/Start the server fs from this repository\?/, /a terminal is needed to ask/],
  });
  assert.equal((await standings()).fs, 'asks');
  await check(['mcp', 'approve', 'fs'], {
    code: 0,
    stdout: [/^Approved fs$/m],
    stderr: [/Start the server fs from this repository\?/, /--key=••••••••/],
  });
  assert.deepEqual(await standings(), { fs: 'ready', gone: 'unavailable', mine: 'asks' });
  const before = await readFile(`${home.workspace}/.mcp.json`, 'utf8');
  await home.write('work/.mcp.json', before.replace('"server.js",', '"server.js", "-v",'));
  await check(['mcp', 'approve'], {
    code: 3,
    stdout: [],
    stderr: [/What changed, 2 of 11 parts\n {2}args\n {2}\+ "-v"\n {2}values\n/],
  });
  await home.write('work/.mcp.json', before);
  await check(['mcp', 'approve', '--yes'], {
    code: 0,
    stdout: [/^Approved mine$/m],
    stderr: [/from your own configuration\?/],
  });
  await check(['mcp', 'approve', 'gone', 'fs'], {
    code: 1,
    stdout: [/^Nothing was approved\.$/m],
    stderr: [
      /gone: There is no program/,
      /fs: it needs no answer/,
      /^gbs: cannot be approved as it is: gone$/m,
    ],
  });
  await check(['mcp', 'revoke'], { code: 2, stdout: [], stderr: [/name what to revoke/] });
  await check(['mcp', 'revoke', 'fs', 'nobody'], {
    code: 1,
    stdout: [/^Revoked fs$/m],
    stderr: [/not approved before: nobody/],
  });
  assert.equal((await standings()).fs, 'asks');
  await check(['mcp', 'revoke', '--all', '--json'], { code: 0, stdout: [/"mine"/], stderr: [] });
  assert.deepEqual(await standings(), { fs: 'asks', gone: 'unavailable', mine: 'asks' });
});

test('a server that is there and cannot be used is not said to be missing', async () => {
  for (const command of ['plan', 'approve', 'tools', 'login', 'logout']) {
    await check(['mcp', command, 'broken'], {
      code: 1,
      stdout: [],
      stderr: [
        /Server "broken": "command" must be text/,
        /^gbs: the server broken cannot be used as it is written: correct what is said above$/m,
      ],
    });
    await check(['mcp', command, 'off'], {
      code: 1,
      stdout: [],
      stderr: [/^gbs: the server off is switched off where it is written$/m],
    });
    await check(['mcp', command, 'none'], {
      code: 1,
      stdout: [],
      stderr: [/^gbs: there is no server none here\. See: gbs mcp list$/m],
    });
  }
});

test('a workspace without files says where servers are written', async () => {
  const empty = await makeHome();
  try {
    const { code, stdout } = await empty.gbs(['mcp', 'list']);
    assert.deepEqual([code, stdout], [0, 'No servers here. They are written in .mcp.json.\n']);
    await empty.write('work/.mcp.json', '{"mcpServers": {"a": {"command": "x" "b": 1}}}');
    const broken = await empty.gbs(['mcp', 'list']);
    assert.match(broken.stderr, /\.mcp\.json:1:37: A comma is missing here\./);
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, unusable);
    for (const command of ['plan', 'tools']) {
      assert.equal((await empty.gbs(['mcp', command])).code, 1, command);
    }
  } finally {
    await empty.remove();
  }
});
