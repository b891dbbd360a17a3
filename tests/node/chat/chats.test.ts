/** Chats as files: kept, taken up again, listed, found, renamed, deleted, and gone back in. */
import assert from 'node:assert/strict';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunEvent } from '../../../extension/agent/events.ts';
import { Chats } from '../../../extension/chat/chats.ts';
import { Conversation } from '../../../extension/chat/conversation.ts';
import { rewindPlan, undoable } from '../../../extension/chat/rewind.ts';
import { decode, encode, SessionBroken } from '../../../extension/chat/session-file.ts';
import { Sessions, titleOf } from '../../../extension/chat/sessions.ts';
import { emptyTranscript, type Transcript } from '../../../extension/chat/transcript.ts';
import { call, calls, say, withBed, type Bed } from '../agent/support.ts';

const limit = { timeout: 60_000 };
const picture = `data:image/png;base64,${'iVBORw0KGgo'.repeat(60)}`;

interface Window {
  readonly chats: Chats;
  readonly view: Conversation;
  readonly sessions: Sessions;
  /** Shows what the agent does from here on. */
  watch(): void;
}

/** A window of the editor on a bed's folder: what it shows, and what it keeps. */
function windowOf(bed: Bed): Window {
  let clock = 1_700_000_000_000;
  const now = (): number => (clock += 1000);
  const view = new Conversation({
    now,
    post: () => undefined,
    soon: () => undefined,
    changed: () => undefined,
  });
  const sessions = new Sessions(join(bed.storage, 'chats'));
  const chats = new Chats({
    sessions,
    now,
    later: () => () => undefined,
    shown: () => view.chat,
    show: (chat) => view.load(chat),
    agent: bed.session,
    failed: (what, error) => assert.fail(`${what}: ${String(error)}`),
  });
  return {
    chats,
    view,
    sessions,
    watch: () => {
      const { push } = bed.events;
      bed.events.push = (...events: RunEvent[]) => {
        for (const event of events) view.emit(event);
        return push.apply(bed.events, events);
      };
    },
  };
}

function asked(transcript: Transcript): readonly string[] {
  return transcript.turns.map(({ message }) => message?.text ?? '-');
}

async function titles(chats: Chats, query = ''): Promise<readonly string[]> {
  const { chats: list } = await chats.list(query);
  return list.map(({ title, turns, open }) => `${open ? '*' : ''}${title} ${String(turns)}`);
}

test('a chat is taken up by the next window, and the model is sent all of it', limit, async () => {
  await withBed(
    {
      files: { a: 'x\n' },
      steps: [call('read_file', { path: 'a' }), say('It is x.'), say('Still x.')],
    },
    async (bed) => {
      const first = windowOf(bed);
      first.watch();
      await bed.session.send('What is in a?', [picture]);
      first.view.draft = { text: 'half a thou', images: [picture] };
      await first.chats.flush();
      const [name] = (await readdir(first.sessions.root)).filter((file) => file !== 'current');
      const path = join(first.sessions.root, name ?? '');
      assert.equal((await stat(path)).mode & 0o777, process.platform === 'win32' ? 0o666 : 0o600);
      const text = await readFile(path, 'utf8');
      assert.equal(text.split(picture).length, 2, 'an image stands in it once');
      assert.equal(encode(decode(text)), text);

      await bed.session.reset();
      const second = windowOf(bed);
      await second.chats.takeUp();
      assert.deepEqual(
        second.view.transcript.turns.map(({ id, message, end }) => [id, message, end?.end]),
        first.view.transcript.turns.map(({ id, message, end }) => [id, message, end?.end]),
      );
      assert.deepEqual(second.view.draft, { text: 'half a thou', images: [picture] });
      await bed.session.send('And now?');
      assert.deepEqual(bed.provider.drawn(2).slice(1), [
        'user: What is in a?',
        'assistant: [read_file {"path":"a"}]',
        bed.provider.drawn(1)[3],
        'assistant: It is x.',
        'user: And now?',
      ]);
      const sent = bed.provider.requests[2]?.messages[1];
      assert.deepEqual(sent?.role === 'user' ? sent.images : null, [picture]);
    },
  );
});

test('what was allowed, and the cards that asked, are not in the file', limit, async () => {
  const command = call('run_command', { command: 'echo hello' });
  const steps = [command, say('Done.'), command, say('Done.')];
  await withBed(
    { steps, settings: { permissionMode: 'ask' }, answers: [{ answer: 'allowSession' }] },
    async (bed) => {
      const window = windowOf(bed);
      window.watch();
      await bed.session.send('go');
      assert.equal(bed.cards.length, 1);
      await window.chats.flush();
      const [name] = (await readdir(window.sessions.root)).filter((file) => file !== 'current');
      const text = await readFile(join(window.sessions.root, name ?? ''), 'utf8');
      assert.doesNotMatch(text, /allowSession|Allowed by|"kind":"card"/u);
      await bed.session.reset();
      const next = windowOf(bed);
      next.watch();
      await next.chats.takeUp();
      await bed.session.send('again');
      assert.equal(bed.cards.length, 2, 'it is asked again');
    },
  );
});

test(
  'a turn that the editor’s end cut off says so, and its history is one a server takes',
  limit,
  async () => {
    await withBed({ files: { a: 'x\n' }, steps: [say('ok')] }, async (bed) => {
      const window = windowOf(bed);
      const { view } = window;
      view.emit({ type: 'turnStarted', turn: 't1', text: 'Do it', model: 'm', mode: 'ask' });
      view.emit({ type: 'text', id: 'x', delta: 'I be' });
      view.emit({ type: 'queue', messages: [{ id: 'q', text: 'and the docs' }] });
      await bed.session.restore({
        entries: [
          { kind: 'user', text: 'Do it', images: [], turn: 't1' },
          {
            kind: 'assistant',
            text: '',
            calls: [{ id: 'c1', name: 'read_file', arguments: '{}' }],
          },
        ],
        untold: [],
        ids: 7,
      });
      view.draft = { text: 'draft', images: [] };
      await window.chats.flush();
      const next = windowOf(bed);
      await next.chats.takeUp();
      const { transcript, draft } = next.view.chat;
      assert.equal(transcript.turns[0]?.end?.end.kind, 'failed');
      assert.deepEqual(
        transcript.turns[0]?.items.map((item) => item.kind === 'text' && item.streaming),
        [false],
      );
      assert.deepEqual([draft.text, transcript.queue], ['draft\n\nand the docs', []]);
      await bed.session.send('Go on');
      assert.deepEqual(bed.provider.drawn(0).slice(1), [
        'user: Do it',
        'assistant: [read_file {}]',
        'tool: [The editor ended before this call did. What it had done by then stays.]',
        'user: Go on',
      ]);
    });
  },
);

test('chats are listed, found, renamed, opened and deleted', limit, async () => {
  await withBed(
    { steps: [say('The *answer* is forty-two.'), say('Other words.'), say('More.')] },
    async (bed) => {
      const { chats, view, sessions, watch } = windowOf(bed);
      watch();
      await bed.session.send('First\nquestion');
      await chats.begin();
      assert.deepEqual([asked(view.transcript), await titles(chats)], [[], ['First 1']]);
      await bed.session.send('Second question');
      assert.deepEqual(await titles(chats), ['*Second question 1', 'First 1']);
      assert.deepEqual(await titles(chats, 'FORTY-two answer'), ['First 1']);
      assert.deepEqual(await titles(chats, 'nowhere'), []);
      const [second, first] = (await chats.list('')).chats;
      assert.ok(first && second);
      await chats.rename(first.id, '  A\u202e  new\nname ');
      await chats.rename(second.id, '\u202eKept\n name');
      await chats.rename(second.id, '\u202e');
      assert.deepEqual(await titles(chats), ['*Kept name 1', 'A new name 1']);
      await chats.open(first.id);
      assert.deepEqual(asked(view.transcript), ['First\nquestion']);
      await bed.session.send('More');
      assert.deepEqual(bed.provider.drawn(2).slice(1), [
        'user: First\nquestion',
        'assistant: The *answer* is forty-two.',
        'user: More',
      ]);
      assert.deepEqual(await titles(chats), ['*A new name 2', 'Kept name 1']);
      // One is opened while it is to be deleted: what is asked for is done in turn.
      await Promise.all([chats.open(second.id), chats.remove(second.id)]);
      assert.deepEqual([asked(view.transcript), await titles(chats)], [[], ['A new name 2']]);
      await chats.flush();
      assert.deepEqual(await titles(chats), ['A new name 2']);
      await chats.remove(first.id);
      assert.deepEqual([asked(view.transcript), await titles(chats)], [[], []]);
      assert.deepEqual(await readdir(sessions.root), ['current']);
    },
  );
});

test(
  'a broken file is named and stays as it is; the chat that is open stays too',
  limit,
  async () => {
    await withBed({ steps: [say('ok')] }, async (bed) => {
      const { chats, view, sessions, watch } = windowOf(bed);
      watch();
      await bed.session.send('hello');
      await chats.flush();
      const id = (await sessions.current()) ?? '';
      const whole = await readFile(sessions.path(id), 'utf8');
      const lines = whole.split('\n');
      const broken: readonly (readonly [string, string, string])[] = [
        ['000000001-00000001', whole.slice(0, -'{"part":"end"}\n'.length), 'its end is missing'],
        [
          '000000001-00000002',
          [lines[0], '{"part":', ...lines.slice(2)].join('\n'),
          'line 2 is broken',
        ],
        ['000000001-00000003', 'no chat at all\n', 'line 1 is broken'],
        ['000000001-00000004', '{"gbsChat":9}\n', 'it was written by a newer version'],
      ];
      for (const [name, text, why] of broken) {
        const path = sessions.path(name);
        const own = text.replace(id, name);
        await writeFile(path, own);
        await assert.rejects(chats.open(name), {
          code: 'session-broken',
          message: `The chat in ${path} cannot be read: ${why}. The file stays as it is.`,
        });
        assert.equal(await readFile(path, 'utf8'), own);
      }
      assert.deepEqual(asked(view.transcript), ['hello']);
      assert.deepEqual(
        (await chats.list('')).broken.map(({ path, why }) => [path, why]),
        [
          [sessions.path('000000001-00000003'), 'line 1 is broken'],
          [sessions.path('000000001-00000004'), 'it was written by a newer version'],
        ],
      );
      assert.throws(() => sessions.path('../../etc/passwd'), { code: 'session-broken' });
    });
  },
);

test('two windows with one chat lose nothing of each other', limit, async () => {
  await withBed({ steps: [say('ok')] }, async (bed) => {
    const first = windowOf(bed);
    first.watch();
    await bed.session.send('hello');
    await first.chats.flush();
    const second = windowOf(bed);
    await second.chats.takeUp();
    const id = (await first.sessions.current()) ?? '';
    const told = ({ view }: Window, turn: string, text: string): void => {
      view.emit({ type: 'turnStarted', turn, text, model: 'm', mode: 'ask' });
    };
    told(second, 'x1', 'from the second');
    await second.chats.flush();
    told(first, 'y1', 'from the first');
    await first.chats.flush();
    told(second, 'x2', 'and more');
    await second.chats.flush();
    assert.deepEqual((await titles(first.chats)).toSorted(), ['*hello 2', 'hello 3']);
    assert.equal((await first.chats.list('from the first')).chats.length, 1);
    assert.equal((await first.chats.list('and more')).chats[0]?.id, id, 'who came first keeps it');
    // A title from another window is no other chat, and it stays.
    await first.chats.rename(id, 'Renamed');
    told(second, 'x3', 'on');
    await second.chats.flush();
    assert.deepEqual((await titles(second.chats)).toSorted(), ['*Renamed 4', 'hello 2']);
    // Who says nothing takes nothing away.
    const third = windowOf(bed);
    await third.chats.open(id);
    third.view.load({ ...third.view.chat, transcript: emptyTranscript });
    told(second, 'x4', 'still');
    await second.chats.flush();
    await third.chats.flush();
    assert.deepEqual(asked((await second.sessions.read(id))?.transcript ?? emptyTranscript), [
      'hello',
      'from the second',
      'and more',
      'on',
      'still',
    ]);
  });
});

test(
  'a chat file cut anywhere, or with values of other kinds, is refused and breaks no list',
  limit,
  async () => {
    await withBed(
      { files: { a: 'x\n' }, steps: [call('read_file', { path: 'a' }), say('It is x.')] },
      async (bed) => {
        const { chats, sessions, watch } = windowOf(bed);
        watch();
        await bed.session.send('What is in a?');
        await chats.flush();
        const id = (await sessions.current()) ?? '';
        const whole = await readFile(sessions.path(id), 'utf8');
        for (let cut = 0; cut < whole.length - 1; cut += 1) {
          assert.throws(() => decode(whole.slice(0, cut)), SessionBroken, `cut at ${String(cut)}`);
        }
        decode(whole.slice(0, -1));
        const turn = whole.split('\n').find((line) => line.startsWith('{"part":"turn"')) ?? '';
        const { items } = JSON.parse(turn) as {
          readonly items: readonly Record<string, unknown>[];
        };
        assert.deepEqual(
          items.map(({ kind }) => kind),
          ['line', 'text'],
        );
        const others: readonly Record<string, unknown>[] = [
          ...items.flatMap((item) =>
            Object.keys(item)
              .filter((key) => ['kind', 'id', 'line', 'text'].includes(key))
              .map((key) => ({ ...item, [key]: null })),
          ),
          { kind: 'line', id: 'l', line: {} },
          { kind: 'notice', id: 'n', notice: { code: 'c' } },
          { kind: 'card', id: 'c', card: {} },
          { kind: '__proto__', id: 'p' },
        ];
        const other = '000000001-00000001';
        for (const item of others) {
          const line = JSON.stringify({ ...(JSON.parse(turn) as object), items: [item] });
          await writeFile(
            sessions.path(other),
            whole.replace(turn, () => line).replaceAll(id, other),
          );
          await assert.rejects(chats.open(other), { code: 'session-broken' }, JSON.stringify(item));
          assert.deepEqual(
            (await chats.list('what is')).chats.map((chat) => chat.id).includes(id),
            true,
          );
        }
      },
    );
  },
);

test('going back puts files and history back; later edits by hand stay', limit, async () => {
  const edit = (from: string, to: string) =>
    calls(
      ['read_file', { path: 'a' }],
      ['edit_file', { path: 'a', old_string: from, new_string: to }],
    );
  const ten = Array.from({ length: 10 }, (_, n) => `line ${String(n + 1)}\n`).join('');
  const steps = [
    say('Hello.'),
    edit('line 2\n', 'two\n'),
    say('Changed.'),
    calls(['write_file', { path: 'b', content: 'b\n' }]),
    edit('two\n', 'zwei\n'),
    say('Again.'),
    say('Other answer.'),
  ];
  await withBed({ files: { a: ten }, steps }, async (bed) => {
    const { chats, view, watch } = windowOf(bed);
    watch();
    for (const text of ['one', 'two', 'three']) await bed.session.send(text);
    await bed.put('a', (await bed.read('a')).replace('line 9\n', 'line 9, by hand\n'));
    const { turns } = view.transcript;
    const [, second] = turns;
    assert.ok(second);
    const plan = await rewindPlan(turns, second.id, bed.session);
    assert.deepEqual(
      [
        plan.later,
        plan.files.map(({ path, what, note }) => [path.slice(bed.folder.length + 1), what, note]),
      ],
      [
        1,
        [
          ['a', 'putBack', 'keeps 1 later line'],
          ['b', 'remove', 'new file; a copy is kept'],
        ],
      ],
    );
    assert.match(await bed.read('a'), /zwei/u, 'a plan changes nothing');
    await bed.session.undo(...undoable(turns, second.id));
    await chats.rewind(second.id, { text: 'two', images: [] });
    assert.equal(await bed.read('a'), ten.replace('line 9\n', 'line 9, by hand\n'));
    await assert.rejects(bed.read('b'));
    assert.deepEqual([asked(view.transcript), view.draft.text], [['one'], 'two']);
    await bed.session.send('two, otherwise');
    assert.deepEqual(bed.provider.drawn(6).slice(1), [
      'user: one',
      'assistant: Hello.',
      'user: two, otherwise',
    ]);
    // More than the last turn left, so the chat as it was is still there.
    assert.deepEqual(await titles(chats), ['*one 2', 'one 3']);
    // Only the last turn leaves: there is nothing to keep apart.
    const last = view.transcript.turns.at(-1);
    await chats.rewind(last?.id ?? '', null);
    assert.deepEqual(await titles(chats), ['*one 1', 'one 3']);
  });
});

test(
  'a file that a later turn removed, or that was put back already, is none to put back',
  limit,
  async () => {
    const steps = [
      calls(['write_file', { path: 'b', content: 'b\n' }]),
      say('ok'),
      call('run_command', { command: 'rm b' }),
      say('ok'),
    ];
    await withBed({ steps }, async (bed) => {
      const { view, watch } = windowOf(bed);
      watch();
      for (const text of ['one', 'two']) await bed.session.send(text);
      const { turns } = view.transcript;
      const plan = await rewindPlan(turns, turns[0]?.id ?? '', bed.session);
      assert.deepEqual(
        plan.files.map(({ what, note }) => [what, note]),
        [['keep', 'it is as it was before']],
      );
    });
  },
);

test('titles', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', ''],
    ['\n\n  Fix   the\tbug \nin a', 'Fix the bug'],
    [`${'long '.repeat(20)}`, `${'long '.repeat(12).slice(0, 59)}…`],
    ['a\u202eb\u200b', 'a b'],
  ];
  for (const [text, title] of cases) assert.equal(titleOf(text), title, text);
});
