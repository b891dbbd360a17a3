/** `gbs mcp approve` and `revoke`: which servers may start, said on the command line. */
import type { Command } from 'commander';
import type { Ask } from '../agent/tool.ts';
import type { PlannedServer } from '../mcp/plans.ts';
import { createAsk } from './ask.ts';
import { cardLines } from './card.ts';
import { chosen, oneLine, plansOf, printProblems, standingWords } from './mcp-parts.ts';
import { CliFailure, type CliParts } from './parts.ts';

export function registerConsent(mcp: Command, parts: CliParts): void {
  mcp
    .command('approve [names...]')
    .description(
      'Show what waits and ask whether it may start: all, or these by name; without a terminal a name is the answer',
    )
    .option('--yes', 'approve without asking; what is approved is shown all the same')
    .action(async (names: string[], { yes }: { yes?: true }) => {
      const approved = await approve(parts, names, yes === true);
      if (parts.json) parts.printJson({ approved });
      else parts.screen.out.line(said('Approved', approved, 'Nothing was approved.', parts));
    });
  mcp
    .command('revoke [names...]')
    .description('Take back approvals: these by name, or --all')
    .option('--all', 'everything of this workspace')
    .action(async (names: string[], { all }: { all?: true }) => {
      if (names.length === 0 && all !== true) {
        throw new CliFailure(2, 'name what to revoke, or give --all');
      }
      const revoked = await plansOf(parts).revoke(parts.workspace(), all === true ? null : names);
      if (parts.json) parts.printJson({ revoked });
      else parts.screen.out.line(said('Revoked', revoked, 'Nothing was approved.', parts));
      const missing = names.filter((name) => all !== true && !revoked.includes(name));
      if (missing.length > 0) {
        throw new CliFailure(1, `not approved before: ${oneLine(parts, missing.join(', '))}`);
      }
    });
}

/** Gives the names that are approved now and were not before. */
async function approve(
  parts: CliParts,
  names: readonly string[],
  yes: boolean,
): Promise<readonly string[]> {
  const plans = plansOf(parts);
  const workspace = parts.workspace();
  await plans.forgetDeclined(workspace, names.length === 0 ? null : names);
  const plan = await plans.read(workspace);
  const servers = chosen(plan, names, parts);
  if (names.length === 0) printProblems(plan.problems, parts);
  const waiting = servers.filter(({ standing }) => standing.kind === 'asks');
  for (const server of servers) tellWhyNot(server, names, parts);
  if (waiting.length === 0) return [];
  // Without a terminal nobody can be asked, and naming a server says it.
  const named = names.length > 0 && !(process.stdin.isTTY && parts.screen.err.terminal);
  const ask = yes || named ? answerYes(parts) : asking(parts);
  const approved = await plans.approve({ ...plan, servers: waiting }, ask, parts.signal);
  return approved.map(({ name }) => name);
}

/** A server that was named and cannot be asked about. */
function tellWhyNot(server: PlannedServer, names: readonly string[], parts: CliParts): void {
  if (server.standing.kind === 'asks' || !names.includes(server.name)) return;
  const words = server.standing.kind === 'ready' ? 'it needs no answer' : standingWords(server);
  parts.log.warn(oneLine(parts, `${server.name}: ${words}`));
}

/** Shows the card and answers yes. */
function answerYes(parts: CliParts): Ask {
  const { err, marks } = parts.screen;
  const look = {
    paint: err.paint,
    marks,
    visible: (text: string) => parts.core.visibleText(text),
    revealed: false,
  };
  return (card) => {
    for (const line of cardLines(card, look)) err.line(line);
    return Promise.resolve({ answer: 'allow' });
  };
}

function asking(parts: CliParts): Ask {
  return createAsk(parts, {
    answers: {},
    needsApproval: () => {
      throw new CliFailure(
        3,
        'a terminal is needed to ask. To approve what is shown: gbs mcp approve NAME',
      );
    },
  });
}

function said(verb: string, names: readonly string[], nothing: string, parts: CliParts): string {
  return names.length === 0 ? nothing : `${verb} ${oneLine(parts, names.join(', '))}`;
}
