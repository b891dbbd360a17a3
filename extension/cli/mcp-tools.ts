/**
 * `gbs mcp tools` and `call`: what the servers offer, and one call by hand. Servers start under the
 * same approvals as in a run; a call that the user typed needs no further one.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Contribution } from '../agent/contributor.ts';
import type { RunEvent } from '../agent/events.ts';
import type { Card, ToolOutput } from '../core.ts';
import { ServersContributor } from '../mcp/contributor.ts';
import type { ServerPlan, ServerPlans } from '../mcp/plans.ts';
import { endingOf } from '../mcp/server-tool.ts';
import type { CallEnd } from '../mcp/servers.ts';
import { opener } from './ask.ts';
import { tellUnknownServers } from './flag-names.ts';
import { addAnswerFlag, askFor, type AnswerFlag } from './mcp-answers.ts';
import {
  chosen,
  failForErrors,
  mcpCommand,
  plansOf,
  printNone,
  printProblems,
} from './mcp-parts.ts';
import { CliFailure, type CliParts, oneLine } from './parts.ts';
import { asTyped } from './settings.ts';
import { signInsOf } from './sign-ins.ts';

/** Nothing is cut for a person, or for a program that reads the output. */
export const WHOLE_CHARACTERS = 4_294_967_295;

export function register(program: Command, parts: CliParts): void {
  const mcp = mcpCommand(program);
  addAnswerFlag(mcp.command('tools [servers...]'))
    .description('Start the servers and list their tools: of all, or of these')
    .action(async (names: string[], flags: AnswerFlag) => {
      const plans: ServerPlan[] = [];
      await withServers(parts, names, flags, (running) => {
        list(running, parts);
        plans.push(running.plan);
        return Promise.resolve();
      });
      if (names.length === 0) plans.forEach(failForErrors);
    });
  addAnswerFlag(mcp.command('call <server> <tool> [arguments]'))
    .description('Call a tool once, with its arguments as a JSON object')
    .action((server: string, tool: string, json: string | undefined, flags: AnswerFlag) => {
      const argumentsJson = objectText(json ?? '{}');
      return withServers(parts, [server], flags, (running) =>
        call(running, server, tool, argumentsJson, parts),
      );
    });
}

export interface Running {
  readonly plan: ServerPlan;
  readonly contributor: ServersContributor;
  readonly contribution: Contribution;
  /** Servers that were asked for and do not run. */
  readonly missing: readonly string[];
  /** Whether this server refused a call for want of a scope that nobody agreed to yet. */
  readonly wantsMore: (server: string) => boolean;
}

/** Starts what is wanted, does the work, and ends what was started. */
export async function withServers(
  parts: CliParts,
  names: readonly string[],
  flags: AnswerFlag,
  work: (running: Running) => Promise<void>,
): Promise<void> {
  const unanswered: Card[] = [];
  const refused = new Set<string>();
  const ask = askFor(parts, flags, (card) => unanswered.push(card));
  const plans = plansOf(parts);
  const plan = await plans.read(parts.workspace());
  const servers = chosen(plan, names, parts);
  tellUnknownServers(flags.yesMcp ?? [], plan, parts);
  if (!parts.json) printNone(plan, parts);
  printProblems(plan.problems, parts);
  const wanted: ServerPlans = {
    read: () => Promise.resolve({ ...plan, servers, problems: [] }),
    approve: (its, ask, signal) => plans.approve(its, ask, signal),
    changedSince: (server) => plans.changedSince(server),
    revoke: (workspace, some) => plans.revoke(workspace, some),
    forgetDeclined: (workspace, some) => plans.forgetDeclined(workspace, some),
    adopt: (workspace, path, shown) => plans.adopt(workspace, path, shown),
    check: (path, text) => plans.check(path, text),
  };
  const signIns = signInsOf(parts);
  const contributor = new ServersContributor({
    core: parts.core,
    settings: () => ({ ...parts.settings(), mcpToolLoading: 'all' }),
    state: parts.state,
    log: parts.log,
    plans: wanted,
    workspace: parts.workspace,
    ...opener(parts),
    authorization: signIns,
  });
  try {
    const contribution = await contributor.prepare({
      workspace: parts.workspace(),
      mode: parts.settings().permissionMode,
      contextWindow: WHOLE_CHARACTERS,
      ask: async (card, signal) => {
        const answer = await ask(card, signal);
        if (answer.answer === 'notNow' || answer.answer === 'deny') {
          for (const name of card.about) refused.add(name);
        }
        return answer;
      },
      emit: (event) => tell(event, parts),
      signal: parts.signal,
    });
    const missing = servers
      .map(({ name }) => name)
      .filter((name) => contributor.servers.state(name)?.kind !== 'running');
    const wantsMore = (name: string): boolean => {
      const address = servers.find((server) => server.name === name)?.address;
      return address != null && signIns.need({ name, url: address.url }) === 'scopes';
    };
    await work({ plan, contributor, contribution, missing, wantsMore });
    if (unanswered.length > 0) {
      const about = [...new Set(unanswered.flatMap((card) => card.about))].join(', ');
      throw new CliFailure(
        3,
        `needs approval: ${oneLine(parts, about)}. Run it in a terminal, or see: gbs mcp approve`,
      );
    }
    const declined = servers.flatMap(({ name, standing }) =>
      missing.includes(name) && (standing.kind === 'declined' || refused.has(name)) ? [name] : [],
    );
    if (names.length > 0 && declined.length > 0) {
      const them = oneLine(parts, declined.join(' '));
      throw new CliFailure(
        3,
        `not started, as you answered: ${them}. To be asked again: gbs mcp approve ${them}`,
      );
    }
    if (names.length > 0 && missing.length > 0) {
      throw new CliFailure(1, `not running: ${oneLine(parts, missing.join(', '))}`);
    }
  } finally {
    await contributor.dispose(parts.signal.aborted);
  }
}

function tell(event: RunEvent, parts: CliParts): void {
  if (event.type === 'phase' && event.phase.kind === 'startingServers') {
    parts.log.info(oneLine(parts, `Starting ${event.phase.names.join(', ')}`));
  } else if (event.type === 'notice') {
    const { fact, cause, remedy } = event.notice;
    parts.log.warn(oneLine(parts, [fact, cause, asTyped(remedy)].join(' ')));
  }
}

function list({ contributor, contribution, missing }: Running, parts: CliParts): void {
  const servers = contributor.servers.standings().map(({ server, state }) => ({
    name: server.name,
    state: state.kind,
    offer: state.kind === 'running' ? state.offer : null,
    tools: contributor.standings().get(server.name) ?? [],
  }));
  const visible = (server: string, tool: string) =>
    contribution.tools.find(
      ({ origin }) => origin.kind === 'mcp' && origin.server === server && origin.tool === tool,
    );
  if (parts.json) {
    parts.printJson({
      servers: servers.map(({ name, state, offer, tools }) => ({
        name,
        state,
        protocolVersion: offer?.peer.protocolVersion ?? null,
        version: offer?.peer.version ?? null,
        instructions: offer?.peer.instructions ?? '',
        problems: offer?.problems ?? [],
        tools: tools.map(({ tool, state: its, why, tokens, readOnly }) => {
          const shown = visible(name, tool);
          return {
            tool,
            state: its,
            why,
            tokens,
            readOnly,
            name: shown?.name ?? null,
            description: shown?.description ?? null,
            inputSchema: shown === undefined ? null : (JSON.parse(shown.parameters) as unknown),
          };
        }),
      })),
      missing,
    });
    return;
  }
  const { out } = parts.screen;
  for (const { name, offer, tools } of servers) {
    if (offer === null) continue;
    const { peer, problems } = offer;
    const facts = `${peer.version}, MCP ${peer.protocolVersion}, ${tools.length} tools`;
    out.line(`${out.paint.bold(oneLine(parts, name))} ${out.paint.dim(oneLine(parts, facts))}`);
    for (const { tool, state, why, readOnly } of tools) {
      const hint = readOnly ? out.paint.dim(' only reads') : '';
      const words = visible(name, tool)?.description ?? '';
      out.line(
        state === 'withheld'
          ? `  ${out.paint.yellow(`${oneLine(parts, tool)} waits for your review: ${why}`)}`
          : `  ${oneLine(parts, tool)}${hint}`,
      );
      if (words !== '') out.line(`    ${out.paint.dim(firstSentence(oneLine(parts, words)))}`);
    }
    for (const problem of problems) parts.log.warn(oneLine(parts, `${name}: ${problem}`));
  }
}

async function call(
  { contributor, contribution, missing, wantsMore }: Running,
  server: string,
  tool: string,
  argumentsJson: string,
  parts: CliParts,
): Promise<void> {
  if (missing.includes(server)) return;
  const offered = contribution.tools.flatMap(({ origin }) =>
    origin.kind === 'mcp' ? [origin.tool] : [],
  );
  if (!offered.includes(tool)) {
    const waits = contributor
      .standings()
      .get(server)
      ?.find((one) => one.tool === tool);
    throw waits === undefined
      ? new CliFailure(
          1,
          `${oneLine(parts, server)} has no tool ${oneLine(parts, tool)}. It has: ${oneLine(parts, offered.join(', '))}`,
        )
      : new CliFailure(3, oneLine(parts, `${server} ${tool} waits for your review: ${waits.why}.`));
  }
  const end = await contributor.servers.call(server, tool, argumentsJson, {
    signal: parts.signal,
    progress: (text) => parts.log.info(oneLine(parts, text)),
  });
  const limits = { server, tool, maxCharacters: WHOLE_CHARACTERS };
  if (end.kind !== 'result') {
    const more = wantsMore(server)
      ? `. It wants more than you agreed to; to see what and sign in again: gbs mcp login ${server}`
      : '';
    throw new CliFailure(1, oneLine(parts, `${failed(end)}${more}`));
  }
  const output = parts.core.toolOutput(end.text, limits);
  if (parts.json) {
    parts.printJson(JSON.parse(end.text) as unknown);
  } else {
    parts.screen.out.line(parts.screen.out.terminal ? shownText(parts, output) : output.shown);
    await save(output, parts);
  }
  if (output.isError) throw new CliFailure(1, 'the tool says that the call failed');
}

/** On a terminal, line by line and without what would steer it. */
export function shownText(parts: CliParts, output: ToolOutput): string {
  return parts.core.visibleText(output.shown);
}

export async function save(output: ToolOutput, parts: CliParts): Promise<void> {
  const folder = join(parts.storage, 'calls');
  for (const { label, mimeType, data } of [...output.attachments, ...output.files]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${Date.now()}-${label.replace(' ', '-')}${endingOf(mimeType)}`;
    await writeFile(join(folder, name), Buffer.from(data, 'base64'), { mode: 0o600 });
    parts.screen.err.line(`${label} is in ${join(folder, name)}`);
  }
}

export function failed(end: Exclude<CallEnd, { kind: 'result' }>): string {
  switch (end.kind) {
    case 'error':
      return `the server refused the call: ${withCode(end.message, String(end.code))}`;
    case 'timedOut':
      return `no answer within ${end.ms / 1000} s; the call may have taken effect`;
    case 'cancelled':
      return 'stopped; the call may have taken effect';
    case 'tooLong':
      return `the answer was over ${end.bytes} bytes and was dropped`;
    case 'broken':
      return 'the answer is not JSON';
    case 'ended':
      return 'the server ended during the call; it may have taken effect';
    case 'dropped':
      return 'the connection broke during the call; it may have taken effect';
    case 'unreached':
      return `the server cannot be reached${end.code === '' ? '' : ` (${end.code})`}; the call was not made`;
    case 'notRunning':
    case 'refused':
      return end.message;
  }
}

/**
 * A server's words and its code; many servers lead their words in with it. A short number in them may
 * be of something else.
 */
function withCode(words: string, code: string): string {
  return code.length > 3 && words.split(/[^\d-]+/).includes(code) ? words : `${words} (${code})`;
}

/** The text of a JSON object, or a usage error. */
function objectText(json: string): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(2, `the arguments are not JSON: ${error.message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CliFailure(2, `the arguments must be a JSON object, such as '{"path":"a.txt"}'`);
  }
  return json;
}

/** Enough of a description to choose by. */
function firstSentence(text: string): string {
  const end = text.search(/[.!?](\s|$)/);
  const sentence = end < 0 ? text : text.slice(0, end + 1);
  return sentence.length > 100 ? `${sentence.slice(0, 99)}…` : sentence;
}
