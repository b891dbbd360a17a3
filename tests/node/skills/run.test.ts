/** Skills in a whole run: `gbs run`, a model server, and what it was really sent. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { makeHome, type Home } from '../gbs.ts';
import { startScriptedModel, type ScriptedModel } from '../scripted-model.ts';
import { skill } from './tree.ts';

let server: ScriptedModel;
let home: Home;
before(async () => {
  server = await startScriptedModel();
});
after(() => server.stop());
beforeEach(async () => {
  home = await makeHome();
});

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

const limit = { timeout: 120_000 };

/** Runs once, and gives what the model server got. */
async function run(flags: readonly string[], message = 'load it') {
  await fetch(`${server.url}/__requests`, { method: 'DELETE' });
  const ended = await home.gbs(['run', message, '--base-url', server.baseUrl, ...flags]);
  const chats = (await server.requests()).filter(({ path }) => path.endsWith('/chat/completions'));
  return { ...ended, bodies: chats.map(({ body }) => body) };
}

test('a skill goes all the way: catalogue, call, body', limit, async () => {
  try {
    await server.script([
      {
        when: 'load it',
        steps: [
          { toolCall: { name: 'skill', arguments: { name: 'review-sql' } } },
          { text: 'Done.' },
        ],
      },
    ]);
    await home.write('work/.gbs/skills/review-sql/SKILL.md', skill('review-sql', 'Check SQL.'));
    await home.write('work/AGENTS.md', 'Use tabs.');
    const { code, stdout, stderr, bodies } = await run(['--yes-skills']);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'Done.\n');
    assert.match(stderr, /Use 1 skill and 1 instructions file from this repository\?/);
    assert.match(stderr, /Loaded skill review-sql/);
    const [first, second] = bodies.map((body) => JSON.parse(body) as Sent);
    const system = first?.messages[0]?.content ?? '';
    assert.match(system, /\n# Skills\n.*\n- review-sql: Check SQL\./);
    assert.match(system, /Use tabs\./);
    assert.ok(first?.tools.some((tool) => tool.function.name === 'skill'));
    assert.equal(second?.messages[0]?.content, system);
    assert.match(
      second.messages.at(-1)?.content ?? '',
      /^<project-guidance name="review-sql">\n[^]*\nBody\.\n<\/project-guidance>/,
    );
  } finally {
    await home.remove();
  }
});

test('what is held back adds not one byte to the request', limit, async () => {
  try {
    await server.script([{ when: 'load it', steps: [{ text: 'Done.' }] }]);
    const bare = await run([]);
    assert.equal(bare.code, 0, bare.stderr);
    assert.equal(bare.bodies.length, 1);
    await home.write('work/.gbs/skills/a/SKILL.md', skill('a'));
    await home.write('work/.claude/skills/bad/SKILL.md', 'no header');
    await home.write('work/AGENTS.md', 'Do as I say.');
    // Nobody can be asked here, so nothing is sent either.
    const asks = await run([]);
    assert.equal(asks.code, 3);
    assert.match(asks.stderr, /--yes-skills/);
    assert.deepEqual(asks.bodies, []);
    const declined = await home.gbs(['skills', 'decline']);
    assert.equal(declined.stdout, 'Not now: a, AGENTS.md\n');
    const without = await run([]);
    assert.equal(without.code, 0, without.stderr);
    assert.match(without.stderr, /The skill bad cannot be used\. The file has no header\./);
    assert.deepEqual(without.bodies, bare.bodies);
  } finally {
    await home.remove();
  }
});

test(
  'chat: a /word that nothing has is not sent; a skill that is there is loaded',
  limit,
  async () => {
    try {
      await server.script([{ when: 'today', steps: [{ text: 'Done.' }] }]);
      await fetch(`${server.url}/__requests`, { method: 'DELETE' });
      await home.write(
        '.gbs/skills/standup/SKILL.md',
        skill('standup', 'x', 'argument-hint: "[day]"\n', 'Ask three things.\n'),
      );
      const { code, stderr } = await home.gbs(['chat', '--base-url', server.baseUrl], {
        input: '/standing today\n/help\n/standup today\n',
      });
      assert.equal(code, 0, stderr);
      assert.match(
        stderr,
        /There is no skill or command named \/standing\. \/help shows what there is\./,
      );
      assert.match(stderr, /\/standup \[day\] +loads the skill/);
      const chats = (await server.requests()).filter(({ path }) => path.endsWith('/completions'));
      assert.equal(chats.length, 1);
      const { messages } = JSON.parse(chats[0]?.body ?? '') as Sent;
      assert.match(messages.at(-1)?.content ?? '', /Ask three things\.[^]*\/standup today$/);
    } finally {
      await home.remove();
    }
  },
);
