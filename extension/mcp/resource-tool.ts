/** The tool by which the model lists and reads resources of the running servers that have some. */
import { ToolRefusal, type Arguments, type Tool } from '../agent/tool.ts';
import type { Core } from '../core.ts';
import type { Elicit } from './elicitation.ts';
import type { ServerOffers, ServerResource } from './offers.ts';
import { endWords, saved, type ServerPlace } from './server-tool.ts';

export interface ResourceToolParts {
  readonly core: Core;
  readonly offers: ServerOffers;
  /** Names of the servers that have resources, at least one. */
  readonly servers: readonly string[];
  /** Characters of a result that the model gets. */
  readonly maxCharacters: number;
  /** Where a server is and where it comes from, for the card. */
  readonly place: (server: string) => ServerPlace;
  readonly elicit: (server: string, during: string) => Elicit | null;
}

/** Its name for the model, and for who allows it beforehand. */
export const READ_RESOURCE = 'mcp_read_resource';

/** The name of what a call does, where names of tools stand. */
const LIST = 'resources/list';
const READ = 'resources/read';

export function resourceTool(parts: ResourceToolParts): Tool {
  const { core, offers, servers, maxCharacters } = parts;
  const uriOf = ({ uri }: Arguments): string => (typeof uri === 'string' ? uri : '');
  const serverOf = ({ server }: Arguments): string => {
    const name = typeof server === 'string' ? server : '';
    if (!servers.includes(name)) {
      throw new ToolRefusal(
        `No server ${JSON.stringify(name)} has resources. These have: ${servers.join(', ')}.`,
      );
    }
    return name;
  };
  return {
    name: READ_RESOURCE,
    description:
      'Reads a resource of an MCP server by its address (uri). Without a uri: lists what the server has.',
    parameters: JSON.stringify({
      type: 'object',
      properties: {
        server: { type: 'string', enum: servers },
        uri: { type: 'string', description: 'As the list or a link gives it.' },
      },
      required: ['server'],
    }),
    origin: { kind: 'management' },
    parallel: true,
    readOnly: true,
    line: (args) => ({
      icon: 'server',
      verb: uriOf(args) === '' ? 'Listed resources' : 'Read resource',
      object: `${String(args.server)} ${uriOf(args)}`.trim(),
    }),
    subject: (args) => {
      const server = serverOf(args);
      const lists = uriOf(args) === '';
      return Promise.resolve({
        kind: 'mcp',
        server: {
          server,
          tool: lists ? LIST : READ,
          description: lists ? 'Lists its resources.' : 'Reads one of its resources.',
          readOnly: true,
          ...parts.place(server),
        },
      });
    },
    run: async (args, context) => {
      const server = serverOf(args);
      const uri = uriOf(args);
      const { signal } = context;
      if (uri === '') {
        const { items, problem } = await offers.resources(server, signal);
        const text = [...items.map(line), problem].filter((part) => part !== '').join('\n');
        const content = JSON.stringify({ content: [{ type: 'text', text }] });
        return saved(core.toolOutput(content, { server, tool: LIST, maxCharacters }), context);
      }
      const end = await offers.read(server, uri, { signal, elicit: parts.elicit(server, uri) });
      const limits = { server, tool: READ, maxCharacters };
      if (end.kind === 'result') return saved(core.toolOutput(end.text, limits), context);
      if (end.kind === 'error') {
        return saved(core.toolError(end.message, end.data ?? '', limits), context);
      }
      return { text: endWords(end, server), isError: true };
    },
  };
}

/** A resource as a line, for a model or a person. */
function line({ uri, template, name, description, mimeType }: ServerResource): string {
  const facts = [name, mimeType, description].filter((part) => part !== '').join(', ');
  const kind = template ? ' (fill in what stands in braces)' : '';
  return `${uri}${kind}${facts === '' ? '' : `: ${facts}`}`.replaceAll(/\s*\n\s*/g, ' ');
}
