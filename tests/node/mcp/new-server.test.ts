/** A server added to a configuration file: comments and order stay, nothing is replaced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf, withServer, words } from '../../../extension/mcp/new-server.ts';

const server = { command: 'npx', args: ['-y', 'x@1'] };

/** Where there is a text, that; else why not. */
function added(before: string): string {
  const result = withServer(before, 'new', server);
  switch (result.kind) {
    case 'text':
      return result.text;
    case 'taken':
      return 'taken';
    case 'broken':
      return `broken at line ${result.line}`;
  }
}

/** The new entry as it stands on one line. */
const entry = '"new": {"command": "npx", "args": ["-y", "x@1"]}';

/** Text with every run of blanks inside the new entry taken away. */
const flat = (text: string): string =>
  text.replace(/"new": \{\s*"command": "npx",\s*"args": \[\s*"-y",\s*"x@1"\s*\]\s*\}/u, entry);

const cases: readonly (readonly [string, string, string])[] = [
  ['a new file', '', `{\n  "mcpServers": {\n    ${entry}\n  }\n}\n`],
  ['an empty object', '{}', `{\n  "mcpServers": {\n    ${entry}\n  }\n}`],
  ['comments alone', '// ours\n{}\n', `// ours\n{\n  "mcpServers": {\n    ${entry}\n  }\n}\n`],
  [
    'comments and order stay',
    '{\n  // ours\n  "mcpServers": {\n    "b": { "command": "b" }, // kept\n    "a": { "command": "a" } /* this too */\n  },\n  "other": [1]\n}\n',
    `{\n  // ours\n  "mcpServers": {\n    "b": { "command": "b" }, // kept\n    "a": { "command": "a" }, /* this too */\n    ${entry}\n  },\n  "other": [1]\n}\n`,
  ],
  [
    'a trailing comma stays one',
    '{\n  "mcpServers": {\n    "a": {},\n  },\n}\n',
    `{\n  "mcpServers": {\n    "a": {},\n    ${entry},\n  },\n}\n`,
  ],
  ['servers', '{"servers":{}}', `{"servers":{\n  ${entry}\n}}`],
  ['a bare map', '{\n  "a": {"command": "a"}\n}', `{\n  "a": {"command": "a"},\n  ${entry}\n}`],
  [
    'settings of another program are no map of servers',
    '{\n  "theme": "dark"\n}',
    `{\n  "theme": "dark",\n  "mcpServers": {\n    ${entry}\n  }\n}`,
  ],
  [
    'all on one line',
    '{ "mcpServers": { "a": {} } }',
    '{ "mcpServers": { "a": {}, "new": {"command":"npx","args":["-y","x@1"]} } }',
  ],
  [
    'a comment stays with what it is about',
    '{\n  "mcpServers": {\n    "a": {} // of a\n    // of nobody\n  }\n}',
    `{\n  "mcpServers": {\n    "a": {}, // of a\n    ${entry}\n    // of nobody\n  }\n}`,
  ],
  [
    'comments in an empty map',
    '{\n  "mcpServers": {\n    // none yet\n  }\n}',
    `{\n  "mcpServers": {\n    // none yet\n    ${entry}\n  }\n}`,
  ],
  ['the name is taken', '{"mcpServers":{"new":{"command":"old"}}}', 'taken'],
  ['a list', '[]', 'broken at line 1'],
  ['no JSON', 'nonsense', 'broken at line 1'],
  [
    'a comma is missing',
    '{\n  "mcpServers": {\n    "a": {}\n    "b": {}\n  }\n}',
    'broken at line 4',
  ],
  ['it ends early', '{\n  "mcpServers": {\n', 'broken at line 3'],
  ['servers that are a list', '{\n  "mcpServers": []\n}', 'broken at line 2'],
];

for (const [name, before, expected] of cases) {
  test(name, () => {
    assert.equal(flat(added(before)), expected);
    // The same file as other editors write it: its looks stay.
    const looks: readonly ((text: string) => string)[] = [
      (text) => text.replaceAll('\n', '\r\n'),
      (text) => text.replaceAll('  ', '\t'),
      (text) => text.replaceAll('  ', '    '),
      (text) => `\uFEFF${text}`,
    ];
    if (!before.includes('\n') || !expected.startsWith('{')) return;
    for (const look of looks) assert.equal(added(look(before)), look(added(before)));
  });
}

test('a name that means something to JavaScript is a name', () => {
  for (const odd of ['__proto__', 'constructor', 'a"b', '']) {
    const result = withServer('{"mcpServers":{}}', odd, server);
    assert.equal(result.kind, 'text');
    assert.equal(withServer(result.kind === 'text' ? result.text : '', odd, server).kind, 'taken');
  }
});

test('a command line is taken apart as typed', () => {
  assert.deepEqual(words(`npx -y "a b" 'c "d"' e\\f "g\\"h" --x="1 2" ""`), [
    'npx',
    '-y',
    'a b',
    'c "d"',
    'e\\f',
    'g"h',
    '--x=1 2',
    '',
  ]);
  assert.deepEqual(words('  '), []);
});

test('the line of a server', () => {
  assert.equal(lineOf('{\n "mcpServers": {\n  "a": {},\n  "b": {}\n }\n}', 'b'), 4);
  assert.equal(lineOf('{}', 'b'), 1);
});
