/**
 * What a server says when it refuses: the `Bearer` challenge of a `WWW-Authenticate` header (RFC 9110
 * section 11.6.1, RFC 6750 section 3, RFC 9728 section 5.1). A header can hold several challenges.
 */
import { CHALLENGE_CHARACTERS } from '../../limits.ts';

export interface Challenge {
  /** Where the server's metadata are; null where it does not say. */
  readonly resourceMetadata: string | null;
  /** Scopes that the request needs; null where it does not say. */
  readonly scope: string | null;
  /** Such as `invalid_token` or `insufficient_scope`; null for none. */
  readonly error: string | null;
}

export const noChallenge: Challenge = { resourceMetadata: null, scope: null, error: null };

/** One step of reading: blanks and commas, a parameter, or a scheme. Sticky, so it only goes forward. */
const separators = /[\s,]*/uy;
const parameter = /([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/suy;
const scheme = /([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]+[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$)))?/uy;

/** The first `Bearer` challenge; `noChallenge` where there is none, or the header cannot be read. */
export function bearerChallenge(header: string | null): Challenge {
  if (header === null) return noChallenge;
  const text = header.slice(0, CHALLENGE_CHARACTERS);
  let at = 0;
  const found = new Map<string, string>();
  let bearer = false;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(separators);
    if (at >= text.length) break;
    const pair = take(parameter);
    if (pair !== null) {
      const [, name = '', quoted, plain = ''] = pair;
      const key = name.toLowerCase();
      // The first one counts; a second of the same name is no parameter but a mistake.
      if (bearer && !found.has(key)) {
        found.set(key, quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gsu, '$1'));
      }
      continue;
    }
    if (bearer) break;
    const next = take(scheme);
    if (next === null) break;
    bearer = next[1]?.toLowerCase() === 'bearer';
  }
  const value = (name: string): string | null => found.get(name) ?? null;
  return {
    resourceMetadata: value('resource_metadata'),
    scope: value('scope'),
    error: value('error'),
  };
}
