/**
 * `gbs mcp resources`, `read` and `prompts`: what servers offer beside tools. Servers start under the
 * same approvals as in a run; what the user typed needs no further one.
 */
import type { Command } from 'commander';
import type { Listed, ServerPrompt, ServerResource } from '../mcp/offers.ts';
import { addAnswerFlag, type AnswerFlag } from './mcp-answers.ts';
import { mcpCommand } from './mcp-parts.ts';
import {
  WHOLE_CHARACTERS,
  failed,
  save,
  shownText,
  withServers,
  type Running,
} from './mcp-tools.ts';
import { CliFailure, type CliParts, oneLine } from './parts.ts';

export function register(program: Command, parts: CliParts): void {
  const mcp = mcpCommand(program);
  addAnswerFlag(mcp.command('resources <server>'))
    .description('List the resources of a server, and the templates of their addresses')
    .action((server: string, flags: AnswerFlag) =>
      withServers(parts, [server], flags, async (running) => {
        const { offers } = running.contributor;
        if (!has(running, server, 'resources', parts)) return;
        resources(await offers.resources(server, parts.signal), parts);
      }),
    );
  addAnswerFlag(mcp.command('prompts <server>'))
    .description('List the prompts of a server, and what each wants to know')
    .action((server: string, flags: AnswerFlag) =>
      withServers(parts, [server], flags, async (running) => {
        const { offers } = running.contributor;
        if (!has(running, server, 'prompts', parts)) return;
        prompts(await offers.prompts(server, parts.signal), parts);
      }),
    );
  addAnswerFlag(mcp.command('read <server> <uri>'))
    .description('Read a resource of a server by its address')
    .action((server: string, uri: string, flags: AnswerFlag) =>
      withServers(parts, [server], flags, async (running) => {
        if (has(running, server, 'resources', parts)) await read(running, server, uri, parts);
      }),
    );
}

/** False where the server does not run, which is said elsewhere. */
function has(
  { contributor, missing }: Running,
  server: string,
  kind: 'resources' | 'prompts',
  parts: CliParts,
): boolean {
  if (missing.includes(server)) return false;
  if (contributor.offers.with(kind).includes(server)) return true;
  throw new CliFailure(1, `${oneLine(parts, server)} says that it has no ${kind}`);
}

function resources({ items, problem }: Listed<ServerResource>, parts: CliParts): void {
  const { out } = parts.screen;
  if (parts.json) parts.printJson({ resources: items, problem });
  else {
    for (const { uri, template, name, description, mimeType } of items) {
      const kind = template ? 'template' : mimeType;
      const facts = [name, kind, description].filter((part) => part !== '').join(', ');
      out.line(`${oneLine(parts, uri)}  ${out.paint.dim(oneLine(parts, facts))}`);
    }
  }
  tell(problem, parts);
}

function prompts({ items, problem }: Listed<ServerPrompt>, parts: CliParts): void {
  const { out } = parts.screen;
  if (parts.json) {
    const shown = items.map((prompt) => ({
      server: prompt.server,
      name: prompt.name,
      description: prompt.description,
      arguments: prompt.arguments,
    }));
    parts.printJson({ prompts: shown, problem });
  } else {
    for (const { name, description, arguments: wanted } of items) {
      const words = wanted.map((one) => (one.required ? one.name : `[${one.name}]`)).join(' ');
      out.line(oneLine(parts, `${name} ${words}`));
      if (description !== '') out.line(`  ${out.paint.dim(oneLine(parts, description))}`);
    }
  }
  tell(problem, parts);
}

function tell(problem: string, parts: CliParts): void {
  if (problem !== '') parts.log.warn(oneLine(parts, problem));
}

async function read(
  { contributor }: Running,
  server: string,
  uri: string,
  parts: CliParts,
): Promise<void> {
  const end = await contributor.offers.read(server, uri, { signal: parts.signal });
  if (end.kind !== 'result') throw new CliFailure(1, oneLine(parts, failed(end)));
  const limits = { server, tool: 'resources/read', maxCharacters: WHOLE_CHARACTERS };
  const output = parts.core.toolOutput(end.text, limits);
  if (parts.json) parts.printJson(JSON.parse(end.text) as unknown);
  else {
    parts.screen.out.line(parts.screen.out.terminal ? shownText(parts, output) : output.shown);
    await save(output, parts);
  }
}
