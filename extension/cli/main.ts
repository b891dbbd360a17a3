/**
 * `gbs`: the headless command line. Each subcommand stands in a file of its own and is loaded when
 * it is called. Exit codes: 0 done, 1 failed, 2 usage, 3 needs approval; 130 stopped by Ctrl-C.
 */
import { Command } from 'commander';
import { createCore } from '../core.ts';
import { exitCodeOf, runProgram } from './end.ts';
import { addGlobalFlags, CliFailure, createParts, type CliParts } from './parts.ts';
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
    const asked = helpAsked(program, argv);
    if (asked !== null) {
      asked.outputHelp();
      return 0;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return stop.signal.aborted ? 130 : 0;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    const code = exitCodeOf('gbs', error);
    if (code !== null) return code;
    throw error;
  }
}

/**
 * The command that `gbs help mcp login` or `gbs mcp help login` asks about, to any depth; null for all
 * else. Commander itself looks at the first word alone, and shows the whole for one it does not know.
 */
function helpAsked(program: Command, argv: readonly string[]): Command | null {
  // What follows a flag may be its value.
  const words = argv.filter(
    (word, at) => !word.startsWith('-') && argv[at - 1]?.startsWith('-') !== true,
  );
  const at = words.indexOf('help');
  const before = at < 0 ? null : commandAt(program, words.slice(0, at));
  if (before === null || (before !== program && before.commands.length === 0)) return null;
  const after = words.slice(at + 1);
  const found = commandAt(before, after);
  if (found !== null) return found;
  const path = [...words.slice(0, at), ...after].join(' ');
  throw new CliFailure(2, `there is no command ${JSON.stringify(path)}. See: gbs help`);
}

/** The command that these words lead to, or null. */
function commandAt(from: Command, words: readonly string[]): Command | null {
  let command: Command | undefined = from;
  for (const word of words) command = command?.commands.find((each) => each.name() === word);
  return command ?? null;
}

/** Commander ends the process by itself unless every command is told not to. */
function endByThrowing(command: Command): void {
  command.exitOverride();
  command.commands.forEach(endByThrowing);
}

runProgram('gbs', main);
