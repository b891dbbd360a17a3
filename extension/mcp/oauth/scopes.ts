/** Lists of scopes: what a server wants, what was asked for before, and what is asked for now. */
import { SCOPE_CHARACTERS, SIGN_IN_SCOPES } from '../../limits.ts';

/** Characters of a scope by RFC 6749 section 3.3. */
const token = /^[\x21\x23-\x5b\x5d-\x7e]+$/u;

/** The usable scopes of a list, in their order, each once; what is no scope is left out. */
export function scopesOf(listed: unknown): readonly string[] {
  const all: unknown[] =
    typeof listed === 'string' ? listed.split(' ') : Array.isArray(listed) ? listed : [];
  const usable = all.filter(
    (each): each is string =>
      typeof each === 'string' && each.length <= SCOPE_CHARACTERS && token.test(each),
  );
  return [...new Set(usable)].slice(0, SIGN_IN_SCOPES);
}

/** Both, without repeating one: a server names what the moment needs, not what it gave before. */
export function joined(before: readonly string[], now: readonly string[]): readonly string[] {
  return [...new Set([...before, ...now])].slice(0, SIGN_IN_SCOPES);
}
