/**
 * Requests of one sign-in. Each address is checked for what it is and where it leads before it is
 * asked, redirects of metadata included; requests that carry a code, a secret or a token are never
 * redirected.
 */
import { customFetch, allowInsecureRequests } from 'oauth4webapi';
import { codeOf } from '../../models/errors.ts';
import { SIGN_IN_REDIRECTS, SIGN_IN_REQUEST_MS } from '../../limits.ts';
import { farthestOf, hostOf, mayLeadTo, reachOf, safeAddress, type Reach } from './addresses.ts';
import type { Network, Question, Reply } from './exchange.ts';
import { SignInFailure } from './failure.ts';

export class Requests {
  readonly #network: Network;
  /** The host of the server that all this is for, and the farthest that it was found to be. */
  readonly #host: string;
  #from: Reach;

  private constructor(network: Network, host: string, from: Reach) {
    this.#network = network;
    this.#host = host;
    this.#from = from;
  }

  /** Requests on behalf of a server. */
  static async of(server: URL, network: Network): Promise<Requests> {
    const host = hostOf(server);
    return new Requests(network, host, farthestOf(server, await network.resolve(host)));
  }

  /** Throws when the server may not lead there. Gives what the name was resolved to. */
  async mayReach(url: URL): Promise<readonly string[]> {
    const addresses = await this.#network.resolve(hostOf(url));
    const to = reachOf(url, addresses);
    // Its name may lead elsewhere each time.
    if (hostOf(url) === this.#host && !mayLeadTo(farthestOf(url, addresses), this.#from)) {
      this.#from = farthestOf(url, addresses);
    }
    if (mayLeadTo(this.#from, to)) return addresses;
    const where = to === 'loopback' ? 'this machine' : 'a private network';
    throw new SignInFailure(
      'private-address',
      `It leads to ${url.origin}, which is ${where}, and the server is ${this.#from}.`,
      'A server may not send anybody further inside than it is itself.',
    );
  }

  /** A document for anybody: follows a few redirects. */
  async read(url: URL, signal: AbortSignal): Promise<Reply> {
    let at = url;
    for (let hop = 0; hop <= SIGN_IN_REDIRECTS; hop += 1) {
      const reply = await this.#send({ url: at, method: 'GET', headers: json, body: null }, signal);
      if (reply.status < 300 || reply.status >= 400) return reply;
      const location = reply.headers.get('location');
      if (location === null || !URL.canParse(location, at.href)) return reply;
      at = safeAddress(new URL(location, at).href, `what ${at.origin} redirects to`);
    }
    throw new SignInFailure('redirected', `${url.origin} redirects again and again.`);
  }

  /** Sends something: follows no redirect. */
  async send(question: Omit<Question, 'addresses'>, signal: AbortSignal): Promise<Reply> {
    const reply = await this.#send(question, signal);
    if (reply.status >= 300 && reply.status < 400) {
      throw new SignInFailure(
        'redirected',
        `${question.url.origin} redirects a request that it must answer itself.`,
      );
    }
    return reply;
  }

  /** What `oauth4webapi` is handed; addresses are checked here, http on this machine among them. */
  options(signal: AbortSignal): {
    [customFetch]: (url: string, init: LibraryRequest) => Promise<Response>;
    [allowInsecureRequests]: true;
  } {
    return {
      [allowInsecureRequests]: true,
      [customFetch]: async (address, { method, headers, body }) => {
        const url = safeAddress(address, 'the authorization server');
        const question = {
          url,
          method: method === 'GET' ? ('GET' as const) : ('POST' as const),
          headers,
          body: body === null || body === undefined ? null : String(body),
        };
        const { status, headers: answered, text } = await this.send(question, signal);
        const bodiless = status === 204 || status === 205 || status === 304;
        return new Response(bodiless ? null : text, { status, headers: answered });
      },
    };
  }

  async #send(question: Omit<Question, 'addresses'>, signal: AbortSignal): Promise<Reply> {
    const addresses = await this.mayReach(question.url);
    const late = AbortSignal.timeout(SIGN_IN_REQUEST_MS);
    const both = AbortSignal.any([signal, late]);
    try {
      return await this.#network.exchange({ ...question, addresses }, both);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SignInFailure) throw error;
      const { origin } = question.url;
      if (late.aborted) throw new SignInFailure('too-slow', `No answer from ${origin} in time.`);
      const code = codeOf(error);
      throw new SignInFailure(
        'unreachable',
        `No answer from ${origin}${code === '' ? '' : ` (${code})`}.`,
        'Check that a server runs there, and the network.',
        { cause: error },
      );
    }
  }
}

/** What the library sends: text, a form, or nothing. */
interface LibraryRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?:
    URLSearchParams | string | ArrayBuffer | Uint8Array | ReadableStream | null | undefined;
}

const json = { accept: 'application/json' };
