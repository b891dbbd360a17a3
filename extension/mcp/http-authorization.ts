/**
 * What a server that is reached over HTTP is shown of who calls it.
 *
 * In: the server, and answers by which it refused a request. Out: headers, and whether it is worth
 * asking again. Deliberately not here: how a sign-in works; a connection is handed one of these.
 */
import type { ApprovedAddress } from './plans.ts';

/** How a server refused a request for want of authorization. */
export interface RefusedResponse {
  readonly status: number;
  /** The header `WWW-Authenticate`, where it is there. */
  readonly wwwAuthenticate: string | null;
  /** What `headers` gave for that request: others may have been sent, and answered, since. */
  readonly sent: Readonly<Record<string, string>>;
}

export interface HttpAuthorization {
  /** Header values for this server now, empty when it needs none. Asked before every request. */
  headers(server: ApprovedAddress): Promise<Readonly<Record<string, string>>>;
  /** The server answered 401 or 403; true: try the same request once more. */
  refused(
    server: ApprovedAddress,
    response: RefusedResponse,
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** Sends nothing beside the headers of the server's entry; a refusal stands. */
export const noAuthorization: HttpAuthorization = {
  headers: () => Promise.resolve({}),
  refused: () => Promise.resolve(false),
};
