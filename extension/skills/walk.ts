/**
 * The files of one skill: what it consists of, without reading any of them.
 *
 * Links are followed and must stay inside the skill's folder; a loop ends. What is left out is said.
 */
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainedFiles } from './files.ts';
import { errorCode } from '../error-code.ts';
import { SKILL_BYTES, SKILL_DEPTH, SKILL_FILES, SKILL_FOLDERS } from '../limits.ts';

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
}

/** Never part of a skill: what a clone, an installation or a file manager leaves there. */
const ignored: ReadonlySet<string> = new Set(['.git', 'node_modules', '.DS_Store', 'Thumbs.db']);

/** `folder` is absolute and resolved. Throws when it cannot be read at all. */
export async function walkSkill(
  folder: string,
  files: ContainedFiles,
  isPlain: (path: string) => boolean,
): Promise<SkillFiles> {
  const found: SkillFile[] = [];
  const leftOut: LeftOut[] = [];
  const seen = new Set([folder]);
  const waiting: { readonly path: string; readonly real: string; readonly depth: number }[] = [
    { path: '', real: folder, depth: 0 },
  ];
  let bytes = 0;
  let over: SkillFiles['over'] = null;
  for (let next = waiting.pop(); next !== undefined && over === null; next = waiting.pop()) {
    const { path: at, real, depth } = next;
    let entries;
    try {
      entries = await readdir(real, { withFileTypes: true });
    } catch (error) {
      if (at === '' || errorCode(error) === null) throw error;
      leftOut.push({ path: at, why: 'unreadable' });
      continue;
    }
    for (const entry of entries) {
      if (ignored.has(entry.name)) continue;
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (!isPlain(entry.name)) {
        leftOut.push({ path, why: 'hiddenName' });
        continue;
      }
      const target = await entryTarget(join(real, entry.name), entry.isSymbolicLink());
      if (target.kind === 'gone') {
        continue;
      } else if (target.kind === 'leftOut') {
        leftOut.push({ path, why: target.why });
      } else if (!files.within(folder, target.real)) {
        leftOut.push({ path, why: 'outside' });
      } else if (target.kind === 'folder') {
        if (seen.has(target.real)) {
          leftOut.push({ path, why: 'loop' });
        } else if (depth + 1 > SKILL_DEPTH) {
          over = 'depth';
        } else if (seen.size > SKILL_FOLDERS) {
          over = 'folders';
        } else {
          seen.add(target.real);
          waiting.push({ path, real: target.real, depth: depth + 1 });
        }
      } else {
        bytes += target.size;
        found.push({ path, size: target.size, stamp: target.stamp });
        if (found.length > SKILL_FILES) over = 'files';
        else if (bytes > SKILL_BYTES) over = 'bytes';
      }
      if (over !== null) break;
    }
  }
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  leftOut.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files: found, leftOut, over };
}

type Target =
  | { readonly kind: 'folder'; readonly real: string }
  | { readonly kind: 'file'; readonly real: string; readonly size: number; readonly stamp: string }
  | { readonly kind: 'leftOut'; readonly why: LeftOut['why'] }
  /** Removed or renamed while the folder was read. */
  | { readonly kind: 'gone' };

async function entryTarget(path: string, isLink: boolean): Promise<Target> {
  try {
    const real = isLink ? await realpath(path) : path;
    const at = isLink ? await stat(real, { bigint: true }) : await lstat(path, { bigint: true });
    if (at.isDirectory()) return { kind: 'folder', real };
    if (!at.isFile()) return { kind: 'leftOut', why: 'notAFile' };
    // The time of the last change of the inode cannot be set back, as the file's own time can.
    const stamp = [at.dev, at.ino, at.size, at.mtimeNs, at.ctimeNs].join('.');
    return { kind: 'file', real, size: Number(at.size), stamp };
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    if (code === 'ENOENT' && !isLink) return { kind: 'gone' };
    return { kind: 'leftOut', why: code === 'ELOOP' ? 'loop' : 'unreadable' };
  }
}
