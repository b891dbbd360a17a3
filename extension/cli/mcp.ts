/** `gbs mcp list` and `plan`: which servers there are, how they stand, and exactly what would run. */
import type { Command } from 'commander';
import type { Card, Expanded } from '../core.ts';
import type { Launchable } from '../mcp/launchable.ts';
import type { FileServerPlans, PlannedServer, ServerPlan, UnusedServer } from '../mcp/plans.ts';
import { cardLines, type CardLook } from './card.ts';
import { registerConsent } from './mcp-consent.ts';
import {
  chosen,
  failForErrors,
  mcpCommand,
  plansOf,
  printNone,
  printProblems,
  shownPath,
  standingWords,
} from './mcp-parts.ts';
import type { CliParts } from './parts.ts';
import { oneLine } from './parts.ts';

export function register(program: Command, parts: CliParts): void {
  const mcp = mcpCommand(program);
  mcp
    .command('list')
    .description('Every server, where it is written and how it stands')
    .action(async () => {
      const plan = await plansOf(parts).read(parts.workspace());
      if (parts.json) {
        parts.printJson(listed(plan));
        printProblems(plan.problems, parts);
      } else printList(plan, parts);
      failForErrors(plan);
    });
  mcp
    .command('plan [names...]')
    .description('Exactly what would be started, and what an approval covers: all, or these')
    .option('--reveal', 'show values that variables bring into the command line')
    .action(async (names: string[], { reveal }: { reveal?: true }) => {
      const plans = plansOf(parts);
      const plan = await plans.read(parts.workspace());
      const servers = chosen(plan, names, parts);
      if (parts.json) {
        const planned = await Promise.all(
          servers.map((server) => plannedJson(plans, server, reveal === true)),
        );
        parts.printJson({ servers: planned, ...unusedJson(plan) });
      } else {
        for (const server of servers) await printPlan(plans, server, reveal === true, parts);
        printUnused(plan, parts);
        printNone(plan, parts);
      }
      printProblems(plan.problems, parts);
      if (names.length === 0) failForErrors(plan);
    });
  registerConsent(mcp, parts);
}

function listed(plan: ServerPlan): unknown {
  return {
    servers: plan.servers.map(({ name, origin, path, line, description, standing }) => ({
      name,
      origin,
      path,
      line,
      description,
      standing,
    })),
    ...unusedJson(plan),
  };
}

function unusedJson({ shadowed, disabled, problems }: ServerPlan): object {
  return { shadowed, disabled, problems };
}

function printList(plan: ServerPlan, parts: CliParts): void {
  const { out } = parts.screen;
  const width = Math.min(40, Math.max(0, ...plan.servers.map(({ name }) => name.length)));
  let path = '';
  for (const server of plan.servers) {
    if (server.path !== path) {
      path = server.path;
      const whose = server.origin === 'user' ? 'yours' : 'this repository';
      out.line(`${out.paint.bold(oneLine(parts, shownPath(path, parts)))} ${out.paint.dim(whose)}`);
    }
    const name = oneLine(parts, server.name);
    const padding = ' '.repeat(Math.max(0, width - name.length));
    out.line(`  ${out.paint.cyan(name)}${padding}  ${standingPaint(server, parts)}`);
  }
  printUnused(plan, parts);
  printNone(plan, parts);
  printProblems(plan.problems, parts);
  if (plan.servers.some(({ standing }) => standing.kind === 'asks')) {
    parts.log.warn('Some wait for you. See and approve: gbs mcp approve');
  }
}

function standingPaint(server: PlannedServer, parts: CliParts): string {
  const { paint } = parts.screen.out;
  const words = oneLine(parts, standingWords(server));
  switch (server.standing.kind) {
    case 'ready':
      return paint.dim(words);
    case 'asks':
    case 'declined':
    case 'untrusted':
      return paint.yellow(words);
    case 'unavailable':
      return paint.red(words);
  }
}

function printUnused({ shadowed, disabled }: ServerPlan, parts: CliParts): void {
  const { out } = parts.screen;
  const place = ({ path, line }: UnusedServer): string =>
    oneLine(parts, `${shownPath(path, parts)}, line ${String(line)}`);
  for (const server of shadowed) {
    const by = server.by === null ? '' : `${server.by.name} of ${shownPath(server.by.path, parts)}`;
    const words = `shadowed by ${oneLine(parts, by)}`;
    out.line(
      `${out.paint.cyan(oneLine(parts, server.name))} ${out.paint.dim(`${place(server)}, ${words}`)}`,
    );
  }
  for (const server of disabled) {
    out.line(
      `${out.paint.cyan(oneLine(parts, server.name))} ${out.paint.dim(`${place(server)}, switched off`)}`,
    );
  }
}

async function printPlan(
  plans: FileServerPlans,
  server: PlannedServer,
  revealed: boolean,
  parts: CliParts,
): Promise<void> {
  const { out, marks } = parts.screen;
  out.line(`${out.paint.bold(oneLine(parts, server.name))} ${standingPaint(server, parts)}`);
  const card = await plans.card(server);
  if (card === null) return;
  const look: CardLook = {
    paint: out.paint,
    marks,
    visible: (text) => parts.core.visibleText(text),
    revealed,
  };
  // Everything but the question: nothing is asked here.
  for (const line of cardLines(card, look).slice(1)) out.line(line);
}

async function plannedJson(
  plans: FileServerPlans,
  server: PlannedServer,
  reveal: boolean,
): Promise<object> {
  const { name, origin, path, line, standing } = server;
  const found = plans.launchable(server);
  const card = await plans.card(server);
  return {
    name,
    origin,
    path,
    line,
    standing,
    plan: found === null ? null : launchJson(found, card, reveal),
  };
}

/** What would be started. Values that variables brought into the command line only on demand. */
function launchJson(found: Launchable, card: Card | null, reveal: boolean): object {
  const { server, facts, consent } = found;
  const flags = card?.flags.map(({ code }) => code) ?? [];
  const { fingerprint } = consent;
  const shown = (text: Expanded): string => (reveal ? whole(text) : maskedText(text));
  if (found.kind === 'address') {
    const { url, headers, sse } = found.address;
    return {
      url: shown(url),
      sse,
      // Values of headers are on no card either.
      sends: headers.map(({ name }) => name),
      reads: server.variables,
      flags,
      fingerprint,
    };
  }
  const { program, command } = found;
  const texts = [program.command, ...program.args];
  const secret = !reveal && texts.some(holdsValues);
  const masked = program.cwd !== null && holdsValues(program.cwd) && !reveal;
  const { file, argv, windowsVerbatim } = command;
  return {
    program: holdsValues(program.command) && !reveal ? null : facts.resolved,
    args: program.args.map(shown),
    command: secret ? null : { file, argv, windowsVerbatim },
    cwd: masked ? null : program.folder,
    sets: program.env.map((variable) => ({ name: variable.name, unset: variable.value === null })),
    reads: server.variables,
    files: facts.digests.map(({ path, field, secret: hidden, sha256 }) => ({
      path: hidden && !reveal ? null : path,
      field,
      sha256,
    })),
    flags,
    fingerprint,
  };
}

function holdsValues({ pieces }: Expanded): boolean {
  return pieces.some(({ kind }) => kind === 'brought');
}

function whole({ pieces }: Expanded): string {
  return pieces.map(({ text }) => text).join('');
}

function maskedText({ pieces }: Expanded): string {
  return pieces.map(({ kind, text }) => (kind === 'brought' ? '••••••••' : text)).join('');
}
