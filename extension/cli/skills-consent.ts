/** `gbs skills approve`, `decline` and `revoke`: what the user allows, and takes back, on the command line. */
import type { Command } from 'commander';
import type { Approval, Skills } from '../skills/skills.ts';
import { createAsk } from './ask.ts';
import { failForMissing, printDone, saysYes, showCard, namedOrAll } from './consent.ts';
import { CliFailure, type CliParts, oneLine } from './parts.ts';
import { addServersFlag, type ServersFlag, skillsOf, withSkills } from './skills-parts.ts';

export function registerConsent(skills: Command, parts: CliParts): void {
  addServersFlag(skills.command('approve [names...]'))
    .description(
      'Show what waits and ask whether it may be used: all, or these by name; without a terminal a name is the answer',
    )
    .option('--yes', 'allow without asking; what is allowed is shown all the same')
    .action((names: string[], { yes, ...flags }: ServersFlag & { yes?: true }) =>
      withSkills(parts, names, flags, async (skillsHere) => {
        const approved = await approve(skillsHere, parts, names, yes === true);
        if (parts.json) parts.printJson({ approved });
        else printDone('Allowed', approved, 'Nothing waits for you.', parts);
      }),
    );
  addServersFlag(skills.command('decline [names...]'))
    .description('Not now: work without what waits, until it changes; all, or these by name')
    .action((names: string[], flags: ServersFlag) =>
      withSkills(parts, names, flags, async (skillsHere) => {
        const approval = await heldBack(skillsHere, parts, names);
        await approval?.decline();
        const declined = approval?.names ?? [];
        if (parts.json) parts.printJson({ declined });
        else printDone('Not now:', declined, 'Nothing waits for you.', parts);
      }),
    );
  skills
    .command('revoke [names...]')
    .description('Take back what was allowed: these by name, or --all')
    .option('--all', 'everything of this workspace')
    .action(async (names: string[], { all }: { all?: true }) => {
      const chosen = namedOrAll('what to revoke', names, all === true);
      const revoked = await skillsOf(parts).revoke(parts.workspace(), chosen);
      if (parts.json) parts.printJson({ revoked });
      else printDone('Revoked', revoked, 'Nothing was allowed.', parts);
      failForMissing('not allowed before', chosen, revoked, parts);
    });
}

/** What waits: all, or these by name, each of which must be. */
async function heldBack(
  skillsHere: Skills,
  parts: CliParts,
  names: readonly string[],
): Promise<Approval | null> {
  const approval = await skillsHere.approval(
    parts.workspace(),
    (name) => names.length === 0 || names.includes(name),
  );
  const missing = names.filter((name) => !(approval?.names.includes(name) ?? false));
  if (missing.length > 0) {
    const view = await skillsHere.look(parts.workspace(), parts.settings().contextWindow);
    const here = new Set([
      ...view.skills.map(({ report }) => report.name),
      ...view.instructions.map(({ record }) => record.path),
    ]);
    const unknown = missing.filter((name) => !here.has(name));
    if (unknown.length > 0) {
      throw new CliFailure(
        1,
        `no skill is called ${oneLine(parts, unknown.join(', '))}. See all: gbs skills list`,
      );
    }
    throw new CliFailure(
      1,
      `does not wait: ${oneLine(parts, missing.join(', '))}. See what does: gbs skills list`,
    );
  }
  return approval;
}

async function approve(
  skillsHere: Skills,
  parts: CliParts,
  names: readonly string[],
  yes: boolean,
): Promise<readonly string[]> {
  const approval = await heldBack(skillsHere, parts, names);
  if (approval === null) return [];
  if (saysYes(names, yes, parts)) {
    showCard(approval.card, parts);
    await approval.allow();
    return approval.names;
  }
  return asked(parts, approval);
}

async function asked(parts: CliParts, approval: Approval): Promise<readonly string[]> {
  const ask = createAsk(parts, {
    answers: {},
    needsApproval: () => {
      throw new CliFailure(
        3,
        'a terminal is needed to ask. To allow all of it: gbs skills approve --yes',
      );
    },
  });
  const { answer } = await ask(approval.card, parts.signal);
  switch (answer) {
    case 'allow':
    case 'allowSession':
    case 'keepForUser':
    case 'keepInProject':
      await approval.allow();
      return approval.names;
    case 'notNow':
      await approval.decline();
      return [];
    case 'deny':
    case 'decline':
    case 'dismiss':
      return [];
  }
}
