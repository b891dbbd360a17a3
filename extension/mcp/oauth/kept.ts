/**
 * What is kept of a sign-in. One record a server, under a name made of its address; inside stand the
 * server, the resource and the issuer that the tokens are for, and a record of another server under the
 * name counts as none. So nothing that a repository writes can bring a token to another address.
 */
import { createHash } from 'node:crypto';
import { CLIENTS_KEPT, TOKEN_CHARACTERS } from '../../limits.ts';
import type { SecretStore } from './secret-store.ts';

export const clientMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type ClientMethod = (typeof clientMethods)[number];

/** How an authorization server knows us. */
export interface Client {
  readonly id: string;
  readonly secret: string | null;
  readonly method: ClientMethod;
  /** Where it was registered to come back to; null where any of ours will do. */
  readonly redirectUri: string | null;
}

/** A client that the user entered, for one issuer alone. */
export interface EnteredClient {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string | null;
}

export interface Grant {
  /** The resource that the tokens are for, as they were asked for. */
  readonly resource: string;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  readonly client: Client;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Milliseconds since 1970; null where the authorization server did not say. */
  readonly expiresAt: number | null;
  /** Scopes that were asked for. */
  readonly scopes: readonly string[];
  /** Scopes that the server said it wants beyond these; the next sign-in, in any process, asks for them. */
  readonly wanting?: readonly string[];
}

export interface Kept {
  readonly grant: Grant | null;
  readonly entered: readonly EnteredClient[];
}

const nothing: Kept = { grant: null, entered: [] };
const index = 'servers';

export class KeptSignIns {
  readonly #store: SecretStore;

  constructor(store: SecretStore) {
    this.#store = store;
  }

  async read(server: URL): Promise<Kept> {
    return keptOf(await this.#store.get(nameOf(server)), server.href);
  }

  /** Reads, changes and writes while no other window does. `change` may ask the network meanwhile. */
  update(server: URL, change: (before: Kept) => Promise<Kept>): Promise<Kept> {
    const name = nameOf(server);
    return this.#store.locked(name, async () => {
      const before = keptOf(await this.#store.get(name), server.href);
      const after = await change(before);
      if (after === before) return before;
      const empty = after.grant === null && after.entered.length === 0;
      await this.#list(server.href, !empty);
      await this.#store.set(name, empty ? null : JSON.stringify({ server: server.href, ...after }));
      return after;
    });
  }

  /** Addresses of the servers of which something is kept. */
  async servers(): Promise<readonly string[]> {
    const value = parsed(await this.#store.get(index));
    return Array.isArray(value)
      ? value.filter((each): each is string => typeof each === 'string' && URL.canParse(each))
      : [];
  }

  async #list(server: string, there: boolean): Promise<void> {
    if ((await this.servers()).includes(server) === there) return;
    await this.#store.locked(index, async () => {
      const others = (await this.servers()).filter((each) => each !== server);
      await this.#store.set(index, JSON.stringify(there ? [...others, server] : others));
    });
  }
}

function nameOf(server: URL): string {
  return createHash('sha256').update(server.href).digest('hex');
}

/** Keeps an entered client; an older one of the same issuer goes. */
export function withEntered({ grant, entered }: Kept, client: EnteredClient): Kept {
  const others = entered.filter(({ issuer }) => issuer !== client.issuer);
  return { grant, entered: [...others, client].slice(-CLIENTS_KEPT) };
}

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What cannot be read grants nothing: the user signs in again. */
function keptOf(text: string | null, server: string): Kept {
  const value = parsed(text);
  if (!isObject(value) || value.server !== server) return nothing;
  const { grant, entered } = value;
  return {
    grant: grantOf(grant),
    entered: (Array.isArray(entered) ? (entered as unknown[]) : []).flatMap((each) => {
      if (!isObject(each) || !isText(each.issuer) || !isText(each.id)) return [];
      return [{ issuer: each.issuer, id: each.id, secret: textOrNull(each.secret) }];
    }),
  };
}

function grantOf(value: unknown): Grant | null {
  if (!isObject(value) || !isObject(value.client)) return null;
  const { resource, issuer, tokenEndpoint, revocationEndpoint, accessToken, refreshToken } = value;
  const { expiresAt, scopes, wanting, client } = value;
  const method = clientMethods.find((each) => each === client.method);
  const whole = isText(resource) && isText(issuer) && isText(tokenEndpoint);
  if (!whole || !isToken(accessToken) || !isText(client.id) || method === undefined) return null;
  return {
    resource,
    issuer,
    tokenEndpoint,
    revocationEndpoint: textOrNull(revocationEndpoint),
    client: {
      id: client.id,
      secret: textOrNull(client.secret),
      method,
      redirectUri: textOrNull(client.redirectUri),
    },
    accessToken,
    refreshToken: textOrNull(refreshToken),
    expiresAt: typeof expiresAt === 'number' && Number.isFinite(expiresAt) ? expiresAt : null,
    scopes: Array.isArray(scopes) ? scopes.filter(isText) : [],
    ...(Array.isArray(wanting) && { wanting: wanting.filter(isText) }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TOKEN_CHARACTERS;
}

function textOrNull(value: unknown): string | null {
  return isText(value) ? value : null;
}

/** A token that can stand in a header. */
export function isToken(value: unknown): value is string {
  return isText(value) && /^[\x21-\x7e]+$/u.test(value);
}
