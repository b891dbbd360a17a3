/** What skills cost in a prompt, in tokens: at 1, 12 and 64 of them, and when the window is small. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SkillState } from '../../../extension/core.ts';
import { SkillsContributor } from '../../../extension/skills/contributor.ts';
import { answering, bench, skill, tree } from './tree.ts';

/** A description of about 150 characters, as the public ones have in the middle. */
const description = (n: number) =>
  `Reviews part ${String(n).padStart(2, '0')} of the service: its queries, its limits and its errors. Use it when the user asks for a review, or before a release of that part.`;

const tokens = (text: string) => Math.ceil(Array.from(text).length / 3.5);

interface Cost {
  /** Of the catalogue in the system prompt. */
  readonly catalogue: number;
  /** Of the tool's definition, which is there once. */
  readonly tool: number;
  /** How many stand in which state. */
  readonly states: Readonly<Partial<Record<SkillState, number>>>;
}

async function check(count: number, contextWindow: number, expected: Cost): Promise<void> {
  const name = (n: number) => `review-part-${String(n).padStart(2, '0')}`;
  const root = tree(
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `home/.gbs/skills/${name(n)}/SKILL.md`,
        skill(name(n), description(n)),
      ]),
    ),
  );
  const here = bench(root);
  const contributor = new SkillsContributor({ ...here.parts, skills: here.skills });
  const { catalogue, tools } = await contributor.prepare({
    workspace: here.workspace,
    contextWindow,
    mode: 'ask',
    ask: answering('deny').ask,
    emit: () => undefined,
    signal: new AbortController().signal,
  });
  const reports = contributor.view?.catalogue;
  assert.equal(reports?.tokens, tokens(catalogue));
  const states: Partial<Record<SkillState, number>> = {};
  for (const { state } of reports.skills) states[state] = (states[state] ?? 0) + 1;
  const definition = tools.map((tool) =>
    JSON.stringify({
      type: 'function',
      function: {
        name: tool.name,
        description: tool.description,
        parameters: JSON.parse(tool.parameters) as unknown,
      },
    }),
  );
  assert.deepEqual(
    { catalogue: tokens(catalogue), tool: tokens(definition.join('')), states },
    expected,
  );
  assert.ok(tokens(catalogue) <= Math.max(300, contextWindow * 0.02));
}

/** The tool's definition costs the same, however many skills there are. */
const tool = 146;

test('one skill, twelve and sixty-four', async () => {
  await check(0, 32_768, { catalogue: 0, tool: 0, states: {} });
  await check(1, 32_768, { catalogue: 84, tool, states: { full: 1 } });
  await check(12, 32_768, { catalogue: 599, tool, states: { full: 12 } });
  await check(64, 32_768, { catalogue: 622, tool, states: { full: 12, hidden: 52 } });
  await check(80, 32_768, {
    catalogue: 622,
    tool,
    states: { full: 12, hidden: 52, overLimit: 16 },
  });
});

test('in a small window descriptions shorten, then lines drop', async () => {
  await check(12, 16_384, { catalogue: 314, tool, states: { shortened: 9, hidden: 3 } });
  await check(12, 8_192, { catalogue: 286, tool, states: { shortened: 8, hidden: 4 } });
  await check(64, 4_096, { catalogue: 286, tool, states: { shortened: 8, hidden: 56 } });
});
