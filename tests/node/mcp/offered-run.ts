/** A turn with skills on disk and skills that servers offer, as the session prepares it. */
import assert from 'node:assert/strict';
import { type TestContext } from 'node:test';
import type { Contribution, Preparation } from '../../../extension/agent/contributor.ts';
import type { RunEvent } from '../../../extension/agent/events.ts';
import { ToolRefusal } from '../../../extension/agent/tool.ts';
import type { CardAnswer } from '../../../extension/agent/tool.ts';
import type { Card } from '../../../extension/core.ts';
import type { ApprovedServer } from '../../../extension/mcp/plans.ts';
import { SkillsContributor } from '../../../extension/skills/contributor.ts';
import { Skills } from '../../../extension/skills/skills.ts';
import { bench, tree } from '../skills/tree.ts';
import { benchOf, named } from './contributor-bench.ts';
import { never } from './set.ts';

export interface Run {
  readonly skills: Skills;
  readonly contributor: SkillsContributor;
  readonly servers: ReturnType<typeof benchOf>;
  readonly cards: Card[];
  readonly events: RunEvent[];
  answer: CardAnswer['answer'];
  /** As a turn is prepared: what lies on disk first, then servers, then what these offer. */
  prepare(more?: Partial<Preparation>): Promise<Contribution>;
  /** The text that the model gets, or the refusal. */
  load(contribution: Contribution, name: string, resource?: string): Promise<string>;
  /** Every skill as `name: state`, then what is wrong. */
  stands(): Promise<string[]>;
}

export function runOf(
  t: TestContext,
  servers: readonly ApprovedServer[],
  root = tree({ 'ws/a.ts': '' }),
): Run {
  const { parts, workspace } = bench(root);
  const running = benchOf(t, parts.state, servers);
  const offering = { ...parts, core: running.core, offered: () => running.contributor.skills };
  const skills = new Skills(offering);
  const contributor = new SkillsContributor({ ...offering, skills });
  let calls = 0;
  const run: Run = {
    skills,
    contributor,
    servers: running,
    cards: [],
    events: [],
    answer: 'allow',
    prepare: async (more = {}) => {
      const preparation: Preparation = {
        workspace,
        mode: 'ask',
        contextWindow: 32_768,
        ask: (card) => {
          run.cards.push(card);
          return Promise.resolve({ answer: run.answer });
        },
        emit: (event) => run.events.push(event),
        signal: never,
        ...more,
      };
      await contributor.askFirst(preparation);
      await running.prepare(preparation);
      return contributor.prepare(preparation);
    },
    load: async (contribution, name, resource) => {
      const tool = named(contribution, 'skill');
      assert.ok(tool !== undefined, 'there is no tool skill');
      calls += 1;
      const context = {
        signal: never,
        callId: `call-${String(calls)}`,
        history: `of ${String(calls)}`,
        progress: () => undefined,
        save: () => Promise.reject(new Error('nothing is saved here')),
      };
      try {
        return (await tool.run({ name, ...(resource ? { resource } : {}) }, context)).text;
      } catch (error) {
        if (error instanceof ToolRefusal) return `refused: ${error.message}`;
        throw error;
      }
    },
    stands: async () => {
      const view = await skills.look(workspace, 0);
      return [
        ...view.skills.map(
          ({ report }) => `${report.name}: ${report.text.replace(/, \d+ tokens?$/, '')}`,
        ),
        ...view.problems.map(({ message }) => message),
      ];
    },
  };
  return run;
}
