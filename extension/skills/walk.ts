/**
 * The files of one skill: what it consists of, without reading any of them, but SKILL.md
 * where that is wanted.
 *
 * Links are followed and must stay inside the skill's folder; a loop ends. What is left out is said.
 */
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';
import type { ContainedFiles, FileRead } from './files.ts';
import { errorCode } from '../error-code.ts';
import {
  SKILL_BYTES,
  SKILL_DEPTH,
  SKILL_FILE_BYTES,
  SKILL_FILES,
  SKILL_FOLDERS,
  SKILL_STAMP_SETTLES_MS,
} from '../limits.ts';

export interface SkillFile {
  /** Relative to the skill's folder, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Differs whenever the file was written to or replaced. */
  readonly stamp: string;
}

/** An entry that is not one of the skill's files, and why. */
export interface LeftOut {
  readonly path: string;
  readonly why: 'outside' | 'hiddenName' | 'notAFile' | 'unreadable' | 'loop';
}

export interface SkillFiles {
  /** By path. */
  readonly files: readonly SkillFile[];
  readonly leftOut: readonly LeftOut[];
  /** The limit that was passed, where one was: the list then ends there. */
  readonly over: 'files' | 'bytes' | 'folders' | 'depth' | null;
  /** Every folder and file as it was; null when that does not show every change. */
  readonly seen: readonly Seen[] | null;
  /** The newest change is so old that another one would show. */
  readonly settled: boolean;
  /** The folders as they were before they were read; null when something went away meanwhile. */
  readonly folders: readonly Seen[] | null;
}

/** What was found, and what SKILL.md holds. */
export interface WalkedSkill {
  readonly walked: SkillFiles;
  /** By its spelling; none where it is a link, cannot be read, or was not to be read. */
  readonly manifests: ReadonlyMap<string, FileRead>;
}

/** A folder or file and what tells that it changed. */
interface Seen {
  /** Absolute. */
  readonly at: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Never part of a skill: what a clone, an installation or a file manager leaves there. */
const ignored: ReadonlySet<string> = new Set(['.git', 'node_modules', '.DS_Store', 'Thumbs.db']);

/**
 * The path of what a folder lists: such a name has no separator and is not `..`, so that there is
 * nothing to normalize, which is what takes the time of `join`.
 */
export function inFolder(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/** `folder` is absolute and resolved. Throws when it cannot be read at all. */
export function walkSkill(
  folder: string,
  files: ContainedFiles,
  isPlain: (path: string) => boolean,
  /** Milliseconds since 1970. */
  now: number,
  /** Shall SKILL.md be read on the way? */
  reads: boolean,
): WalkedSkill {
  const walk = new Walk(folder, files, isPlain, reads);
  walk.all();
  const { found, leftOut, over, seen } = walk;
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  leftOut.sort((a, b) => (a.path < b.path ? -1 : 1));
  // What a link leads to changes without its folder.
  const shows = !walk.hasLinks && leftOut.length === 0 && over === null;
  // Of two changes within one tick of a file system's clock, the second does not show.
  const settled = seen.every((each) => each.ctimeMs < now - SKILL_STAMP_SETTLES_MS);
  const folders = walk.isGone ? null : walk.foldersSeen;
  return {
    walked: { files: found, leftOut, over, seen: shows ? seen : null, settled, folders },
    manifests: walk.manifests,
  };
}

/**
 * True when no folder of it was renamed, and nothing came or went, since the walk began. What was read
 * of a single folder is whole by itself: its list came from one call.
 */
export function isWhole({ folders }: SkillFiles, wasRead: boolean): boolean {
  if (folders === null) return false;
  return (wasRead && folders.length === 1) || folders.every(isUnchanged);
}

/** True when two walks found the same, and every change between them would show. */
export function isSameWalk(before: SkillFiles, now: SkillFiles): boolean {
  return before.settled && found(before) === found(now);
}

function found({ over, files, leftOut }: SkillFiles): string {
  return JSON.stringify([over, files, leftOut]);
}

/** True when nothing can have changed since the walk: a look at each folder and file of it, no more. */
export function isAsWalked({ seen, settled }: SkillFiles): boolean {
  // On Windows, file systems without journal keep a folder's times when a file comes into it.
  if (seen === null || !settled || process.platform === 'win32') return false;
  return seen.every(isUnchanged);
}

function isUnchanged(before: Seen): boolean {
  const now = lstatSync(before.at, { throwIfNoEntry: false });
  return (
    now?.ctimeMs === before.ctimeMs &&
    now.mtimeMs === before.mtimeMs &&
    now.size === before.size &&
    now.ino === before.ino &&
    now.dev === before.dev
  );
}

interface Waiting {
  readonly path: string;
  readonly real: string;
  readonly depth: number;
}

class Walk {
  readonly found: SkillFile[] = [];
  readonly leftOut: LeftOut[] = [];
  readonly seen: Seen[] = [];
  readonly foldersSeen: Seen[] = [];
  readonly manifests = new Map<string, FileRead>();
  hasLinks = false;
  isGone = false;
  over: SkillFiles['over'] = null;
  readonly #folder: string;
  readonly #files: ContainedFiles;
  readonly #isPlain: (path: string) => boolean;
  readonly #reads: boolean;
  readonly #folders: Set<string>;
  readonly #waiting: Waiting[];
  #bytes = 0;

  constructor(
    folder: string,
    files: ContainedFiles,
    isPlain: (path: string) => boolean,
    reads: boolean,
  ) {
    this.#reads = reads;
    this.#folder = folder;
    this.#files = files;
    this.#isPlain = isPlain;
    this.#folders = new Set([folder]);
    this.#waiting = [{ path: '', real: folder, depth: 0 }];
  }

  all(): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const entries = this.#entries(next);
      for (const entry of entries) {
        if (!ignored.has(entry.name)) this.#entry(next, entry);
        if (this.over !== null) return;
      }
    }
  }

  #entries({ path, real }: Waiting): readonly Dirent[] {
    try {
      // Looked at before it is read: what comes into it meanwhile shows the next time.
      const folder = seen(real, lstatSync(real));
      this.seen.push(folder);
      this.foldersSeen.push(folder);
      return readdirSync(real, { withFileTypes: true });
    } catch (error) {
      const code = errorCode(error);
      if (path === '' || code === null) throw error;
      if (code === 'ENOENT') this.isGone = true;
      this.leftOut.push({ path, why: 'unreadable' });
      return [];
    }
  }

  #entry(within: Waiting, entry: Dirent): void {
    const { name } = entry;
    const path = within.path === '' ? name : `${within.path}/${name}`;
    if (!this.#isPlain(name)) {
      this.leftOut.push({ path, why: 'hiddenName' });
      return;
    }
    const isLink = entry.isSymbolicLink();
    if (isLink) this.hasLinks = true;
    if (this.#reads && within.path === '' && isManifest(name) && entry.isFile()) {
      // It is opened in any case, and one that is open is looked at for less than one that is not.
      const real = inFolder(within.real, name);
      const { read, stats } = this.#files.readStated(this.#folder, real, SKILL_FILE_BYTES);
      if (stats !== null) {
        this.manifests.set(name, read);
        this.#file(path, real, stats);
        return;
      }
    }
    const target = entryTarget(inFolder(within.real, name), isLink);
    switch (target.kind) {
      case 'gone':
        this.isGone = true;
        return;
      case 'leftOut':
        this.leftOut.push({ path, why: target.why });
        return;
      case 'folder':
      case 'file':
        if (isLink && !this.#files.within(this.#folder, target.real)) {
          this.leftOut.push({ path, why: 'outside' });
        } else if (target.kind === 'folder') {
          this.#goInto({ path, real: target.real, depth: within.depth + 1 });
        } else {
          this.#file(path, target.real, target.stats);
        }
    }
  }

  #goInto(next: Waiting): void {
    if (this.#folders.has(next.real)) {
      this.leftOut.push({ path: next.path, why: 'loop' });
    } else if (next.depth > SKILL_DEPTH) {
      this.over = 'depth';
    } else if (this.#folders.size > SKILL_FOLDERS) {
      this.over = 'folders';
    } else {
      this.#folders.add(next.real);
      this.#waiting.push(next);
    }
  }

  #file(path: string, real: string, stats: Stats): void {
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    this.#bytes += size;
    // The time of the last change of the inode cannot be set back, as the file's own time can.
    this.found.push({ path, size, stamp: [dev, ino, size, mtimeMs, ctimeMs].join(':') });
    this.seen.push(seen(real, stats));
    if (this.found.length > SKILL_FILES) this.over = 'files';
    else if (this.#bytes > SKILL_BYTES) this.over = 'bytes';
  }
}

/** `SKILL.md`, or another spelling of it by case. */
export function isManifest(path: string): boolean {
  return path.length === 8 && path.toLowerCase() === 'skill.md';
}

function seen(at: string, { dev, ino, size, mtimeMs, ctimeMs }: Stats): Seen {
  return { at, dev, ino, size, mtimeMs, ctimeMs };
}

type Target =
  | { readonly kind: 'folder'; readonly real: string }
  | { readonly kind: 'file'; readonly real: string; readonly stats: Stats }
  | { readonly kind: 'leftOut'; readonly why: LeftOut['why'] }
  /** Removed or renamed while the folder was read. */
  | { readonly kind: 'gone' };

function entryTarget(path: string, isLink: boolean): Target {
  try {
    const real = isLink ? realpathSync.native(path) : path;
    const stats = isLink ? statSync(real) : lstatSync(path);
    if (stats.isDirectory()) return { kind: 'folder', real };
    if (!stats.isFile()) return { kind: 'leftOut', why: 'notAFile' };
    return { kind: 'file', real, stats };
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    if (code === 'ENOENT' && !isLink) return { kind: 'gone' };
    return { kind: 'leftOut', why: code === 'ELOOP' ? 'loop' : 'unreadable' };
  }
}
