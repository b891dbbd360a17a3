/** Chats of the command line: kept for each folder, taken up by `--continue` and `--resume`. */
import assert from 'node:assert/strict';
import type { Stats } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeHome, type Home } from './gbs.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

const limit = { timeout: 120_000 };

let home: Home;
let server: ScriptedModel;
before(async () => {
  home = await makeHome();
  server = await startScriptedModel([
    { when: 'beds', steps: [{ text: 'There are nine beds.' }] },
    { when: 'paths', steps: [{ text: 'There are two paths.' }] },
    { when: 'which', steps: [{ text: 'Those.' }] },
  ]);
});
after(async () => {
  await server.stop();
  await home.remove();
});

const gbs = (...args: string[]): ReturnType<Home['gbs']> =>
  home.gbs([...args, '--base-url', server.baseUrl]);

/** What the user and the model said in the last request, without the system prompt. */
async function said(): Promise<readonly string[]> {
  const last = (await server.requests()).findLast(({ path }) => path.endsWith('completions'));
  const { messages } = JSON.parse(last?.body ?? '{}') as { messages: { content: string }[] };
  return messages.slice(1).map(({ content }) => content);
}

test('the last chat of a folder goes on, or the one that holds the words', limit, async () => {
  const none = await gbs('run', 'which', '--continue');
  assert.deepEqual([none.code, none.stdout], [2, '']);
  assert.match(none.stderr, /gbs: no chat is kept for this folder$/m);

  assert.equal((await gbs('run', 'How many beds?')).code, 0);
  assert.equal((await gbs('run', 'How many paths?')).code, 0);
  const paths = ['How many paths?', 'There are two paths.'];

  const last = await gbs('run', 'which ones?', '--continue');
  assert.equal(last.code, 0, last.stderr);
  assert.match(last.stderr, /^Goes on: How many paths\? {2}1 message, /m);
  assert.deepEqual(await said(), [...paths, 'which ones?']);

  const held = await gbs('run', 'which of these?', '--resume', 'NINE beds');
  assert.equal(held.code, 0, held.stderr);
  assert.deepEqual(await said(), ['How many beds?', 'There are nine beds.', 'which of these?']);

  // By now the beds are the last chat; nothing of it stands in the other one.
  assert.equal((await gbs('run', 'which?', '-c')).code, 0);
  assert.equal((await said()).length, 5);

  const many = await gbs('run', 'which?', '--resume', 'how many');
  assert.equal(many.code, 2);
  assert.match(many.stderr, /more than one chat is meant/);
  const [id] = /(\S+)$/.exec(/^.*paths\?.*$/m.exec(many.stderr)?.[0] ?? '') ?? [];
  assert.ok(id);
  assert.equal((await gbs('run', 'which?', '--resume', id)).code, 0);
  assert.deepEqual(await said(), [...paths, 'which ones?', 'Those.', 'which?']);

  const unknown = await gbs('run', 'which?', '--resume', 'greenhouse');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no chat that holds "greenhouse" is kept for this folder/);
  const both = await gbs('run', 'which?', '--resume', 'beds', '--continue');
  assert.match(both.stderr, /say --continue or --resume, not both/);
  assert.equal(both.code, 2);
});

test(
  'a chat belongs to its folder, is for the user alone, and a broken one is left',
  limit,
  async () => {
    const other = join(home.folder, 'other');
    await mkdir(other);
    const elsewhere = await gbs('run', 'which?', '--continue', '--workspace', other);
    assert.equal(elsewhere.code, 2);

    const chats = join(home.folder, '.local/state/gbs-agent/storage/chats');
    const [folder] = await readdir(chats);
    assert.ok(folder);
    const names = (await readdir(join(chats, folder))).filter((name) => name.endsWith('.jsonl'));
    assert.equal(names.length, 2);
    for (const name of names) {
      const file: Stats = await stat(join(chats, folder, name));
      if (process.platform !== 'win32') assert.equal(file.mode & 0o077, 0);
    }
    const broken = join(chats, folder, 'zzzzzzzzz-00000000.chat.jsonl');
    await writeFile(broken, 'nothing of a chat\n');
    assert.equal((await gbs('run', 'which?', '--continue')).code, 0);
    assert.equal((await stat(broken)).size, 18);
  },
);
