/** `gbs mcp tools` and `call` as a user runs them, with real servers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { failed } from '../../../extension/cli/mcp-tools.ts';
import { makeHome, type Home } from '../gbs.ts';
import { misbehaving, packageFile } from './set.ts';

let home: Home;

before(async () => {
  home = await makeHome();
  const node = (...args: string[]): object => ({ command: process.execPath, args });
  await home.write(
    'work/.mcp.json',
    JSON.stringify({
      mcpServers: {
        everything: node(packageFile('@modelcontextprotocol/server-everything/dist/index.js')),
        odd: node(misbehaving, '--mode', 'banner'),
        exits: node(misbehaving, '--mode', 'exit-at-once'),
      },
    }),
  );
});
after(() => home.remove());

async function check(
  args: readonly string[],
  expected: { code: number; stdout?: RegExp[]; stderr?: RegExp[] },
): Promise<string> {
  const found = await home.gbs(args);
  const shown = `${found.stdout}\n---\n${found.stderr}`;
  assert.equal(found.code, expected.code, shown);
  for (const words of expected.stdout ?? []) assert.match(found.stdout, words, shown);
  for (const words of expected.stderr ?? []) assert.match(found.stderr, words, shown);
  return found.stdout;
}

test('nothing starts without an approval, and the exit code says so', async () => {
  await check(['mcp', 'call', 'everything', 'echo', '{"message":"a"}'], {
    code: 3,
    stderr: [/needs approval: everything/],
  });
});

test('a call prints what the server really answers', async () => {
  const call = [
    'mcp',
    'call',
    'everything',
    'echo',
    '{"message":"grün 🐛"}',
    '--yes-mcp',
    'everything',
  ];
  assert.equal(await check(call, { code: 0 }), 'Echo: grün 🐛\n');
  const json = JSON.parse(await check([...call, '--json'], { code: 0 })) as unknown;
  assert.deepEqual(json, { content: [{ type: 'text', text: 'Echo: grün 🐛' }] });
});

test('the tools of a server, for people and for programs', async () => {
  await check(['mcp', 'tools', 'odd', '--yes-mcp', 'odd'], {
    code: 0,
    stdout: [
      /^odd 1\.0\.0, MCP 2025-06-18, 3 tools$/m,
      /^ {2}echo only reads\n {4}Gives back its text\.$/m,
    ],
  });
  const { servers } = JSON.parse(
    await check(['mcp', 'tools', 'odd', '--yes-mcp', 'odd', '--json'], { code: 0 }),
  ) as { servers: { name: string; tools: { tool: string; name: string; state: string }[] }[] };
  assert.deepEqual(
    servers.map(({ name, tools }) => [
      name,
      tools.map((tool) => [tool.tool, tool.name, tool.state]),
    ]),
    [
      [
        'odd',
        [
          ['echo', 'mcp__odd__echo', 'ready'],
          ['slow', 'mcp__odd__slow', 'ready'],
          ['facts', 'mcp__odd__facts', 'ready'],
        ],
      ],
    ],
  );
});

test('what goes wrong is named, with what to do', async () => {
  await check(['mcp', 'tools', 'exits', '--yes-mcp', 'exits'], {
    code: 1,
    stderr: [
      /The server exits does not run\. It exited with code 3 before it was ready\. It wrote: “tracker: TRACKER_TOKEN is not set”/,
      /not running: exits/,
    ],
  });
  await check(['mcp', 'tools', 'odd', '--yes-mcp', 'od', '--yes-mcp', 'od'], {
    code: 0,
    stderr: [
      /^\S+ --yes-mcp od answers nothing: no server has this name\. Known: everything, odd, exits\.$/m,
    ],
  });
  await check(['mcp', 'call', 'odd', 'nothing', '{}', '--yes-mcp', 'odd'], {
    code: 1,
    stderr: [/odd has no tool nothing\. It has: echo, slow, facts/],
  });
  await check(['mcp', 'call', 'odd', 'echo', '{bad', '--yes-mcp', 'odd'], {
    code: 2,
    stderr: [/the arguments are not JSON/],
  });
  await check(['mcp', 'call', 'nobody', 'echo'], {
    code: 1,
    stderr: [/there is no server nobody here/],
  });
});

test('a code is in the words only where it stands there as a number of its own', () => {
  for (const [code, message, said] of [
    [1, '10 rows are locked', '10 rows are locked (1)'],
    [1, 'row 1 is locked', 'row 1 is locked (1)'],
    [-32602, 'MCP error -32602: no such tool', 'MCP error -32602: no such tool'],
    [-32602, 'no such tool 132602', 'no such tool 132602 (-32602)'],
    [-3260, 'MCP error -32602: no such tool', 'MCP error -32602: no such tool (-3260)'],
  ] as const) {
    const end = { kind: 'error', code, message, data: null } as const;
    assert.equal(failed(end), `the server refused the call: ${said}`);
  }
});

test('an approval given before is enough', async () => {
  await check(['mcp', 'approve', 'odd'], { code: 0 });
  assert.equal(await check(['mcp', 'call', 'odd', 'echo', '{"text":"x"}'], { code: 0 }), 'x\n');
});

test('resources and prompts, for people and for programs', async () => {
  const yes = ['--yes-mcp', 'everything'];
  await check(['mcp', 'resources', 'everything', ...yes], {
    code: 0,
    stdout: [/^demo:\/\/resource\/dynamic\/text\/\{resourceId\} {2}.*template/m],
  });
  await check(['mcp', 'prompts', 'everything', ...yes], {
    code: 0,
    stdout: [/^args-prompt city \[state\]$/m],
  });
  const uri = 'demo://resource/dynamic/text/1';
  await check(['mcp', 'read', 'everything', uri, ...yes], {
    code: 0,
    stdout: [/^\[resource demo:\/\/resource\/dynamic\/text\/1\]\nResource 1: /],
  });
  await check(['mcp', 'read', 'everything', 'demo://no/such', ...yes], {
    code: 1,
    stderr: [/^gbs: the server refused the call: MCP error (-\d+): (?:(?!\1).)*$/m],
  });
  await check(['mcp', 'prompts', 'odd', '--yes-mcp', 'odd'], {
    code: 1,
    stderr: [/odd says that it has no prompts/],
  });
});
