/**
 * Who is signed in to which server: headers for its requests, what its refusals mean, signing in and
 * out. A browser opens only in `signIn`, which a user calls; a refusal by itself only says that
 * somebody has to.
 */
import type { Log } from '../../log.ts';
import { RENEW_BEFORE_MS, RENEWED_AGAIN_MS, SIGN_IN_DISCOVERY_MS } from '../../limits.ts';
import type { RefusedResponse } from '../http-authorization.ts';
import { serverAddress } from './addresses.ts';
import { bearerChallenge, noChallenge, type Challenge } from './challenge.ts';
import { acquaintance, documentAddress, refusalCode } from './client.ts';
import { discover } from './discovery.ts';
import { realNetwork, type Network } from './exchange.ts';
import { SignInFailure } from './failure.ts';
import { carryOut, type SignInDesk } from './flow.ts';
import { KeptSignIns, withEntered, type EnteredClient, type Grant } from './kept.ts';
import { probe } from './probe.ts';
import { Requests } from './requests.ts';
import { joined, scopesOf } from './scopes.ts';
import type { SecretStore } from './secret-store.ts';
import { renewed, revoke } from './tokens.ts';

/** A server that is reached by its address, as the configuration calls it. */
export interface SignInServer {
  readonly name: string;
  /** With its variables filled in. */
  readonly url: string;
  /** The same for people, with what is secret in it masked; `url` when it is absent. */
  readonly shown?: string;
}

/** Why somebody has to sign in. */
export type Need = 'signedOut' | 'ended' | 'scopes';

export interface SignInsParts {
  readonly store: SecretStore;
  readonly log: Pick<Log, 'info'>;
  /** Address of a client id metadata document of the user's; empty for none. */
  readonly clientDocument?: () => string;
  readonly network?: Network;
  readonly now?: () => number;
}

export interface SignInOptions {
  /** A client that the user names; it is kept for the issuer that discovery finds. */
  readonly client?: Omit<EnteredClient, 'issuer'> | null;
  readonly signal: AbortSignal;
}

/** What this process knows of one server. */
interface Known {
  /** As it was read last; null when it has to be read again. */
  grant: Grant | 'none' | null;
  need: { readonly why: Need; readonly challenge: Challenge } | null;
  /** When a token was renewed last, and what it was renewed to. */
  renewed: { readonly at: number; readonly token: string } | null;
  renewing: Promise<Grant | null> | null;
}

export class SignIns {
  readonly #parts: Required<SignInsParts>;
  readonly #kept: KeptSignIns;
  readonly #servers = new Map<string, Known>();
  readonly #listeners = new Set<() => void>();

  constructor(parts: SignInsParts) {
    this.#parts = { network: realNetwork, now: Date.now, clientDocument: () => '', ...parts };
    this.#kept = new KeptSignIns(parts.store);
  }

  /** For the next request to this server: none where nobody signed in. */
  async headers({ url }: SignInServer): Promise<Readonly<Record<string, string>>> {
    const server = usable(url);
    if (server === null) return {};
    let grant = await this.#grant(server);
    const { now } = this.#parts;
    if (grant?.expiresAt != null && grant.expiresAt - RENEW_BEFORE_MS <= now()) {
      // Where that fails, the server says what it thinks of the old one.
      grant = (await this.#renew(server, grant)) ?? grant;
    }
    return grant === null ? {} : { authorization: bearer(grant) };
  }

  /** Told of a 401 or 403. True: ask for headers again and repeat the request. */
  async refused(
    { url }: SignInServer,
    { status, wwwAuthenticate, sent }: RefusedResponse,
  ): Promise<boolean> {
    const server = usable(url);
    if (server === null) return false;
    const known = this.#known(server);
    known.grant = null;
    const grant = await this.#grant(server);
    // Somebody, perhaps another window or request, has signed in or renewed it meanwhile.
    if (grant !== null && bearer(grant) !== sent['authorization']) {
      known.need = null;
      return true;
    }
    const challenge = bearerChallenge(wwwAuthenticate);
    if (status === 403) {
      const wanting = scopesOf(challenge.scope);
      const missing = wanting.some((scope) => grant?.scopes.includes(scope) !== true);
      if (challenge.error === 'insufficient_scope' && missing) {
        this.#need(server, 'scopes', challenge);
        // Who signs in is often another process: `gbs mcp login`, or a window after a reload.
        await this.#kept.update(server, (before) => {
          const there = before.grant;
          const same = there !== null && there.accessToken === grant?.accessToken;
          return Promise.resolve(same ? { ...before, grant: { ...there, wanting } } : before);
        });
      }
      return false;
    }
    if (status !== 401) return false;
    if (grant !== null && (await this.#renew(server, grant)) !== null) return true;
    this.#need(server, grant === null ? 'signedOut' : 'ended', challenge);
    return false;
  }

  /** Why somebody has to sign in to it, as far as its refusals said; null for no reason. */
  need({ url }: SignInServer): Need | null {
    const server = usable(url);
    return server === null ? null : (this.#servers.get(server.href)?.need?.why ?? null);
  }

  async isSignedIn({ url }: SignInServer): Promise<boolean> {
    const server = usable(url);
    return server !== null && (await this.#grant(server)) !== null;
  }

  /** Addresses of all servers that somebody is signed in to, or entered a client for. */
  servers(): Promise<readonly string[]> {
    return this.#kept.servers();
  }

  /** Told when a server's need, or who is signed in, changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Another window changed what is kept. */
  forget(): void {
    // What a server still wants, its next refusal says.
    for (const known of this.#servers.values()) Object.assign(known, { grant: null, need: null });
    this.#changed();
  }

  /** Signs in, by asking the user and sending the user to a browser. Throws a `SignInFailure`. */
  async signIn(
    { name, url, shown = url }: SignInServer,
    desk: SignInDesk,
    { client = null, signal }: SignInOptions,
  ): Promise<void> {
    const { network, clientDocument, now } = this.#parts;
    const server = serverAddress(url);
    const document = documentAddress(clientDocument());
    const requests = await Requests.of(server, network);
    const known = this.#known(server);
    const kept = await this.#kept.read(server);
    const before = kept.grant;
    const issuers = [...kept.entered.map((each) => each.issuer), before?.issuer ?? ''];
    const { challenge, found } = await inTime(signal, async (soon) => {
      const refusal = known.need?.challenge ?? (await probe(server, requests, soon)) ?? noChallenge;
      return {
        challenge: refusal,
        found: await discover(server, refusal, issuers, requests, soon),
      };
    });
    const { issuer } = found.issuer;
    const same = before?.issuer === issuer && before.resource === found.resource ? before : null;
    const entered =
      client === null
        ? (kept.entered.find((each) => each.issuer === issuer) ?? null)
        : { ...client, issuer };
    const named = scopesOf(challenge.scope);
    const wanted = named.length === 0 ? found.scopes : named;
    const { grant, entered: typed } = await carryOut(
      {
        name,
        server,
        shown,
        found,
        how: acquaintance(found.issuer, entered, document, same?.client ?? null),
        scopes: joined(joined(same?.scopes ?? [], same?.wanting ?? []), wanted),
        before: same,
      },
      desk,
      requests,
      signal,
      now,
    );
    await this.#kept.update(server, (now) => {
      const entering = typed ?? (client === null ? null : entered);
      const after = entering === null ? now : withEntered(now, entering);
      return Promise.resolve({ ...after, grant });
    });
    known.grant = grant;
    known.need = null;
    known.renewed = null;
    this.#changed();
  }

  /**
   * Takes tokens and clients of a server away, and asks its issuer to forget the tokens. False where
   * there were none. `told` says whether the issuer was reached; what was kept is gone either way.
   */
  async signOut(
    url: string,
    signal: AbortSignal,
  ): Promise<{ readonly was: boolean; readonly told: boolean }> {
    const server = serverAddress(url);
    const { was, grant } = await this.#takeOut(server);
    Object.assign(this.#known(server), { grant: 'none', need: null, renewed: null });
    this.#changed();
    if (grant?.revocationEndpoint == null) return { was, told: false };
    try {
      await revoke(grant, await Requests.of(server, this.#parts.network), signal);
      return { was, told: true };
    } catch (error) {
      this.#note(server, 'its tokens could not be revoked', error);
      return { was, told: false };
    }
  }

  async #takeOut(server: URL): Promise<{ readonly was: boolean; readonly grant: Grant | null }> {
    const taken: { was: boolean; grant: Grant | null } = { was: false, grant: null };
    await this.#kept.update(server, (before) => {
      taken.was = before.grant !== null || before.entered.length > 0;
      taken.grant = before.grant;
      return Promise.resolve(taken.was ? { grant: null, entered: [] } : before);
    });
    return taken;
  }

  /**
   * A new token in the place of this one; null where there is none to be had. Once at a time, for all
   * that wait, so none of them stops it: and a refresh token that was spent for nobody would be lost.
   */
  #renew(server: URL, old: Grant): Promise<Grant | null> {
    const known = this.#known(server);
    known.renewing ??= this.#renewOnce(server, old).finally(() => {
      known.renewing = null;
    });
    return known.renewing;
  }

  async #renewOnce(server: URL, old: Grant): Promise<Grant | null> {
    const { now, network } = this.#parts;
    const known = this.#known(server);
    const { renewed: last } = known;
    // A token that is refused as soon as it was made will be refused again.
    if (last?.token === old.accessToken && now() - last.at < RENEWED_AGAIN_MS) return null;
    try {
      const { grant } = await this.#kept.update(server, async (before) => {
        const there = before.grant;
        const other = there?.accessToken !== old.accessToken;
        if (there === null || other || there.refreshToken === null) return before;
        const requests = await Requests.of(server, network);
        // Each of its requests has a limit of its own.
        const { signal } = new AbortController();
        const tokens = await renewed(there, there.refreshToken, requests, signal, now());
        return { ...before, grant: { ...there, ...tokens } };
      });
      known.grant = grant ?? 'none';
      if (grant === null || grant.accessToken === old.accessToken) return null;
      known.renewed = { at: now(), token: grant.accessToken };
      return grant;
    } catch (error) {
      this.#note(server, 'its token could not be renewed', error);
      const code = refusalCode(error);
      return code === null ? null : await this.#spent(server, old, code);
    }
  }

  /**
   * The issuer does not know the refresh token, or us, any more: nobody tries it again. Gives what
   * another window has put in its place meanwhile; null for nothing.
   */
  async #spent(server: URL, old: Grant, code: string): Promise<Grant | null> {
    const { grant } = await this.#kept.update(server, (before) => {
      const there = before.grant;
      if (there === null || there.refreshToken !== old.refreshToken) return Promise.resolve(before);
      const unknown = code === 'invalid_client' || code === 'unauthorized_client';
      return Promise.resolve({
        ...before,
        grant: unknown ? null : { ...there, refreshToken: null },
      });
    });
    this.#known(server).grant = grant ?? 'none';
    return grant?.accessToken === old.accessToken ? null : grant;
  }

  async #grant(server: URL): Promise<Grant | null> {
    const known = this.#known(server);
    known.grant ??= (await this.#kept.read(server)).grant ?? 'none';
    return known.grant === 'none' ? null : known.grant;
  }

  #need(server: URL, why: Need, challenge: Challenge): void {
    const known = this.#known(server);
    const same = known.need?.why === why;
    known.need = { why, challenge };
    if (!same) this.#changed();
  }

  #known(server: URL): Known {
    const known = this.#servers.get(server.href) ?? {
      grant: null,
      need: null,
      renewed: null,
      renewing: null,
    };
    this.#servers.set(server.href, known);
    return known;
  }

  #note(server: URL, what: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    // Its path or its query may hold a key.
    this.#parts.log.info(`${server.origin}: ${what}: ${why}`);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function bearer({ accessToken }: Grant): string {
  return `Bearer ${accessToken}`;
}

/** Null for an address that no token may go to. */
function usable(url: string): URL | null {
  try {
    return serverAddress(url);
  } catch (error) {
    if (error instanceof SignInFailure) return null;
    throw error;
  }
}

/** Discovery as a whole has a limit: each of its requests could use up its own. */
async function inTime<T>(signal: AbortSignal, act: (soon: AbortSignal) => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(SIGN_IN_DISCOVERY_MS);
  try {
    return await act(AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    if (!late.aborted) throw error;
    throw new SignInFailure(
      'too-slow',
      'It takes too long to find out who signs users in.',
      'Try again later.',
    );
  }
}
