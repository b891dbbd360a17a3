import assert from 'node:assert/strict';
import { access, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TurnSummary } from '../../../extension/agent/events.ts';
import type { Tool } from '../../../extension/agent/tool.ts';
import { COPIED_FILE_BYTES } from '../../../extension/limits.ts';
import { until } from '../until.ts';
import { call, calls, say, withBed, type Bed } from './support.ts';

const limit = { timeout: 60_000 };
const posix = process.platform === 'win32' ? { skip: 'POSIX' } : limit;

function ended(bed: Bed, k = 0): { readonly turn: string; readonly summary: TurnSummary } {
  const event = bed.events.filter((e) => e.type === 'turnEnded')[k];
  assert.ok(event?.type === 'turnEnded');
  return event;
}

/** The turn's changes, as `path +a −r by`. */
function changes(bed: Bed, k = 0): readonly string[] {
  return ended(bed, k).summary.changes.map(
    ({ path, added, removed, by, copied }) =>
      `${path.slice(bed.folder.length + 1)} +${added} -${removed}${by === '' ? '' : ` by ${by}`}${copied === false ? ' (no copy)' : ''}`,
  );
}

/** What undo does or would do, as `path what note`. */
function drawn(
  bed: Bed,
  files: readonly { path: string; what: string; note: string }[],
): readonly string[] {
  return files.map(
    ({ path, what, note }) =>
      `${path.slice(bed.folder.length + 1)} ${what}${note === '' ? '' : ` (${note})`}`,
  );
}

async function exists(bed: Bed, name: string): Promise<boolean> {
  return access(join(bed.folder, name)).then(
    () => true,
    () => false,
  );
}

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join('');

test('the summary lists what changed, and undo puts it back', limit, async () => {
  const steps = [
    calls(
      ['read_file', { path: 'a' }],
      ['edit_file', { path: 'a', old_string: 'line 2\n', new_string: 'two\nmore\n' }],
    ),
    calls(
      ['write_file', { path: 'sub/new', content: 'x\ny\n' }],
      ['edit_file', { path: 'a', old_string: 'two', new_string: 'TWO' }],
    ),
    say('done'),
  ];
  await withBed({ files: { a: ten }, steps }, async (bed) => {
    await bed.session.send('go');
    assert.deepEqual(changes(bed), ['a +2 -1', 'sub/new +2 -0']);
    const { turn } = ended(bed);
    const plan = await bed.session.undoPlan(turn);
    assert.deepEqual(drawn(bed, plan), ['a putBack', 'sub/new remove (new file; a copy is kept)']);
    assert.equal(await exists(bed, 'sub/new'), true, 'a plan changes nothing');
    assert.deepEqual(await bed.session.undo(turn), plan);
    assert.equal(await bed.read('a'), ten);
    assert.equal(await exists(bed, 'sub/new'), false);
    assert.deepEqual(await bed.session.undo(turn), [], 'it is undone once');
    await bed.session.send('and now?');
    assert.match(
      bed.provider.drawn(3).at(-1) ?? '',
      /^user: \[The user undid your changes of an earlier turn: /u,
    );
  });
});

test('a change that came back to what it was is none', limit, async () => {
  const steps = [
    calls(
      ['read_file', { path: 'a' }],
      ['edit_file', { path: 'a', old_string: 'x', new_string: 'y' }],
      ['edit_file', { path: 'a', old_string: 'y', new_string: 'x' }],
    ),
    say('done'),
  ];
  await withBed({ files: { a: 'x' }, steps }, async (bed) => {
    await bed.session.send('go');
    assert.deepEqual(changes(bed), []);
    assert.deepEqual(await bed.session.undoPlan(ended(bed).turn), []);
  });
});

test('undo keeps what the user changed since', limit, async () => {
  const edit = (path: string) =>
    [
      ['read_file', { path }],
      ['edit_file', { path, old_string: 'line 2\n', new_string: 'two\n' }],
    ] as const;
  const steps = [
    calls(...edit('apart'), ...edit('same'), ...edit('gone'), [
      'write_file',
      { path: 'mine', content: 'x' },
    ]),
    say('done'),
  ];
  await withBed({ files: { apart: ten, same: ten, gone: ten }, steps }, async (bed) => {
    await bed.session.send('go');
    await bed.put('apart', (await bed.read('apart')).replace('line 9\n', 'nine\nby hand\n'));
    await bed.put('same', (await bed.read('same')).replace('two', 'deux'));
    await bed.put('mine', 'x and more');
    await rm(join(bed.folder, 'gone'));
    assert.deepEqual(drawn(bed, await bed.session.undo(ended(bed).turn)), [
      'apart putBack (keeps 2 later lines)',
      'gone keep (it was removed since)',
      'mine keep (it changed since)',
      'same keep (it changed since in the same place)',
    ]);
    assert.equal(await bed.read('apart'), ten.replace('line 9\n', 'nine\nby hand\n'));
    assert.equal(await bed.read('same'), ten.replace('line 2', 'deux'));
    assert.equal(await bed.read('mine'), 'x and more');
  });
});

test('undo of an older turn keeps what a later turn did elsewhere', limit, async () => {
  const steps = [
    calls(
      ['read_file', { path: 'a' }],
      ['edit_file', { path: 'a', old_string: 'line 2\n', new_string: 'two\n' }],
    ),
    say('one'),
    call('edit_file', { path: 'a', old_string: 'line 9\n', new_string: 'nine\n' }),
    say('two'),
  ];
  await withBed({ files: { a: ten }, steps }, async (bed) => {
    await bed.session.send('first');
    await bed.session.send('second');
    assert.deepEqual(drawn(bed, await bed.session.undo(ended(bed).turn)), [
      'a putBack (keeps 1 later line)',
    ]);
    assert.equal(await bed.read('a'), ten.replace('line 9', 'nine'));
  });
});

test('what a command changed is listed and put back', posix, async () => {
  const command =
    "printf 'x\\n' >> a; rm b; mkdir -p n; echo new > n/c; echo log > skip.log; touch same";
  const steps = [call('run_command', { command }), say('done')];
  const files = { a: ten, b: 'bee\n', same: 's', '.gitignore': '*.log\n', 'skip.log': 'old' };
  await withBed({ files, steps }, async (bed) => {
    await bed.session.send('go');
    assert.deepEqual(changes(bed), [
      `a +1 -0 by ${command}`,
      `b +0 -1 by ${command}`,
      `n/c +1 -0 by ${command}`,
    ]);
    assert.deepEqual(drawn(bed, await bed.session.undo(ended(bed).turn)), [
      'a putBack',
      'b putBack (it was removed)',
      'n/c remove (new file; a copy is kept)',
    ]);
    assert.deepEqual(
      [await bed.read('a'), await bed.read('b'), await exists(bed, 'n/c')],
      [ten, 'bee\n', false],
    );
  });
});

test(
  'what an MCP tool changed is listed by its name; the user between turns is not',
  limit,
  async () => {
    const writer: Tool = {
      name: 'mcp__s__write',
      description: 'w',
      parameters: '{"type":"object","properties":{}}',
      origin: { kind: 'mcp', server: 's', tool: 'write' },
      parallel: true,
      readOnly: true,
      line: () => ({ icon: 'server', verb: 's', object: 'write' }),
      subject: () =>
        Promise.resolve({
          kind: 'mcp',
          server: {
            server: 's',
            tool: 'write',
            description: '',
            readOnly: true,
            goesTo: 'x',
            from: 'y',
          },
        }),
      run: async () => {
        await writeFile(join(folder.path, 'made'), 'by a tool that says it only reads\n');
        return { text: 'ok', isError: false };
      },
    };
    const folder = { path: '' };
    const steps = [call('mcp__s__write', {}), say('done'), call('mcp__s__write', {}), say('done')];
    await withBed({ files: { a: 'a' }, steps, parts: { tools: [writer] } }, async (bed) => {
      folder.path = bed.folder;
      await bed.session.send('go');
      assert.deepEqual(changes(bed), ['made +1 -0 by s write']);
      await bed.put('a', 'by the user');
      await bed.put('made', 'x');
      await bed.session.send('again');
      assert.deepEqual(changes(bed, 1), ['made +1 -1 by s write']);
    });
  },
);

test('a file of which no copy could be kept is listed and kept', posix, async () => {
  const steps = [call('run_command', { command: 'echo x >> big' }), say('done')];
  await withBed({ files: { big: 'x'.repeat(COPIED_FILE_BYTES + 1) }, steps }, async (bed) => {
    await bed.session.send('go');
    assert.deepEqual(changes(bed), ['big +0 -0 by echo x >> big (no copy)']);
    assert.deepEqual(drawn(bed, await bed.session.undo(ended(bed).turn)), [
      'big keep (no copy from before was kept)',
    ]);
  });
});

test('undo writes through no link that was put there since', posix, async () => {
  const steps = [
    calls(
      ['read_file', { path: 'sub/a' }],
      ['edit_file', { path: 'sub/a', old_string: 'x', new_string: 'y' }],
    ),
    say('done'),
  ];
  await withBed({ files: { 'sub/a': 'x' }, steps }, async (bed) => {
    await bed.session.send('go');
    const outside = join(bed.folder, '..', 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'a'), 'y');
    await rename(join(bed.folder, 'sub'), join(bed.folder, 'moved'));
    await symlink(outside, join(bed.folder, 'sub'));
    const [done] = await bed.session.undo(ended(bed).turn);
    assert.equal(done?.what, 'keep');
  });
});

test('a turn that was stopped can be undone too', posix, async () => {
  const steps = [
    calls(
      ['write_file', { path: 'new', content: 'x' }],
      ['run_command', { command: 'echo y > made; sleep 30' }],
    ),
  ];
  await withBed({ files: {}, steps }, async (bed) => {
    const turn = bed.session.send('go');
    await until(() => exists(bed, 'made'));
    bed.session.stop();
    assert.deepEqual(await turn, { kind: 'stopped' });
    assert.ok(changes(bed).includes('new +1 -0'));
    const undone = drawn(bed, await bed.session.undo(ended(bed).turn));
    assert.deepEqual(undone, [
      'made remove (new file; a copy is kept)',
      'new remove (new file; a copy is kept)',
    ]);
  });
});
