/**
 * Files inside the workspace folders, and nothing else. In: a path as a model wrote it. Out: where it
 * really is, links followed, or a refusal that says what to do. Reading checks once more after the
 * file is open; writing is atomic, and checks once more before the new file takes its place.
 */
import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { folderNames, nameOf, pathBelow } from './folder-names.ts';
import { ToolRefusal } from './tool.ts';

/** Where a path leads. */
export interface Place {
  /** Absolute, links followed; of a file that is not there, its folder's. */
  readonly path: string;
  /** As people and models see it: relative to its workspace folder, or led by that folder's name
   * where there are several; with `/`. */
  readonly shown: string;
  readonly kind: 'file' | 'folder' | 'absent' | 'other';
  readonly size: number;
}

export interface FilesParts {
  /** Workspace folders as they stand now. */
  readonly folders: () => readonly string[];
  /** Folders outside of them that may be read, such as that of this session's saved outputs. */
  readonly readable: () => readonly string[];
  readonly platform: NodeJS.Platform;
}

/** Names that Windows takes for devices, with any ending. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/iu;

export class WorkspaceFiles {
  readonly #parts: FilesParts;

  constructor(parts: FilesParts) {
    this.#parts = parts;
  }

  /** The workspace folders, links followed, that are there. */
  async folders(): Promise<readonly string[]> {
    return existing(this.#parts.folders());
  }

  /** Folders outside the workspace that may be read. */
  async readable(): Promise<readonly string[]> {
    return existing(this.#parts.readable());
  }

  /** Finds out where `written` leads; refuses what is outside. */
  async place(written: string, purpose: 'read' | 'write'): Promise<Place> {
    const folders = await this.folders();
    const [first] = folders;
    if (first === undefined) throw new ToolRefusal('No folder is open, so there are no files.');
    this.#checkText(written);
    const asked = (await this.#named(written, folders)) ?? resolve(first, written);
    const path = await this.#real(asked, written);
    const readable = purpose === 'read' ? await this.readable() : [];
    const folder = folders.find((f) => isInside(path, f));
    if (folder === undefined && !readable.some((f) => isInside(path, f))) {
      throw new ToolRefusal(await this.#outside(written, first));
    }
    const shown = folder === undefined ? path : pathBelow(path, folders);
    const found = await stat(path).catch(missing);
    if (found === null) return { path, shown, kind: 'absent', size: 0 };
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
    return { path, shown, kind, size: found.size };
  }

  /** Where a search begins that may be given no path: in each folder that has a name for itself. */
  async searched(written: string | null): Promise<readonly Place[]> {
    const names = folderNames(await this.folders());
    if (written !== null || names.size === 0) return [await this.place(written ?? '.', 'read')];
    return Promise.all([...names.keys()].map((folder) => this.place(folder, 'read')));
  }

  /** The bytes of a file that `place` found, read through a handle that is checked once more. */
  async read(place: Place, limit: number): Promise<Buffer> {
    const handle = await this.#opened(place);
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new ToolRefusal(`${place.shown} is not a file.`);
      if (found.size > limit) {
        throw new ToolRefusal(
          `${place.shown} has ${found.size} bytes; up to ${limit} can be read. Use grep or a command on it.`,
        );
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  /**
   * Puts `data` in the place of a file, whole or not at all. `expected` is the digest of what the
   * caller saw there, or null for nothing: when something else stands there, nothing is written.
   */
  async write(place: Place, data: Buffer, expected: string | null): Promise<void> {
    const folder = dirname(place.path);
    await this.#makeFolder(folder, place);
    const temporary = join(
      folder,
      `.${basename(place.path)}.${randomBytes(6).toString('hex')}.tmp`,
    );
    const before = await lstat(place.path).catch(missing);
    const mode = before?.isFile() === true ? before.mode & 0o777 : 0o666;
    try {
      const handle = await open(temporary, 'wx', mode);
      try {
        await handle.writeFile(data);
        // The process's mask may have taken bits away that the file had.
        if (before?.isFile() === true) await handle.chmod(mode);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await this.#unmoved(folder, place);
      await this.#unchanged(place, expected);
      await replace(temporary, place.path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** A handle on the file that stands at `place.path` now, over no link. */
  async #opened(place: Place): Promise<FileHandle> {
    // The path is resolved, so its last part is no link; one that was put there since is not followed.
    const noFollow = this.#parts.platform === 'win32' ? 0 : constants.O_NOFOLLOW;
    const flags = constants.O_RDONLY | noFollow | constants.O_NONBLOCK;
    const handle = await open(place.path, flags).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      if (code === 'ELOOP') throw moved(place);
      throw error;
    });
    try {
      const [opened, there, now] = await Promise.all([
        handle.stat({ bigint: true }),
        lstat(place.path, { bigint: true }).catch(missing),
        realpath(place.path).catch(missing),
      ]);
      // A folder above may have been a link for a moment only: then another file was opened.
      const same = there?.ino === opened.ino && there.dev === opened.dev;
      if (!same || now !== place.path) throw moved(place);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return handle;
  }

  /** Makes `folder` part by part, each below a folder that is where it was. */
  async #makeFolder(folder: string, place: Place): Promise<void> {
    const absent: string[] = [];
    let current = folder;
    while ((await lstat(current).catch(missing)) === null) {
      absent.push(current);
      current = dirname(current);
    }
    await this.#unmoved(current, place);
    for (const path of absent.reverse()) {
      await mkdir(path).catch((error: unknown) => {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        if (code !== 'EEXIST') throw error;
      });
      await this.#unmoved(path, place);
    }
  }

  async #unmoved(folder: string, place: Place): Promise<void> {
    if ((await realpath(folder)) !== folder) {
      throw new ToolRefusal(`The folder of ${place.shown} moved while it was written. Try again.`);
    }
  }

  async #unchanged(place: Place, expected: string | null): Promise<void> {
    const found = await lstat(place.path).catch(missing);
    if (found === null) {
      if (expected === null) return;
      throw new ToolRefusal(`${place.shown} is gone since you read it. Look again.`);
    }
    if (expected === null || !found.isFile()) {
      throw new ToolRefusal(`${place.shown} exists. Read it before you change it.`);
    }
    const handle = await this.#opened(place);
    try {
      if (digest(await handle.readFile()) === expected) return;
    } finally {
      await handle.close();
    }
    throw new ToolRefusal(`${place.shown} changed since you read it. Read it again.`);
  }

  #checkText(written: string): void {
    if (written.includes('\0')) throw new ToolRefusal('A path cannot hold a NUL character.');
    if (/^~(?:[\\/]|$)/u.test(written)) {
      throw new ToolRefusal('Paths with ~ are outside the workspace. Use a path relative to it.');
    }
    if (this.#parts.platform === 'win32') {
      const parts = written.replace(/^[A-Za-z]:/u, '').split(/[\\/]/u);
      if (
        parts.some(
          (p) =>
            p.includes(':') || DEVICES.test(p.trim()) || /[. ]$/u.test(p.replace(/^\.+$/u, '')),
        )
      ) {
        throw new ToolRefusal(`${written} is not a name that Windows keeps as it is.`);
      }
    }
  }

  /**
   * Where a path leads that begins with the name of one of several folders; null for any other. What
   * is not there, but is in the first folder below one of that name, is meant there.
   */
  async #named(written: string, folders: readonly string[]): Promise<string | null> {
    if (folderNames(folders).size === 0 || isAbsolute(written)) return null;
    const [name = '', ...rest] = written
      .replace(/^(?:\.[\\/])+/u, '')
      .split(this.#parts.platform === 'win32' ? /[\\/]/u : '/');
    const at = folders.findIndex((folder) => nameOf(folder) === name);
    // A folder that is a link has the link's name for the user.
    const given = this.#parts.folders().find((folder) => nameOf(folder) === name);
    const folder =
      folders[at] ?? (given === undefined ? undefined : await realpath(given).catch(missing));
    if (folder === undefined || folder === null) return null;
    const meant = join(folder, ...rest);
    const other = resolve(folders[0] ?? folder, written);
    const isThere = async (path: string): Promise<boolean> =>
      (await lstat(path).catch(missing)) !== null;
    return !(await isThere(meant)) && (await isThere(other)) ? null : meant;
  }

  /** `asked` with links followed; where it does not exist, the nearest folder that does decides. */
  async #real(asked: string, written: string): Promise<string> {
    const missingParts: string[] = [];
    for (let current = asked; ; current = dirname(current)) {
      const found = await realpath(current).catch(missing);
      if (found !== null) return join(found, ...missingParts.reverse());
      if ((await lstat(current).catch(missing))?.isSymbolicLink() === true) {
        throw new ToolRefusal(`${written} leads over a link to something that is not there.`);
      }
      if (dirname(current) === current) return asked;
      missingParts.push(basename(current));
    }
  }

  async #outside(written: string, folder: string): Promise<string> {
    const meant = written.replace(/^[\\/]+/u, '');
    const there = isAbsolute(written) && (await stat(join(folder, meant)).catch(missing)) !== null;
    return there
      ? `${written} is outside the workspace. Did you mean ${meant}?`
      : `${written} is outside the workspace folders. Use a path relative to ${folder}.`;
  }
}

function moved({ shown }: Place): ToolRefusal {
  return new ToolRefusal(`${shown} moved while it was read. Try again.`);
}

/** True when `path` is `folder` or below it; both resolved. */
export function isInside(path: string, folder: string): boolean {
  const rest = relative(folder, path);
  return rest === '' || (!isAbsolute(rest) && rest !== '..' && !rest.startsWith(`..${sep}`));
}

/** How a file is shown that a search from `place` found under `name`. */
export function below({ shown }: Place, name: string): string {
  return shown === '.' ? name : `${shown}/${name}`;
}

/** SHA-256 in hex. */
export function digest(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** `null` for what is not there; every other error goes on. */
export function missing(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  if (code === 'ELOOP') throw new ToolRefusal('The path is a link that leads to itself.');
  if (code === 'EACCES' || code === 'EPERM') {
    throw new ToolRefusal('You have no permission to look there.');
  }
  if (code === 'ENAMETOOLONG') throw new ToolRefusal('The path is too long.');
  throw error;
}

async function existing(folders: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(folders.map((f) => realpath(f).catch(missing)));
  return real.filter((f) => f !== null);
}

/** Renames over what is there; on Windows a scanner may hold the old file for a moment. */
async function replace(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      if (attempt >= 5 || (code !== 'EPERM' && code !== 'EACCES' && code !== 'EBUSY')) throw error;
      await sleep(20 * 2 ** attempt);
    }
  }
}
