/**
 * Reading skills from folders: every skill of every source, usable or not, with what is wrong with it.
 * A skill whose files did not change since the last time is not read again.
 */
import { createHash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Core, FileDigest, ParsedSkill, Problem } from '../core.ts';
import { type ContainedFiles, type FileRead } from './files.ts';
import { SKILLS_AT_ONCE, SKILL_BYTES, SKILL_FILE_BYTES, SKILL_FILES } from '../limits.ts';
import { type FolderProblem, type SkillsFolder, unreadable } from './sources.ts';
import { inTurns } from './turns.ts';
import { type LeftOut, type SkillFile, type SkillFiles, walkSkill } from './walk.ts';
import { errorCode } from '../error-code.ts';

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
}

export interface Library {
  /** By source, then path. */
  readonly skills: readonly SkillRecord[];
  readonly problems: readonly FolderProblem[];
}

export interface LibraryParts {
  readonly core: Core;
  readonly files: ContainedFiles;
}

export class SkillLibrary {
  readonly #parts: LibraryParts;
  /** The last reading of each folder, by its origin, its path and where that really is. */
  readonly #known = new Map<string, { readonly stamp: string; readonly record: SkillRecord }>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
  }

  async read(sources: readonly SkillsFolder[]): Promise<Library> {
    const problems: FolderProblem[] = [];
    const skills: SkillRecord[] = [];
    for (const source of sources) {
      let names: string[];
      try {
        const entries = await readdir(source.real, { withFileTypes: true });
        names = entries
          .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
          .map(({ name }) => name)
          .sort();
      } catch (error) {
        const code = errorCode(error);
        if (code === null) throw error;
        if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(unreadable(source.path, code));
        continue;
      }
      const found = await inTurns(names, SKILLS_AT_ONCE, (name) =>
        this.one(source, name, problems),
      );
      for (const record of found) if (record !== null) skills.push(record);
    }
    return { skills, problems };
  }

  /** The file at `path` of a skill, as it is now. */
  async file(record: SkillRecord, path: string): Promise<FileRead> {
    const limit = path === record.fileName ? SKILL_FILE_BYTES : SKILL_BYTES;
    return this.#parts.files.read(record.real, join(record.real, ...path.split('/')), limit);
  }

  /** The skill in the folder `name` of a source; null when it holds no SKILL.md, or is gone. */
  async one(
    source: SkillsFolder,
    name: string,
    problems: FolderProblem[],
  ): Promise<SkillRecord | null> {
    const path = join(source.path, name);
    // A folder that is renamed while it is read is looked at once more, then it is gone.
    for (let again = 1; ; again -= 1) {
      try {
        const real = await realpath(join(source.real, name));
        if (!(await stat(real)).isDirectory()) return null;
        const record = await this.#folder(source, path, real);
        if (record !== 'moved') return record;
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

  async #folder(
    source: SkillsFolder,
    path: string,
    real: string,
  ): Promise<SkillRecord | 'moved' | null> {
    const { core, files } = this.#parts;
    const walked = await walkSkill(real, files, (name) => isPlain(core, name));
    const fileName = skillFileName(walked);
    if (fileName === null) return null;
    const stamp = stampOf(walked);
    const key = [source.origin, path, real].join('\0');
    const known = this.#known.get(key);
    if (known?.stamp === stamp) return { ...known.record, source };
    const record = await this.#read({ source, path, real, fileName }, walked);
    if (record !== 'moved') this.#known.set(key, { stamp, record });
    return record;
  }

  async #read(
    at: Pick<SkillRecord, 'source' | 'path' | 'real' | 'fileName'>,
    walked: SkillFiles,
  ): Promise<SkillRecord | 'moved'> {
    const { core, files } = this.#parts;
    const folderName = basename(at.path);
    const limits = overLimit(walked);
    const unusable = (problem: Problem): SkillRecord => ({
      ...at,
      parsed: unread(problem),
      files: walked.files,
      digests: null,
    });
    if (limits !== null) return unusable(limits);
    const text = await files.read(at.real, join(at.real, at.fileName), SKILL_FILE_BYTES);
    if (text.kind === 'missing') {
      const isLink = walked.leftOut.some(({ path }) => path === at.fileName);
      return isLink ? unusable(dangling(at.fileName)) : 'moved';
    }
    if (text.kind !== 'read') return unusable(notRead(at.fileName, text));
    const parsed = withoutBody(core.parseSkill(text.bytes, folderName));
    const problems = [...parsed.problems];
    if (at.fileName !== 'SKILL.md') problems.push(misspelled(at.fileName));
    for (const left of walked.leftOut) problems.push(leftOut(left));
    let digests: FileDigest[] | null = null;
    if (at.source.origin !== 'user') {
      digests = [];
      for (const file of walked.files) {
        const bytes =
          file.path === at.fileName
            ? text
            : await files.read(at.real, join(at.real, ...file.path.split('/')), SKILL_BYTES);
        if (bytes.kind === 'missing') return 'moved';
        if (bytes.kind !== 'read') return unusable(notRead(file.path, bytes));
        digests.push({ path: file.path, sha256: sha256(bytes.bytes) });
      }
    }
    return { ...at, parsed: { ...parsed, problems }, files: walked.files, digests };
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A name that shows what it is: no character in it that nobody sees. */
function isPlain(core: Core, name: string): boolean {
  return !/[\t\n]/.test(name) && core.visibleText(name) === name;
}

/** `SKILL.md`, or another spelling of it by case. */
function skillFileName(walked: SkillFiles): string | null {
  const spellings = [
    ...walked.files.map(({ path }) => path),
    ...walked.leftOut.map(({ path }) => path),
  ].filter((path) => path.toLowerCase() === 'skill.md');
  return spellings.includes('SKILL.md') ? 'SKILL.md' : (spellings[0] ?? null);
}

function stampOf(walked: SkillFiles): string {
  return JSON.stringify([
    walked.over,
    walked.files.map(({ path, stamp }) => [path, stamp]),
    walked.leftOut.map(({ path, why }) => [path, why]),
  ]);
}

function withoutBody(parsed: ParsedSkill): Omit<ParsedSkill, 'body'> {
  const { usable, name, description, version, frontMatter, fields, bodyLine, problems } = parsed;
  return { usable, name, description, version, frontMatter, fields, bodyLine, problems };
}

const start = { line: 1, column: 1 };

function problem(code: string, severity: Problem['severity'], message: string): Problem {
  return { code, severity, message, start, end: start, fix: null };
}

function unread(why: Problem): Omit<ParsedSkill, 'body'> {
  return {
    usable: false,
    name: null,
    description: null,
    version: null,
    frontMatter: '{}',
    fields: {
      autoAttach: [],
      license: null,
      compatibility: null,
      author: null,
      tags: [],
      allowedTools: [],
      disableModelInvocation: false,
      userInvocable: true,
      argumentHint: null,
      metadata: null,
    },
    bodyLine: 1,
    problems: [why],
  };
}

function overLimit({ over }: SkillFiles): Problem | null {
  switch (over) {
    case null:
      return null;
    case 'files':
      return problem(
        'skill-too-many-files',
        'error',
        `It has more than ${String(SKILL_FILES)} files. Move what the model does not need out of its folder.`,
      );
    case 'bytes':
      return problem(
        'skill-too-large',
        'error',
        `Its files are larger than ${String(SKILL_BYTES / 1024 / 1024)} MiB together. Move what the model does not need out of its folder.`,
      );
    case 'folders':
    case 'depth':
      return problem(
        'skill-too-deep',
        'error',
        'It has too many folders, or they nest too deep. Move what the model does not need out of its folder.',
      );
  }
}

function notRead(path: string, read: Exclude<FileRead, { kind: 'read' | 'missing' }>): Problem {
  switch (read.kind) {
    case 'outside':
      return problem(
        'skill-file-outside',
        'error',
        `${path} is a link that leads out of the skill's folder. Put the file itself there.`,
      );
    case 'notAFile':
      return problem('skill-file-not-a-file', 'error', `${path} is not a file.`);
    case 'tooLarge':
      return problem(
        'skill-file-too-large',
        'error',
        `${path} is larger than ${String(SKILL_FILE_BYTES / 1024)} KiB. Move parts of it to files beside it.`,
      );
    case 'unreadable':
      return problem(
        'skill-file-unreadable',
        'error',
        `${path} cannot be read (${read.code}). Check its permissions.`,
      );
  }
}

function dangling(path: string): Problem {
  return problem('skill-file-dangling', 'error', `${path} is a link that leads nowhere.`);
}

function misspelled(fileName: string): Problem {
  return problem(
    'skill-file-name',
    'warning',
    `The file is called ${fileName}; other programs only find SKILL.md. Rename it.`,
  );
}

function leftOut({ path, why }: LeftOut): Problem {
  const shown = JSON.stringify(path);
  switch (why) {
    case 'outside':
      return problem(
        'skill-link-outside',
        'warning',
        `${shown} is a link that leads out of the skill's folder and is left out. Put the file itself there.`,
      );
    case 'loop':
      return problem(
        'skill-link-loop',
        'warning',
        `${shown} is a link to a folder that is already part of the skill; it is left out.`,
      );
    case 'hiddenName':
      return problem(
        'skill-hidden-name',
        'warning',
        `A file's name holds characters that are not drawn; it is left out. Rename it.`,
      );
    case 'notAFile':
      return problem('skill-not-a-file', 'warning', `${shown} is not a file and is left out.`);
    case 'unreadable':
      return problem(
        'skill-unreadable',
        'warning',
        `${shown} cannot be read and is left out. Check its permissions.`,
      );
  }
}

/** The words of `unreadable` say skills folder; this is one skill's. */
function skillWords(code: string): { readonly code: string; readonly message: string } {
  return code === 'ELOOP'
    ? {
        code: 'skill-loop',
        message: 'This skill is a link that leads back to itself; it is left out.',
      }
    : {
        code: 'skill-unreadable',
        message: `This skill's folder cannot be read (${code}); it is left out. Check its permissions.`,
      };
}
