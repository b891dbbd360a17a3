/** Why a server over HTTP does not run, in words: the fact, then what to do. The code is stable. */
import type { Failure } from '../core.ts';
import { HTTP_CONNECT_MS } from '../limits.ts';
import { never } from '../never.ts';
import type { ApprovedAddress } from './plans.ts';
import { hasAuthorization } from './secrets.ts';

export type HttpFailure = Extract<
  Failure,
  { kind: 'unreached' | 'dropped' | 'status' | 'notMcp' | 'redirected' }
>;

export interface HttpWords {
  readonly code:
    | 'unreachable'
    | 'certificate'
    | 'connection-broke'
    | 'unauthorized'
    | 'no-server-there'
    | 'http-status'
    | 'not-mcp'
    | 'redirected';
  readonly fact: string;
  readonly remedy: string;
}

export function httpFailure(failure: HttpFailure, server: ApprovedAddress): HttpWords {
  const { path, shown } = server;
  switch (failure.kind) {
    case 'unreached':
      return unreached(failure.code, server);
    case 'dropped':
      return {
        code: 'connection-broke',
        fact: `${shown} closes the connection without an answer.`,
        remedy: 'Its own log says why. Start it again then.',
      };
    case 'status':
      return statusWords(failure.status, failure.text, server);
    case 'notMcp': {
      const isPage = /^text\/html/iu.test(failure.contentType);
      const what = failure.contentType === '' ? 'nothing' : failure.contentType;
      return {
        code: 'not-mcp',
        fact: isPage
          ? `${shown} answers with a web page, not with MCP.`
          : `${shown} answers with ${what}, not with MCP.`,
        remedy: `Check "url" in ${path}: the address of many servers ends in /mcp.`,
      };
    }
    case 'redirected':
      return {
        code: 'redirected',
        fact: `${shown} points to ${failure.to === '' ? 'another address' : failure.to}, and nothing is sent there unasked.`,
        remedy: `If you trust that address, write it as "url" in ${path}.`,
      };
    default:
      return never(failure);
  }
}

function unreached(code: string, { path, shown, url }: ApprovedAddress): HttpWords {
  const { hostname } = new URL(url);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return {
      code: 'unreachable',
      fact: `There is no host ${hostname}.`,
      remedy: `Check "url" in ${path}, and the network.`,
    };
  }
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/u.test(code)) {
    return {
      code: 'certificate',
      fact: `${hostname} has a certificate that is not trusted (${code}).`,
      remedy: 'Trust its certificate in the system, or name the file with NODE_EXTRA_CA_CERTS.',
    };
  }
  if (code === 'EPROTO') {
    return {
      code: 'certificate',
      fact: `${shown} does not speak TLS.`,
      remedy: `Write http:// instead of https:// in "url" in ${path}.`,
    };
  }
  if (code === 'ERR_INVALID_CHAR') {
    return {
      code: 'unreachable',
      fact: 'One of its headers holds what no header may hold, such as a line break.',
      remedy: `Check "headers" in ${path}, and the variables in it.`,
    };
  }
  if (code === 'ETIMEDOUT') {
    return {
      code: 'unreachable',
      fact: `No connection to ${shown} within ${HTTP_CONNECT_MS / 1000} s.`,
      remedy: `Check "url" in ${path}, and the network.`,
    };
  }
  return {
    code: 'unreachable',
    fact: `Nothing answers at ${shown}${code === '' ? '' : ` (${code})`}.`,
    remedy: `Start the server there, or correct "url" in ${path}.`,
  };
}

function statusWords(status: number, text: string, server: ApprovedAddress): HttpWords {
  const { path, shown } = server;
  const said = text === '' ? '' : `: "${text}"`;
  if ((status === 401 || status === 403) && hasAuthorization(server.headers)) {
    return {
      code: 'unauthorized',
      fact: `It refused the "Authorization" of its entry with status ${status}${said}.`,
      remedy: `Correct it in "headers" in ${path}, or remove it there and sign in: no sign-in is used beside it.`,
    };
  }
  if (status === 401 || status === 403) {
    return {
      code: 'unauthorized',
      fact: `It refused access with status ${status}${said}.`,
      remedy: `Sign in: "Sign In to Server…" in the editor, "gbs mcp login ${server.name}" in a terminal. Or give it a key by "headers" in ${path}, such as "Authorization": "Bearer \${TOKEN}".`,
    };
  }
  if (status === 404 || status === 405) {
    return {
      code: 'no-server-there',
      fact: `There is no MCP server at ${shown} (status ${status}).`,
      remedy: `Check "url" in ${path}: the address of many servers ends in /mcp.`,
    };
  }
  return {
    code: 'http-status',
    fact: `It answered with status ${status}${said}.`,
    remedy:
      status >= 500 || status === 429
        ? 'Its own log says why. Start it again then.'
        : `Check its entry in ${path}.`,
  };
}

/** A failure without what its server was given and may repeat. */
export function maskedFailure(failure: Failure, mask: (text: string) => string): Failure {
  switch (failure.kind) {
    case 'refused':
      return { ...failure, message: mask(failure.message) };
    case 'status':
      return { ...failure, text: mask(failure.text) };
    case 'redirected':
      return { ...failure, to: mask(failure.to) };
    case 'startTimedOut':
    case 'unknownVersion':
    case 'brokenHandshake':
    case 'ended':
    case 'contentLength':
    case 'unreached':
    case 'dropped':
    case 'notMcp':
      return failure;
    default:
      return never(failure);
  }
}
