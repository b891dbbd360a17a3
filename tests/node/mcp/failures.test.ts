import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellingLine } from '../../../extension/mcp/failures.ts';

const cases: readonly (readonly [what: string, stderr: string, line: string])[] = [
  ['nothing', '', ''],
  ['one line', 'tracker: TRACKER_TOKEN is not set', 'tracker: TRACKER_TOKEN is not set'],
  [
    'Node',
    "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module '/w/beds.js'\n    at Module._load (node:internal:1)\n  code: 'MODULE_NOT_FOUND',\n}\n\nNode.js v20.20.2",
    "Error: Cannot find module '/w/beds.js'",
  ],
  [
    'Python',
    'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nModuleNotFoundError: No module named \'mcp\'',
    "ModuleNotFoundError: No module named 'mcp'",
  ],
  [
    'npx',
    'npm error code E404\nnpm error 404 Not Found\nnpm error A complete log of this run can be found in: /l',
    'npm error A complete log of this run can be found in: /l',
  ],
  [
    'Go',
    'panic: dial tcp: refused\n\ngoroutine 1 [running]:\n\tmain.main()',
    'panic: dial tcp: refused',
  ],
  ['a shell', '\r\nsh: 1: nope: not found\r\n', 'sh: 1: nope: not found'],
  ['only frames', '  at a\n  at b\n}', ''],
  ['a long one', 'x'.repeat(400), `${'x'.repeat(299)}…`],
];

test('the line of a failed server that says most', () => {
  for (const [what, stderr, line] of cases) assert.equal(tellingLine(stderr), line, what);
});
