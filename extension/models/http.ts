/**
 * A `fetch` over Node's own `http` and `https`, for talking to model servers. Node's global one gives
 * up when headers take more than 300 s, which a cold local model can need. The editor replaces these
 * two modules with ones that keep its proxy and certificate settings, so those hold here as well.
 *
 * Redirects are not followed: a prompt goes to the host that was named, to no other.
 */
// Without `node:`, since the editor replaces the modules that are asked for by these very names.
import { request as httpRequest, type IncomingMessage } from 'http';
import { request as httpsRequest } from 'https';
import { Readable } from 'node:stream';
import { MODEL_CONNECT_MS, MODEL_KEEP_ALIVE_MS } from '../limits.ts';
import type { ErrorContext } from './errors.ts';
import { wholeText } from './stream.ts';

/** Gives the JSON of a 2xx answer, else null; rejects when the server is not there. */
export type AskJson = (url: URL, body: string | null, signal: AbortSignal) => Promise<unknown>;

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Asks a server something beside its chat: gives the JSON of a 2xx answer, else null. The key goes
 * only where the caller's URL leads, which is the server it was given for.
 */
export function askJson(fetch: Fetch, context: ErrorContext): AskJson {
  return async (url, body, signal) => {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (context.apiKey !== '') headers['authorization'] = `Bearer ${context.apiKey}`;
    if (body !== null) headers['content-type'] = 'application/json';
    const response = await fetch(url, {
      method: body === null ? 'GET' : 'POST',
      headers,
      signal,
      ...(body === null ? {} : { body }),
    });
    const text = await wholeText(response, context);
    return response.ok ? (JSON.parse(text) as unknown) : null;
  };
}

/** Statuses whose answer has no body, and whose `Response` may not be given one. */
const bodiless = new Set([204, 205, 304]);

/** Waits for headers as long as it takes; the signal of `init` ends it at any byte. */
export const patientFetch: Fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const body = init.body ?? null;
  if (body !== null && typeof body !== 'string') {
    throw new TypeError('only text can be sent to a model server');
  }
  try {
    return await send(url, init, body);
  } catch (error) {
    // A connection that was kept may have been closed by the server while the request was on its
    // way; nothing of it was read then, and a fresh one is tried once.
    if (error instanceof StaleConnection) return send(url, init, body);
    throw error;
  }
};

class StaleConnection extends Error {}

function send(url: URL, init: RequestInit, body: string | null): Promise<Response> {
  const { signal } = init;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortReason(signal));
      return;
    }
    const headers: Record<string, string> = {};
    new Headers(init.headers).forEach((value, name) => {
      headers[name] = value;
    });
    if (body !== null) headers['content-length'] = String(Buffer.byteLength(body));
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: init.method ?? 'GET',
      headers,
    });

    const onAbort = (): void => {
      request.destroy(signal ? abortReason(signal) : undefined);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const connecting = setTimeout(() => {
      const error = new Error(`no connection within ${String(MODEL_CONNECT_MS / 1000)} s`);
      request.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    }, MODEL_CONNECT_MS);
    request.on('socket', (socket) => {
      socket.setKeepAlive(true, MODEL_KEEP_ALIVE_MS);
      const connected = (): void => {
        clearTimeout(connecting);
      };
      if (socket.connecting) {
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
      } else connected();
    });
    request.on('close', () => {
      clearTimeout(connecting);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(connecting);
      signal?.removeEventListener('abort', onAbort);
      const stale = request.reusedSocket && error.code === 'ECONNRESET' && !signal?.aborted;
      reject(stale ? new StaleConnection() : error);
    });
    request.on('response', (message) => {
      clearTimeout(connecting);
      message.once('close', () => signal?.removeEventListener('abort', onAbort));
      resolve(responseOf(message));
    });
    request.end(body ?? undefined);
  });
}

function responseOf(message: IncomingMessage): Response {
  const status = message.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  if (bodiless.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  // Node's own web streams and those of its fetch are one; only their declarations differ.
  const stream = Readable.toWeb(message) as unknown as ReadableStream<Uint8Array>;
  return new Response(stream, { status, headers });
}

function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException('stopped', 'AbortError');
}
