/**
 * Finds the tools that a model server refuses, when its error names none: by asking with halves of
 * them. `accepts` sends a tiny request that offers the tools and says whether it went through.
 */
import { HALVING_REQUESTS } from '../limits.ts';

export type Refused =
  /** It refuses the request with no tools too: they are not the cause. */
  | { readonly kind: 'other' }
  /** It refuses every single one: it takes no tools. */
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly names: readonly string[] };

export async function findRefused(
  names: readonly string[],
  accepts: (offered: readonly string[]) => Promise<boolean>,
): Promise<Refused> {
  if (!(await accepts([]))) return { kind: 'other' };
  const found: string[] = [];
  let left = HALVING_REQUESTS;
  const suspects: (readonly string[])[] = [names];
  for (let part = suspects.pop(); part !== undefined; part = suspects.pop()) {
    if (part.length === 0) continue;
    // Out of requests: what is still under suspicion is left out whole, so that the turn goes on.
    if (left-- <= 0) {
      found.push(...part);
      continue;
    }
    if (await accepts(part)) continue;
    if (part.length === 1) {
      found.push(...part);
      continue;
    }
    const middle = Math.ceil(part.length / 2);
    suspects.push(part.slice(middle), part.slice(0, middle));
  }
  if (found.length === 0) return { kind: 'other' };
  if (found.length === names.length) return { kind: 'all' };
  return { kind: 'some', names: names.filter((name) => found.includes(name)) };
}

/** The one tool that an error's text names, or null. */
export function namedTool(message: string, names: readonly string[]): string | null {
  const named = names.filter((name) =>
    new RegExp(
      // Only what has a meaning is escaped: with `u`, the escape of anything else (`-`) is an error.
      `(?<![A-Za-z0-9_-])${name.replace(/[$()*+./?[\\\]^{|}]/gu, '\\$&')}(?![A-Za-z0-9_-])`,
      'u',
    ).test(message),
  );
  return named.length === 1 ? (named[0] ?? null) : null;
}
