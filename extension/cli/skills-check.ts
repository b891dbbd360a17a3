/** `gbs skills check`: every finding about every SKILL.md, with its place. */
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Problem } from '../core.ts';
import { ContainedFiles } from '../skills/files.ts';
import { SkillLibrary, type SkillRecord } from '../skills/library.ts';
import type { FolderProblem, SkillsFolder } from '../skills/sources.ts';
import { CliFailure, type CliParts, oneLine } from './parts.ts';
import { skillsOf } from './skills-parts.ts';
import { errorCode } from '../error-code.ts';

interface Checked {
  readonly file: string;
  readonly name: string | null;
  readonly usable: boolean;
  readonly problems: readonly Problem[];
}

export function registerCheck(skills: Command, parts: CliParts): void {
  skills
    .command('check [paths...]')
    .description(
      'What is wrong with skills: of the workspace, or at these paths; exit 1 on an error',
    )
    .action(async (paths: string[]) => {
      const { checked, problems } =
        paths.length === 0 ? await checkWorkspace(parts) : await checkPaths(parts, paths);
      if (parts.json) parts.printJson({ skills: checked, problems });
      else print(checked, problems, parts);
      if (checked.some(({ usable }) => !usable)) {
        throw new CliFailure(1, countOf(checked.filter(({ usable }) => !usable).length));
      }
    });
}

async function checkWorkspace(parts: CliParts) {
  const view = await skillsOf(parts).look(parts.workspace(), 0);
  return {
    checked: view.skills.map(({ record, problems }) => ({ ...checkedOf(record), problems })),
    problems: view.problems,
  };
}

async function checkPaths(parts: CliParts, paths: readonly string[]) {
  const files = new ContainedFiles(parts);
  const library = new SkillLibrary({ core: parts.core, files });
  const checked: Checked[] = [];
  const problems: FolderProblem[] = [];
  for (const given of paths) {
    const folder = await skillFolder(resolve(given));
    const alone = library.one(await sourceAt(dirname(folder)), basename(folder), problems);
    if (alone !== null) {
      checked.push(checkedOf(alone));
      continue;
    }
    const inside = await library.read([await sourceAt(folder)]);
    if (inside.skills.length === 0) {
      throw new CliFailure(1, `${folder} is not a skill and holds none: a SKILL.md is missing`);
    }
    checked.push(...inside.skills.map(checkedOf));
    problems.push(...inside.problems);
  }
  return { checked, problems };
}

/** The folder that a path means: itself, or that of the SKILL.md which it is. */
async function skillFolder(path: string): Promise<string> {
  const stats = await lookedAt(path);
  if (stats.isDirectory()) return path;
  if (/^skill\.md$/i.test(basename(path))) return dirname(path);
  throw new CliFailure(
    1,
    `${path} is not a SKILL.md. Give a SKILL.md, or a folder that is a skill or holds some`,
  );
}

async function lookedAt(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new CliFailure(
      1,
      isMissing
        ? `there is nothing at ${path}. Give a SKILL.md, or a folder that is a skill or holds some`
        : `${path} cannot be read (${code}). Check its permissions, or give another path`,
    );
  }
}

/** A folder that was named on the command line: what is checked there is not used. */
async function sourceAt(path: string): Promise<SkillsFolder> {
  const real = await realpath(path);
  return { origin: 'user', label: path, path, real, workspaceFolder: null };
}

function checkedOf(record: SkillRecord): Checked {
  const { usable, name, problems } = record.parsed;
  return { file: join(record.path, record.fileName), name, usable, problems };
}

function print(
  checked: readonly Checked[],
  problems: readonly FolderProblem[],
  parts: CliParts,
): void {
  const { out } = parts.screen;
  const { paint } = out;
  let found = 0;
  for (const { path, code, message } of problems) {
    found += 1;
    out.line(
      `${oneLine(parts, path)}: ${paint.yellow('warning')} ${code}: ${oneLine(parts, message)}`,
    );
  }
  for (const { file, problems: own } of checked) {
    for (const { severity, code, message, start } of own) {
      found += 1;
      const colour = severity === 'error' ? paint.red : paint.yellow;
      const place = `${oneLine(parts, file)}:${String(start.line)}:${String(start.column)}`;
      out.line(`${place}: ${colour(severity)} ${code}: ${oneLine(parts, message)}`);
    }
  }
  const skills = checked.length === 1 ? '1 skill' : `${String(checked.length)} skills`;
  const findings = found === 1 ? '1 finding' : `${String(found)} findings`;
  out.line(paint.dim(`${skills}, ${found === 0 ? 'nothing found' : findings}`));
}

function countOf(unusable: number): string {
  return unusable === 1 ? '1 skill cannot be used' : `${String(unusable)} skills cannot be used`;
}
