/** Where the editor's own ripgrep may stand. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ripgrep } from '../../extension/editor/ripgrep.ts';

test('all places it had over the versions of the editor', () => {
  assert.deepEqual(ripgrep('/app', 'linux', 'arm64'), [
    join('/app/node_modules/@vscode/ripgrep-universal/bin/linux-arm64/rg'),
    join('/app/node_modules/@vscode/ripgrep/bin/rg'),
    join('/app/node_modules.asar.unpacked/@vscode/ripgrep/bin/rg'),
  ]);
  assert.match(ripgrep('/app', 'win32', 'x64')[0] ?? '', /win32-x64.rg\.exe$/);
});
