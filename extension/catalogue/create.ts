/**
 * The skills MCP server as a function, for programs of others:
 *
 *     createSkillsServer({ skillsRoot: './skills' }).run({ transport: 'stdio' });
 *     createSkillsServer({ provider: myProvider }).run({ transport: 'streamable-http', port: 8080 });
 */
import { createCore, type Core } from '../core.ts';
import { Catalogue, type CatalogueWarning } from './catalogue.ts';
import { FolderProvider, missingFolder } from './folder-provider.ts';
import { startHttp, type RunningHttp } from './http.ts';
import type { SkillProvider } from './provider.ts';
import { CatalogueServers } from './server.ts';
import { runStdio, type StdioParts } from './stdio.ts';
import type * as declared from './skills-server.d.ts';
import type { CatalogueTool } from './tools.ts';

export { missingFolder } from './folder-provider.ts';
export { Embeddings, semanticTool } from './semantic.ts';
export { smokeTest } from './smoke.ts';

export interface SkillsServerOptions {
  /** Folders of skills, first ones first. */
  readonly skillsRoot?: string | readonly string[];
  /** Other places skills come from; they come after the folders. */
  readonly provider?: SkillProvider | readonly SkillProvider[];
  /** Told once of each skill that cannot be served, and why. */
  readonly onWarning?: (warning: CatalogueWarning) => void;
  /** Told of what failed inside a connection; the connection itself goes on where it can. */
  readonly onError?: (error: Error) => void;
  /** The core to use; one of its own unless told. */
  readonly core?: Core;
  readonly moreTools?: readonly CatalogueTool[];
}

export type RunOptions =
  | {
      readonly transport?: 'stdio';
      readonly streams?: StdioParts['streams'];
      readonly signal?: AbortSignal;
    }
  | {
      readonly transport: 'streamable-http';
      /** 127.0.0.1 unless told. */
      readonly host?: string;
      /** 8080 unless told; 0 for any that is free. */
      readonly port?: number;
      readonly token?: string;
      readonly allowHosts?: readonly string[];
      readonly allowOrigins?: readonly string[];
      readonly signal?: AbortSignal;
      /** Called once clients can connect. */
      readonly onListening?: (url: string) => void;
    };

export interface SkillsServer {
  readonly core: Core;
  readonly catalogue: Catalogue;
  readonly servers: CatalogueServers;
  /** Serves until the client ends (stdio) or the signal fires. */
  run(options?: RunOptions): Promise<void>;
}

export function createSkillsServer(options: SkillsServerOptions): SkillsServer {
  const { onWarning = () => undefined, onError = () => undefined, core = createCore() } = options;
  const roots = listOf<string>(options.skillsRoot);
  const folders = roots.map((root) => new FolderProvider(core, root));
  const others = listOf<SkillProvider>(options.provider);
  refuseWrong(folders.length + others.length, others);
  const missing = roots.map(missingFolder);
  if (others.length === 0 && missing.every((what) => what !== null)) {
    throw new Error(
      `${missing.join('; ')}. Name a folder of skills that is there, and can be read, as skillsRoot`,
    );
  }
  const catalogue = new Catalogue({ core, providers: [...folders, ...others], onWarning });
  // Told now, as nobody may ask for a list for long.
  for (const [number, what] of missing.entries())
    if (what !== null) catalogue.unlisted(number, what);
  const servers = new CatalogueServers({ core, catalogue, moreTools: options.moreTools ?? [] });
  return {
    core,
    catalogue,
    servers,
    run: async (how = {}) => {
      // Programs in JavaScript have nobody who tells them before.
      const { transport = 'stdio' as string } = how;
      if (transport !== 'stdio' && transport !== 'streamable-http') {
        const given = JSON.stringify(transport);
        throw new TypeError(`transport is ${given}, and must be "stdio" or "streamable-http"`);
      }
      const signal = how.signal ?? new AbortController().signal;
      try {
        if (how.transport === 'streamable-http') {
          const { host = '127.0.0.1', port = 8080, token = null } = how;
          const { allowHosts = [], allowOrigins = [] } = how;
          const running = await startHttp(
            { catalogue, servers, onError },
            { host, port, token, allowHosts, allowOrigins },
          );
          how.onListening?.(running.url);
          await stopped(running, signal);
        } else {
          const { streams } = how;
          await runStdio({ catalogue, servers, onError, ...(streams && { streams }) }, signal);
        }
      } finally {
        await catalogue.close();
      }
    },
  };
}

/** What `skills-server.d.ts` tells programs of others is what stands here. */
createSkillsServer satisfies typeof declared.createSkillsServer;

/** A misspelt option would serve no skills, without a word. */
function refuseWrong(count: number, providers: readonly SkillProvider[]): void {
  if (count === 0) {
    throw new TypeError('createSkillsServer takes a skillsRoot, a provider, or both');
  }
  for (const provider of providers) {
    for (const name of ['list', 'stat', 'read', 'listSubdir', 'readSubfile'] as const) {
      if (typeof provider[name] === 'function') continue;
      throw new TypeError(`the provider has no method ${name}`);
    }
  }
}

function listOf<T>(given: T | readonly T[] | undefined): readonly T[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? (given as readonly T[]) : [given as T];
}

async function stopped(running: RunningHttp, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  await running.close();
}
