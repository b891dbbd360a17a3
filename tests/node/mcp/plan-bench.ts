/** Plans over real folders: a workspace, a home and a state folder in a temporary one. */
import { join } from 'node:path';
import type { Workspace } from '../../../extension/agent/contributor.ts';
import { defaultSettings, type Settings } from '../../../extension/agent/settings.ts';
import type { Ask, CardAnswer } from '../../../extension/agent/tool.ts';
import { createCore, type Card, type Span } from '../../../extension/core.ts';
import {
  FileServerPlans,
  type ApprovedServer,
  type ServerPlan,
} from '../../../extension/mcp/plans.ts';
import type { ServerPlansParts } from '../../../extension/mcp/file-server-plans.ts';
import { StateFolder } from '../../../extension/state.ts';

export const core = createCore();
const unstopped = new AbortController().signal;

export interface PlanBench {
  readonly plans: FileServerPlans;
  readonly workspace: Workspace;
  readonly log: string[];
  /** One turn: reads, asks, and gives what may start, with the names that were asked about. */
  turn(answer: Answer, running?: ReadonlySet<string>): Promise<Turn>;
}

type Answer = CardAnswer['answer'] | ((card: Card) => CardAnswer['answer']);

interface Turn {
  readonly plan: ServerPlan;
  readonly cards: readonly Card[];
  readonly asked: readonly string[];
  readonly approved: readonly ApprovedServer[];
}

/** `root`/ws is the workspace, `root`/home the user's home. */
export function planBench(
  root: string,
  options: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly settings?: Partial<Settings>;
    readonly workspace?: Partial<Workspace>;
    readonly parts?: Partial<ServerPlansParts>;
  } = {},
): PlanBench {
  const log: string[] = [];
  const note = (text: string): void => {
    log.push(text);
  };
  const workspace = {
    folders: [join(root, 'ws')],
    trusted: true,
    openFile: null,
    ...options.workspace,
  };
  const plans = new FileServerPlans({
    core,
    settings: () => ({ ...defaultSettings, ...options.settings }),
    state: new StateFolder(join(root, 'state')),
    log: { info: note, warn: note, error: note },
    environment: { PATH: process.env.PATH ?? '', HOME: join(root, 'home'), ...options.environment },
    platform: process.platform,
    userHome: join(root, 'home'),
    ...options.parts,
  });
  return {
    plans,
    workspace,
    log,
    async turn(answer, running) {
      const cards: Card[] = [];
      const ask: Ask = (card) => {
        cards.push(card);
        return Promise.resolve({ answer: typeof answer === 'function' ? answer(card) : answer });
      };
      const plan = await plans.read(workspace);
      const given = running === undefined ? plan : { ...plan, running };
      const approved = await plans.approve(given, ask, unstopped);
      return { plan, cards, asked: cards.flatMap(({ about }) => about), approved };
    },
  };
}

/** A configuration file with these servers. */
export function config(servers: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`;
}

export function said(spans: readonly Span[]): string {
  return spans.map((span) => (span.kind === 'secret' ? span.masked : span.text)).join('');
}
