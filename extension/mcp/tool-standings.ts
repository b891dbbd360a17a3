/** How the tools of running servers stand: ready, deferred, or waiting, and why. */
import { characters } from '../agent/tokens.ts';
import type { Tool } from '../agent/tool.ts';
import { CHARACTERS_PER_TOKEN } from '../limits.ts';
import type { ServerTools } from './connection.ts';
import type { Compared } from './pins.ts';
import type { ApprovedServer } from './plans.ts';

/** How a tool of a running server stands. */
export interface ToolStanding {
  readonly tool: string;
  readonly state: 'ready' | 'deferred' | 'withheld';
  /** Why it waits, in our words; empty when it is ready. */
  readonly why: string;
  /** What its definition costs in the prompt. */
  readonly tokens: number;
  readonly readOnly: boolean;
}

/** A running server, what it offers, and what of that is as it was pinned. */
export interface Offered {
  readonly server: ApprovedServer;
  readonly offer: ServerTools;
  readonly compared: Compared;
}

/** What its definition costs in the prompt. */
export function tokensOf(tool: Tool): number {
  const { name, description, parameters } = tool;
  return Math.ceil(characters(name + description + parameters) / CHARACTERS_PER_TOKEN);
}

/** By server, in the order of its tools. */
export function standingsOf(
  offered: readonly Offered[],
  ready: readonly Tool[],
  clashes: readonly Tool[],
  deferred: boolean,
): Map<string, readonly ToolStanding[]> {
  const standings = new Map<string, ToolStanding[]>();
  for (const { server, compared } of offered) {
    standings.set(
      server.name,
      compared.withheld.map(({ name, why }) => ({
        tool: name,
        state: 'withheld',
        why,
        tokens: 0,
        readOnly: false,
      })),
    );
  }
  const add = (tool: Tool, state: ToolStanding['state'], why: string): void => {
    const { origin, readOnly } = tool;
    if (origin.kind !== 'mcp') return;
    const list = standings.get(origin.server);
    list?.push({ tool: origin.tool, state, why, tokens: tokensOf(tool), readOnly });
  };
  for (const tool of ready) {
    if (deferred) add(tool, 'deferred', 'found by mcp_search');
    else add(tool, 'ready', '');
  }
  for (const tool of clashes) add(tool, 'withheld', 'another tool has its name');
  return standings;
}
