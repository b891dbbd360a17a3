/**
 * Who signs users in to a server, found from the server's address and its refusal: RFC 9728 for the
 * server, RFC 8414 or OpenID discovery for the authorization server. Every document is foreign: what
 * comes out holds only what was checked.
 */
import type { AuthorizationServer } from 'oauth4webapi';
import { AUTHORIZATION_SERVERS, SIGN_IN_ADDRESS_CHARACTERS } from '../../limits.ts';
import { canonical, safeAddress, speaksFor } from './addresses.ts';
import type { Challenge } from './challenge.ts';
import { SignInFailure } from './failure.ts';
import type { Requests } from './requests.ts';
import { scopesOf } from './scopes.ts';

/** What an authorization server says of itself, checked. */
export interface Issuer extends AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

export interface Discovered {
  /** What tokens are asked for: RFC 8707. */
  readonly resource: string;
  readonly issuer: Issuer;
  /** Scopes that the server says it needs at least. */
  readonly scopes: readonly string[];
}

/** `known`: issuers of which a client is there already; one of them is taken first. */
export async function discover(
  server: URL,
  challenge: Challenge,
  known: readonly string[],
  requests: Requests,
  signal: AbortSignal,
): Promise<Discovered> {
  const found = await resourceMetadata(server, challenge, requests, signal);
  if (found === null) {
    // Servers before June 2025 have no such document and sign in by themselves.
    const issuer = await issuerMetadata(server.origin, requests, signal);
    if (issuer === null) {
      throw new SignInFailure(
        'not-offered',
        'The server does not say who signs users in.',
        'It may want a key in its headers instead: its documentation says which.',
      );
    }
    return { resource: canonical(server), issuer, scopes: [] };
  }
  const { resource, issuers, scopes } = found;
  const chosen = issuers.find((each) => known.includes(each)) ?? issuers[0] ?? '';
  const issuer = await issuerMetadata(chosen, requests, signal);
  if (issuer === null) {
    throw new SignInFailure(
      'broken-metadata',
      `${new URL(chosen).origin}, which signs users in to the server, does not describe itself.`,
      'Its operator has to mend this.',
    );
  }
  return { resource, issuer, scopes };
}

interface Resource {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

/** Null where the server has none. */
async function resourceMetadata(
  server: URL,
  { resourceMetadata: named }: Challenge,
  requests: Requests,
  signal: AbortSignal,
): Promise<Resource | null> {
  if (named !== null) {
    const url = safeAddress(named, "the server's metadata");
    const document = await jsonAt(url, requests, signal);
    if (document !== null) return resourceOf(document, server);
    throw new SignInFailure(
      'broken-metadata',
      `The server names metadata at ${url.href} that are not there.`,
      'Its operator has to mend this.',
    );
  }
  const path = server.pathname.replace(/\/$/u, '');
  const places = new Set([
    `${server.origin}/.well-known/oauth-protected-resource${path}${server.search}`,
    `${server.origin}/.well-known/oauth-protected-resource`,
  ]);
  for (const place of places) {
    const document = await jsonAt(new URL(place), requests, signal);
    if (document !== null) return resourceOf(document, server);
  }
  return null;
}

function resourceOf(document: JsonObject, server: URL): Resource {
  const { resource, authorization_servers: listed, scopes_supported: scopes } = document;
  const url = safeAddress(resource, "the server's resource");
  if (!speaksFor(url, server)) {
    throw new SignInFailure(
      'wrong-resource',
      `The metadata are about ${url.href}, not about ${server.href}.`,
      'Check the address of the server.',
    );
  }
  const issuers = Array.isArray(listed) ? listed.slice(0, AUTHORIZATION_SERVERS) : [];
  if (issuers.length === 0) {
    throw new SignInFailure('not-offered', 'The metadata name nobody who signs users in.');
  }
  return {
    // As it is written: an authorization server may compare it letter by letter.
    resource: String(resource),
    issuers: issuers.map((each: unknown) => {
      safeAddress(each, 'an authorization server');
      return String(each);
    }),
    scopes: scopesOf(scopes),
  };
}

/** Null where none of the places has a document. */
async function issuerMetadata(
  issuer: string,
  requests: Requests,
  signal: AbortSignal,
): Promise<Issuer | null> {
  const { origin, pathname } = safeAddress(issuer, 'an authorization server');
  const path = pathname.replace(/\/$/u, '');
  const places = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]);
  for (const place of places) {
    const document = await jsonAt(new URL(place), requests, signal);
    if (document !== null) return issuerOf(document, issuer, requests);
  }
  return null;
}

async function issuerOf(
  document: JsonObject,
  expected: string,
  requests: Requests,
): Promise<Issuer> {
  const { issuer } = document;
  // A lone slash at the end is written by some on one side only.
  const plain = (text: string): string => text.replace(/\/$/u, '');
  if (typeof issuer !== 'string' || plain(issuer) !== plain(expected)) {
    throw new SignInFailure(
      'wrong-issuer',
      `The metadata of ${expected} are about another authorization server.`,
      'Nothing was sent there. The operator of the server has to mend this.',
    );
  }
  const endpoint = async (name: string, what: string): Promise<string> => {
    const url = safeAddress(document[name], what);
    await requests.mayReach(url);
    return url.href;
  };
  const optional = async (name: string, what: string): Promise<Record<string, string>> =>
    document[name] === undefined || document[name] === null
      ? {}
      : { [name]: await endpoint(name, what) };
  const methods = document['code_challenge_methods_supported'];
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    throw new SignInFailure(
      'no-pkce',
      `${issuer} does not say that it protects the sign-in by PKCE with S256.`,
      'Without it the sign-in could be taken over. Its operator has to mend this.',
    );
  }
  return {
    issuer,
    authorization_endpoint: await endpoint('authorization_endpoint', 'the page that signs in'),
    token_endpoint: await endpoint('token_endpoint', 'what gives tokens'),
    ...(await optional('registration_endpoint', 'what registers clients')),
    ...(await optional('revocation_endpoint', 'what takes tokens back')),
    ...texts(document, 'scopes_supported'),
    ...texts(document, 'token_endpoint_auth_methods_supported'),
    ...flag(document, 'authorization_response_iss_parameter_supported'),
    ...flag(document, 'client_id_metadata_document_supported'),
  };
}

function texts(document: JsonObject, name: string): Record<string, string[]> {
  const value = document[name];
  if (!Array.isArray(value)) return {};
  return {
    [name]: value.filter(
      (each): each is string =>
        typeof each === 'string' && each.length <= SIGN_IN_ADDRESS_CHARACTERS,
    ),
  };
}

function flag(document: JsonObject, name: string): Record<string, boolean> {
  return document[name] === true ? { [name]: true } : {};
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Null where there is no such document; a document that is no JSON object is a fault. */
async function jsonAt(
  url: URL,
  requests: Requests,
  signal: AbortSignal,
): Promise<JsonObject | null> {
  const { status, text } = await requests.read(url, signal);
  // Whoever cannot serve it now is not whoever has none: a guess would be at somebody else.
  if (status >= 500 || status === 429) {
    throw new SignInFailure(
      'unreachable',
      `${url.href} answers with status ${String(status)}.`,
      'Try again later.',
    );
  }
  if (status !== 200) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // Many sites answer any address with their front page.
  if (/^\s*</u.test(text)) return null;
  throw new SignInFailure(
    'broken-metadata',
    `What stands at ${url.href} is not metadata.`,
    'Its operator has to mend this.',
  );
}
