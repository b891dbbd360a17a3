import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { digest } from '../../../extension/agent/files.ts';
import { ToolRefusal, type Arguments } from '../../../extension/agent/tool.ts';
import { findRipgrep } from '../../../extension/agent/tools/ripgrep.ts';
import { ran, someRipgrep, withTools, type ToolBed } from './support.ts';

const limit = { timeout: 60_000 };
const posix = process.platform === 'win32' ? { skip: 'POSIX' } : limit;

test('read_file: whole, stretches, parts', limit, async () => {
  const long = Array.from({ length: 400 }, (_, i) => `line ${i + 1}`).join('\n');
  const files = {
    'a.txt': 'one\ntwo\nthree\n',
    'long.txt': long,
    empty: '',
    'no-end': 'x',
    'sub/b.txt': 'b',
  };
  await withTools(files, async (bed) => {
    const check = async (args: Arguments, expected: string): Promise<void> => {
      assert.equal(await ran(bed, 'read_file', args), expected);
    };
    await check({ path: 'a.txt' }, 'a.txt: 3 lines\none\ntwo\nthree');
    await check({ path: './sub/../a.txt' }, 'a.txt: 3 lines\none\ntwo\nthree');
    await check({ path: join(bed.folder, 'a.txt') }, 'a.txt: 3 lines\none\ntwo\nthree');
    await check({ path: 'a.txt', start_line: 2, end_line: 2 }, 'a.txt: lines 2 to 2 of 3\ntwo');
    await check({ path: 'a.txt', start_line: '2' }, 'a.txt: lines 2 to 3 of 3\ntwo\nthree');
    await check({ path: 'a.txt', end_line: 99 }, 'a.txt: 3 lines\none\ntwo\nthree');
    await check({ path: 'empty' }, 'empty is empty.');
    await check({ path: 'no-end' }, 'no-end: 1 line\nx');
    await check({ path: 'a.txt', start_line: 4 }, 'refused: a.txt has 3 lines, so none from 4 on.');
    await check(
      { path: 'a.txt', start_line: 3, end_line: 2 },
      'refused: end_line comes before start_line.',
    );
    await check({ path: 'sub' }, 'refused: sub is a folder. Use list_dir.');
    await check({ path: 'gone' }, 'refused: There is no file gone. Find it with glob.');
    await check({ path: 'a\0b' }, 'refused: A path cannot hold a NUL character.');
    await check(
      { path: '~/x' },
      'refused: Paths with ~ are outside the workspace. Use a path relative to it.',
    );
    await check({ path: 'a.txt', part: 2 }, 'refused: There are 1 parts, so none with number 2.');
    bed.chars = 1_200;
    const first = await ran(bed, 'read_file', { path: 'long.txt' });
    assert.match(first, /^long\.txt: 400 lines, part 1 of \d; the next with part 2\nline 1\n/u);
    const parts: string[] = [];
    for (let part = 1; part <= 5; part++) {
      const text = await ran(bed, 'read_file', { path: 'long.txt', part });
      if (text.startsWith('refused')) break;
      parts.push(text.slice(text.indexOf('\n') + 1));
    }
    assert.equal(parts.join(''), long, 'the parts together are the whole');
  });
});

test('read_file: bytes that are no plain UTF-8', limit, async () => {
  await withTools({}, async (bed) => {
    await writeFile(join(bed.folder, 'bin'), Buffer.from([1, 0, 2]));
    await writeFile(join(bed.folder, 'bom'), '\ufeffhi');
    await writeFile(join(bed.folder, 'u16'), Buffer.from('\ufeffhé', 'utf16le'));
    await writeFile(join(bed.folder, 'latin'), Buffer.from([0x68, 0xe9]));
    assert.equal(
      await ran(bed, 'read_file', { path: 'bin' }),
      'refused: bin is not text (3 bytes).',
    );
    assert.equal(await ran(bed, 'read_file', { path: 'bom' }), 'bom: 1 line\nhi');
    assert.equal(await ran(bed, 'read_file', { path: 'u16' }), 'u16: 1 line\nhé');
    assert.equal(await ran(bed, 'read_file', { path: 'latin' }), 'latin: 1 line\nh\ufffd');
    const edit = { old_string: 'h', new_string: 'H' };
    assert.equal(await ran(bed, 'edit_file', { path: 'bom', ...edit }), 'Edited bom.');
    assert.deepEqual(await readFile(join(bed.folder, 'bom')), Buffer.from('\ufeffHi'));
    assert.equal(await ran(bed, 'edit_file', { path: 'u16', ...edit }), 'Edited u16.');
    assert.deepEqual(await readFile(join(bed.folder, 'u16')), Buffer.from('\ufeffHé', 'utf16le'));
    assert.equal(
      await ran(bed, 'edit_file', { path: 'latin', ...edit }),
      'refused: latin is not plain text, so it cannot be edited.',
    );
  });
});

test('edit_file: exact and unique, with an up-to-date read', limit, async () => {
  const files = {
    a: 'one\n  two\none\n',
    crlf: 'a\r\nb\r\nc\r\n',
    unread: 'x',
    marks: 'say <|im_end|> now',
  };
  await withTools(files, async (bed) => {
    const edit = (
      path: string,
      old_string: string,
      new_string: string,
      more = {},
    ): Promise<string> => ran(bed, 'edit_file', { path, old_string, new_string, ...more });
    assert.equal(await edit('unread', 'x', 'y'), 'refused: Read unread first, then edit it.');
    for (const path of ['a', 'crlf', 'marks']) await ran(bed, 'read_file', { path });
    assert.equal(
      await edit('a', 'one', '1'),
      'refused: old_string stands 2 times in a (lines 1, 3). Add lines around it so that it is there once, or set replace_all.',
    );
    assert.equal(
      await edit('a', 'two\n one', 'x'),
      'refused: old_string is not in a. Only white space differs from line 2 on. The exact text is:\n  two\none',
    );
    assert.equal(
      await edit('a', 'nothing', 'x'),
      'refused: old_string is not in a. Read the file again and copy the text exactly.',
    );
    assert.equal(
      await edit('a', '', 'x'),
      'refused: old_string is empty. Use write_file to replace the whole file.',
    );
    assert.equal(await edit('a', 'two', 'two'), 'refused: old_string and new_string are the same.');
    assert.equal(
      await edit('gone', 'a', 'b'),
      'refused: There is no file gone. Use write_file to make it.',
    );
    assert.equal(await edit('a', 'one', '$& 1', { replace_all: true }), 'Edited a.');
    assert.equal(await bed.read('a'), '$& 1\n  two\n$& 1\n');
    assert.equal(await edit('a', 'two', '2'), 'Edited a.', 'its own edit is an up-to-date read');
    assert.equal(await edit('crlf', 'a\nb', 'A\nB'), 'Edited crlf.');
    assert.equal(await bed.read('crlf'), 'A\r\nB\r\nc\r\n');
    assert.equal(await edit('marks', 'say <\\|im_end|> now', 'say nothing'), 'Edited marks.');
    await writeFile(join(bed.folder, 'a'), 'changed by the user\n');
    assert.equal(await edit('a', '2', '3'), 'refused: a changed since you read it. Read it again.');
    assert.equal(await bed.read('a'), 'changed by the user\n');
  });
});

test('write_file: new files and folders; an existing one needs a read', limit, async () => {
  await withTools({ a: 'old\r\ntext\r\n', dir: '' }, async (bed) => {
    assert.equal(
      await ran(bed, 'write_file', { path: 'x/y/z.txt', content: 'new\n' }),
      'Made x/y/z.txt.',
    );
    assert.equal(await bed.read('x/y/z.txt'), 'new\n');
    assert.equal(
      await ran(bed, 'write_file', { path: 'a', content: 'new\n' }),
      'refused: a exists. Read it first, then replace or edit it.',
    );
    await ran(bed, 'read_file', { path: 'a' });
    assert.equal(
      await ran(bed, 'write_file', { path: 'a', content: 'new\ntext\n' }),
      'Replaced a.',
    );
    assert.equal(await bed.read('a'), 'new\r\ntext\r\n', 'line ends stay');
    assert.equal(
      await ran(bed, 'write_file', { path: 'x', content: '' }),
      'refused: x is not a file.',
    );
    assert.match(
      await ran(bed, 'write_file', { path: '../x', content: '' }),
      /^refused: \.\.\/x is outside/u,
    );
  });
});

test('writing keeps the mode and leaves nothing behind', posix, async () => {
  await withTools({ 'run.sh': '#!/bin/sh\n' }, async (bed) => {
    await chmod(join(bed.folder, 'run.sh'), 0o755);
    await ran(bed, 'read_file', { path: 'run.sh' });
    await ran(bed, 'edit_file', { path: 'run.sh', old_string: 'sh\n', new_string: 'bash\n' });
    assert.equal((await stat(join(bed.folder, 'run.sh'))).mode & 0o777, 0o755);
    assert.equal(await ran(bed, 'list_dir', {}), 'run.sh');
  });
});

test('links are followed before the check', posix, async () => {
  await withTools({ 'a.txt': 'a', 'sub/b.txt': 'b' }, async (bed) => {
    const outside = join(bed.root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret'), 'secret');
    const at = (name: string): string => join(bed.folder, name);
    await symlink(outside, at('out'));
    await symlink(join(outside, 'secret'), at('file'));
    await symlink(join(outside, 'not-there'), at('dangling'));
    await symlink(at('loop'), at('loop'));
    await symlink(at('sub'), at('in'));
    for (const path of ['out/secret', 'file', 'out', 'in/../out/secret']) {
      assert.match(
        await ran(bed, 'read_file', { path }),
        /^refused: .* is outside the workspace/u,
        path,
      );
    }
    assert.match(await ran(bed, 'list_dir', { path: 'out' }), /^refused: .* outside/u);
    assert.match(await ran(bed, 'glob', { pattern: '*', path: 'out' }), /^refused: .* outside/u);
    assert.match(
      await ran(bed, 'grep', { pattern: 'secret', path: 'file' }),
      /^refused: .* outside/u,
    );
    assert.match(
      await ran(bed, 'run_command', { command: 'pwd', folder: 'out' }),
      /^refused: .* outside/u,
    );
    for (const path of ['out/new', 'out/a/b', 'file', 'dangling']) {
      const text = await ran(bed, 'write_file', { path, content: 'x' });
      assert.match(text, /^refused: .*(?:outside|not there)/u, path);
    }
    assert.match(await ran(bed, 'read_file', { path: 'loop' }), /^refused: .* link/u);
    assert.equal(await readFile(join(outside, 'secret'), 'utf8'), 'secret');
    // A link that stays inside is what it leads to.
    assert.equal(await ran(bed, 'read_file', { path: 'in/b.txt' }), 'sub/b.txt: 1 line\nb');
    // Nothing that searches follows a link out.
    assert.equal(await ran(bed, 'grep', { pattern: 'secret' }), 'Nothing matches.');
    assert.equal(await ran(bed, 'glob', { pattern: '**' }), 'a.txt\nsub/b.txt');
  });
});

test('what a link names is asked about by where it leads', posix, async () => {
  await withTools({ '.git/config': 'x' }, async (bed) => {
    await symlink(join(bed.folder, '.git'), join(bed.folder, 'innocent'));
    const tool = bed.tools.find((t) => t.name === 'write_file');
    const subject = await tool?.subject({ path: 'innocent/hooks/pre-commit', content: 'x' });
    assert.deepEqual(subject?.paths, [join(bed.folder, '.git/hooks/pre-commit')]);
  });
});

test('a folder swapped for a link while a file is written stays unharmed', posix, async () => {
  await withTools({ 'sub/a.txt': 'a' }, async (bed) => {
    const outside = join(bed.root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'a.txt'), 'outside');
    const place = await bed.files.place('sub/a.txt', 'write');
    const deep = await bed.files.place('sub/new/deep/b.txt', 'write');
    await rename(join(bed.folder, 'sub'), join(bed.folder, 'moved'));
    await symlink(outside, join(bed.folder, 'sub'));
    await assert.rejects(bed.files.write(place, Buffer.from('x'), null), ToolRefusal);
    await assert.rejects(bed.files.write(deep, Buffer.from('x'), null), ToolRefusal);
    await assert.rejects(bed.files.read(place, 100), ToolRefusal);
    assert.equal(await readFile(join(outside, 'a.txt'), 'utf8'), 'outside');
    assert.deepEqual(await readdir(outside), ['a.txt']);
  });
});

test('a file swapped for a link or a pipe is neither read nor waited for', posix, async () => {
  await withTools({ 'a.txt': 'a', 'b.txt': 'b' }, async (bed) => {
    const [a, b] = await Promise.all(['a.txt', 'b.txt'].map((f) => bed.files.place(f, 'write')));
    assert.ok(a && b);
    await writeFile(join(bed.root, 'outside.txt'), 'outside');
    await rm(a.path);
    await symlink(join(bed.root, 'outside.txt'), a.path);
    await rm(b.path);
    await promisify(execFile)('mkfifo', [b.path]);
    for (const place of [a, b]) {
      await assert.rejects(bed.files.read(place, 100), ToolRefusal);
      await assert.rejects(bed.files.write(place, Buffer.from('x'), digest(Buffer.from('b'))));
    }
    assert.equal(await readFile(join(bed.root, 'outside.txt'), 'utf8'), 'outside');
  });
});

test('a file written in the meantime is not overwritten', limit, async () => {
  await withTools({}, async (bed) => {
    const place = await bed.files.place('new.txt', 'write');
    await writeFile(join(bed.folder, 'new.txt'), 'by the user');
    await assert.rejects(bed.files.write(place, Buffer.from('x'), null), /exists/u);
    assert.equal(await bed.read('new.txt'), 'by the user');
  });
});

test('a hard link to a file outside is replaced, not written through', posix, async () => {
  await withTools({}, async (bed) => {
    const outside = join(bed.root, 'outside.txt');
    await writeFile(outside, 'outside');
    await link(outside, join(bed.folder, 'a.txt'));
    await ran(bed, 'read_file', { path: 'a.txt' });
    await ran(bed, 'edit_file', { path: 'a.txt', old_string: 'outside', new_string: 'inside' });
    assert.equal(await readFile(outside, 'utf8'), 'outside');
    assert.equal(await bed.read('a.txt'), 'inside');
  });
});

test('list_dir, glob and grep', limit, async () => {
  const files = {
    '.gitignore': '*.log\n/build/\nnode_modules\n',
    'src/a.ts': 'const needle = 1;\n',
    'src/b.TS': 'needle\nneedle\n',
    'src/deep/.gitignore': '!keep.log\nskip.ts\n',
    'src/deep/keep.log': 'needle\n',
    'src/deep/skip.ts': 'needle\n',
    'x.log': 'needle\n',
    'build/out.ts': 'needle\n',
    'node_modules/p/i.ts': 'needle\n',
    '.env': 'needle=secret\n',
    '.git/x': 'needle\n',
    '.hidden/h.ts': 'needle\n',
  };
  const search = async (bed: ToolBed): Promise<void> => {
    const check = async (args: Arguments, expected: readonly string[]): Promise<void> => {
      assert.deepEqual((await ran(bed, 'grep', args)).split('\n'), expected, JSON.stringify(args));
    };
    await check({ pattern: 'needle' }, [
      '.hidden/h.ts:1: needle',
      'src/a.ts:1: const needle = 1;',
      'src/b.TS:1: needle',
      'src/b.TS:2: needle',
      'src/deep/keep.log:1: needle',
    ]);
    await check({ pattern: 'NEEDLE =', ignore_case: true }, ['src/a.ts:1: const needle = 1;']);
    await check({ pattern: '^needle$', glob: '*.ts' }, [
      '.hidden/h.ts:1: needle',
      'src/b.TS:1: needle',
      'src/b.TS:2: needle',
    ]);
    await check({ pattern: 'needle', path: 'src/deep' }, ['src/deep/keep.log:1: needle']);
    await check({ pattern: 'needle', path: 'src/a.ts' }, ['src/a.ts:1: const needle = 1;']);
    await check({ pattern: 'needle', path: 'node_modules' }, ['node_modules/p/i.ts:1: needle']);
    // What looks like credentials is searched only when it is named, and naming it asks.
    await check({ pattern: 'secret' }, ['Nothing matches.']);
    await check({ pattern: 'secret', path: '.env' }, ['.env:1: needle=secret']);
    await check({ pattern: 'needle = (' }, [
      'Nothing matches.',
      '[Not a regular expression, so searched as plain text]',
    ]);
  };
  await withTools(files, async (bed) => {
    assert.equal(
      await ran(bed, 'list_dir', {}),
      '.git/\n.hidden/\nbuild/\nnode_modules/\nsrc/\n.env\n.gitignore\nx.log',
    );
    assert.equal(
      await ran(bed, 'list_dir', { path: 'src/a.ts' }),
      'refused: src/a.ts is not a folder. Use read_file.',
    );
    assert.equal(await ran(bed, 'glob', { pattern: '*.ts' }), '.hidden/h.ts\nsrc/a.ts\nsrc/b.TS');
    assert.equal(await ran(bed, 'glob', { pattern: '*.ts', path: 'src' }), 'src/a.ts\nsrc/b.TS');
    assert.equal(await ran(bed, 'glob', { pattern: 'src/*.ts' }), 'src/a.ts\nsrc/b.TS');
    assert.equal(await ran(bed, 'glob', { pattern: '*.log' }), 'src/deep/keep.log');
    assert.equal(await ran(bed, 'glob', { pattern: '*.nothing' }), 'No file matches.');
    assert.match(
      await ran(bed, 'glob', { pattern: 'src/[' }),
      /^refused: The pattern is not understood/u,
    );
    for (const program of [null, await someRipgrep()]) {
      bed.ripgrep = program;
      await search(bed);
    }
  });
});

test(
  'ripgrep is looked for where it may stand, then on PATH, never in the folder',
  posix,
  async () => {
    await withTools({ 'bin/rg': '#!/bin/sh\n', rg: '' }, async (bed) => {
      const program = join(bed.folder, 'bin', 'rg');
      const find = (candidates: readonly string[], path: string): Promise<string | null> =>
        findRipgrep(candidates, { PATH: path }, process.platform);
      assert.equal(await find([program], ''), null, 'it cannot be run');
      await chmod(program, 0o755);
      assert.equal(await find(['/no/rg', program], ''), program);
      assert.equal(await find(['/no/rg'], `/no:${join(bed.folder, 'bin')}`), program);
      assert.equal(await find([], `.:bin:${bed.folder}`), null);
    });
  },
);

test('a search is ended by a stop, whenever it comes', limit, async () => {
  await withTools({ a: `${'a'.repeat(60)}b` }, async (bed) => {
    const tool = bed.tools.find((t) => t.name === 'grep');
    assert.ok(tool);
    for (const program of [null, await someRipgrep()]) {
      bed.ripgrep = program;
      const stopped = { ...bed.context(), signal: AbortSignal.abort() };
      await assert.rejects(tool.run({ pattern: 'a' }, stopped), /stopped/u);
    }
    bed.ripgrep = null;
    const started = new AbortController();
    // A pattern that never ends: only the stop ends it.
    const running = tool.run({ pattern: '(a+)+$' }, { ...bed.context(), signal: started.signal });
    await sleep(100);
    started.abort();
    await assert.rejects(running, /stopped/u);
  });
});

test('rules of a hostile repository cannot hang a walk', limit, async () => {
  const name = 'a'.repeat(200);
  await withTools(
    { '.gitignore': `${'*a'.repeat(30)}b\n*.log\n`, [name]: 'x', 'x.log': '' },
    async (bed) => {
      assert.equal(await ran(bed, 'glob', { pattern: '*' }), `.gitignore\n${name}`);
    },
  );
});

test('todo_write shows a plan', limit, async () => {
  await withTools({}, async (bed) => {
    const items = [{ text: 'a', state: 'done' }, { content: 'b', status: 'in_progress' }, 'c'];
    assert.equal(await ran(bed, 'todo_write', { items }), 'The plan has 3 items, 1 done.');
    assert.deepEqual(bed.events, [
      {
        type: 'plan',
        items: [
          { text: 'a', state: 'done' },
          { text: 'b', state: 'doing' },
          { text: 'c', state: 'open' },
        ],
      },
    ]);
    assert.equal(await ran(bed, 'todo_write', { items: 'x' }), 'refused: items must be a list.');
  });
});

test('no folder, no files', limit, async () => {
  await withTools({}, async (bed) => {
    await rm(bed.folder, { recursive: true });
    assert.equal(
      await ran(bed, 'list_dir', {}),
      'refused: No folder is open, so there are no files.',
    );
  });
});
