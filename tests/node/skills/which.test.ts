/** Which skill fits a sentence: by words, and as a model picks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenAiProvider } from '../../../extension/models/openai.ts';
import { pickByModel, rankSkills } from '../../../extension/skills/which.ts';
import { startScriptedModel } from '../scripted-model.ts';
import { allowed, bench, core, skill, tree } from './tree.ts';

const files = {
  'ws/.gbs/skills/release-notes/SKILL.md': skill('release-notes', 'Write release notes.'),
  'ws/.gbs/skills/review/SKILL.md': skill('review', 'Review a database migration.'),
  'ws/.gbs/skills/broken/SKILL.md': 'release',
  'home/.gbs/skills/review/SKILL.md': skill('review', 'Review a release.'),
  'home/.gbs/skills/notes/SKILL.md': skill('notes', 'Take notes.', 'tags: [release]\n'),
  'home/.gbs/skills/private/SKILL.md': skill(
    'private',
    'A release of mine.',
    'disable-model-invocation: true\n',
  ),
};

test('the ranking holds what can be used, with its state', async () => {
  const here = bench(tree(files));
  const rank = async (sentence: string): Promise<readonly string[]> =>
    rankSkills(core, await here.skills.look(here.workspace, 0), sentence).map(
      ({ name, state }) => `${name}: ${state}`,
    );
  assert.deepEqual(await rank('release notes'), [
    'notes: full',
    'release-notes: heldBack',
    'private: userOnly',
    'review: full',
  ]);
  assert.deepEqual(await rank('MIGRATION'), ['review: heldBack']);
  assert.deepEqual(await rank('zebra'), []);
  assert.deepEqual(await rank('   '), []);
});

test('the model sees the lines of the catalogue and its pick is one of them or none', async () => {
  const here = bench(tree(files));
  const view = await allowed(here);
  const model = await startScriptedModel();
  const provider = new OpenAiProvider({ baseUrl: model.baseUrl, apiKey: '' });
  try {
    const cases: readonly [answer: string, name: string | null][] = [
      ['release-notes', 'release-notes'],
      ['<think>review?</think>\n\n`release-notes`.', null],
      ['I would load **Notes**.', 'notes'],
      ['none', null],
      ['private', null],
      ['release', null],
      ['', null],
    ];
    for (const [answer, name] of cases) {
      await model.script([{ when: 'go', steps: [{ text: answer }] }]);
      const picked = await pickByModel(
        { provider, model: 'scripted' },
        view,
        'go',
        AbortSignal.timeout(10_000),
      );
      assert.equal(picked.name, name, answer);
    }
    const last = (await model.requests()).at(-1);
    const { messages, tools } = JSON.parse(last?.body ?? '{}') as {
      messages: { content: string }[];
      tools?: unknown;
    };
    assert.ok(messages[0]?.content.startsWith(view.catalogue.block));
    assert.equal(tools, undefined);
    await assert.rejects(
      pickByModel(
        {
          provider: new OpenAiProvider({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: '' }),
          model: 'm',
        },
        view,
        'go',
        AbortSignal.timeout(10_000),
      ),
      { code: 'unreachable' },
    );
  } finally {
    await model.stop();
  }
});
