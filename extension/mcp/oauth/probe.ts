/** Asks a server for something, without a token, to hear how it refuses. */
import { bearerChallenge, type Challenge } from './challenge.ts';
import { SignInFailure } from './failure.ts';
import type { Requests } from './requests.ts';

/** Null where it does not refuse for want of a token. */
export async function probe(
  server: URL,
  requests: Requests,
  signal: AbortSignal,
): Promise<Challenge | null> {
  const question = {
    url: server,
    method: 'POST' as const,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  };
  try {
    const { status, headers } = await requests.send(question, signal);
    return status === 401 ? bearerChallenge(headers.get('www-authenticate')) : null;
  } catch (error) {
    // A redirect says nothing about who signs in; the well-known places may.
    if (error instanceof SignInFailure && error.code === 'redirected') return null;
    throw error;
  }
}
