/** Finds the tool a model meant: its exact name, or the only one that fits what it wrote. */

/** Names that APIs take; what a model made up and does not fit must not go back to them. */
const SENDABLE = /^[A-Za-z0-9_-]{1,64}$/u;

/**
 * The one of `known` that `written` names. A name may differ by case, blanks, a namespace in front
 * (`functions.`) or a lost prefix (`get_page` for `mcp__web__get_page`), when exactly one fits.
 */
export function matchName(written: string, known: readonly string[]): string | null {
  if (known.includes(written)) return written;
  const bare = simple(written);
  if (bare === '') return null;
  const fits: ((name: string) => boolean)[] = [
    (name) => simple(name) === bare,
    (name) => simple(name) === afterNamespace(bare),
    (name) => simple(name).endsWith(`__${bare}`),
  ];
  for (const fit of fits) {
    const found = known.filter(fit);
    if (found.length === 1) return found[0] ?? null;
    if (found.length > 1) return null;
  }
  return null;
}

function simple(name: string): string {
  return name.replace(/\s+/gu, '').toLowerCase();
}

function afterNamespace(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf(':')) + 1);
}

/** `name` in a form that every server takes back in the history. */
export function sendableName(name: string): string {
  if (SENDABLE.test(name)) return name;
  const cleaned = name.replace(/[^A-Za-z0-9_-]+/gu, '_').slice(0, 64);
  return /[A-Za-z0-9]/u.test(cleaned) ? cleaned : 'unknown_tool';
}

/** Names like `written`, for the answer to a name that is not known. */
export function similarNames(written: string, known: readonly string[]): readonly string[] {
  const parts = simple(written)
    .split(/[^a-z0-9]+/u)
    .filter((part) => part.length > 2);
  return known.filter((name) => parts.some((part) => simple(name).includes(part))).slice(0, 5);
}
