/**
 * Reading skills from folders: every skill of every source, usable or not, with what is wrong with it.
 * A skill whose files did not change since the last time is not read again.
 */
import { createHash, hash } from 'node:crypto';
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Core, FileDigest, ParsedSkill, Problem } from '../core.ts';
import { errorCode } from '../error-code.ts';
import {
  SKILLS_BATCH_BYTES,
  SKILLS_SLICE_MS,
  SKILL_BYTES,
  SKILL_FILE_BYTES,
  SKILL_LOOKED_AGAIN,
} from '../limits.ts';
import type { ContainedFiles, FileRead } from './files.ts';
import type { OfferedRecord } from './offered.ts';
import {
  dangling,
  leftOut,
  misspelled,
  notRead,
  overLimit,
  skillWords,
  unread,
} from './folder-findings.ts';
import { type FolderProblem, type SkillsFolder, unreadable } from './sources.ts';
import {
  inFolder,
  isAsWalked,
  isManifest,
  isSameWalk,
  isWhole,
  type SkillFile,
  type SkillFiles,
  walkSkill,
} from './walk.ts';

/** A skill as it lies on disk. */
export interface SkillRecord {
  readonly source: SkillsFolder;
  /** Absolute folder, as it is named in its source. */
  readonly path: string;
  /** Absolute folder, links followed. */
  readonly real: string;
  /** Of SKILL.md in its folder; `skill.md` where it is spelled so. */
  readonly fileName: string;
  /** What reading SKILL.md gave, without the body: that is read when it is needed. */
  readonly parsed: Omit<ParsedSkill, 'body'>;
  /** All files, SKILL.md among them, by path. */
  readonly files: readonly SkillFile[];
  /** What every file holds; null for a skill of the user's own, which needs no consent. */
  readonly digests: readonly FileDigest[] | null;
  /** Missing for one on disk; else the server that offers it: its paths are then only words. */
  readonly offered?: OfferedRecord;
}

export interface Library {
  /** By source, then path. A skill that did not change is the same object as the last time. */
  readonly skills: readonly SkillRecord[];
  readonly problems: readonly FolderProblem[];
}

export interface LibraryParts {
  readonly core: Core;
  readonly files: ContainedFiles;
  /** Milliseconds since 1970; the clock when missing. */
  readonly now?: () => number;
}

interface Known {
  readonly walked: SkillFiles;
  readonly record: SkillRecord;
}

type At = Pick<SkillRecord, 'source' | 'path' | 'real' | 'fileName'>;

/** A folder that was looked at: a skill as it is, or one whose SKILL.md is read but not parsed yet. */
type Looked =
  | { readonly kind: 'skill'; readonly walked: SkillFiles; readonly record: SkillRecord }
  | {
      readonly kind: 'text';
      readonly walked: SkillFiles;
      readonly at: At;
      readonly bytes: Uint8Array;
      readonly digests: readonly FileDigest[] | null;
    };

export class SkillLibrary {
  readonly #parts: LibraryParts;
  readonly #now: () => number;
  /** The last reading of each source, by the names of its folders; of a link with `/` behind it. */
  readonly #known = new Map<string, ReadonlyMap<string, Known>>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => Date.now());
  }

  async read(sources: readonly SkillsFolder[]): Promise<Library> {
    const problems: FolderProblem[] = [];
    const skills: SkillRecord[] = [];
    for (const source of sources) {
      const entries = entriesOf(source, problems);
      if (entries !== null) skills.push(...(await this.#source(source, entries, problems)));
    }
    return { skills, problems };
  }

  /** The file at `path` of a skill, as it is now. */
  file(record: SkillRecord, path: string): FileRead {
    const limit = path === record.fileName ? SKILL_FILE_BYTES : SKILL_BYTES;
    return this.#parts.files.read(record.real, join(record.real, ...path.split('/')), limit);
  }

  /** The skill in the folder `name` of a source; null when it holds no SKILL.md, or is gone. */
  one(source: SkillsFolder, name: string, problems: FolderProblem[]): SkillRecord | null {
    const looked = this.#look(source, name, true, undefined, problems);
    return looked === null ? null : (this.#parsed([looked])[0]?.record ?? null);
  }

  /** All skills of a source. Others have their turn in between. */
  async #source(
    source: SkillsFolder,
    entries: readonly Dirent[],
    problems: FolderProblem[],
  ): Promise<readonly SkillRecord[]> {
    const key = [source.origin, source.real].join('\0');
    const before = this.#known.get(key);
    const now = new Map<string, Known>();
    let waiting: Looked[] = [];
    let keys: string[] = [];
    let bytes = 0;
    let since = performance.now();
    const parse = (): void => {
      for (const [index, known] of this.#parsed(waiting).entries()) {
        now.set(keys[index] ?? basename(known.record.path), known);
      }
      waiting = [];
      keys = [];
      bytes = 0;
    };
    for (const entry of entries) {
      const { name } = entry;
      const isLink = entry.isSymbolicLink();
      // A folder is another one than the link that had its name.
      const named = isLink ? `${name}/` : name;
      const looked = this.#look(source, name, isLink, before?.get(named), problems);
      if (looked === null) continue;
      waiting.push(looked);
      keys.push(named);
      if (looked.kind === 'text') bytes += looked.bytes.length;
      const isOver = performance.now() - since > SKILLS_SLICE_MS;
      if (!isOver && bytes < SKILLS_BATCH_BYTES) continue;
      parse();
      await setImmediate();
      since = performance.now();
    }
    parse();
    this.#known.set(key, now);
    return Array.from(now.values(), ({ record }) => record);
  }

  /** What stands in the folder `name`; null when it holds no skill, or is gone. */
  #look(
    source: SkillsFolder,
    name: string,
    mayBeLink: boolean,
    known: Known | undefined,
    problems: FolderProblem[],
  ): Looked | null {
    if (known !== undefined && !mayBeLink && isAsWalked(known.walked)) {
      return { kind: 'skill', ...known, record: inSource(known.record, source, name) };
    }
    const path = inFolder(source.path, name);
    // A folder that changes while it is read is read anew, and gone when that goes on.
    for (let again = SKILL_LOOKED_AGAIN; ; again -= 1) {
      try {
        let real = inFolder(source.real, name);
        if (mayBeLink) {
          real = realpathSync.native(real);
          if (!statSync(real).isDirectory()) return null;
        }
        const before = known?.record.real === real ? known : null;
        if (before !== null && isAsWalked(before.walked)) {
          return { kind: 'skill', ...before, record: inSource(before.record, source, name) };
        }
        const looked = this.#folder(source, path, real, before);
        if (looked === null) return null;
        if (looked !== 'moved' && isWhole(looked.walked, looked.kind === 'text')) return looked;
      } catch (error) {
        const code = errorCode(error);
        if (code === null) throw error;
        if (code !== 'ENOENT' && code !== 'ENOTDIR') {
          problems.push({ ...unreadable(path, code), ...skillWords(code) });
          return null;
        }
      }
      if (again === 0) return null;
    }
  }

  #folder(
    source: SkillsFolder,
    path: string,
    real: string,
    before: Known | null,
  ): Looked | 'moved' | null {
    const { core, files } = this.#parts;
    // What is there from before may show that nothing needs to be read.
    const isRead = before === null;
    const plain = (name: string) => isPlain(core, name);
    const { walked, manifests } = walkSkill(real, files, plain, this.#now(), isRead);
    const fileName = skillFileName(walked);
    if (fileName === null) return isWhole(walked, false) ? null : 'moved';
    if (before !== null && isSameWalk(before.walked, walked)) {
      return { kind: 'skill', walked, record: inSource(before.record, source, basename(path)) };
    }
    const at = { source, path, real, fileName };
    const unusable = (problem: Problem): Looked => ({
      kind: 'skill',
      walked,
      record: { ...at, parsed: unread(problem), files: walked.files, digests: null },
    });
    const limits = overLimit(walked);
    if (limits !== null) return unusable(limits);
    const text =
      manifests.get(fileName) ?? files.read(real, inFolder(real, fileName), SKILL_FILE_BYTES);
    if (text.kind === 'missing') {
      const isLink = walked.leftOut.some((left) => left.path === fileName);
      return isLink ? unusable(dangling(fileName)) : 'moved';
    }
    if (text.kind !== 'read') return unusable(notRead(fileName, text));
    if (source.origin === 'user')
      return { kind: 'text', walked, at, bytes: text.bytes, digests: null };
    const digests: FileDigest[] = [];
    for (const file of walked.files) {
      const read =
        file.path === fileName
          ? text
          : files.read(real, join(real, ...file.path.split('/')), SKILL_BYTES);
      if (read.kind === 'missing') return 'moved';
      if (read.kind !== 'read') return unusable(notRead(file.path, read));
      digests.push({ path: file.path, sha256: sha256(read.bytes) });
    }
    return { kind: 'text', walked, at, bytes: text.bytes, digests };
  }

  /** All in one call of the core: many small ones cost more than the parsing. */
  #parsed(looked: readonly Looked[]): readonly Known[] {
    const texts = looked.filter((each) => each.kind === 'text');
    const parsed = this.#parts.core.parseSkills(
      texts.map(({ at, bytes }) => ({ bytes, folderName: basename(at.path) })),
    );
    let next = 0;
    return looked.map((each) => {
      if (each.kind === 'skill') return each;
      const { walked, at, digests } = each;
      const skill = parsed[next];
      next += 1;
      if (skill === undefined) throw new Error('the core lost a skill');
      const { source, path, real, fileName } = at;
      const { files } = walked;
      const found = foundIn(skill, at, walked);
      return { walked, record: { source, path, real, fileName, parsed: found, files, digests } };
    });
  }
}

/** The folders of a source that may be skills, by name; null where it cannot be read. */
function entriesOf(source: SkillsFolder, problems: FolderProblem[]): readonly Dirent[] | null {
  try {
    return readdirSync(source.real, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(unreadable(source.path, code));
    return null;
  }
}

/** The record as part of this source, which may by now have another name. */
function inSource(record: SkillRecord, source: SkillsFolder, name: string): SkillRecord {
  const { label, path, workspaceFolder } = record.source;
  const isSame =
    path === source.path && label === source.label && workspaceFolder === source.workspaceFolder;
  return isSame ? record : { ...record, source, path: inFolder(source.path, name) };
}

export function sha256(bytes: Uint8Array): string {
  // In one call, where Node has it (20.12): half the time for a file of a few kilobytes.
  return typeof hash === 'function'
    ? hash('sha256', bytes, 'hex')
    : createHash('sha256').update(bytes).digest('hex');
}

/** A name that shows what it is: no character in it that nobody sees. */
function isPlain(core: Core, name: string): boolean {
  if (/^[\w.-]+$/.test(name)) return true;
  return !/[\t\n]/.test(name) && core.visibleText(name) === name;
}

/** The name of SKILL.md as it is spelled here; null where there is none. */
function skillFileName(walked: SkillFiles): string | null {
  const spellings = [
    ...walked.files.map(({ path }) => path),
    ...walked.leftOut.map(({ path }) => path),
  ].filter(isManifest);
  return spellings.includes('SKILL.md') ? 'SKILL.md' : (spellings[0] ?? null);
}

/** What reading SKILL.md gave, without the body, and what its folder shows. */
function foundIn(skill: ParsedSkill, { fileName }: At, walked: SkillFiles): SkillRecord['parsed'] {
  const { usable, name, description, version, frontMatter, fields, bodyLine } = skill;
  const problems = [...skill.problems];
  if (fileName !== 'SKILL.md') problems.push(misspelled(fileName));
  for (const left of walked.leftOut) problems.push(leftOut(left));
  return { usable, name, description, version, frontMatter, fields, bodyLine, problems };
}
