/**
 * Servers and authorization servers that mean ill or are broken. They are one real HTTP server of the
 * tests' own that answers for all names; only where a name leads is made up here.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realNetwork, type Network } from '../../../extension/mcp/oauth/exchange.ts';
import { SignInFailure } from '../../../extension/mcp/oauth/failure.ts';
import type { Landing, SignInDesk } from '../../../extension/mcp/oauth/flow.ts';
import { SignIns } from '../../../extension/mcp/oauth/sign-ins.ts';
import { MemorySecrets } from './oauth-bed.ts';

export type Json = Readonly<Record<string, unknown>>;
export interface Raw {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
export type Answers = Readonly<Record<string, Json | Raw>>;

export const server = 'https://mcp.example/mcp';
export const resourcePlace = 'https://mcp.example/.well-known/oauth-protected-resource/mcp';
export const rootPlace = 'https://mcp.example/.well-known/oauth-protected-resource';
export const issuer = 'https://auth.example';
export const issuerPlace = `${issuer}/.well-known/oauth-authorization-server`;
export const openIdPlace = `${issuer}/.well-known/openid-configuration`;

export const resource = {
  resource: server,
  authorization_servers: [issuer],
  scopes_supported: ['files:read'],
};
export const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  code_challenge_methods_supported: ['S256'],
};
/** Everything as it should be. */
export const good: Answers = {
  [server]: { status: 401, headers: { 'www-authenticate': 'Bearer' } },
  [resourcePlace]: resource,
  [issuerPlace]: metadata,
  [`${issuer}/register`]: { status: 201, body: '{"client_id":"ours"}' },
  [`${issuer}/token`]: { access_token: 'token', token_type: 'Bearer' },
};

export interface Case {
  /** What is answered otherwise. */
  readonly answers?: Answers;
  /** Where names lead that are not out in the public. */
  readonly names?: Readonly<Record<string, string>>;
  readonly url?: string;
  /** What the browser comes back with, beside code and state; null leaves one of ours out. */
  readonly back?: Readonly<Record<string, string | null>>;
  /** Who the user and the browser are, where it is not somebody who agrees and comes back. */
  readonly desk?: SignInDesk;
}

export interface Attempt {
  /** The code of the failure, or the headers that came of it. */
  readonly outcome: unknown;
  /** Addresses that were asked, in their order. */
  readonly asked: readonly string[];
  /** What was sent to each, as it was last. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Pages that the browser was sent to. */
  readonly opened: readonly string[];
}

/** The world of one test file. */
export class Hostile {
  #answers: Answers = {};
  readonly #real: Server = createServer((request, response) => {
    const { host = '' } = request.headers;
    const found =
      this.#answers[`${String(request.headers['x-scheme'])}//${host}${request.url ?? ''}`];
    const raw: Raw =
      found === undefined
        ? { status: 404 }
        : isRaw(found)
          ? found
          : { status: 200, body: JSON.stringify(found) };
    response.writeHead(raw.status, { 'content-type': 'application/json', ...raw.headers });
    response.end(raw.body ?? '');
  });

  start(): Promise<void> {
    return new Promise((resolve) => this.#real.listen(0, '127.0.0.1', resolve));
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#real.close(() => resolve());
      this.#real.closeAllConnections();
    });
  }

  /** Signs in once, with everything as it should be but what the case says. */
  async attempt({
    answers: other = {},
    names = {},
    url = server,
    back = {},
    desk,
  }: Case): Promise<Attempt> {
    const asked: string[] = [];
    const bodies = new Map<string, string>();
    const base = `http://127.0.0.1:${String((this.#real.address() as AddressInfo).port)}`;
    this.#answers = { ...good, ...other };
    const lookups = new Map<string, number>();
    const network: Network = {
      resolve: (name) => {
        // Addresses with blanks between them; a comma parts what is answered each time.
        const times = (names[name] ?? '203.0.113.7').split(', ');
        const time = lookups.get(name) ?? 0;
        lookups.set(name, time + 1);
        return Promise.resolve((times[time] ?? times.at(-1) ?? '').split(' '));
      },
      exchange: (question, signal) => {
        const { protocol, host, pathname, search, href } = question.url;
        asked.push(href);
        bodies.set(href, question.body ?? '');
        return realNetwork.exchange(
          {
            ...question,
            url: new URL(`${base}${pathname}${search}`),
            headers: { ...question.headers, host, 'x-scheme': protocol },
            addresses: [],
          },
          signal,
        );
      },
    };
    const opened: string[] = [];
    const signIns = new SignIns({
      store: new MemorySecrets(),
      log: { info: () => undefined },
      network,
    });
    try {
      const to = { name: 'hostile', url };
      const { signal } = new AbortController();
      await signIns.signIn(to, desk ?? deskOf(opened, back), { signal });
      return { outcome: await signIns.headers(to), asked, bodies, opened };
    } catch (error) {
      assert.ok(error instanceof SignInFailure, String(error));
      assert.doesNotMatch(error.message + error.remedy, /[\p{Cc}\p{Cf}]/u);
      return { outcome: error.code, asked, bodies, opened };
    }
  }
}

export const token = { authorization: 'Bearer token' };
/** The server's metadata, changed. */
export const about = (change: Json): Answers => ({ [resourcePlace]: { ...resource, ...change } });
/** The authorization server's metadata, changed. */
export const said = (change: Json): Answers => ({ [issuerPlace]: { ...metadata, ...change } });

export function refusing(parameters: string): Raw {
  return { status: 401, headers: { 'www-authenticate': `Bearer ${parameters}` } };
}

function isRaw(answer: Json | Raw): answer is Raw {
  return typeof answer.status === 'number';
}

/** A user who agrees, and a browser that comes back with what the case says. */
export function deskOf(opened: string[], back: Case['back'] = {}): SignInDesk {
  const landing = (): Landing => ({
    redirectUri: 'http://127.0.0.1:1/callback',
    expect: () => undefined,
    arrival: (state) => {
      const address = new URL('http://127.0.0.1:1/callback');
      for (const [name, value] of Object.entries({ code: 'code', state, ...back })) {
        if (value !== null) address.searchParams.set(name, value);
      }
      return Promise.resolve(address.href);
    },
    close: () => Promise.resolve(),
  });
  return {
    agrees: () => Promise.resolve(true),
    client: () => Promise.resolve(null),
    land: () => Promise.resolve(landing()),
    open: (page) => {
      opened.push(page.href);
      return Promise.resolve();
    },
  };
}
