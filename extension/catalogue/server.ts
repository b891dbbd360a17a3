/**
 * The MCP server over a catalogue: one of the SDK's servers for each connection, or for each request
 * over HTTP, in whichever era of the protocol the client speaks. All of them share the catalogue.
 */
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { Core } from '../core.ts';
import { CATALOGUE_SUBSCRIPTIONS } from '../limits.ts';
import type { Catalogue } from './catalogue.ts';
import { PublishedSkills } from './published.ts';
import { catalogueUris, resources, usage } from './texts.ts';
import { tools, type CatalogueTool } from './tools.ts';

export interface ServerParts {
  readonly core: Core;
  readonly catalogue: Catalogue;
  /** Tools beyond the ten. */
  readonly moreTools?: readonly CatalogueTool[];
}

export interface ConnectedServer {
  readonly server: McpServer;
  /** Is the client to be told of updates of this resource? */
  wants(uri: string): boolean;
}

/** What clients of a connection are told when it changes. */
export interface ChangeNotices {
  /** The list of resources is another one. */
  listChanged(): void;
  /** This resource says something else. */
  updated(uri: string): void;
}

export class CatalogueServers {
  readonly #parts: ServerParts;
  readonly #extension: SkillsExtension;

  constructor(parts: ServerParts) {
    const { core, catalogue } = parts;
    this.#parts = parts;
    this.#extension = new SkillsExtension({
      source: new PublishedSkills(core, catalogue),
      onWarning: ({ path, message }) => catalogue.tell(path, 'published', message),
    });
  }

  /** A server that is not connected yet. */
  create({ era }: Pick<McpRequestContext, 'era'>): ConnectedServer {
    const { core, catalogue, moreTools = [] } = this.#parts;
    const server = new McpServer(
      { name: 'gbs-skills-mcp', title: 'Skills', version: core.version() },
      {
        instructions: usage,
        capabilities: { tools: {}, resources: { subscribe: true, listChanged: true } },
      },
    );
    for (const tool of [...tools, ...moreTools]) tool.add(server, { core, catalogue });
    for (const { uri, name, title, description, mimeType, text } of resources) {
      server.registerResource(name, uri, { title, description, mimeType }, async () => ({
        contents: [{ uri, mimeType, text: text(await catalogue.list()) }],
      }));
    }
    this.#extension.attach(server);
    return { server, wants: era === 'legacy' ? subscriptions(server) : () => true };
  }
}

/**
 * Until 2025-11-25 a client subscribes to each resource by a request of its own. Since 2026-07-28 the
 * SDK keeps the subscriptions and drops what nobody asked for.
 */
function subscriptions({ server }: McpServer): (uri: string) => boolean {
  const wanted = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (wanted.size >= CATALOGUE_SUBSCRIPTIONS) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Too many subscriptions');
    }
    wanted.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    wanted.delete(uri);
    return {};
  });
  return (uri) => wanted.has(uri);
}

/** Passes on what changes in the catalogue; gives back how to stop. */
export function tellChanges(catalogue: Catalogue, notices: ChangeNotices): () => void {
  return catalogue.onChange(({ list, ids }) => {
    if (list) {
      notices.listChanged();
      catalogueUris.forEach(notices.updated);
    }
    for (const id of ids) notices.updated(`skill://${encodeURIComponent(id)}/SKILL.md`);
  });
}
