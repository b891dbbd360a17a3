/** Servers as a contribution to a run, over a state folder of the test's own. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Contribution, Preparation } from '../../../extension/agent/contributor.ts';
import type { RunEvent } from '../../../extension/agent/events.ts';
import { defaultSettings, type Settings } from '../../../extension/agent/settings.ts';
import type { CardAnswer, Tool } from '../../../extension/agent/tool.ts';
import { createCore, type Card, type Core } from '../../../extension/core.ts';
import { ServersContributor } from '../../../extension/mcp/contributor.ts';
import type { ApprovedServer, ServerPlan } from '../../../extension/mcp/plans.ts';
import { StateFolder } from '../../../extension/state.ts';
import { inMode, never, root } from './set.ts';

interface Bench {
  readonly contributor: ServersContributor;
  readonly core: Core;
  readonly events: RunEvent[];
  readonly cards: Card[];
  answer: CardAnswer;
  prepare(more?: Partial<Preparation>): Promise<Contribution>;
  run(tool: Tool | undefined, args: object): Promise<{ text: string; isError: boolean }>;
  /** What was saved beside results. */
  readonly saved: { readonly ending: string; readonly bytes: number }[];
  /** What the model gets beside the text of the last call: media types. */
  readonly attached: string[];
}

export async function stateFolder(context: TestContext): Promise<StateFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return new StateFolder(folder);
}

export function benchOf(
  context: TestContext,
  state: StateFolder,
  approved: readonly ApprovedServer[],
  settings: Partial<Settings> = {},
  /** How addresses are opened; without it nobody can answer what servers ask. */
  openAddress?: (url: string) => Promise<void>,
): Bench {
  const workspace = { folders: [root], trusted: true, openFile: null };
  const plan: ServerPlan = { workspace, servers: [], shadowed: [], disabled: [], problems: [] };
  const core = createCore();
  const contributor = new ServersContributor({
    core,
    settings: () => ({ ...defaultSettings, ...settings }),
    state,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    workspace: () => workspace,
    ...(openAddress === undefined ? {} : { openAddress }),
    plans: {
      read: () => Promise.resolve(plan),
      approve: () => Promise.resolve(approved),
      changedSince: () => Promise.resolve(null),
      revoke: () => Promise.resolve([]),
      forgetDeclined: () => Promise.resolve(),
      adopt: () => Promise.resolve(null),
      check: () => [],
    },
  });
  context.after(() => contributor.dispose());
  const bench: Bench = {
    contributor,
    core,
    events: [],
    cards: [],
    saved: [],
    attached: [],
    answer: { answer: 'notNow' },
    prepare: (more = {}) =>
      contributor.prepare({
        workspace,
        mode: 'ask',
        contextWindow: 32_768,
        ask: (card) => {
          bench.cards.push(card);
          return Promise.resolve(bench.answer);
        },
        emit: (event) => bench.events.push(event),
        signal: never,
        ...more,
      }),
    run: async (tool, args) => {
      assert.ok(tool !== undefined);
      const { text, isError, attachments } = await tool.run(
        { ...args },
        {
          signal: never,
          callId: 'call-1',
          progress: () => undefined,
          save: (data, ending) => {
            bench.saved.push({ ending, bytes: data.length });
            return Promise.resolve(`/saved/${bench.saved.length}${ending}`);
          },
        },
      );
      bench.attached.splice(0, Infinity, ...(attachments ?? []).map(({ mimeType }) => mimeType));
      return { text, isError };
    },
  };
  return bench;
}

export const named = (contribution: Contribution, name: string): Tool | undefined =>
  contribution.tools.find((tool) => tool.name === name);

export const notices = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.notice.fact] : []));

/** The server under the name `tracker`, with one fingerprint whatever it says. */
export const tracker = (mode: string, flags: readonly string[] = []): ApprovedServer =>
  inMode(mode, { name: 'tracker', fingerprint: 'f', path: join(root, '.mcp.json') }, flags);
