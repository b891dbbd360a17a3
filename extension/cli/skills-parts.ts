/** What the files of `gbs skills` share: the skills of the workspace, and those of servers where asked for. */
import type { Command } from 'commander';
import { Skills } from '../skills/skills.ts';
import type { ServerSkills } from '../skills/offered.ts';
import { addAnswerFlag, type AnswerFlag } from './mcp-answers.ts';
import { plansOf } from './mcp-parts.ts';
import type { CliParts } from './parts.ts';

/** The skills of the workspace, with the settings and the state of the command line. */
export function skillsOf(parts: CliParts, offered?: () => ServerSkills): Skills {
  return new Skills({
    core: parts.core,
    settings: () => parts.settings(),
    state: parts.state,
    log: parts.log,
    platform: parts.platform,
    userHome: parts.userHome,
    ...(offered === undefined ? {} : { offered }),
  });
}

export interface ServersFlag extends AnswerFlag {
  readonly servers?: true;
}

/** The option by which a command starts the servers that may run, and how their start is answered. */
export function addServersFlag(command: Command): Command {
  const words = 'start the servers that may run, for the skills that they offer, too';
  return addAnswerFlag(command).option('--servers', words);
}

/**
 * Does the work with the skills: with those of a server where one is named so, with those of all that
 * may run where the flag says so.
 */
export async function withSkills(
  parts: CliParts,
  names: readonly string[],
  flags: ServersFlag,
  work: (skills: Skills) => Promise<void>,
): Promise<void> {
  const labels = new Set(names.flatMap((name) => /^([^:]+):/.exec(name)?.[1] ?? []));
  if (labels.size === 0 && flags.servers !== true) return work(skillsOf(parts));
  const { servers } = await plansOf(parts).read(parts.workspace());
  const named = servers
    .map(({ name }) => name)
    .filter((name) => labels.has(parts.core.readOfferedSkills(name, []).label));
  if (named.length === 0 && flags.servers !== true) return work(skillsOf(parts));
  const { withServers } = await import('./mcp-tools.ts');
  const started = flags.servers === true ? [] : named;
  await withServers(parts, started, flags, async ({ contributor }) => {
    await contributor.skills.ask(parts.signal);
    await work(skillsOf(parts, () => contributor.skills));
  });
}
