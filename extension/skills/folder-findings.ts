/** What is said of a skill's folder and files: findings that no text of SKILL.md shows. */
import type { ParsedSkill, Problem } from '../core.ts';
import { SKILL_BYTES, SKILL_FILE_BYTES, SKILL_FILES } from '../limits.ts';
import type { FileRead } from './files.ts';
import type { LeftOut, SkillFiles } from './walk.ts';

const start = { line: 1, column: 1 };

function problem(code: string, severity: Problem['severity'], message: string): Problem {
  return { code, severity, message, start, end: start, fix: null };
}

export function unread(why: Problem): Omit<ParsedSkill, 'body'> {
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

export function overLimit({ over }: SkillFiles): Problem | null {
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

export function notRead(
  path: string,
  read: Exclude<FileRead, { kind: 'read' | 'missing' }>,
): Problem {
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

export function dangling(path: string): Problem {
  return problem('skill-file-dangling', 'error', `${path} is a link that leads nowhere.`);
}

export function misspelled(fileName: string): Problem {
  return problem(
    'skill-file-name',
    'warning',
    `The file is called ${fileName}; other programs only find SKILL.md. Rename it.`,
  );
}

export function leftOut({ path, why }: LeftOut): Problem {
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
export function skillWords(code: string): { readonly code: string; readonly message: string } {
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
