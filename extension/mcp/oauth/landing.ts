/**
 * Where the browser comes back to: a listener on this machine, or nobody, so that the user brings the
 * address. An answer counts by its `state`, which nobody else knows, and by the place it comes to, which
 * belongs to one issuer; anything else is turned away and the sign-in goes on waiting.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Arrivals } from '../../arrivals.ts';
import { SIGN_IN_ADDRESS_CHARACTERS, SIGN_IN_FAREWELL_MS, SIGN_IN_PORT } from '../../limits.ts';
import { SignInFailure } from './failure.ts';
import type { Landing, LandingPlace } from './flow.ts';

const callback = '/callback';
const host = '127.0.0.1';

/** The words of the page that the browser ends at; all are ours. */
export interface LandingWords {
  readonly title: string;
  readonly text: string;
}

/** Listens on the port of `before`, if it is free and this place's, else on any. */
export async function listen(place: LandingPlace, words: LandingWords): Promise<Landing> {
  const server = createServer({ maxHeaderSize: SIGN_IN_ADDRESS_CHARACTERS * 2 });
  const port = await bind(server, portOf(place));
  const redirectUri = addressAt(port, place);
  const arrivals = new Arrivals();
  // What fails once it listens is one connection, and the browser says so; the sign-in goes on waiting.
  server.on('error', () => undefined);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const address = arrivalOf(request, redirectUri);
    const state = address === null ? null : new URL(address).searchParams.get('state');
    const isOurs = state !== null && address !== null && arrivals.take(state, address);
    answer(response, isOurs ? words : null);
  });
  return {
    redirectUri,
    expect: (state) => arrivals.expect(state),
    arrival: (state, signal) => arrivals.of(state, signal),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      // Answers that are under way are written; connections that only wait are not waited for.
      server.closeIdleConnections();
      setTimeout(() => {
        server.closeAllConnections();
      }, SIGN_IN_FAREWELL_MS).unref();
      await closed;
    },
  };
}

/** Nobody listens: `ask` gets the address from the user, once the browser ended at it. */
export function brought(
  place: LandingPlace,
  ask: (signal: AbortSignal) => Promise<string | null>,
  notGiven: () => Error,
): Landing {
  // The port only has to be the same that was registered before.
  const redirectUri = addressAt(portOf(place) || SIGN_IN_PORT, place);
  return {
    redirectUri,
    expect: () => undefined,
    arrival: async (_state, signal) => {
      const address = await ask(signal);
      signal.throwIfAborted();
      return pasted(redirectUri, address, notGiven);
    },
    close: () => Promise.resolve(),
  };
}

/**
 * The address that arrives by itself or that the user brings, whichever is there first. What arrives was
 * taken where it came to, and may look otherwise than the address that the browser was given: an editor
 * in a browser has it handed on.
 */
export function arrivedOrBrought(
  redirectUri: string,
  arrived: Promise<string>,
  ask: () => Promise<string | null>,
  notGiven: () => Error,
): Promise<string> {
  const byHand = async (): Promise<string> => pasted(redirectUri, await ask(), notGiven);
  return Promise.race([arrived, byHand()]);
}

function pasted(redirectUri: string, text: string | null, notGiven: () => Error): string {
  if (text === null || text.trim() === '') throw notGiven();
  return cameTo(redirectUri, text.trim());
}

/** An address that a user brought; throws where the browser did not end at the place it was given. */
function cameTo(redirectUri: string, address: string): string {
  // What is no address at all is said where it is read.
  if (!URL.canParse(address)) return address;
  const [given, came] = [new URL(redirectUri), new URL(address)];
  const same = (['protocol', 'host', 'pathname'] as const).every(
    (part) => given[part] === came[part],
  );
  // What stood in its query still does (RFC 6749, 3.1.2), and may be all that tells one issuer's place
  // from another's.
  const kept = [...given.searchParams.keys()].every((name) =>
    given.searchParams
      .getAll(name)
      .every((value, index) => came.searchParams.getAll(name)[index] === value),
  );
  if (same && kept) return address;
  throw new SignInFailure(
    'wrong-answer',
    'The browser ended at another address than this sign-in gave it.',
    'Nothing was sent. Sign in again, and paste the whole address that the browser ends at.',
  );
}

function pathOf({ own }: LandingPlace): string {
  return own === '' ? callback : `${callback}/${own}`;
}

function addressAt(port: number, place: LandingPlace): string {
  return `http://${host}:${String(port)}${pathOf(place)}`;
}

/** 0 for an address that is not this place's. */
function portOf(place: LandingPlace): number {
  const { before } = place;
  if (before === null || !URL.canParse(before)) return 0;
  const url = new URL(before);
  const ours = url.protocol === 'http:' && url.hostname === host && url.pathname === pathOf(place);
  return ours ? Number(url.port) : 0;
}

async function bind(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    if (port === 0) throw error;
    return bind(server, 0);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Null for a request that is not the browser's way back: another page may send some, too. */
function arrivalOf({ method, url, headers }: IncomingMessage, redirectUri: string): string | null {
  const { origin, host: ownHost, pathname } = new URL(redirectUri);
  if (method !== 'GET' || headers.host !== ownHost || url === undefined) return null;
  if (!url.startsWith('/') || !URL.canParse(url, origin)) return null;
  const address = new URL(url, origin);
  return address.origin === origin && address.pathname === pathname ? address.href : null;
}

function answer(response: ServerResponse, words: LandingWords | null): void {
  const [status, text] = words === null ? [404, 'Not found'] : [200, page(words)];
  response.writeHead(status, {
    'content-type': words === null ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(text);
}

function page({ title, text }: LandingWords): string {
  return `<!doctype html><html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`;
}
