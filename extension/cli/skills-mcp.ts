/**
 * `gbs-skills-mcp`: the skills MCP server as a command of its own, for configurations of clients.
 * Exit codes as those of `gbs`; a signal that stops the server is no failure.
 */
import { Command } from 'commander';
import { createCore } from '../core.ts';
import { exitCodeOf, runProgram } from './end.ts';
import { serveCommand } from './skills-serve.ts';
import type { Stop } from './stop.ts';

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
    const code = exitCodeOf('gbs-skills-mcp', error);
    if (code !== null) return code;
    throw error;
  }
}

runProgram('gbs-skills-mcp', main);
