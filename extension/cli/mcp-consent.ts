/** `gbs mcp approve` and `revoke`: which servers may start, said on the command line. */
import type { Command } from 'commander';
import type { Ask } from '../agent/tool.ts';
import type { PlannedServer } from '../mcp/plans.ts';
import { createAsk } from './ask.ts';
import { failForMissing, printDone, saysYes, showCard, namedOrAll } from './consent.ts';
import { chosen, plansOf, printProblems, standingWords } from './mcp-parts.ts';
import { CliFailure, type CliParts, oneLine } from './parts.ts';

export function registerConsent(mcp: Command, parts: CliParts): void {
  mcp
    .command('approve [names...]')
    .description(
      'Show what waits and ask whether it may start: all, or these by name; without a terminal a name is the answer',
    )
    .option('--yes', 'approve without asking; what is approved is shown all the same')
    .action(async (names: string[], { yes }: { yes?: true }) => {
      const approved = await approve(parts, names, yes === true);
      if (parts.json) parts.printJson({ approved: approved.done });
      else printDone('Approved', approved.done, 'Nothing was approved.', parts);
      if (approved.cannot.length > 0) {
        const these = oneLine(parts, approved.cannot.join(', '));
        throw new CliFailure(1, `cannot be approved as it is: ${these}`);
      }
    });
  mcp
    .command('revoke [names...]')
    .description('Take back approvals: these by name, or --all')
    .option('--all', 'everything of this workspace')
    .action(async (names: string[], { all }: { all?: true }) => {
      const asked = namedOrAll('what to revoke', names, all === true);
      const revoked = await plansOf(parts).revoke(parts.workspace(), asked);
      if (parts.json) parts.printJson({ revoked });
      else printDone('Revoked', revoked, 'Nothing was approved.', parts);
      failForMissing('not approved before', asked, revoked, parts);
    });
}

/** The names that are approved now and were not before, and those named that could not be asked about. */
interface Approved {
  readonly done: readonly string[];
  readonly cannot: readonly string[];
}

async function approve(parts: CliParts, names: readonly string[], yes: boolean): Promise<Approved> {
  const plans = plansOf(parts);
  const workspace = parts.workspace();
  await plans.forgetDeclined(workspace, names.length === 0 ? null : names);
  const plan = await plans.read(workspace);
  const servers = chosen(plan, names, parts);
  if (names.length === 0) printProblems(plan.problems, parts);
  const waiting = servers.filter(({ standing }) => standing.kind === 'asks');
  for (const server of servers) tellWhyNot(server, names, parts);
  const cannot = servers
    .filter(({ name, standing: { kind } }) => {
      return names.includes(name) && kind !== 'asks' && kind !== 'ready';
    })
    .map(({ name }) => name);
  if (waiting.length === 0) return { done: [], cannot };
  const ask = saysYes(names, yes, parts) ? answerYes(parts) : asking(parts);
  const approved = await plans.approve({ ...plan, servers: waiting }, ask, parts.signal);
  return { done: approved.map(({ name }) => name), cannot };
}

/** A server that was named and cannot be asked about. */
function tellWhyNot(server: PlannedServer, names: readonly string[], parts: CliParts): void {
  if (server.standing.kind === 'asks' || !names.includes(server.name)) return;
  const words = server.standing.kind === 'ready' ? 'it needs no answer' : standingWords(server);
  parts.log.warn(oneLine(parts, `${server.name}: ${words}`));
}

/** Shows the card and answers yes. */
function answerYes(parts: CliParts): Ask {
  return (card) => {
    showCard(card, parts);
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
