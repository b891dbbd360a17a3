/**
 * One sign-in, from the question to the tokens. In: what discovery found and how the user is asked,
 * sent to the browser and met again. Out: a grant. Nothing is registered, opened or sent before the
 * user said yes to the server, the issuer and the scopes.
 */
import { createHash } from 'node:crypto';
import {
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  OperationProcessingError,
  UnsupportedOperationError,
  validateAuthResponse,
} from 'oauth4webapi';
import { SIGN_IN_ADDRESS_CHARACTERS, SIGN_IN_WAIT_MS } from '../../limits.ts';
import { clientFor, needsClient, type Acquaintance } from './client.ts';
import type { Discovered, Issuer } from './discovery.ts';
import { SignInFailure } from './failure.ts';
import type { Client, EnteredClient, Grant } from './kept.ts';
import type { Requests } from './requests.ts';
import { tokensForCode } from './tokens.ts';
import { serverWords } from './words.ts';

/** What the user is asked before the browser opens. All of it comes from others but `client`. */
export interface SignInQuestion {
  /** As the server is called in the configuration. */
  readonly name: string;
  readonly address: string;
  readonly issuer: string;
  /** The address that the browser opens, without its parameters. */
  readonly page: string;
  /** The resource that the tokens are for, where it is more than this address; else null. */
  readonly resource: string | null;
  /** None: whatever the authorization server gives. */
  readonly scopes: readonly string[];
  /** Scopes among them that were not asked for before, at a second sign-in. */
  readonly added: readonly string[];
  readonly client: Acquaintance['kind'];
}

/** Where the browser is to come back to. */
export interface LandingPlace {
  /** Where an earlier client was registered to come back to; null for none. */
  readonly before: string | null;
  /**
   * The last part of its path, which no other issuer has (RFC 9700, 4.4.2.2): an answer that comes to
   * the address of another one is not taken. Empty for a client that was made without us, whose address
   * stands at the issuer already.
   */
  readonly own: string;
}

/** A place that the browser comes back to. */
export interface Landing {
  readonly redirectUri: string;
  /** An answer with this state is taken from now on: the browser may be back before it is waited for. */
  expect(state: string): void;
  /** The whole address that the browser came back with, for this state; others are not ours. */
  arrival(state: string, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** The user and the user's browser. */
export interface SignInDesk {
  agrees(question: SignInQuestion): Promise<boolean>;
  /** A client for an issuer that registers nobody; null for none. */
  client(issuer: string): Promise<EnteredClient | null>;
  land(place: LandingPlace): Promise<Landing>;
  open(page: URL): Promise<void>;
}

export interface Flow {
  readonly name: string;
  readonly server: URL;
  /** The server's address for people: what is secret in it is masked. */
  readonly shown: string;
  readonly found: Discovered;
  readonly how: Acquaintance;
  readonly scopes: readonly string[];
  readonly before: Grant | null;
}

export interface Outcome {
  readonly grant: Grant;
  /** A client that the user entered on the way. */
  readonly entered: EnteredClient | null;
}

export async function carryOut(
  flow: Flow,
  desk: SignInDesk,
  requests: Requests,
  signal: AbortSignal,
  now: () => number,
): Promise<Outcome> {
  const { issuer, resource } = flow.found;
  const scopes = withOffline(flow.scopes, issuer);
  if (!(await desk.agrees(questionOf(flow, scopes)))) {
    throw new SignInFailure('declined', 'Nobody was signed in: you did not go there.');
  }
  signal.throwIfAborted();
  let { how } = flow;
  let entered: EnteredClient | null = null;
  if (how.kind === 'unknown') {
    entered = await desk.client(issuer.issuer);
    if (entered === null) throw needsClient(issuer.issuer);
    how = { kind: 'entered', client: entered };
  }
  const landing = await desk.land(placeFor(how, issuer));
  try {
    const { redirectUri } = landing;
    const client = await clientFor(how, issuer, redirectUri, requests, signal);
    const verifier = generateRandomCodeVerifier();
    const state = generateRandomState();
    const challenge = await calculatePKCECodeChallenge(verifier);
    landing.expect(state);
    await desk.open(pageOf(issuer, { client, redirectUri, state, challenge, resource, scopes }));
    const arrived = await arrivalAt(landing, state, signal);
    const answer = answerOf(arrived, issuer, client, state);
    const purpose = { issuer, resource, client, scopes };
    const tokens = await tokensForCode(
      purpose,
      answer,
      redirectUri,
      verifier,
      requests,
      signal,
      now(),
    );
    return {
      entered,
      grant: {
        resource,
        issuer: issuer.issuer,
        tokenEndpoint: issuer.token_endpoint,
        revocationEndpoint: issuer.revocation_endpoint ?? null,
        client,
        scopes,
        ...tokens,
      },
    };
  } finally {
    await landing.close();
  }
}

function questionOf(
  { name, server, shown, found, how, before }: Flow,
  scopes: readonly string[],
): SignInQuestion {
  const page = new URL(found.issuer.authorization_endpoint);
  const old = before?.scopes ?? scopes;
  return {
    name,
    address: shown,
    issuer: found.issuer.issuer,
    page: `${page.origin}${page.pathname}`,
    resource: isItself(found.resource, server) ? null : found.resource,
    scopes,
    added: scopes.filter((scope) => !old.includes(scope)),
    client: how.kind,
  };
}

/** A lone slash at the end says nothing. */
function isItself(resource: string, server: URL): boolean {
  return new URL(resource).href === server.href;
}

/** Clients that we register, or registered, come back to a place of their issuer's. */
function placeFor(how: Acquaintance, { issuer }: Issuer): LandingPlace {
  const before = how.kind === 'known' ? how.client.redirectUri : null;
  const ours = how.kind === 'register' || before !== null;
  const own = ours ? createHash('sha256').update(issuer).digest('hex').slice(0, 32) : '';
  return { before, own };
}

const offline = 'offline_access';

/** OpenID servers give a refresh token only to those who ask to stay signed in. */
function withOffline(scopes: readonly string[], issuer: Issuer): readonly string[] {
  const offers = issuer.scopes_supported?.includes(offline) === true;
  return offers && scopes.length > 0 && !scopes.includes(offline) ? [...scopes, offline] : scopes;
}

interface PageParts {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** The page that the browser opens. Our parameters take the place of any of the same name. */
function pageOf(issuer: Issuer, parts: PageParts): URL {
  const page = new URL(issuer.authorization_endpoint);
  const { client, redirectUri, state, challenge, resource, scopes } = parts;
  const ours: Record<string, string> = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource,
  };
  for (const name of ['scope', 'prompt', 'request', 'request_uri', 'response_mode']) {
    page.searchParams.delete(name);
  }
  if (scopes.length > 0) ours['scope'] = scopes.join(' ');
  // OpenID Connect core, section 11: staying signed in is asked about each time.
  if (scopes.includes(offline)) ours['prompt'] = 'consent';
  for (const [name, value] of Object.entries(ours)) page.searchParams.set(name, value);
  return page;
}

async function arrivalAt(landing: Landing, state: string, signal: AbortSignal): Promise<URL> {
  const late = AbortSignal.timeout(SIGN_IN_WAIT_MS);
  try {
    const text = await landing.arrival(state, AbortSignal.any([signal, late]));
    if (text.length <= SIGN_IN_ADDRESS_CHARACTERS && URL.canParse(text)) return new URL(text);
  } catch (error) {
    signal.throwIfAborted();
    if (!late.aborted) throw error;
    throw new SignInFailure('no-answer', 'Nobody came back from the browser.', 'Sign in again.');
  }
  throw new SignInFailure(
    'wrong-answer',
    'What came back from the browser is not an address.',
    'Sign in again, and paste the whole address that the browser ends at.',
  );
}

/** The checked answer. The issuer is looked at first: what another one says of an error is not shown. */
function answerOf(arrived: URL, issuer: Issuer, client: Client, state: string): URLSearchParams {
  const iss = arrived.searchParams.getAll('iss');
  const missing = issuer.authorization_response_iss_parameter_supported === true;
  if (iss.some((each) => each !== issuer.issuer) || (missing && iss.length === 0)) {
    throw new SignInFailure(
      'wrong-issuer',
      `The answer from the browser is not from ${issuer.issuer}.`,
      'Nothing was sent. If it happens again, somebody may be trying to take over the sign-in.',
    );
  }
  try {
    return validateAuthResponse(issuer, { client_id: client.id }, arrived, state);
  } catch (error) {
    if (error instanceof AuthorizationResponseError) {
      const said = serverWords({
        error: error.error,
        error_description: error.error_description,
      });
      throw new SignInFailure('refused', `${issuer.issuer} did not sign you in${said}.`);
    }
    if (error instanceof OperationProcessingError || error instanceof UnsupportedOperationError) {
      throw new SignInFailure(
        'wrong-answer',
        'What came back from the browser is not an answer to this sign-in.',
        'Sign in again.',
        { cause: error },
      );
    }
    throw error;
  }
}
