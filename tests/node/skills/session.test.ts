/** Skills over a whole run of the loop: what each request holds, and when that changes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import type { Settings } from '../../../extension/agent/settings.ts';
import type { ChatDelta, ChatRequest } from '../../../extension/models/provider.ts';
import { SkillsContributor } from '../../../extension/skills/contributor.ts';
import { call, say, withBed, type Bed } from '../agent/support.ts';
import { bench, plant, skill, tree, type Node } from './tree.ts';

type Model = (request: ChatRequest, step: number) => readonly ChatDelta[];

/** One message, answered by `model`, with these skills of the user's. */
async function run(
  nodes: Readonly<Record<string, Node>>,
  settings: Partial<Settings>,
  model: (root: string) => Model,
  work: (bed: Bed, root: string) => void,
): Promise<void> {
  const root = tree(nodes);
  const here = bench(root, { settings });
  const answer = model(root);
  let step = 0;
  const next = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
    await setImmediate();
    yield* answer(request, step++);
  };
  const contributors = [new SkillsContributor({ ...here.parts, skills: here.skills })];
  await withBed({ steps: [next], settings, contributors }, async (bed) => {
    assert.deepEqual(await bed.session.send('go'), { kind: 'answered' });
    work(bed, root);
  });
}

const systemOf = (bed: Bed) => bed.provider.requests.map(({ messages: [first] }) => first?.content);
const toolsOf = (bed: Bed) => bed.provider.requests.map(({ tools }) => JSON.stringify(tools));
const noticesOf = (bed: Bed) =>
  bed.events.flatMap((event) => (event.type === 'notice' ? [event.notice.fact] : []));

const files = (root: string) => join(root, 'home/.gbs/skills');

test('the system prompt stays to the byte, whatever happens on disk', async () => {
  await run(
    { 'home/.gbs/skills/a/SKILL.md': skill('a', 'First.') },
    {},
    (root) => (_request, step) => {
      plant(files(root), { [`n${String(step)}/SKILL.md`]: skill(`n${String(step)}`) });
      plant(files(root), { 'a/SKILL.md': skill('a', `Changed ${String(step)}.`) });
      return step < 4 ? call('skill', { name: 'a', part: step + 1 }) : say('Done.');
    },
    (bed) => {
      assert.equal(bed.provider.requests.length, 5);
      assert.equal(new Set(systemOf(bed)).size, 1);
      assert.equal(new Set(toolsOf(bed)).size, 1);
      assert.match(systemOf(bed)[0] ?? '', /- a: First\./);
      // The next message sees it all; this one says nothing of it.
      assert.deepEqual(noticesOf(bed), []);
    },
  );
});

test('reload_skills takes up what was written, once, with a status line', async () => {
  await run(
    { 'home/.gbs/skills/a/SKILL.md': skill('a'), 'home/.gbs/skills/gone/SKILL.md': skill('gone') },
    { selfConfiguration: true },
    (root) => (_request, step) => {
      switch (step) {
        case 0:
          plant(files(root), { 'b/SKILL.md': skill('b', 'New.', '', 'The new text.\n') });
          plant(files(root), { 'gone/SKILL.md': 'no header' });
          return call('skill', { name: 'a' });
        case 1:
          return call('reload_skills', {});
        case 2:
          return call('skill', { name: 'b' });
        default:
          return say('Done.');
      }
    },
    (bed) => {
      const [one, two, three, four] = systemOf(bed);
      assert.equal(two, one);
      assert.notEqual(three, two);
      assert.equal(four, three);
      assert.match(three ?? '', /- a: About a\.\n- b: New\.(?:\n|$)/);
      assert.doesNotMatch(three ?? '', /- gone:/);
      const last = bed.provider.drawn(3);
      assert.ok(last.some((line) => line.startsWith('tool: Skills: added b; unusable gone.')));
      assert.match(last.at(-1) ?? '', /The new text\./);
      assert.deepEqual(noticesOf(bed), [
        'The skill gone cannot be used.',
        'Skills: added b; unusable gone.',
      ]);
      assert.ok(bed.lines().includes('Read skills again : done'), bed.lines().join('\n'));
    },
  );
});

test('a reload that finds nothing new changes not one byte', async () => {
  await run(
    { 'home/.gbs/skills/a/SKILL.md': skill('a') },
    { selfConfiguration: true },
    () => (_request, step) => (step < 2 ? call('reload_skills', {}) : say('Done.')),
    (bed) => {
      assert.equal(new Set(systemOf(bed)).size, 1);
      assert.equal(new Set(toolsOf(bed)).size, 1);
      assert.deepEqual(noticesOf(bed), []);
      assert.ok(bed.provider.drawn(1).at(-1)?.startsWith('tool: Nothing changed.'));
    },
  );
});

test('a subagent gets the tool and not the catalogue', async () => {
  const isSub = ({ messages }: ChatRequest) =>
    messages.some(({ role, content }) => role === 'user' && content.startsWith('look'));
  await run(
    { 'home/.gbs/skills/a/SKILL.md': skill('a', 'About a.', '', 'The text of a.\n') },
    {},
    () => (request) => {
      const hasResult = request.messages.at(-1)?.role === 'tool';
      if (hasResult) return say('Done.');
      return isSub(request)
        ? call('skill', { name: 'a' })
        : call('task', { kind: 'explore', task: 'look' });
    },
    (bed) => {
      const [main, sub] = bed.provider.requests;
      const names = (request: ChatRequest | undefined) => request?.tools.map(({ name }) => name);
      assert.ok(names(main)?.includes('skill'));
      assert.ok(names(sub)?.includes('skill'));
      assert.match(main?.messages[0]?.content ?? '', /# Skills\n/);
      assert.doesNotMatch(sub?.messages[0]?.content ?? '', /# Skills|About a\./);
      assert.match(bed.provider.drawn(2).at(-1) ?? '', /The text of a\./);
    },
  );
});
