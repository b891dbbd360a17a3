/**
 * The exchanges of a session over HTTP.
 *
 * In: what the session wants opened, read and closed. Out: heads of responses, messages, ends, for the
 * session to decide about. Node's own `http` and `https`: its global `fetch` gives up when headers take
 * more than 300 s, and the editor replaces these two modules by ones that keep its proxy and
 * certificates. Nothing is sent twice and no redirection is followed unless the session says so.
 */
// Without `node:`, since the editor replaces the modules that are asked for by these very names.
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'http';
import { request as httpsRequest } from 'https';
import { createParser } from 'eventsource-parser';
import type { Effect, HttpBody, HttpEnd, HttpPlace, HttpResponse } from '../core.ts';
import { errorCode } from '../error-code.ts';
import { GatheredBytes } from '../gathered-bytes.ts';
import {
  HTTP_CONNECT_MS,
  HTTP_EVENT_LINES,
  HTTP_FAREWELL_MS,
  HTTP_KEEP_ALIVE_MS,
  HTTP_LINGER_MS,
  HTTP_MESSAGE_BYTES,
  HTTP_REFUSAL_BYTES,
  HTTP_STALE_TRIES,
  HTTP_UNWANTED_BYTES,
} from '../limits.ts';
import { never } from '../never.ts';
import type { Carried, Carrier, CarrierEvents } from './carrier.ts';
import type { HttpAuthorization } from './http-authorization.ts';
import { OpenLines } from './open-lines.ts';
import type { ApprovedAddress } from './plans.ts';
import { hasAuthorization } from './secrets.ts';

type Open = Extract<Effect, { kind: 'open' }>;
type Trouble = NonNullable<HttpEnd['trouble']>;

/** Headers that say how a message is carried: an entry has no say in them. */
const OURS = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** The server had closed the connection before the request left: nobody carried it out. */
class StaleConnection extends Error {}

/** What kept an exchange from its end. */
class ExchangeError extends Error {
  constructor(
    readonly trouble: Trouble,
    readonly code: string,
  ) {
    super(code);
  }
}

interface Exchange {
  readonly open: Open;
  readonly stopped: AbortController;
  /** What the session wants done with the body. */
  body: HttpBody | null;
  request: ClientRequest | null;
  /** The authorization that it was sent with. */
  sent: Readonly<Record<string, string>>;
}

export class HttpExchanges implements Carrier {
  readonly pid = undefined;
  readonly tail = '';
  readonly #server: ApprovedAddress;
  readonly #authorization: HttpAuthorization;
  /** Its entry says itself who calls. */
  readonly #own: boolean;
  readonly #events: CarrierEvents;
  /** Told of every value that is sent as authorization, so that no log repeats it. */
  readonly #secret: (value: string) => void;
  readonly #exchanges = new Map<number, Exchange>();
  #ended: (() => void) | null = null;

  constructor(
    server: ApprovedAddress,
    authorization: HttpAuthorization,
    events: CarrierEvents,
    secret: (value: string) => void,
  ) {
    this.#server = server;
    this.#authorization = authorization;
    this.#own = hasAuthorization(server.headers);
    this.#events = events;
    this.#secret = secret;
  }

  carry(effect: Carried): void {
    switch (effect.kind) {
      case 'open': {
        const stopped = new AbortController();
        const exchange: Exchange = { open: effect, stopped, body: null, request: null, sent: {} };
        this.#exchanges.set(effect.exchange, exchange);
        void this.#run(exchange);
        return;
      }
      case 'read': {
        const exchange = this.#exchanges.get(effect.exchange);
        if (exchange !== undefined) exchange.body = effect.body;
        return;
      }
      case 'abort':
        this.#abort(effect.exchange);
        return;
      case 'send':
        // A session over HTTP has no line of its own.
        return;
      default:
        never(effect);
    }
  }

  async stop(): Promise<void> {
    this.#events.input((session) => session.close());
    if (this.#exchanges.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, HTTP_FAREWELL_MS);
        this.#ended = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const number of [...this.#exchanges.keys()]) this.#abort(number);
  }

  #abort(number: number): void {
    const exchange = this.#exchanges.get(number);
    this.#forget(number);
    exchange?.stopped.abort();
    exchange?.request?.destroy();
  }

  #forget(number: number): void {
    this.#exchanges.delete(number);
    if (this.#exchanges.size === 0) this.#ended?.();
  }

  async #run(exchange: Exchange): Promise<void> {
    const { exchange: number } = exchange.open;
    try {
      const response = await this.#send(exchange);
      if (exchange.stopped.signal.aborted) {
        response.destroy();
        return;
      }
      const head = headOf(response, this.#addressOf(exchange));
      this.#events.input((session) => session.responded(number, head));
      await this.#read(exchange, response);
    } catch (error) {
      if (exchange.stopped.signal.aborted) return;
      const known = error instanceof ExchangeError;
      const trouble = known ? error.trouble : 'dropped';
      const code = known ? error.code : (errorCode(error) ?? String(error));
      this.#forget(number);
      this.#events.input((session) => session.ended(number, { trouble, code }));
    }
  }

  #addressOf({ open }: Exchange): URL {
    return new URL(open.url ?? this.#server.url);
  }

  /** Sends it; after a refusal that a sign-in can mend, once more. */
  async #send(exchange: Exchange): Promise<IncomingMessage> {
    const response = await this.#sendOnce(exchange);
    const { statusCode: status = 0 } = response;
    if (this.#own || (status !== 401 && status !== 403)) return response;
    const wwwAuthenticate = response.headers['www-authenticate'] ?? null;
    this.#events.waits(true);
    let again: boolean;
    try {
      const { signal } = exchange.stopped;
      const refusal = { status, wwwAuthenticate, sent: exchange.sent };
      again = await this.#authorization.refused(this.#server, refusal, signal);
    } finally {
      this.#events.waits(false);
    }
    if (!again || exchange.stopped.signal.aborted) return response;
    drop(response);
    return this.#sendOnce(exchange);
  }

  async #sendOnce(exchange: Exchange): Promise<IncomingMessage> {
    const headers: Record<string, string> = {};
    for (const { name, value } of this.#server.headers) {
      if (!OURS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
    }
    exchange.sent = this.#own ? {} : await this.#authorization.headers(this.#server);
    for (const [name, value] of Object.entries(exchange.sent)) {
      headers[name.toLowerCase()] = value;
      this.#secret(value);
      this.#secret(value.slice(value.lastIndexOf(' ') + 1));
    }
    for (const { name, value } of exchange.open.headers) headers[name.toLowerCase()] = value;
    for (let tries = 1; ; tries += 1) {
      try {
        return await send(exchange, this.#addressOf(exchange), { ...headers });
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
        if (tries >= HTTP_STALE_TRIES) throw new ExchangeError('unreached', 'ECONNRESET');
        // Others that were kept may have been closed with it: they are seen to be by now.
        await new Promise<void>(afterWhatCame);
      }
    }
  }

  async #read(exchange: Exchange, response: IncomingMessage): Promise<void> {
    const { exchange: number } = exchange.open;
    switch (exchange.body) {
      case 'message': {
        const body = await wholeOf(response, HTTP_MESSAGE_BYTES);
        if (body === null) throw new ExchangeError('tooLong', '');
        this.#forget(number);
        this.#events.input((session) => session.message(body));
        this.#events.input((session) => session.ended(number, {}));
        return;
      }
      case 'events': {
        const end = await this.#readEvents(exchange, response);
        if (exchange.stopped.signal.aborted) return;
        this.#forget(number);
        this.#events.input((session) => session.ended(number, end));
        return;
      }
      case 'refusal': {
        const text = await beginningOf(response, HTTP_REFUSAL_BYTES);
        this.#forget(number);
        this.#events.input((session) => session.refused(number, text));
        return;
      }
      case 'nothing':
      case null:
        this.#forget(number);
        drop(response);
        return;
      default:
        never(exchange.body);
    }
  }

  /** Gives on each event; tells how the stream ended. */
  #readEvents({ open, stopped }: Exchange, response: IncomingMessage): Promise<HttpEnd> {
    const { exchange: number } = open;
    const base = new URL(open.url ?? this.#server.url);
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    return new Promise((resolve) => {
      const end: { lastEventId?: string; retryMs?: number } = {};
      let linger: NodeJS.Timeout | null = null;
      let tooLong = false;
      const lines = new OpenLines();
      const finish = (trouble: Trouble | null, code = ''): void => {
        if (linger !== null) clearTimeout(linger);
        resolve({ ...end, code, ...(trouble === null ? {} : { trouble }) });
      };
      const onEvent = (event: string | undefined, data: string): void => {
        if (stopped.signal.aborted) return;
        if (event === 'endpoint') {
          const place = placeOf(data, base);
          if (place !== null) this.#events.input((session) => session.endpoint(number, place));
        } else if (data !== '' && (event === undefined || event === '' || event === 'message')) {
          this.#events.input((session) => session.message(encoder.encode(data)));
        }
        // A server should close the stream after its answer; one that does not is not waited for.
        this.#events.input((session) => {
          if (linger === null && session.hasAnswer(number)) {
            linger = setTimeout(() => response.destroy(), HTTP_LINGER_MS);
            linger.unref();
          }
          return [];
        });
      };
      const parser = createParser({
        maxBufferSize: HTTP_MESSAGE_BYTES,
        onEvent: ({ id, event, data }) => {
          if (id !== undefined && id !== '') end.lastEventId = id;
          onEvent(event, data);
        },
        onRetry: (ms) => {
          end.retryMs = Math.min(ms, 0xffff_ffff);
        },
        onError: ({ type }) => {
          if (type === 'max-buffer-size-exceeded') tooLong = true;
        },
      });
      response.on('data', (chunk: Buffer) => {
        if (tooLong || stopped.signal.aborted) return;
        const text = decoder.decode(chunk, { stream: true });
        parser.feed(text);
        if (lines.add(text) > HTTP_EVENT_LINES) tooLong = true;
        if (tooLong) response.destroy();
      });
      response.on('end', () => finish(tooLong ? 'tooLong' : null));
      response.on('error', (error) =>
        finish(tooLong ? 'tooLong' : 'dropped', errorCode(error) ?? ''),
      );
      response.on('close', () => finish(tooLong ? 'tooLong' : 'dropped'));
    });
  }
}

/** Waits for the head of the response as long as it takes. */
function send(
  exchange: Exchange,
  url: URL,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const { open, stopped } = exchange;
  return new Promise((resolve, reject) => {
    if (stopped.signal.aborted) {
      reject(new ExchangeError('unreached', 'ABORT_ERR'));
      return;
    }
    const isTls = url.protocol === 'https:';
    let connected = false;
    let given = false;
    let request: ClientRequest;
    const body = open.body === '' ? null : Buffer.from(open.body);
    if (body !== null) headers['content-length'] = String(body.byteLength);
    try {
      request = (isTls ? httpsRequest : httpRequest)(url, { method: open.method, headers });
    } catch (error) {
      reject(new ExchangeError('unreached', errorCode(error) ?? String(error)));
      return;
    }
    exchange.request = request;
    const connecting = setTimeout(() => {
      request.destroy(Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' }));
    }, HTTP_CONNECT_MS);
    const give = (): void => {
      if (request.destroyed) return;
      given = true;
      request.end(body ?? undefined);
    };
    const failure = (error: Error & { syscall?: string }): Error => {
      // A write that failed took no part of the request that a server could act on.
      if (request.reusedSocket && (!given || error.syscall === 'write'))
        return new StaleConnection();
      return new ExchangeError(connected ? 'dropped' : 'unreached', errorCode(error) ?? '');
    };
    request.on('socket', (socket) => {
      const stands = (): void => {
        connected = true;
        clearTimeout(connecting);
      };
      if (!socket.connecting) {
        stands();
        if (request.reusedSocket) afterWhatCame(give);
        else give();
        return;
      }
      socket.setKeepAlive(true, HTTP_KEEP_ALIVE_MS);
      socket.setNoDelay(true);
      socket.once(isTls ? 'secureConnect' : 'connect', stands);
      give();
    });
    request.on('error', (error) => {
      clearTimeout(connecting);
      reject(failure(error));
    });
    request.on('close', () => {
      clearTimeout(connecting);
      reject(failure(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    });
    request.on('response', resolve);
  });
}

/**
 * Acts once everything that had arrived was read. A server may have closed a connection that was kept,
 * and while this process was busy nobody saw; the loop looks between one immediate and the next.
 */
function afterWhatCame(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

function headOf(response: IncomingMessage, base: URL): HttpResponse {
  const { statusCode, headers } = response;
  const sessionId = headers['mcp-session-id'];
  const location = headers.location === undefined ? null : placeOf(headers.location, base);
  return {
    status: statusCode ?? 0,
    contentType: headers['content-type'] ?? '',
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    ...(location === null ? {} : { location }),
  };
}

function placeOf(text: string, base: URL): HttpPlace | null {
  if (!URL.canParse(text, base.href)) return null;
  const url = new URL(text, base);
  // The origin of a `blob:` address is the one that stands in it.
  const sameOrigin = url.origin === base.origin && url.protocol === base.protocol;
  return { href: url.href, sameOrigin };
}

/** The whole body; null when it is over `most` bytes, and then the connection is closed. */
async function wholeOf(response: IncomingMessage, most: number): Promise<Buffer | null> {
  const gathered = new GatheredBytes();
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      gathered.add(chunk);
      if (gathered.length <= most) return;
      resolve(null);
      response.destroy();
    });
    response.on('end', () => resolve(gathered.bytes));
    response.on('error', reject);
    response.on('close', () => reject(new ExchangeError('dropped', 'ECONNRESET')));
  });
}

/** The beginning of the body as text; what broke off counts as well. */
async function beginningOf(response: IncomingMessage, most: number): Promise<string> {
  const gathered = new GatheredBytes();
  return new Promise((resolve) => {
    const done = (): void => resolve(gathered.bytes.subarray(0, most).toString());
    response.on('data', (chunk: Buffer) => {
      gathered.add(chunk);
      if (gathered.length > most) response.destroy();
    });
    response.on('error', done);
    response.on('close', done);
    response.on('end', done);
  });
}

/** Lets a body go, so that its connection can be used again; one that does not end is cut off. */
function drop(response: IncomingMessage): void {
  let length = 0;
  const late = setTimeout(() => response.destroy(), HTTP_LINGER_MS);
  response.once('close', () => clearTimeout(late));
  response.on('data', (chunk: Buffer) => {
    length += chunk.byteLength;
    if (length > HTTP_UNWANTED_BYTES) response.destroy();
  });
  response.on('error', () => response.destroy());
}
