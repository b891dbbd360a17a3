/** Servers of other programs: where they are looked for, what becomes of their entries, what is shown. */
import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { importedEntries } from '../../../extension/mcp/import/entries.ts';
import { findServersToImport } from '../../../extension/mcp/import/import.ts';
import { importPlaces, type Program } from '../../../extension/mcp/import/places.ts';
import { makeHome, type Home } from '../gbs.ts';

test('the documented places on each platform', () => {
  const places = (platform: NodeJS.Platform, environment: Record<string, string> = {}): unknown =>
    importPlaces({
      userHome: platform === 'win32' ? 'C:\\Users\\ana' : '/home/ana',
      platform,
      environment,
      folders: platform === 'win32' ? [] : ['/w'],
    }).map(({ path }) => path);
  assert.deepEqual(places('linux', { XDG_CONFIG_HOME: '', CODEX_HOME: '/codex' }), [
    '/home/ana/.config/Claude/claude_desktop_config.json',
    '/home/ana/.claude.json',
    '/home/ana/.cursor/mcp.json',
    '/w/.cursor/mcp.json',
    '/home/ana/.config/Code/User/mcp.json',
    '/w/.vscode/mcp.json',
    '/codex/config.toml',
    '/w/.codex/config.toml',
  ]);
  assert.deepEqual(places('darwin'), [
    '/home/ana/Library/Application Support/Claude/claude_desktop_config.json',
    '/home/ana/.claude.json',
    '/home/ana/.cursor/mcp.json',
    '/w/.cursor/mcp.json',
    '/home/ana/Library/Application Support/Code/User/mcp.json',
    '/w/.vscode/mcp.json',
    '/home/ana/.codex/config.toml',
    '/w/.codex/config.toml',
  ]);
  assert.deepEqual(places('win32', { APPDATA: 'D:\\Roaming' }), [
    'D:\\Roaming\\Claude\\claude_desktop_config.json',
    'C:\\Users\\ana\\.claude.json',
    'C:\\Users\\ana\\.cursor\\mcp.json',
    'D:\\Roaming\\Code\\User\\mcp.json',
    'C:\\Users\\ana\\.codex\\config.toml',
  ]);
});

function check(program: Program, text: string, expected: object): void {
  assert.deepEqual(importedEntries(program, text), expected, `${program} ${text}`);
}

const one = (name: string, entry: object, lost: readonly string[] = []): object => ({
  entries: [{ name, entry, lost }],
  problems: [],
});

test('entries of each program', () => {
  const plain = { command: 'npx', args: ['-y', 'x@1'], env: { A: 'b' } };
  check(
    'Claude Desktop',
    `\uFEFF{"globalShortcut":"x","mcpServers":{"a":${JSON.stringify(plain)}}}`,
    one('a', plain),
  );
  check(
    'Claude Desktop',
    '{"mcpServers":{"a":{"command":"x","args":["${HOME}/y"]}}}',
    one('a', { command: 'x', args: ['${HOME}/y'] }, [
      'Filled in by us and not by Claude Desktop: ${HOME}.',
    ]),
  );
  check(
    'Claude Code',
    '{"mcpServers":{"a":{"type":"http","url":"https://a.example"}},"projects":{"/w":{"mcpServers":{"b":{"command":"y"}},"history":[]},"/v":{}}}',
    {
      entries: [
        { name: 'a', entry: { url: 'https://a.example', type: 'http' }, lost: [] },
        { name: 'b', entry: { command: 'y' }, lost: [] },
      ],
      problems: [],
    },
  );
  check(
    'Cursor',
    '{"mcpServers":{"a":{"command":"x","envFile":".env","disabled":true}}}',
    one('a', { command: 'x', disabled: true }, ['Not taken along: envFile.']),
  );
  check(
    'VS Code',
    '// mine\n{"inputs":[],"servers":{"a":{"type":"stdio","command":"x","args":["${input:key}",],},}}',
    one('a', { command: 'x', args: ['${input:key}'], type: 'stdio' }, [
      'Asked for by VS Code and not by us: ${input:key}.',
    ]),
  );
  check(
    'Codex',
    [
      'model = "x"',
      '[mcp_servers.a]',
      'command = "npx"',
      'args = ["-y", "x@1"]',
      'tool_timeout_sec = 2.5',
      'startup_timeout_sec = 20',
      'enabled = false',
      '[mcp_servers.a.env]',
      'KEY = "v"',
      '[mcp_servers."b c"]',
      'url = "https://b.example/mcp"',
      'bearer_token_env_var = "B_TOKEN"',
      'http_headers = { "X-Team" = "t" }',
      'env_http_headers = { "X-User" = "USER" }',
    ].join('\n'),
    {
      entries: [
        {
          name: 'a',
          entry: {
            command: 'npx',
            args: ['-y', 'x@1'],
            env: { KEY: 'v' },
            disabled: true,
            timeout: 2500,
          },
          lost: ['Not taken along: startup_timeout_sec.'],
        },
        {
          name: 'b c',
          entry: {
            url: 'https://b.example/mcp',
            headers: {
              'X-Team': 't',
              'X-User': '${USER}',
              Authorization: 'Bearer ${B_TOKEN}',
            },
          },
          lost: [],
        },
      ],
      problems: [],
    },
  );
});

test('broken and hostile files give what can be used', () => {
  const none = (problem: string): object => ({ entries: [], problems: [problem] });
  check('Cursor', '{', none('It is not JSON.'));
  check('Cursor', '[]', none('It holds no object.'));
  check('Cursor', '{"mcpServers":7}', { entries: [], problems: [] });
  check('Cursor', '', none('It is not JSON.'));
  check('Codex', 'a = \n', none('It is not TOML: see line 1.'));
  check('Cursor', '{"mcpServers":{"a":{},"b":[],"constructor":{"command":"x"}}}', {
    entries: [{ name: 'constructor', entry: { command: 'x' }, lost: [] }],
    problems: [
      'The server a is left out: it has neither a command nor a url.',
      'The server b is left out: it is not an object.',
    ],
  });
});

let home: Home;
before(async () => {
  home = await makeHome();
});
after(() => home.remove());

test('no way to write a secret is shown', async () => {
  const path = join(home.folder, '.cursor', 'mcp.json');
  await mkdir(dirname(path), { recursive: true });
  const secret = 'hunter22';
  const words = [
    `--password ${secret}`,
    `--api-key=${secret}`,
    `X-Api-Key: ${secret}`,
    `x-auth-token:${secret}, and more`,
    `Authorization: Basic ${secret}`,
    `Authorization: ${secret} ${secret}`,
    `Bearer ${secret}`,
    `https://${secret}@h/p`,
    `https://me:p@${secret}@h/p`,
    `https://h/p?token=${secret}&a=b`,
    `{"a":"b","api_key":"${secret}"}`,
    `{'password': '${secret}'}`,
  ];
  const servers = words.flatMap((word, n) => {
    const args = word.startsWith('--password') ? word.split(' ') : [word];
    return [
      [`arg${String(n)}`, { command: 'x', args }],
      ...(word.startsWith('https:') ? [[`url${String(n)}`, { url: word }]] : []),
    ];
  });
  await writeFile(path, JSON.stringify({ mcpServers: Object.fromEntries(servers) as unknown }));
  const found = await findServersToImport({
    userHome: home.folder,
    platform: 'linux',
    environment: {},
    folders: [],
  });
  assert.equal(found.servers.length, servers.length);
  for (const { name, shown } of found.servers) {
    assert.ok(shown.includes('••••') && !shown.includes(secret), `${name}: ${shown}`);
  }
  for (const word of ['https://h:80/a?b=c', 'a:b', 'key', '-p 8080:80', '@scope/name@1.2.3']) {
    await writeFile(path, JSON.stringify({ mcpServers: { a: { command: 'x', args: [word] } } }));
    const [one] = (
      await findServersToImport({
        userHome: home.folder,
        platform: 'linux',
        environment: {},
        folders: [],
      })
    ).servers;
    assert.ok(one?.shown.includes(word), one?.shown);
  }
  await rm(path);
});

test('a server named __proto__ is one, and no field comes from such a name', () => {
  const found = importedEntries(
    'Cursor',
    '{"mcpServers":{"__proto__":{"command":"x","env":{"__proto__":"v"}},"b":{"__proto__":{"command":"y"}}}}',
  );
  assert.deepEqual(
    found.entries.map(({ name, entry }) => [name, JSON.stringify(entry)]),
    [['__proto__', '{"command":"x","env":{"__proto__":"v"}}']],
  );
  assert.deepEqual(found.problems, [
    'The server b is left out: it has neither a command nor a url.',
  ]);
});

test('what is shown has no secrets, and what is chosen is written and not started', async () => {
  const cursor = join(home.folder, '.cursor', 'mcp.json');
  await mkdir(dirname(cursor), { recursive: true });
  const touched = join(home.folder, 'started');
  await writeFile(
    cursor,
    JSON.stringify({
      mcpServers: {
        db: {
          command: process.execPath,
          args: [
            '-e',
            `require('fs').writeFileSync(${JSON.stringify(touched)},'')`,
            '--token',
            'hunter2',
            'postgres://me:pw@h/db',
            '--api-key=k1',
          ],
          env: { DB_PASSWORD: 'hunter3' },
        },
        other: { command: 'x' },
      },
    }),
  );
  const { servers } = await findServersToImport({
    userHome: home.folder,
    platform: 'linux',
    environment: {},
    folders: [],
  });
  const shown = JSON.stringify(servers.map(({ shown: text, brings }) => [text, brings]));
  for (const secret of ['hunter2', 'hunter3', ':pw@', 'k1'])
    assert.ok(!shown.includes(secret), shown);
  assert.match(shown, /--token •••• postgres:\/\/me:••••@h\/db/);
  assert.match(shown, /DB_PASSWORD/);

  const listed = await home.gbs(['mcp', 'import']);
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /^db {2}Cursor, /m);
  assert.doesNotMatch(listed.stdout, /hunter/);
  await home.write('.gbs/mcp.json', '{\n  // mine\n  "mcpServers": {}\n}\n');
  const taken = await home.gbs(['mcp', 'import', 'db', '--from', 'cursor']);
  assert.equal(taken.code, 0, taken.stderr);
  const written = await readFile(join(home.folder, '.gbs', 'mcp.json'), 'utf8');
  assert.match(written, /\/\/ mine/);
  assert.match(written, /"DB_PASSWORD": "hunter3"/);
  assert.doesNotMatch(written, /"other"/);
  await assert.rejects(readFile(touched), { code: 'ENOENT' });
  const again = await home.gbs(['mcp', 'import', 'db']);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /has a server "db" already/);
  assert.match(
    (await home.gbs(['mcp', 'import'])).stdout,
    /A server of this name stands in ~\/\.gbs\/mcp\.json\./,
  );
  assert.equal((await home.gbs(['mcp', 'import', 'nobody'])).code, 1);
});
