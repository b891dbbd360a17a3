/**
 * The skills in a folder of this machine. Links are followed, and what they lead to must lie inside: a
 * skill's folder in the skills folder, a file in the folder of the skill it is asked for in.
 */
import {
  readdirSync,
  realpathSync,
  statSync,
  watch,
  type Dirent,
  type FSWatcher,
  type Stats,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Core } from '../core.ts';
import { errorCode } from '../error-code.ts';
import { CATALOGUE_WATCHED } from '../limits.ts';
import { ContainedFiles, type FileRead } from '../skills/files.ts';
import { isSegment } from './ids.ts';
import type { FileBytes, SkillProvider, Stamp, SubdirEntry } from './provider.ts';

/** A file is there and cannot be served. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
}

export class FolderProvider implements SkillProvider {
  readonly #core: Core;
  readonly #files: ContainedFiles;
  readonly #root: string;

  constructor(core: Core, root: string, platform: NodeJS.Platform = process.platform) {
    this.#core = core;
    this.#files = new ContainedFiles({ core, platform });
    this.#root = resolve(root);
  }

  list(): Promise<readonly string[]> {
    return promised(() => {
      try {
        return this.#entries(this.#root)
          .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
          .map(({ name }) => name);
      } catch (error) {
        const missing = missingFolder(this.#root);
        throw missing === null ? error : new ProviderRefusal(missing);
      }
    });
  }

  stat(id: string): Promise<Stamp | null> {
    return promised(() => {
      const found = this.#manifest(id);
      return found === null ? null : stampOf(found.stats);
    });
  }

  read(id: string, limit: number): Promise<FileBytes | null> {
    return promised(() => {
      const found = this.#manifest(id);
      const folder = this.#skill(id);
      if (found === null) return null;
      if (folder === null) {
        throw new ProviderRefusal(
          `its folder is a link that leads out of ${this.#root}; serve that folder with --skills-root of its own`,
        );
      }
      const read = this.#files.read(folder, join(folder, found.name), limit);
      if (read.kind === 'outside')
        throw new ProviderRefusal(`${found.name} leads out of its folder`);
      if (read.kind === 'notAFile') throw new ProviderRefusal(`${found.name} is not a file`);
      return bytesOf(read, found.name);
    });
  }

  listSubdir(id: string, folder: string): Promise<readonly SubdirEntry[] | null> {
    return promised(() => {
      const place = this.#place(id, folder);
      if (place === null || looked(place.real)?.isDirectory() !== true) return null;
      return this.#entries(place.real).flatMap((entry) => {
        const found = this.#look(place, entry);
        return found === null ? [] : [found];
      });
    });
  }

  readSubfile(id: string, folder: string, name: string, limit: number): Promise<FileBytes | null> {
    return promised(() => {
      const place = isSegment(this.#core, name) ? this.#place(id, folder) : null;
      if (place === null) return null;
      return bytesOf(this.#files.read(place.within, join(place.real, name), limit), name);
    });
  }

  watch(changed: () => void): () => void {
    return watchFolders(this.#root, changed);
  }

  #manifest(id: string): { readonly name: string; readonly stats: Stats } | null {
    if (!isSegment(this.#core, id)) return null;
    for (const name of ['SKILL.md', 'skill.md']) {
      const stats = looked(join(this.#root, id, name));
      if (stats !== null) return { name, stats };
    }
    return null;
  }

  /** Where the skill's folder really is; null when it is not there or leads out. */
  #skill(id: string): string | null {
    if (!isSegment(this.#core, id)) return null;
    const root = real(this.#root);
    const folder = root === null ? null : real(join(root, id));
    if (root === null || folder === null || folder === root) return null;
    return this.#files.within(root, folder) ? folder : null;
  }

  /** A folder of the skill, and what its links must not leave: the skill's sub-folder it lies in. */
  #place(id: string, folder: string): Place | null {
    const skill = this.#skill(id);
    if (skill === null) return null;
    if (folder === '') return { real: skill, within: skill };
    const segments = folder.split('/');
    if (!segments.every((segment) => isSegment(this.#core, segment))) return null;
    const top = real(join(skill, segments[0] ?? ''));
    const at = real(join(skill, ...segments));
    if (top === null || at === null || top === skill) return null;
    return this.#files.within(skill, top) && this.#files.within(top, at)
      ? { real: at, within: top }
      : null;
  }

  #look({ real: folder, within }: Place, entry: Dirent): SubdirEntry | null {
    if (!isSegment(this.#core, entry.name)) return null;
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      const target = real(path);
      if (target === null || !this.#files.within(within, target)) return null;
    }
    const stats = looked(path);
    if (stats === null) return null;
    if (stats.isFile()) return { name: entry.name, kind: 'file', ...stampOf(stats) };
    return stats.isDirectory() ? { name: entry.name, kind: 'folder', ...stampOf(stats) } : null;
  }

  #entries(folder: string): readonly Dirent[] {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) =>
      isSegment(this.#core, name),
    );
  }
}

/** What is said of a path that is no folder that can be looked into; null for one that is. */
export function missingFolder(root: string): string | null {
  const path = resolve(root);
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return `there is no folder ${path}`;
    return stats.isDirectory() ? null : `${path} is not a folder`;
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    return code === 'ENOTDIR' ? `there is no folder ${path}` : `${path} cannot be read (${code})`;
  }
}

interface Place {
  readonly real: string;
  readonly within: string;
}

/** The calls are short, and a promise for each of them would take longer than they do. */
function promised<T>(call: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(call());
  });
}

/** A file that was put back with its old time still counts as changed. */
function stampOf({ mtimeMs, ctimeMs, size }: Stats): Stamp {
  return { modified: Math.max(mtimeMs, ctimeMs), size };
}

function bytesOf(read: FileRead, name: string): FileBytes | null {
  switch (read.kind) {
    case 'read':
      return read.bytes;
    case 'tooLarge':
      return { size: read.size };
    case 'missing':
    case 'outside':
    case 'notAFile':
      return null;
    case 'unreadable':
      throw new ProviderRefusal(`${name} cannot be read (${read.code})`);
  }
}

/** Null where nothing is, or nothing that can be looked at. */
function looked(path: string): Stats | null {
  return orNull(() => statSync(path, { throwIfNoEntry: false }) ?? null);
}

function real(path: string): string | null {
  return orNull(() => realpathSync.native(path));
}

function orNull<T>(call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
}

/**
 * Watches a folder and the folders in it. A folder that comes is watched from then on; `changed` is
 * called for everything, so that what came into it before is seen too.
 */
function watchFolders(root: string, changed: () => void): () => void {
  const watched = new Map<string, FSWatcher>();
  const forget = (path: string): void => {
    watched.get(path)?.close();
    watched.delete(path);
  };
  const add = (path: string, told: () => void): void => {
    if (watched.has(path) || watched.size >= CATALOGUE_WATCHED) return;
    try {
      const watcher = watch(path, { persistent: false }, told);
      watcher.on('error', () => forget(path));
      watched.set(path, watcher);
    } catch (error) {
      // A folder that has gone, or more than the system watches: it is seen when it is asked for.
      if (errorCode(error) === null) throw error;
    }
  };
  const all = (): void => {
    const entries = orNull(() => readdirSync(root, { withFileTypes: true })) ?? [];
    const folders = new Set(entries.map(({ name }) => join(root, name)));
    for (const path of [...watched.keys()]) {
      if (path !== root && !folders.has(path)) forget(path);
    }
    for (const entry of entries) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) add(join(root, entry.name), changed);
    }
  };
  add(root, () => {
    all();
    changed();
  });
  all();
  return () => {
    for (const path of [...watched.keys()]) forget(path);
  };
}
