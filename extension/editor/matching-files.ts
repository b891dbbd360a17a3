/**
 * Files whose path holds what was typed, the best ones first; and a search of our own for where the
 * editor's cannot run. Without the editor's API, so that plain Node tests it.
 */
import { pathBelow } from '../agent/folder-names.ts';

/** As it is compared: with `/`, in lower case. */
export function wantedOf(query: string): string {
  return query.replaceAll('\\', '/').toLowerCase();
}

/** The `most` best of `paths` for a query, as `wantedOf` gives it. */
export function best(paths: readonly string[], wanted: string, most: number): readonly string[] {
  return paths
    .filter((path) => path.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a, wanted) - rank(b, wanted) || (a < b ? -1 : 1))
    .slice(0, most);
}

/** Names that begin with the query before names that hold it, short paths before long ones. */
function rank(path: string, wanted: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const group = name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  return group * 10_000 + Math.min(path.length, 9999);
}

/** Up to `most` files below the folders whose shown path holds `wanted`, as `.gitignore` says. */
export async function walkedFiles(
  folders: readonly string[],
  wanted: string,
  most: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // Only where the editor's own search cannot run: it is no part of the start.
  const { walk } = await import(/* webpackChunkName: "engine" */ '../agent/walk.ts');
  const found: string[] = [];
  for (const folder of folders) {
    for await (const { path } of walk(folder, folder, signal).files) {
      const shown = pathBelow(path, folders);
      if (/(?:^|\/)node_modules\//u.test(shown) || !shown.toLowerCase().includes(wanted)) continue;
      if (found.push(shown) >= most) return found;
    }
  }
  return found;
}
