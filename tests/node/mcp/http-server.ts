/**
 * A server over HTTP that the tests own: well-behaved, but for what a test changes about it.
 *
 * A test gives `misbehave`, which sees every request first and says whether it dealt with it.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly verb: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The method of the message, or empty. */
  readonly method: string;
  readonly id: number;
  readonly params: Readonly<Record<string, unknown>>;
}

/** True where it dealt with the request. */
export type Misbehave = (asked: Asked, response: ServerResponse) => boolean;

export interface OwnServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Requests of this method so far. */
  count(method: string): number;
  misbehave: Misbehave;
  close(): Promise<void>;
}

export function json(response: ServerResponse, id: number, result: object): void {
  response.setHeader('content-type', 'application/json');
  // On lines of its own: an answer over HTTP may be written as its author likes.
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }, null, 1));
}

export function event(message: object, id = ''): string {
  const name = id === '' ? '' : `id: ${id}\n`;
  return `${name}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

export function stream(response: ServerResponse, ...events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(events.join(''));
}

export const said = (text: string): object => ({ content: [{ type: 'text', text }] });

function well({ verb, method, id, params, headers }: Asked, response: ServerResponse): void {
  if (verb !== 'POST') {
    response.writeHead(verb === 'DELETE' ? 204 : 405).end();
    return;
  }
  switch (method) {
    case 'initialize':
      response.setHeader('mcp-session-id', `session-${Math.random().toString(36).slice(2)}`);
      json(response, id, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'own', version: '1.0.0' },
      });
      return;
    case 'tools/list':
      json(response, id, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
      return;
    case 'tools/call':
      json(response, id, said(`${JSON.stringify(params.arguments)} ${String(headers['x-team'])}`));
      return;
    case 'server/discover':
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not initialized"}}',
      );
      return;
    default:
      response.writeHead(202).end();
  }
}

export async function ownServer(misbehave: Misbehave = () => false, port = 0): Promise<OwnServer> {
  const asked: Asked[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const message = (body === '' ? {} : JSON.parse(body)) as Partial<Asked>;
      const one: Asked = {
        verb: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        method: message.method ?? '',
        id: message.id ?? 0,
        params: message.params ?? {},
      };
      asked.push(one);
      if (!own.misbehave(one, response)) well(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const own: OwnServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    misbehave,
    count: (method) => asked.filter((each) => each.method === method).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return own;
}

/** A server that floods the stream of every call until the connection is closed, and never answers. */
export class Flood {
  /** Messages that were written, in hundreds of each kind. */
  batches = 0;
  closed = 0;

  readonly misbehave: Misbehave = ({ method, params }, response) => {
    if (method !== 'tools/call') return false;
    const { progressToken } = params['_meta'] as { progressToken: number };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.on('close', () => (this.closed += 1));
    const more = (): void => {
      if (response.destroyed) return;
      this.batches += 1;
      const first = this.batches * 100;
      const text = Array.from({ length: 100 }, (_, n) => floodOf(progressToken, first + n)).join(
        '',
      );
      if (response.write(text)) setImmediate(more);
      else response.once('drain', more);
    };
    more();
    return true;
  };
}

/** Progress, a line of log, changed lists, and a question. */
function floodOf(progressToken: number, progress: number): string {
  const requestedSchema = { type: 'object', properties: { bed: { type: 'string' } } };
  const question = { message: `Which bed is dry, ${String(progress)}?`, requestedSchema };
  return [
    event({ method: 'notifications/progress', params: { progressToken, progress } }),
    event({ method: 'notifications/message', params: { level: 'error', data: 'flood' } }),
    event({ method: 'notifications/tools/list_changed' }),
    event({ method: 'notifications/resources/list_changed' }),
    event({ id: `ask-${String(progress)}`, method: 'elicitation/create', params: question }),
  ].join('');
}
