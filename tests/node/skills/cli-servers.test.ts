/** Skills of servers as a user of `gbs` sees, allows and uses them; the server is our own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { serverCommand, twoSkills } from '../catalogue/support.ts';
import { makeHome, type Home } from '../gbs.ts';
import { startScriptedModel, type ScriptedModel } from '../scripted-model.ts';
import { tree } from './tree.ts';

const root = tree(twoSkills);
let home: Home;
let model: ScriptedModel;

before(async () => {
  home = await makeHome();
  model = await startScriptedModel();
  const docs = serverCommand('--skills-root', root);
  await home.write('work/.mcp.json', JSON.stringify({ mcpServers: { docs } }));
});
after(async () => {
  await model.stop();
  await home.remove();
});

interface Expected {
  readonly code: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

async function check(args: readonly string[], expected: Expected): Promise<string> {
  const found = await home.gbs(args, { timeoutMs: 120_000 });
  const shown = `${args.join(' ')}\n${found.stdout}\n---\n${found.stderr}`;
  assert.equal(found.code, expected.code, shown);
  if (expected.stdout !== undefined) assert.match(found.stdout, expected.stdout, shown);
  if (expected.stderr !== undefined) assert.match(found.stderr, expected.stderr, shown);
  return found.stdout;
}

interface Sent {
  readonly messages: readonly { readonly content: string }[];
}

test('listed, shown, allowed, used and taken back', { timeout: 600_000 }, async () => {
  // Without the flag nothing starts.
  await check(['skills', 'list'], { code: 0, stdout: /^No skills here/ });
  await check(['skills', 'list', '--servers'], { code: 3, stderr: /needs approval: docs/ });
  await check(['mcp', 'approve', 'docs'], { code: 0 });

  await check(['skills', 'list', '--servers'], {
    code: 0,
    stdout: /^docs an MCP server\n {2}docs:review-sql {2}waits for you: new\n$/,
    stderr: /1 waits for you\. See and allow: gbs skills approve --servers/,
  });
  // A person may look before the model gets it.
  await check(['skills', 'show', 'docs:review-sql'], {
    code: 0,
    stdout: /from +skill:\/\/review-sql\/SKILL\.md\n[^]*Read `references\/rules\.md`\.\n$/,
  });
  await check(['skills', 'show', 'docs:review-sql', '--resource', '../x'], { code: 1 });
  await check(['skills', 'show', 'docs:incident-response'], {
    code: 1,
    stderr: /no skill is called docs:incident-response\. See all: gbs skills list --servers/,
  });
  await check(['skills', 'show', 'nobody:review-sql'], { code: 1, stderr: /no skill is called/ });
  await check(['skills', 'approve', 'docs:review-sql'], {
    code: 0,
    stdout: /^Allowed docs:review-sql\n$/,
    stderr: /Use the skill docs:review-sql from the server docs\?/,
  });

  await model.script([
    {
      when: 'load it',
      steps: [
        { toolCall: { name: 'skill', arguments: { name: 'docs:review-sql' } } },
        {
          toolCall: {
            name: 'skill',
            arguments: { name: 'docs:review-sql', resource: 'references/rules.md' },
          },
        },
        { text: 'Done.' },
      ],
    },
  ]);
  await check(['run', 'load it', '--base-url', model.baseUrl], {
    code: 0,
    stdout: /^Done\.\n$/,
    stderr: /Loaded skill docs:review-sql/,
  });
  const bodies = (await model.requests())
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => JSON.parse(body) as Sent);
  const system = bodies[0]?.messages[0]?.content ?? '';
  assert.match(system, /\n- docs:review-sql: Check a migration before it runs\./);
  assert.match(
    bodies[1]?.messages.at(-1)?.content ?? '',
    /^<server-guidance name="docs:review-sql">/,
  );
  assert.match(bodies[2]?.messages.at(-1)?.content ?? '', /1\. No table locks\./);

  await check(['skills', 'revoke', 'docs:review-sql'], {
    code: 0,
    stdout: /^Revoked docs:review-sql\n$/,
  });
  const listed = JSON.parse(
    await check(['skills', 'list', '--servers', '--json'], { code: 0 }),
  ) as {
    skills: { name: string; origin: string; state: string; consent: string }[];
  };
  assert.deepEqual(
    listed.skills.map(({ name, origin, state, consent }) => [name, origin, state, consent]),
    [['docs:review-sql', 'server', 'heldBack', 'waits']],
  );
});
