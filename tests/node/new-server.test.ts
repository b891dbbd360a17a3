/** A server added to a configuration file: comments and order stay, nothing is replaced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf, withServer, words } from '../../extension/editor/new-server.ts';

const server = { command: 'npx', args: ['-y', 'x@1'] };

function check(before: string, expected: string | null): void {
  assert.equal(withServer(before, 'new', server), expected);
}

test('a new file', () =>
  check(
    '',
    `{
  "mcpServers": {
    "new": {
      "command": "npx",
      "args": [
        "-y",
        "x@1"
      ]
    }
  }
}
`,
  ));

test('comments, order and line ends stay', () =>
  check(
    '{\r\n  // ours\r\n  "mcpServers": {\r\n    "b": { "command": "b" }, // kept\r\n    "a": { "command": "a" }\r\n  }\r\n}\r\n',
    '{\r\n  // ours\r\n  "mcpServers": {\r\n    "b": { "command": "b" }, // kept\r\n    "a": {\r\n      "command": "a"\r\n    },\r\n    "new": {\r\n      "command": "npx",\r\n      "args": [\r\n        "-y",\r\n        "x@1"\r\n      ]\r\n    }\r\n  }\r\n}\r\n',
  ));

test('the root is the one the file has', () => {
  check(
    '{"servers":{}}',
    '{\n  "servers": {\n    "new": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "x@1"\n      ]\n    }\n  }\n}',
  );
  assert.match(
    withServer('{"a":{"command":"a"}}', 'new', server) ?? '',
    /^\{\n {2}"a".*\n {2}"new"/s,
  );
});

test('what is there is never replaced, what cannot be read is never written', () => {
  check('{"mcpServers":{"new":{"command":"old"}}}', null);
  check('[]', null);
  check('nonsense', null);
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
