/**
 * Pages of a sorted list. A cursor names the last key of the page before, so that it means the same in
 * every process that serves the list, and still does when the list has changed.
 */

interface Page<T> {
  readonly items: readonly T[];
  /** The key of the last item when more follow. */
  readonly last: string | null;
}

export function cursorAfter(key: string): string {
  return Buffer.from(`after:${key}`).toString('base64url');
}

/** Null for a cursor that is none. */
export function pageAfter<T>(
  sorted: readonly T[],
  cursor: string | undefined,
  limit: number,
  keyOf: (item: T) => string,
): Page<T> | null {
  const after = cursor === undefined ? '' : keyIn(cursor);
  if (after === null) return null;
  const rest = cursor === undefined ? sorted : sorted.filter((item) => keyOf(item) > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const more = items.length < rest.length && last !== undefined;
  return { items, last: more ? keyOf(last) : null };
}

function keyIn(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString();
  return text.startsWith('after:') && cursorAfter(text.slice(6)) === cursor ? text.slice(6) : null;
}
