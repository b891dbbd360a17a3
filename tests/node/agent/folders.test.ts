/** The tools where several folders are open. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Arguments } from '../../../extension/agent/tool.ts';
import { ran, someRipgrep, withTools } from './support.ts';

const limit = { timeout: 60_000 };

test('several folders: a path begins with the name of its own', limit, async () => {
  const files = {
    'notes.md': 'north\n',
    'web/inside.md': 'of the first\n',
    '../web/notes.md': 'south\n',
    '../web/src/a.ts': 'south();\n',
  };
  await withTools(
    files,
    async (bed) => {
      const check = async (name: string, args: Arguments, expected: string): Promise<void> => {
        assert.equal(await ran(bed, name, args), expected, JSON.stringify(args));
      };
      await check('read_file', { path: 'web/notes.md' }, 'web/notes.md: 1 line\nsouth');
      await check('read_file', { path: './web/notes.md' }, 'web/notes.md: 1 line\nsouth');
      await check('read_file', { path: 'workspace/notes.md' }, 'workspace/notes.md: 1 line\nnorth');
      await check('read_file', { path: 'notes.md' }, 'workspace/notes.md: 1 line\nnorth');
      const whole = join(bed.root, 'web', 'notes.md');
      await check('read_file', { path: whole }, 'web/notes.md: 1 line\nsouth');
      // Nothing of this name is in the folder web, but below the first.
      await check(
        'read_file',
        { path: 'web/inside.md' },
        'workspace/web/inside.md: 1 line\nof the first',
      );
      await check('read_file', { path: 'web' }, 'refused: web is a folder. Use list_dir.');
      await check('list_dir', { path: 'web' }, 'src/\nnotes.md');
      await check('write_file', { path: 'web/new.md', content: 'x' }, 'Made web/new.md.');
      assert.equal(await readFile(join(bed.root, 'web', 'new.md'), 'utf8'), 'x');
      const refused = await ran(bed, 'read_file', { path: 'web/../../passwd' });
      assert.match(refused, /^refused: .* outside the workspace folders/u);
      // A search without a path is one in every folder.
      await check('glob', { pattern: 'notes.md' }, 'workspace/notes.md\nweb/notes.md');
      await check('glob', { pattern: '*.ts', path: 'web/src' }, 'web/src/a.ts');
      for (const ripgrep of [null, await someRipgrep()]) {
        bed.ripgrep = ripgrep;
        await check(
          'grep',
          { pattern: 'south' },
          'web/notes.md:1: south\nweb/src/a.ts:1: south();',
        );
        await check('grep', { pattern: 'south', path: 'web/src' }, 'web/src/a.ts:1: south();');
        await check('grep', { pattern: 'south', path: 'web/notes.md' }, 'web/notes.md:1: south');
        await check(
          'grep',
          { pattern: 'nor(', path: 'workspace' },
          'Nothing matches.\n[Not a regular expression, so searched as plain text]',
        );
      }
    },
    ['workspace', 'web'],
  );
});
