/**
 * The server over streamable HTTP, at `/mcp`. Nothing is kept between requests, in either era: there
 * are no sessions to steal, and any number of these processes can stand behind a load balancer, which
 * asks `/health`.
 *
 * In: a request whose Host, Origin and token are checked before a byte of its body is read.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import {
  CATALOGUE_CONNECTIONS,
  CATALOGUE_HEADERS_MS,
  CATALOGUE_REQUEST_BYTES,
  CATALOGUE_REQUEST_MS,
  CATALOGUE_STOP_MS,
} from '../limits.ts';
import { errorCode } from '../error-code.ts';
import type { Catalogue } from './catalogue.ts';
import { tellChanges, type CatalogueServers } from './server.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** What clients must send as `Authorization: Bearer …`; null when nothing is asked. */
  readonly token: string | null;
  /** Names by which clients reach the server, beyond this machine's own. */
  readonly allowHosts: readonly string[];
  /** Hosts of web pages that may call it, beyond this machine's own. */
  readonly allowOrigins: readonly string[];
}

export interface HttpParts {
  readonly catalogue: Catalogue;
  readonly servers: CatalogueServers;
  readonly onError: (error: Error) => void;
}

export interface RunningHttp {
  /** Where clients connect to. */
  readonly url: string;
  /** Takes no more requests, lets those that run come to their end, and ends. */
  close(): Promise<void>;
}

export async function startHttp(parts: HttpParts, options: HttpOptions): Promise<RunningHttp> {
  const { catalogue, servers, onError } = parts;
  const handler = createMcpHandler((context) => servers.create(context).server, {
    onerror: onError,
    maxRequestBodySize: CATALOGUE_REQUEST_BYTES,
  });
  const stop = tellChanges(catalogue, {
    listChanged: handler.notify.resourcesChanged,
    updated: handler.notify.resourceUpdated,
  });
  const answer = toNodeHandler(
    { fetch: withoutConnection(handler.fetch) },
    {
      onerror: onError,
      maxRequestBodySize: CATALOGUE_REQUEST_BYTES,
    },
  );
  const door = new Door(catalogue, options);
  const running = new Running();
  const server = createServer((request, response) => {
    running.add(response, () => {
      if (door.closing) server.closeIdleConnections();
    });
    if (!door.lets(request, response)) return;
    answer(request as Received, response).catch((error: unknown) => {
      onError(error instanceof Error ? error : new Error(String(error)));
      response.destroy();
    });
  });
  server.headersTimeout = CATALOGUE_HEADERS_MS;
  server.requestTimeout = CATALOGUE_REQUEST_MS;
  server.maxConnections = CATALOGUE_CONNECTIONS;
  await listening(server, options);
  catalogue.watch();
  return {
    url: `http://${inUrl(options.host)}:${String(portOf(server))}/mcp`,
    close: async () => {
      stop();
      door.closing = true;
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), CATALOGUE_STOP_MS);
      await running.answered();
      // What is left are the streams of subscriptions, which would stay open for ever. A request that
      // still comes on a connection from before is sent away: a load balancer asks another replica.
      door.shut = true;
      await handler.close();
      await closed;
      clearTimeout(late);
    },
  };
}

/**
 * The SDK promises `keep-alive` for every stream. What becomes of a connection only Node knows: a
 * client that asked for its end, or that a stopping server tells so, would send into a closed one.
 */
function withoutConnection(fetch: McpHttpHandler['fetch']): McpHttpHandler['fetch'] {
  return async (request, options) => {
    const response = await fetch(request, options);
    response.headers.delete('connection');
    return response;
  };
}

/** A request of a server has both; the type is that of a client's response, too. */
type Received = IncomingMessage & { readonly method: string; readonly url: string };

/** The requests that have not got their whole answer. */
class Running {
  readonly #responses = new Set<ServerResponse>();
  #told: (() => void) | null = null;

  add(response: ServerResponse, ended: () => void): void {
    // With a header set before, the ones that are written later can be asked for.
    response.setHeader('cache-control', 'no-store');
    this.#responses.add(response);
    response.once('close', () => {
      this.#responses.delete(response);
      if (this.#isAnswered()) this.#told?.();
      setImmediate(ended);
    });
  }

  /** Resolves when only streams are left. */
  async answered(): Promise<void> {
    if (this.#isAnswered()) return;
    await new Promise<void>((resolve) => {
      this.#told = resolve;
    });
  }

  #isAnswered(): boolean {
    return [...this.#responses].every(
      (response) =>
        response.headersSent && response.getHeader('content-type') === 'text/event-stream',
    );
  }
}

/** What is asked of a request before the protocol sees it. */
class Door {
  /** The server stops: each answer is the last on its connection. */
  closing = false;
  /** Nobody answers any more. */
  shut = false;
  readonly #catalogue: Catalogue;
  readonly #host: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly #origin: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly #token: Buffer | null;

  constructor(catalogue: Catalogue, { host, token, allowHosts, allowOrigins }: HttpOptions) {
    const own = [...localhostAllowedHostnames(), inUrl(host)];
    this.#catalogue = catalogue;
    this.#host = hostHeaderValidation([...own, ...allowHosts.map(inUrl)]);
    this.#origin = originValidation([...own, ...allowOrigins.map(inUrl)]);
    this.#token = token === null ? null : digest(token);
  }

  /** False when the request has got its answer. */
  lets(request: IncomingMessage, response: ServerResponse): boolean {
    // A client that keeps its connection would send the next request into a server that ends.
    if (this.closing) response.setHeader('connection', 'close');
    if (this.shut) {
      end(response, 503, { status: 'stopping' });
      return false;
    }
    const path = (request.url ?? '').split('?', 1)[0];
    if (path === '/health') {
      this.#health(response);
      return false;
    }
    if (!this.#host(request, response) || !this.#origin(request, response)) return false;
    if (!this.#knows(request)) {
      response.setHeader('www-authenticate', 'Bearer');
      end(response, 401, { error: 'This server asks for a token: Authorization: Bearer …' });
      return false;
    }
    if (path === '/mcp') return true;
    end(response, 404, { error: 'The server is at /mcp' });
    return false;
  }

  /** For load balancers: no token, and nothing about the skills but how many there are. */
  #health(response: ServerResponse): void {
    if (this.closing) {
      end(response, 503, { status: 'stopping' });
      return;
    }
    this.#catalogue.list().then(
      (skills) => end(response, 200, { status: 'ok', skills: skills.length }),
      () => end(response, 503, { status: 'failed' }),
    );
  }

  /** Compared as digests of one length, so that neither text nor length shows in the time. */
  #knows({ headers: { authorization } }: IncomingMessage): boolean {
    if (this.#token === null) return true;
    const given = /^bearer +(.+)$/i.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(given), this.#token);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** What was not read of the request is not waited for: its connection ends with the answer. */
function end(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(`${JSON.stringify(body)}\n`);
}

/** An IPv6 address stands in brackets. */
function inUrl(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function listening(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      reject(errorCode(error) === 'EADDRINUSE' ? inUse(host, port, error) : error);
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function inUse(host: string, port: number, cause: Error): Error {
  const where = `${inUrl(host)}:${String(port)}`;
  return new Error(`${where} is taken by another program. Choose another port, or 0 for any`, {
    cause,
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
