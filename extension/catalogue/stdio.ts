/** The server over stdin and stdout: one client, until it ends its side. */
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Readable, Writable } from 'node:stream';
import type { Catalogue } from './catalogue.ts';
import { tellChanges, type CatalogueServers, type ConnectedServer } from './server.ts';

export interface StdioParts {
  readonly catalogue: Catalogue;
  readonly servers: CatalogueServers;
  readonly onError: (error: Error) => void;
  /** This process's own, unless told. */
  readonly streams?: { readonly input: Readable; readonly output: Writable };
}

/** Ends when the client does, or with the signal. */
export async function runStdio(parts: StdioParts, signal: AbortSignal): Promise<void> {
  const { catalogue, servers, onError, streams } = parts;
  const transport = new StdioServerTransport(
    streams?.input ?? process.stdin,
    streams?.output ?? process.stdout,
  );
  const connected = new Set<ConnectedServer>();
  const stop = tellChanges(catalogue, {
    listChanged: () => {
      for (const each of connected) told(each, each.server.server.sendResourceListChanged());
    },
    updated: (uri) => {
      for (const each of connected) {
        if (each.wants(uri)) told(each, each.server.server.sendResourceUpdated({ uri }));
      }
    },
  });
  /** A client that has just gone is told nothing any more. */
  const told = ({ server }: ConnectedServer, sent: Promise<void>): void => {
    sent.catch((error: unknown) => {
      if (server.isConnected()) onError(error instanceof Error ? error : new Error(String(error)));
    });
  };
  const ended = new Promise<void>((resolve) => {
    const handle = serveStdio(
      (context) => {
        const created = servers.create(context);
        created.server.server.onclose = () => connected.delete(created);
        connected.add(created);
        return created.server;
      },
      {
        onerror: onError,
        transport: closing(transport, resolve),
      },
    );
    const stopNow = (): void => {
      handle.close().then(resolve, onError);
    };
    if (signal.aborted) stopNow();
    else signal.addEventListener('abort', stopNow, { once: true });
  });
  catalogue.watch();
  await ended;
  stop();
}

/** The transport, saying when it has closed: the SDK's entry keeps that to itself. */
function closing(transport: StdioServerTransport, closed: () => void): StdioServerTransport {
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    closed();
  };
  return transport;
}
