/**
 * A server's tool as the agent's tool.
 *
 * The model sees its definition as it was approved; a call is carried out only while the server
 * still defines it so. Results come back limited and marked as data; what does not fit or is no text
 * is saved beside them.
 */
import type { Workspace } from '../agent/contributor.ts';
import { pathBelow } from '../agent/folder-names.ts';
import type { Tool, ToolContext, ToolResult } from '../agent/tool.ts';
import type { Core, ServerCall, ToolDefinition, ToolOutput } from '../core.ts';
import { never } from '../never.ts';
import type { ServerTools } from './connection.ts';
import type { Elicit } from './elicitation.ts';
import type { ApprovedServer } from './plans.ts';
import type { CallEnd, ServerSet } from './servers.ts';

export interface ServerToolParts {
  readonly core: Core;
  readonly servers: ServerSet;
  readonly server: ApprovedServer;
  /** As approved. */
  readonly definition: ToolDefinition;
  /** Where its calls go and where it is written, for their cards. */
  readonly place: ServerPlace;
  /** Characters of a result that the model gets. */
  readonly maxCharacters: number;
  /** Asks the user what the server wants to know meanwhile; null where nobody can answer. */
  readonly elicit: Elicit | null;
}

export function serverTool(parts: ServerToolParts): Tool {
  const { core, server, definition } = parts;
  const readOnly = definition.hints.readOnly === true;
  /** What was said of an offer: it stays the same object until the server's list changes. */
  const looked = new WeakMap<ServerTools, string | null>();
  const refuse = (offer: ServerTools): string | null => {
    const known = looked.get(offer);
    if (known !== undefined) return known;
    const said = changed(parts, offer);
    looked.set(offer, said);
    return said;
  };
  return {
    name: core.toolName(server.name, definition.name),
    description: definition.description,
    parameters: core.toolParameters(definition.inputSchema),
    origin: { kind: 'mcp', server: server.name, tool: definition.name },
    parallel: readOnly,
    readOnly,
    line: () => ({
      icon: 'server',
      verb: 'Called',
      object: `${server.name} ${definition.name}`,
    }),
    subject: () =>
      Promise.resolve({
        kind: 'mcp',
        server: {
          server: server.name,
          tool: definition.name,
          description: definition.description,
          readOnly,
          ...parts.place,
        },
      }),
    run: (args, context) => run(parts, JSON.stringify(args), refuse, context),
  };
}

/** Where a call's arguments go, by host alone: the rest of an address may hold what is secret. */
function hostWords(url: string): string {
  return new URL(url).host;
}

/** Where what a call carries goes to, and where its server is written. */
export type ServerPlace = Pick<ServerCall, 'goesTo' | 'from'>;

/**
 * The same for its card. `remote`: we run on another machine than the user's, where a program is
 * started too.
 */
export function placeOf(
  server: ApprovedServer,
  { folders }: Pick<Workspace, 'folders'>,
  remote: boolean,
): ServerPlace {
  const machine = remote ? 'the machine that this window works on' : 'this computer';
  return {
    goesTo: server.kind === 'program' ? `a program on ${machine}` : hostWords(server.url),
    from: whereFrom(server, folders),
  };
}

function whereFrom(server: ApprovedServer, folders: readonly string[]): string {
  if (server.path === 'gbsAgent.mcpServers') return 'your setting gbsAgent.mcpServers';
  if (server.origin === 'agent') return 'this session: the agent connected it, you allowed it';
  return pathBelow(server.path, folders);
}

async function run(
  parts: ServerToolParts,
  argumentsJson: string,
  refuse: (offer: ServerTools) => string | null,
  context: ToolContext,
): Promise<ToolResult> {
  const { core, servers, server, definition, maxCharacters } = parts;
  const limits = { server: server.name, tool: definition.name, maxCharacters };
  const end = await servers.call(server.name, definition.name, argumentsJson, {
    signal: context.signal,
    progress: (text) => context.progress(text),
    refuse,
    ...(parts.elicit === null ? {} : { elicit: parts.elicit }),
  });
  if (end.kind === 'result') return saved(core.toolOutput(end.text, limits), context);
  if (end.kind === 'error') {
    return saved(core.toolError(end.message, end.data ?? '', limits), context);
  }
  return { text: endWords(end, server.name), isError: true };
}

/** Why the tool may not be called as it is defined now; null when it is as approved. */
function changed({ core, server, definition }: ServerToolParts, offer: ServerTools): string | null {
  const now = offer.tools.find((tool) => tool.name === definition.name);
  if (now === undefined) return `The server no longer offers the tool ${definition.name}.`;
  const account = (tool: ToolDefinition): Parameters<Core['compareTools']>[0] => ({
    server: server.name,
    version: '',
    instructions: '',
    tools: [tool],
  });
  return core.compareTools(account(definition), account(now)).changes.length === 0
    ? null
    : `The tool ${definition.name} changed since the user approved it: it waits for the user.`;
}

/** The result with what had to be saved beside it. The notes are ours and stand outside of the data. */
export async function saved(output: ToolOutput, context: ToolContext): Promise<ToolResult> {
  const notes: string[] = [];
  if (output.whole !== null) {
    const path = await context.save(output.whole, '.txt');
    notes.push(
      `The whole result, ${output.characters} characters, is in ${path}; read_file reads it in pieces.`,
    );
  }
  for (const { label, mimeType, data } of [...output.attachments, ...output.files]) {
    const path = await context.save(Buffer.from(data, 'base64'), endingOf(mimeType));
    notes.push(`${label} is in ${path}.`);
  }
  return {
    text: [output.text, ...notes].join('\n'),
    isError: output.isError,
    attachments: output.attachments.map(({ mimeType, data }) => ({ mimeType, data })),
    shown: { kind: 'text', text: output.shown },
    ...(output.isError ? { measure: 'error' } : {}),
  };
}

/** By the types that results have; an unknown one is bytes. */
export function endingOf(mimeType: string): string {
  const endings: Readonly<Record<string, string>> = {
    'image/png': '.png',
    'image/jpeg': '.jpg',
    'image/gif': '.gif',
    'image/webp': '.webp',
    'image/svg+xml': '.svg',
    'audio/wav': '.wav',
    'audio/mpeg': '.mp3',
    'audio/ogg': '.ogg',
    'application/pdf': '.pdf',
    'application/zip': '.zip',
    'application/gzip': '.gz',
  };
  const known = mimeType.toLowerCase();
  return Object.hasOwn(endings, known) ? (endings[known] ?? '.bin') : '.bin';
}

/** For the model: what happened, and what to do. */
export function endWords(
  end: Exclude<CallEnd, { kind: 'result' } | { kind: 'error' }>,
  server: string,
): string {
  switch (end.kind) {
    case 'timedOut':
      return `No answer from ${server} within ${end.ms / 1000} s. The call was given up; it may have taken effect. Check before you call it again.`;
    case 'cancelled':
      return `The user stopped the call. It may have taken effect.`;
    case 'tooLong':
      return `The answer of ${server} was over ${end.bytes} bytes and was dropped. The call has taken effect. Ask for less.`;
    case 'broken':
      return `The answer of ${server} is not JSON and cannot be used. The call may have taken effect.`;
    case 'ended':
      return `The server ${server} ended during this call. It may have taken effect; it was not repeated. Check before you call it again.`;
    case 'dropped':
      return `The connection to ${server} broke during this call. It may have taken effect; it was not repeated. Check before you call it again.`;
    case 'unreached':
      return `The server ${server} cannot be reached${end.code === '' ? '' : ` (${end.code})`}. The call was not made. Go on without it, and tell the user.`;
    case 'notRunning':
      return `The server ${server} cannot be called. ${end.message} Go on without it, and tell the user.`;
    case 'refused':
      return `${end.message} Go on without it.`;
    default:
      return never(end);
  }
}
