/** Paths as seen from a workspace's folders. */
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { errorCode } from '../error-code.ts';

/** `path` from `folder`, with `/`. */
export function within(folder: string, path: string): string {
  const start = folder.endsWith(sep) ? folder : folder + sep;
  // What is not below it is reached by `..`.
  const inside = path.startsWith(start) ? path.slice(start.length) : relative(folder, path);
  return sep === '/' ? inside : inside.split(sep).join('/');
}

/** Those that are there, links followed. */
export async function realFolders(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    try {
      found.push(await realpath(folder));
    } catch (error) {
      if (errorCode(error) === null) throw error;
    }
  }
  return found;
}

/** The open file relative to the workspace folder that holds it, with `/`; null outside of all. */
export function relativeTo(folders: readonly string[], file: string | null): string | null {
  if (file === null) return null;
  for (const folder of folders) {
    const inside = relative(folder, file);
    if (inside !== '' && !isAbsolute(inside) && inside.split(sep)[0] !== '..') {
      return inside.split(sep).join('/');
    }
  }
  return null;
}
