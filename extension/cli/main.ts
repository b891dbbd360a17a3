/**
 * `gbs`: the headless command line. Each subcommand stands in a file of its own and is loaded when
 * it is called. Exit codes: 0 done, 1 failed, 2 usage, 3 needs approval; 130 stopped by Ctrl-C.
 */
import { Command } from 'commander';
import { createCore } from '../core.ts';
import { exitCodeOf, runProgram } from './end.ts';
import { addGlobalFlags, createParts, type CliParts } from './parts.ts';
import type { Stop } from './stop.ts';

interface Subcommand {
  register(program: Command, parts: CliParts): void;
}

/** The files that register each subcommand, loaded only when it is called or help is shown. */
const subcommands: Readonly<Record<string, readonly (() => Promise<Subcommand>)[]>> = {
  chat: [() => import('./chat.ts')],
  mcp: [
    () => import('./mcp.ts'),
    () => import('./mcp-tools.ts'),
    () => import('./mcp-offers.ts'),
    () => import('./mcp-import.ts'),
    () => import('./mcp-record.ts'),
    () => import('./mcp-sign-in.ts'),
  ],
  models: [() => import('./models.ts')],
  run: [() => import('./run.ts')],
  skills: [() => import('./skills.ts')],
};

async function main(argv: readonly string[], stop: Stop): Promise<number> {
  const program = new Command('gbs').description(
    'A coding agent for local models, with skills and MCP servers.',
  );
  program.version(createCore().version());
  program.configureHelp({ showGlobalOptions: true });
  addGlobalFlags(program);
  const parts = createParts(program, stop);

  const called = Object.keys(subcommands).filter((name) => argv.includes(name));
  const needed = called.length > 0 ? called : Object.keys(subcommands);
  for (const load of new Set(needed.flatMap((name) => subcommands[name] ?? []))) {
    (await load()).register(program, parts);
  }
  endByThrowing(program);

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return stop.signal.aborted ? 130 : 0;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    const code = exitCodeOf('gbs', error);
    if (code !== null) return code;
    throw error;
  }
}

/** Commander ends the process by itself unless every command is told not to. */
function endByThrowing(command: Command): void {
  command.exitOverride();
  command.commands.forEach(endByThrowing);
}

runProgram('gbs', main);
