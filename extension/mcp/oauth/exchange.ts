/**
 * One HTTP exchange with an address that a sign-in leads to: bounded in bytes, connected only to the
 * addresses that its name was checked with, and following nothing by itself.
 */
// Without `node:`, since the editor replaces the modules that are asked for by these very names, and
// with them its proxy and certificate settings hold here as well.
import { request as httpRequest, type IncomingMessage } from 'http';
import { request as httpsRequest } from 'https';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { GatheredBytes } from '../../gathered-bytes.ts';
import { SIGN_IN_ANSWER_BYTES } from '../../limits.ts';
import { SignInFailure } from './failure.ts';

export interface Question {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** What the name was resolved to; empty where it could not be, as behind some proxies. */
  readonly addresses: readonly string[];
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The two doors to the network. */
export interface Network {
  /** All addresses of a name; empty where it cannot be resolved. */
  resolve(hostname: string): Promise<readonly string[]>;
  exchange(question: Question, signal: AbortSignal): Promise<Reply>;
}

export const realNetwork: Network = {
  async resolve(hostname) {
    if (isIP(hostname) !== 0) return [hostname];
    return lookup(hostname, { all: true }).then(
      (found) => found.map(({ address }) => address),
      // The request itself then says that it is not there, unless a proxy knows better.
      () => [],
    );
  },
  exchange,
};

function exchange(
  { url, method, headers, body, addresses }: Question,
  signal: AbortSignal,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method,
      headers: {
        ...headers,
        ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
      signal,
      ...(addresses.length === 0 ? {} : { lookup: pinned(addresses) }),
    });
    request.on('error', reject);
    request.on('response', (message) => {
      whole(message, url).then(resolve, (error: unknown) => {
        message.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
    request.end(body ?? undefined);
  });
}

/** Connects to what was checked: the name is not looked up a second time. */
function pinned(addresses: readonly string[]): LookupFunction {
  return (_hostname, options, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    if (options.all === true) done(null, found);
    else done(null, found[0]?.address ?? '', found[0]?.family);
  };
}

async function whole(message: IncomingMessage, url: URL): Promise<Reply> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const status = message.statusCode ?? 502;
  // A stream of events may never end, and nothing here is asked of one.
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
    message.destroy();
    return { status, headers, text: '' };
  }
  const gathered = new GatheredBytes();
  for await (const chunk of message as AsyncIterable<Buffer>) {
    gathered.add(chunk);
    if (gathered.length > SIGN_IN_ANSWER_BYTES) {
      throw new SignInFailure('too-large', `The answer of ${url.origin} is too large.`);
    }
  }
  return { status, headers, text: gathered.bytes.toString('utf8') };
}
