/** What the files of `gbs mcp` share: the command they join, the plans, and how a server is named. */
import { relative } from 'node:path';
import type { Command } from 'commander';
import {
  FileServerPlans,
  type ConfigurationProblem,
  type PlannedServer,
  type ServerPlan,
} from '../mcp/plans.ts';
import { never } from '../never.ts';
import { tildePath } from '../skills/sources.ts';
import { CliFailure, type CliParts, oneLine } from './parts.ts';
import { asTyped } from './settings.ts';

/** The one command that every file of `gbs mcp` adds to. */
export function mcpCommand(program: Command): Command {
  return (
    program.commands.find((command) => command.name() === 'mcp') ??
    program
      .command('mcp')
      .description('List, plan, approve and revoke MCP servers, and use their tools')
  );
}

/** The servers of the workspace, with the settings and the state of the command line. */
export function plansOf(parts: CliParts): FileServerPlans {
  const { core, state, log, environment, platform, userHome } = parts;
  const settings = () => parts.settings();
  return new FileServerPlans({ core, settings, state, log, environment, platform, userHome });
}

/** How a server stands, as the end of a line. */
export function standingWords({ standing }: PlannedServer): string {
  switch (standing.kind) {
    case 'ready':
      return 'ready';
    case 'asks':
      return {
        new: 'waits for your approval',
        changed: 'waits: it changed since you approved it',
        uncovered: 'asks every time: not everything it names can be covered',
      }[standing.why];
    case 'declined':
      return 'put off; asks again when it changes';
    case 'unavailable':
      return `${standing.message} ${asTyped(standing.remedy)}`;
    case 'untrusted':
      return 'this workspace is not trusted';
    default:
      return never(standing);
  }
}

/** Those with these names, all without names; a name that nobody has is a mistake. */
export function chosen(
  plan: ServerPlan,
  names: readonly string[],
  parts: CliParts,
): readonly PlannedServer[] {
  const missing = names.filter((name) => !plan.servers.some((server) => server.name === name));
  if (missing.length > 0) {
    printProblems(plan.problems, parts);
    const [wrong] = missing.filter((name) =>
      plan.problems.some(({ server, problem }) => server === name && problem.severity === 'error'),
    );
    if (wrong !== undefined) {
      throw new CliFailure(
        1,
        `the server ${oneLine(parts, wrong)} cannot be used as it is written: correct what is said above`,
      );
    }
    const off = plan.disabled.find(({ name }) => missing.includes(name));
    if (off !== undefined) {
      throw new CliFailure(
        1,
        `the server ${oneLine(parts, off.name)} is switched off where it is written`,
      );
    }
    throw new CliFailure(
      1,
      `there is no server ${oneLine(parts, missing.join(', '))} here. See: gbs mcp list`,
    );
  }
  return plan.servers.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** Says that there is none. Of a file with errors only these: it may well hold some. */
export function printNone(plan: ServerPlan, parts: CliParts): void {
  const { servers, shadowed, disabled, problems } = plan;
  if (servers.length + shadowed.length + disabled.length > 0) return;
  if (problems.some(({ problem }) => problem.severity === 'error')) return;
  parts.screen.out.line('No servers here. They are written in .mcp.json.');
}

export function printProblems(problems: readonly ConfigurationProblem[], parts: CliParts): void {
  for (const { path, problem } of problems) {
    const { line, column } = problem.start;
    const text = `${shownPath(path, parts)}:${String(line)}:${String(column)}: ${problem.message}`;
    switch (problem.severity) {
      case 'error':
        parts.log.error(oneLine(parts, text));
        break;
      case 'warning':
        parts.log.warn(oneLine(parts, text));
        break;
      case 'info':
        parts.log.info(oneLine(parts, text));
        break;
    }
  }
}

/**
 * Fails where a file or an entry cannot be used, so that scripts can tell: what is wrong was said
 * before. Nothing is missing where names were given and all of these can be.
 */
export function failForErrors(plan: ServerPlan): void {
  if (plan.problems.every(({ problem }) => problem.severity !== 'error')) return;
  throw new CliFailure(
    1,
    'not everything that is written here can be used: correct what is said above',
  );
}

/** Seen from the workspace where it lies there, else with `~`. */
export function shownPath(path: string, parts: CliParts): string {
  const [folder = ''] = parts.workspace().folders;
  const inside = relative(folder, path);
  if (folder !== '' && inside !== '' && !inside.startsWith('..') && inside !== path) return inside;
  return tildePath(path, parts.userHome);
}
