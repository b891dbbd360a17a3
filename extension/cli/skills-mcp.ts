/**
 * `gbs-skills-mcp`: the skills MCP server as a command of its own, for configurations of clients.
 * Exit codes as those of `gbs`; a signal that stops the server is no failure.
 */
import { Command, CommanderError } from 'commander';
import { createCore } from '../core.ts';
import { CliFailure } from './parts.ts';
import { serveCommand } from './skills-serve.ts';
import { Stop } from './stop.ts';

async function main(argv: readonly string[], stop: Stop): Promise<number> {
  const command = new Command('gbs-skills-mcp').description(
    'Serves folders of skills to any MCP client.',
  );
  command.version(createCore().version()).exitOverride();
  serveCommand(command, { signal: stop.signal, environment: process.env });
  try {
    await command.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CliFailure) {
      process.stderr.write(`gbs-skills-mcp: ${error.message}\n`);
      return error.exitCode;
    }
    // Commander has said what is wrong; help and version are no mistakes.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

const stop = new Stop();
stop.watch();
main(process.argv.slice(2), stop).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(
      `gbs-skills-mcp: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  },
);
