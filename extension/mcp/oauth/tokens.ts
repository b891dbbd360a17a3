/** What a token endpoint is asked for: a token for a code, a new one for an old one, and an end. */
import {
  authorizationCodeGrantRequest,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  revocationRequest,
  type AuthorizationServer,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { proofOf } from './client.ts';
import { SignInFailure } from './failure.ts';
import { isToken, type Client, type Grant } from './kept.ts';
import type { Requests } from './requests.ts';
import { serverWords } from './words.ts';

/** What tokens are for, whoever asks for them. */
export interface Purpose {
  readonly issuer: AuthorizationServer;
  readonly resource: string;
  readonly client: Client;
  readonly scopes: readonly string[];
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: number | null;
}

export async function tokensForCode(
  { issuer, resource, client }: Purpose,
  answer: URLSearchParams,
  redirectUri: string,
  verifier: string,
  requests: Requests,
  signal: AbortSignal,
  now: number,
): Promise<Tokens> {
  return asked(issuer.issuer, async () => {
    const response = await authorizationCodeGrantRequest(
      issuer,
      { client_id: client.id },
      proofOf(client),
      answer,
      redirectUri,
      verifier,
      { ...requests.options(signal), additionalParameters: { resource } },
    );
    const tokens = await processAuthorizationCodeResponse(
      issuer,
      { client_id: client.id },
      response,
    );
    return tokensOf(tokens, issuer.issuer, null, now);
  });
}

/** Throws what the library throws for an OAuth error: `refusalCode` reads it. */
export async function renewed(
  grant: Grant,
  refreshToken: string,
  requests: Requests,
  signal: AbortSignal,
  now: number,
): Promise<Tokens> {
  const issuer = issuerOf(grant);
  const client = { client_id: grant.client.id };
  const response = await refreshTokenGrantRequest(
    issuer,
    client,
    proofOf(grant.client),
    refreshToken,
    { ...requests.options(signal), additionalParameters: { resource: grant.resource } },
  );
  const tokens = await processRefreshTokenResponse(issuer, client, response);
  // Where no new one comes, the old one stays good.
  return tokensOf(tokens, grant.issuer, refreshToken, now);
}

/** Asks the authorization server to forget the tokens; it may not offer that. */
export async function revoke(grant: Grant, requests: Requests, signal: AbortSignal): Promise<void> {
  if (grant.revocationEndpoint === null) return;
  const response = await revocationRequest(
    issuerOf(grant),
    { client_id: grant.client.id },
    proofOf(grant.client),
    grant.refreshToken ?? grant.accessToken,
    requests.options(signal),
  );
  await processRevocationResponse(response);
}

function issuerOf({ issuer, tokenEndpoint, revocationEndpoint }: Grant): AuthorizationServer {
  return {
    issuer,
    token_endpoint: tokenEndpoint,
    ...(revocationEndpoint === null ? {} : { revocation_endpoint: revocationEndpoint }),
  };
}

function tokensOf(
  {
    access_token: accessToken,
    refresh_token: refresh,
    token_type: kind,
    expires_in: seconds,
  }: TokenEndpointResponse,
  issuer: string,
  before: string | null,
  now: number,
): Tokens {
  if (kind !== 'bearer' || !isToken(accessToken)) {
    throw new SignInFailure('no-token', `${issuer} gave a token that no request can carry.`);
  }
  return {
    accessToken,
    refreshToken: isToken(refresh) ? refresh : before,
    expiresAt: seconds === undefined ? null : now + seconds * 1000,
  };
}

/** Every failure of the library as one of ours. */
async function asked<T>(issuer: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SignInFailure || (error instanceof Error && error.name === 'AbortError')) {
      throw error;
    }
    const said =
      error instanceof ResponseBodyError
        ? serverWords({ error: error.error, error_description: error.error_description })
        : '';
    throw new SignInFailure(
      'no-token',
      `${issuer} gave no token for the answer from the browser${said}.`,
      'Sign in again.',
      { cause: error },
    );
  }
}
