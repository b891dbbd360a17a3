/**
 * How several workspace folders are told apart in a path: its first part is the folder's own name,
 * where no two have the same. In: absolute folders. Out: names, and paths as people and models see
 * them. Pure, and without the editor's own names for folders, which no other program knows.
 */

/** The name of each folder; empty for one folder alone, and where names would not tell them apart. */
export function folderNames(folders: readonly string[]): ReadonlyMap<string, string> {
  const names = folders.map(nameOf);
  const told = folders.length > 1 && !names.includes('') && new Set(names).size === names.length;
  return new Map(told ? folders.map((folder, index) => [folder, names[index] ?? '']) : []);
}

/** What leads a path below this folder where several are open: its name, whole where names would not tell; else empty. */
export function shownName(folder: string, folders: readonly string[]): string {
  if (folders.length < 2 || !folders.includes(folder)) return '';
  return folderNames(folders).get(folder) ?? folder;
}

/** The last part of a folder's path; empty for the root of a file system. */
export function nameOf(folder: string): string {
  return folder.split(/[\\/]/u).findLast((part) => part !== '') ?? '';
}

/**
 * An absolute path as tools take it: below its folder and with `/`, led by that folder's name where
 * there are several; whole where it is in none, or where names would not tell.
 */
export function pathBelow(path: string, folders: readonly string[]): string {
  const [first] = folders;
  const folder = folders.find((each) => inside(path, each) !== null);
  if (folder === undefined) return path;
  const rest = inside(path, folder) ?? '';
  const name = folderNames(folders).get(folder);
  if (name === undefined) return folder !== first ? path : rest === '' ? '.' : rest;
  return rest === '' ? name : `${name}/${rest}`;
}

function inside(path: string, folder: string): string | null {
  const start = folder.replace(/[\\/]+$/u, '');
  if (path === start || path === folder) return '';
  // Elsewhere a `\` may stand in a name.
  const windows = /^(?:[A-Za-z]:|\\\\)/u.test(path);
  const separator = path.charAt(start.length);
  if (!path.startsWith(start) || !(separator === '/' || (windows && separator === '\\')))
    return null;
  const rest = path.slice(start.length + 1);
  return windows ? rest.replaceAll('\\', '/') : rest;
}
