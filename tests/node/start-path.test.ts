/** Starting the extension reads no skill, and loads nothing that could. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { skill, tree } from './skills/tree.ts';

interface Seen {
  readonly untilReturned: readonly string[];
  readonly modules: readonly string[];
  readonly byLooking: readonly string[];
}

test('until the extension has started, no SKILL.md is opened', { timeout: 60_000 }, async () => {
  const folder = tree({
    '.gbs/skills/a/SKILL.md': skill('a'),
    '.claude/skills/b/SKILL.md': skill('b'),
    'home/.gbs/skills/c/SKILL.md': skill('c'),
  });
  const program = join(__dirname, 'programs', 'start-path.cjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', program, folder],
    { cwd: join(__dirname, '..', '..'), timeout: 50_000 },
  );
  const { untilReturned, modules, byLooking } = JSON.parse(stdout) as Seen;
  assert.deepEqual(untilReturned, []);
  assert.ok(modules.includes('extension.ts'), modules.join(' '));
  // The fields of a header, for completion, the settings and names of folders are there; what reads
  // skills is not.
  const harmless = ['skills/fields.ts', 'agent/settings.ts', 'agent/folder-names.ts'];
  const reading = modules.filter((file) => /^(?:skills|agent|mcp)\//.test(file));
  assert.deepEqual(
    reading.filter((file) => !harmless.includes(file)),
    [],
  );
  // The count sees what a look opens: each once.
  assert.deepEqual(byLooking, ['openSync', 'openSync', 'openSync']);
});
