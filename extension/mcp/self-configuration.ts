/**
 * The tools by which the agent configures its own servers: `mcp_list`, `mcp_connect`,
 * `mcp_disconnect`, `mcp_reload`.
 *
 * What they change is there in the next step: each tells the contributor to prepare the run's tools
 * again. A command that no file names is asked about in every mode, by the core's own card; a server
 * of a file starts by its name alone, after its own consent where that is due.
 */
import { orStopped } from '../agent/or-stopped.ts';
import type { Preparation, Workspace } from '../agent/contributor.ts';
import {
  ToolRefusal,
  type Arguments,
  type Subject,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../agent/tool.ts';
import type { Core } from '../core.ts';
import { never } from '../never.ts';
import { tellingLine } from './failures.ts';
import { keepServer, type Kept } from './keep-server.ts';
import type { ApprovedServer, PlannedServer, ServerPlan, ServerPlans } from './plans.ts';
import type { ServerSet, ServerState } from './servers.ts';
import { isAbsent, type Proposal, type SessionServers } from './session-servers.ts';

export interface SelfConfigurationParts {
  readonly core: Core;
  readonly plans: ServerPlans;
  readonly session: SessionServers;
  readonly servers: ServerSet;
  readonly workspace: () => Workspace;
  /** Names of servers that the agent stopped; it may start these again, and no others that stand still. */
  readonly stopped: Set<string>;
  /** The run's tools are to be made again before the next step. */
  changed(): void;
  /** A server that was to start does not run. The prompt stays, unless tools of it stand in it. */
  failed(name: string): void;
}

/** The plan has something to configure: an entry in any state. */
export function hasEntries(plan: ServerPlan): boolean {
  const { servers, shadowed, disabled, problems } = plan;
  return (
    servers.length + shadowed.length + disabled.length > 0 ||
    problems.some(({ server, problem }) => server !== null || problem.severity === 'error')
  );
}

export function selfConfigurationTools(
  parts: SelfConfigurationParts,
  preparation: Preparation,
): readonly Tool[] {
  return [
    listTool(parts),
    connectTool(parts, preparation),
    disconnectTool(parts),
    reloadTool(parts),
  ];
}

const management = {
  origin: { kind: 'management' },
  parallel: false,
  readOnly: false,
} as const;

const nothing = '{"type":"object","properties":{}}';
const nameAlone =
  '{"type":"object","properties":{"name":{"type":"string","description":"As mcp_list gives it."}},"required":["name"]}';
const connection =
  '{"type":"object","properties":{"name":{"type":"string","description":"Alone: a server that mcp_list gives. With command or url: a new name."},"command":{"type":"string","description":"The program of a new server, without its arguments."},"args":{"type":"array","items":{"type":"string"},"description":"Its arguments, each passed as it stands."},"env":{"type":"object","additionalProperties":{"type":"string"},"description":"Variables of its environment."},"cwd":{"type":"string","description":"Its working folder."},"url":{"type":"string","description":"Instead of command: the address of a new server that is reached over HTTP."},"headers":{"type":"object","additionalProperties":{"type":"string"},"description":"Headers that go with url."}},"required":["name"]}';

function listTool(parts: SelfConfigurationParts): Tool {
  return {
    ...management,
    name: 'mcp_list',
    description: 'Lists the MCP servers, how each stands and which tools it has.',
    parameters: nothing,
    line: () => ({ icon: 'server', verb: 'Listed servers', object: '' }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: async () => good(await listed(parts)),
  };
}

function connectTool(parts: SelfConfigurationParts, preparation: Preparation): Tool {
  const proposals = new WeakMap<Subject, Proposal>();
  return {
    ...management,
    name: 'mcp_connect',
    description:
      'Starts an MCP server; its tools can be called from your next step on. Give the name alone for one that mcp_list gives. Give a new name and a command, or a url, for another one: the user is asked.',
    parameters: connection,
    line: (args) => ({ icon: 'server', verb: 'Connected', object: textOf(args.name) }),
    subject: async (args) => {
      const name = nameOf(args);
      if (isAbsent(args.command) && isAbsent(args.url)) {
        const more = ['args', 'env', 'cwd', 'headers'].find((field) => !isAbsent(args[field]));
        if (more !== undefined) {
          throw new ToolRefusal(
            `"${more}" goes with "${more === 'headers' ? 'url' : 'command'}". Give the name alone for a server that is configured.`,
          );
        }
        return { kind: 'harmless' };
      }
      const proposal = await parts.session.propose(name, args);
      const subject: Subject = { kind: 'connect', connect: proposal.question };
      proposals.set(subject, proposal);
      return subject;
    },
    run: async (args, context) => {
      const name = nameOf(args);
      if (isAbsent(args.command) && isAbsent(args.url))
        return startConfigured(parts, name, preparation, context);
      const { allowed } = context;
      const proposal = allowed === undefined ? undefined : proposals.get(allowed.subject);
      if (proposal === undefined)
        throw new ToolRefusal('The user was not asked about this server.');
      return startNew(parts, proposal, allowed?.answer ?? 'deny', context);
    },
  };
}

function disconnectTool(parts: SelfConfigurationParts): Tool {
  return {
    ...management,
    name: 'mcp_disconnect',
    description: 'Stops an MCP server and takes its tools away.',
    parameters: nameAlone,
    line: (args) => ({ icon: 'server', verb: 'Disconnected', object: textOf(args.name) }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: async (args) => {
      const name = nameOf(args);
      const state = parts.servers.state(name);
      const own = parts.session.remove(name);
      if (!own && (state === null || !isUp(state))) {
        return bad(`There is no running server ${JSON.stringify(name)}. See mcp_list.`);
      }
      if (!own) parts.stopped.add(name);
      await parts.servers.stop(name);
      parts.changed();
      return good(
        own
          ? `${JSON.stringify(name)} was ended and is gone.`
          : `${JSON.stringify(name)} was stopped. mcp_connect with its name starts it again.`,
      );
    },
  };
}

function reloadTool(parts: SelfConfigurationParts): Tool {
  return {
    ...management,
    name: 'mcp_reload',
    description:
      'Reads the configuration of the MCP servers again. Before your next step, new and changed ones are started, after the user was asked where that is due, and failed ones are tried again.',
    parameters: nothing,
    line: () => ({ icon: 'server', verb: 'Read servers again', object: '' }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: async () => {
      parts.servers.forgetFailures();
      parts.changed();
      return good(await listed(parts));
    },
  };
}

async function startConfigured(
  parts: SelfConfigurationParts,
  name: string,
  { ask, signal }: Preparation,
  context: ToolContext,
): Promise<ToolResult> {
  const { plans, session, servers, stopped, workspace } = parts;
  const state = servers.state(name);
  if (state?.kind === 'running') return good(`It runs already. ${toolsOf(parts, name, state)}`);
  if (state?.kind === 'stopped' && !stopped.has(name)) {
    return bad(`The user stopped ${JSON.stringify(name)}. They start it in the Servers view.`);
  }
  const own = session.get(name);
  if (own !== null) return started(parts, own, context);
  const plan = await plans.read(workspace());
  const planned = plan.servers.find((server) => server.name === name);
  if (planned === undefined) {
    return bad(`${notThere(plan, name)}\n${await listed(parts)}`);
  }
  const why = whyNot(planned);
  if (why !== '') return bad(why);
  const only = { ...plan, servers: [planned] };
  const [server] = await plans.approve(only, ask, AbortSignal.any([signal, context.signal]));
  if (server === undefined) {
    return bad(`The user did not allow ${JSON.stringify(name)} to start. Do not try it again.`);
  }
  return started(parts, server, context);
}

/** A server that nobody configured and the user allowed just now. */
async function startNew(
  parts: SelfConfigurationParts,
  proposal: Proposal,
  answer: NonNullable<ToolContext['allowed']>['answer'],
  context: ToolContext,
): Promise<ToolResult> {
  const { session } = parts;
  switch (answer) {
    case 'allow':
    case 'allowSession':
      return started(parts, session.grant(proposal), context);
    case 'keepForUser':
    case 'keepInProject': {
      const kept = await keep(parts, proposal, answer);
      if (typeof kept !== 'string') return started(parts, kept, context);
      const result = await started(parts, session.grant(proposal), context);
      return { ...result, text: `${kept} It is there for this session.\n${result.text}` };
    }
    case 'deny':
    case 'notNow':
    case 'decline':
    case 'dismiss':
    case null:
      return bad('The user did not allow it.');
    default:
      return never(answer);
  }
}

/** Writes it where the user chose, and takes their yes as one to what stands there; or why not. */
async function keep(
  { plans, workspace }: SelfConfigurationParts,
  { keep: files, shown, entry }: Proposal,
  answer: 'keepForUser' | 'keepInProject',
): Promise<ApprovedServer | string> {
  if (files === null) return 'It was not kept: a file would not mean the same.';
  const target =
    answer === 'keepForUser'
      ? { path: files.user, within: null }
      : { path: files.project, within: files.folder };
  const kept: Kept = await keepServer(target, shown.server.name, entry);
  if (kept.kind === 'refused') return `It was not kept: ${kept.message}`;
  const adopted = await plans.adopt(workspace(), target.path, shown);
  return (
    adopted ??
    `It was written to ${target.path}, but that, or a file which it names, is no longer as shown.`
  );
}

/** Starts it and says what came of it. */
async function started(
  parts: SelfConfigurationParts,
  server: ApprovedServer,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const { servers, session, stopped } = parts;
  const { name } = server;
  stopped.delete(name);
  await orStopped(servers.start(server), signal);
  const state = servers.state(name);
  if (state?.kind === 'running') {
    parts.changed();
    await servers.settled(name, signal);
    const now = servers.state(name);
    return good(`Connected. ${toolsOf(parts, name, now?.kind === 'running' ? now : state)}`);
  }
  // One of the session that does not start is nothing to keep.
  if (session.get(name) === server) {
    session.remove(name);
    servers.remove(name);
  }
  parts.failed(name);
  return bad(`${JSON.stringify(name)} does not run. ${stateWords(parts, name, state)}`);
}

function toolsOf(
  { core }: SelfConfigurationParts,
  name: string,
  { offer }: Extract<ServerState, { kind: 'running' }>,
): string {
  const names = offer.tools.map((tool) => core.toolName(name, tool.name));
  return names.length === 0
    ? 'It has no tools.'
    : `It has ${names.length} ${names.length === 1 ? 'tool' : 'tools'}, which you can call from your next step on: ${names.join(', ')}`;
}

/** Every entry with its state, for the model. */
async function listed(parts: SelfConfigurationParts): Promise<string> {
  const { plans, session, servers, workspace } = parts;
  const plan = await plans.read(workspace());
  const line = (name: string, words: string): string => `- ${JSON.stringify(name)}: ${words}`;
  const lines = [
    ...session.list().map(({ name }) => {
      return line(name, `for this session. ${stateWords(parts, name, servers.state(name))}`);
    }),
    ...plan.servers.map((server) => {
      const why = whyNot(server);
      const state = servers.state(server.name);
      return line(server.name, why === '' ? stateWords(parts, server.name, state) : why);
    }),
    ...plan.disabled.map(({ name, path }) => line(name, `switched off in ${path}.`)),
    ...plan.shadowed.map(({ name, path, by }) =>
      line(name, `in ${path} is not used: ${by?.path ?? 'another file'} has that name.`),
    ),
    ...plan.problems.flatMap(({ path, server, problem }) =>
      problem.severity === 'error'
        ? [line(server ?? path, `not usable, line ${problem.start.line}: ${problem.message}`)]
        : [],
    ),
  ];
  return lines.length === 0 ? 'There are no servers.' : lines.join('\n');
}

function stateWords(
  parts: SelfConfigurationParts,
  name: string,
  state: ServerState | null,
): string {
  if (state === null) return 'It does not run; mcp_connect starts it.';
  switch (state.kind) {
    case 'starting':
      return 'It is starting.';
    case 'running':
      return `It runs. ${toolsOf(parts, name, state)}`;
    case 'exited':
      return 'It exited; it starts again at the next call.';
    case 'failed': {
      const { fact, remedy, stderr } = state.failure;
      const wrote = tellingLine(stderr);
      return `${fact}${wrote === '' ? '' : ` It wrote: ${JSON.stringify(wrote)}.`} ${remedy}`;
    }
    case 'waits':
      return `It waits for the user. ${state.reason}`;
    case 'stopped':
      return parts.stopped.has(name)
        ? 'You stopped it; mcp_connect starts it again.'
        : 'The user stopped it.';
    default:
      return never(state);
  }
}

/** Why a server of a file may not be started by its name; empty when it may. */
function whyNot({ standing }: PlannedServer): string {
  switch (standing.kind) {
    case 'ready':
    case 'asks':
      return '';
    case 'declined':
      return 'The user put it off. They start it in the Servers view.';
    case 'unavailable':
      return `It cannot start. ${standing.message} ${standing.remedy}`;
    case 'untrusted':
      return 'The user has not trusted this workspace.';
    default:
      return never(standing);
  }
}

function notThere(plan: ServerPlan, name: string): string {
  const off = plan.disabled.find((server) => server.name === name);
  return off === undefined
    ? `There is no server ${JSON.stringify(name)}. To start a new one, give its command or url. There are:`
    : `${JSON.stringify(name)} is switched off in ${off.path}; that is for the user to change.`;
}

function isUp(state: ServerState): boolean {
  return state.kind === 'running' || state.kind === 'starting' || state.kind === 'exited';
}

function nameOf(args: Arguments): string {
  const name = textOf(args.name);
  if (name.trim() === '') throw new ToolRefusal('"name" must be a text that is not empty.');
  return name;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function good(text: string): ToolResult {
  return { text, isError: false };
}

function bad(text: string): ToolResult {
  return { text, isError: true };
}
