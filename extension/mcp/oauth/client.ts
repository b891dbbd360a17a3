/**
 * How an authorization server knows us: by a client id that the user entered, by a document at an
 * address of the user's, or by registering. A client belongs to the issuer that it was made for.
 */
import {
  ClientSecretPost,
  dynamicClientRegistrationRequest,
  None,
  ResponseBodyError,
  type ClientAuth,
} from 'oauth4webapi';
import { TOKEN_CHARACTERS } from '../../limits.ts';
import { never } from '../../never.ts';
import { objectOf } from '../members.ts';
import { safeAddress } from './addresses.ts';
import type { Issuer } from './discovery.ts';
import { SignInFailure } from './failure.ts';
import { clientMethods, type Client, type ClientMethod, type EnteredClient } from './kept.ts';
import type { Requests } from './requests.ts';
import { serverWords } from './words.ts';

/** How we come to be known, for the question before the browser opens. */
export type Acquaintance =
  | { readonly kind: 'entered'; readonly client: EnteredClient }
  | { readonly kind: 'document'; readonly url: string }
  | { readonly kind: 'known'; readonly client: Client }
  | { readonly kind: 'register' }
  | { readonly kind: 'unknown' };

/** Checks the address of a client id metadata document; empty for none. */
export function documentAddress(setting: string): string {
  if (setting === '') return '';
  const url = safeAddress(setting, 'your client document (mcp.clientDocument)');
  if (url.protocol === 'https:' && url.pathname !== '/') return setting;
  throw new SignInFailure(
    'unsafe-address',
    'The address of your client document (mcp.clientDocument) is not https, or has no path.',
    'Correct the setting, or empty it.',
  );
}

/** `document`: address of a client id metadata document, empty for none. */
export function acquaintance(
  issuer: Issuer,
  entered: EnteredClient | null,
  document: string,
  known: Client | null,
): Acquaintance {
  if (entered?.issuer === issuer.issuer) return { kind: 'entered', client: entered };
  if (document !== '' && issuer.client_id_metadata_document_supported === true) {
    return { kind: 'document', url: document };
  }
  if (known !== null) return { kind: 'known', client: known };
  return issuer.registration_endpoint === undefined ? { kind: 'unknown' } : { kind: 'register' };
}

/** A client for a sign-in that comes back to `redirectUri`. */
export async function clientFor(
  how: Exclude<Acquaintance, { kind: 'unknown' }>,
  issuer: Issuer,
  redirectUri: string,
  requests: Requests,
  signal: AbortSignal,
): Promise<Client> {
  switch (how.kind) {
    case 'entered': {
      const { id, secret } = how.client;
      return { id, secret, method: methodFor(secret, issuer), redirectUri: null };
    }
    case 'document':
      return { id: how.url, secret: null, method: 'none', redirectUri: null };
    case 'known':
      return how.client.redirectUri === null || how.client.redirectUri === redirectUri
        ? how.client
        : register(issuer, redirectUri, requests, signal);
    case 'register':
      return register(issuer, redirectUri, requests, signal);
    default:
      return never(how);
  }
}

/** RFC 8414: where nothing is said, `client_secret_basic`. */
function methodFor(secret: string | null, issuer: Issuer): ClientMethod {
  if (secret === null) return 'none';
  const offered = issuer.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const posts = !offered.includes('client_secret_basic') && offered.includes('client_secret_post');
  return posts ? 'client_secret_post' : 'client_secret_basic';
}

/** The way that we like best: without a secret, which a program that anybody has cannot keep. */
function wished(issuer: Issuer): ClientMethod {
  const offered = issuer.token_endpoint_auth_methods_supported;
  if (offered === undefined) return 'none';
  return clientMethods.find((method) => offered.includes(method)) ?? 'none';
}

async function register(
  issuer: Issuer,
  redirectUri: string,
  requests: Requests,
  signal: AbortSignal,
): Promise<Client> {
  if (issuer.registration_endpoint === undefined) throw needsClient(issuer.issuer);
  const method = wished(issuer);
  const response = await dynamicClientRegistrationRequest(
    issuer,
    {
      client_name: 'GBS Agent',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      // Without it OpenID servers take us for a web site, which may not come back to this machine.
      application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
    },
    requests.options(signal),
  );
  const answer = objectOf(await response.text());
  // The specification says 201; some say 200.
  if (response.status !== 201 && response.status !== 200) {
    throw new SignInFailure(
      'registration-refused',
      `${issuer.issuer} did not register this program${serverWords(answer)}.`,
      enterOne,
    );
  }
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: said } = answer;
  if (!isShort(id) || (secret !== undefined && secret !== null && !isShort(secret))) {
    throw new SignInFailure(
      'broken-metadata',
      `${issuer.issuer} registered this program without an id.`,
    );
  }
  const agreed = clientMethods.find((each) => each === said) ?? method;
  const kept = isShort(secret) ? secret : null;
  return { id, secret: kept, method: kept === null ? 'none' : agreed, redirectUri };
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TOKEN_CHARACTERS;
}

const enterOne =
  'Register a client there by hand and sign in with its id: "--client-id" in the terminal, the question of Sign In to Server… in the editor.';

export function needsClient(issuer: string): SignInFailure {
  return new SignInFailure(
    'needs-client',
    `${issuer} registers no programs by itself, and no client id is known for it.`,
    enterOne,
  );
}

/** How the client proves itself to the token endpoint. */
export function proofOf({ method, secret }: Client): ClientAuth {
  switch (method) {
    case 'none':
      return None();
    case 'client_secret_basic':
      return basic(secret ?? '');
    case 'client_secret_post':
      return ClientSecretPost(secret ?? '');
    default:
      return never(method);
  }
}

/**
 * RFC 6749, section 2.3.1: both are form-encoded first. The library escapes every mark, `-` too, and
 * servers that never decode then know nobody of that name; the URL standard's encoding escapes none of
 * `*-._`, and whoever decodes gets the same.
 */
function basic(secret: string): ClientAuth {
  const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return (_issuer, { client_id: id }, _body, headers) => {
    const both = `${encoded(id)}:${encoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(both).toString('base64')}`);
  };
}

/** The OAuth error code of a refusal, such as `invalid_grant`; null for another failure. */
export function refusalCode(error: unknown): string | null {
  return error instanceof ResponseBodyError ? error.error : null;
}
