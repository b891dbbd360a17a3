/**
 * `gbs`: the headless command line. Each subcommand stands in a file of its own and is loaded when
 * it is called. Exit codes: 0 done, 1 failed, 2 usage, 3 needs approval.
 */
import { Command } from 'commander';
import { createCore } from '../core.ts';

async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('gbs').description(
    'A coding agent for local models, with skills and MCP servers.',
  );
  program.version(createCore().version());
  program.exitOverride();
  await program.parseAsync([...argv], { from: 'user' });
  return 0;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`gbs: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
