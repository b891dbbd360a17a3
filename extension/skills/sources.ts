/**
 * Where skills may lie: the skills folders of a workspace, of its packages and of the user, highest
 * precedence first. Only folders that exist are given; what stands in them is not looked at here.
 */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Workspace } from '../agent/contributor.ts';
import type { Settings } from '../agent/settings.ts';
import type { Core, SkillOrigin } from '../core.ts';
import { type ContainedFiles } from './files.ts';
import {
  FOLDERS_LOOKED_INTO,
  NESTED_LEVELS,
  NESTED_LEVELS_TOLD,
  PACKAGE_FILE_BYTES,
  PACKAGE_PATHS,
} from '../limits.ts';
import { errorCode } from '../error-code.ts';

/** One skills folder. */
export interface SkillsFolder {
  readonly origin: SkillOrigin;
  /** As people know it, such as `.gbs/skills`, `chart-kit 3.1.0`, `~/.gbs/skills`, a server's name. */
  readonly label: string;
  /** Absolute, as it is named. */
  readonly path: string;
  /** Absolute, links followed. */
  readonly real: string;
  /** The workspace folder it belongs to; null for the user's own. Of a server, whose answers keep it. */
  readonly workspaceFolder: string | null;
}

/** A finding about a folder or a package.json, in a sentence or two. */
export interface FolderProblem {
  /** Absolute path of what it is about. */
  readonly path: string;
  /** Stable, kebab case. */
  readonly code: string;
  readonly message: string;
}

export interface Sources {
  readonly folders: readonly SkillsFolder[];
  readonly problems: readonly FolderProblem[];
}

export interface SourcesParts {
  readonly core: Core;
  readonly platform: NodeJS.Platform;
  readonly userHome: string;
  readonly files: ContainedFiles;
}

const projectFolders = ['.gbs/skills', '.agents/skills', '.claude/skills', '.github/skills'];
const sharedFolders = ['.agents/skills', '.claude/skills', '.copilot/skills'];

export function findSources(
  parts: SourcesParts,
  workspace: Workspace,
  settings: Settings,
): Sources {
  const problems: FolderProblem[] = [];
  const user = userSources(parts, settings, problems);
  const own = new Set(user.map(({ real }) => real));
  const ofWorkspace: SkillsFolder[] = [];
  if (workspace.trusted) {
    ofWorkspace.push(...projectSources(workspace, problems));
    for (const folder of workspace.folders) {
      ofWorkspace.push(...packageSources(parts, folder, problems));
    }
  }
  const folders: SkillsFolder[] = [];
  const seen = new Set<string>();
  for (const source of [...ofWorkspace.filter(({ real }) => !own.has(real)), ...user]) {
    // One folder by two names, such as .claude/skills linked to .agents/skills, is one source.
    if (seen.has(source.real)) continue;
    seen.add(source.real);
    folders.push(source);
  }
  return { folders, problems };
}

/** The four folders in each base of each workspace folder. */
function projectSources(workspace: Workspace, problems: FolderProblem[]): SkillsFolder[] {
  const found: SkillsFolder[] = [];
  let looked = 0;
  for (const folder of workspace.folders) {
    const { bases, deeper } = nestedFolders(folder, workspace.openFile);
    for (const base of bases) {
      looked += projectFolders.length;
      if (looked > FOLDERS_LOOKED_INTO) {
        problems.push({
          path: base,
          code: 'too-many-folders',
          message: `Skills are looked for in at most ${String(FOLDERS_LOOKED_INTO)} folders; this one and those after it are left out.`,
        });
        return found;
      }
      found.push(...inBase(folder, base, problems));
    }
    for (const base of deeper) {
      if (inBase(folder, base, []).length === 0) continue;
      problems.push({
        path: base,
        code: 'skills-folder-too-deep',
        message: `Skills are looked for in at most ${String(NESTED_LEVELS)} folders between the workspace folder and the open file; this one lies deeper and is left out.`,
      });
    }
  }
  return found;
}

function inBase(folder: string, base: string, problems: FolderProblem[]): SkillsFolder[] {
  const found: SkillsFolder[] = [];
  for (const name of projectFolders) {
    const path = join(base, ...name.split('/'));
    const label = [...relative(folder, base).split(sep), ...name.split('/')]
      .filter((part) => part !== '')
      .join('/');
    const source = { origin: 'project' as const, label, path, workspaceFolder: folder };
    found.push(...existing(source, problems));
  }
  return found;
}

/**
 * The folder itself, then those between it and the open file, nearest to the file first; and those that
 * lie too deep to be looked into.
 */
function nestedFolders(
  folder: string,
  openFile: string | null,
): { readonly bases: readonly string[]; readonly deeper: readonly string[] } {
  const nested: string[] = [];
  if (openFile !== null) {
    const inside = relative(folder, dirname(openFile));
    const isInside = inside !== '' && !isAbsolute(inside) && inside.split(sep)[0] !== '..';
    let at = folder;
    for (const step of isInside ? inside.split(sep) : []) {
      if (step === '.git' || step === 'node_modules') break;
      at = join(at, step);
      nested.push(at);
    }
  }
  return {
    bases: [folder, ...nested.slice(0, NESTED_LEVELS).reverse()],
    deeper: nested.slice(NESTED_LEVELS, NESTED_LEVELS + NESTED_LEVELS_TOLD),
  };
}

function userSources(
  parts: SourcesParts,
  settings: Settings,
  problems: FolderProblem[],
): SkillsFolder[] {
  const paths: string[] = [];
  const own = expandHome(settings.skillsPath.trim(), parts.userHome);
  if (own !== '' && !isAbsolute(own)) {
    problems.push({
      path: own,
      code: 'skills-path-relative',
      message: `gbsAgent.skillsPath is ${JSON.stringify(settings.skillsPath)}, which is not an absolute path. Begin it with / or ~.`,
    });
  } else if (own !== '') {
    paths.push(resolve(own));
  }
  if (settings.skillsReadSharedFolders) {
    paths.push(...sharedFolders.map((name) => join(parts.userHome, ...name.split('/'))));
  }
  const found: SkillsFolder[] = [];
  for (const path of paths) {
    const label = tildePath(path, parts.userHome);
    found.push(...existing({ origin: 'user', label, path, workspaceFolder: null }, problems));
  }
  return found;
}

/** A path as people write it: below the user's home by `~`. */
export function tildePath(path: string, userHome: string): string {
  const inside = relative(userHome, path);
  const isInside = !isAbsolute(inside) && inside.split(sep)[0] !== '..';
  return isInside ? ['~', ...inside.split(sep).filter(Boolean)].join('/') : path;
}

/** What people write below `~` → the path; `~somebody` is left as it is. */
export function expandHome(path: string, userHome: string): string {
  return path === '~' || /^~[/\\]/.test(path) ? join(userHome, path.slice(1)) : path;
}

/** Skills folders of the dependencies that offer some, by the dependency's name. */
function packageSources(
  parts: SourcesParts,
  folder: string,
  problems: FolderProblem[],
): SkillsFolder[] {
  const root = packageFile(parts, folder, problems);
  if (root === null) return [];
  const names = new Set<string>();
  for (const kind of ['dependencies', 'devDependencies']) {
    const list = root.value[kind];
    if (typeof list === 'object' && list !== null) {
      for (const name of Object.keys(list)) if (isPackageName(name)) names.add(name);
    }
  }
  const found: SkillsFolder[] = [];
  for (const name of [...names].sort()) {
    const home = join(folder, 'node_modules', ...name.split('/'));
    const offered = packageFile(parts, home, []);
    if (offered === null || offered.value['gbsSkills'] === undefined) continue;
    const { version } = offered.value;
    const label = typeof version === 'string' ? `${name} ${version}` : name;
    for (const path of offeredPaths(parts.core, name, offered, problems)) {
      const at = join(home, ...path.split('/'));
      const source = { origin: 'package' as const, label, path: at, workspaceFolder: folder };
      for (const existingFolder of existing(source, problems)) {
        if (parts.files.within(offered.folder, existingFolder.real)) {
          found.push(existingFolder);
        } else {
          problems.push({
            path: offered.path,
            code: 'package-skills-outside',
            message: `${name}: the path ${JSON.stringify(path)} in gbsSkills leads out of the package by a link and is not used.`,
          });
        }
      }
    }
  }
  return found;
}

interface PackageFile {
  readonly path: string;
  /** The package's folder, links followed. */
  readonly folder: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A package.json, or null where there is none; a broken one is a problem. */
function packageFile(
  parts: SourcesParts,
  folder: string,
  problems: FolderProblem[],
): PackageFile | null {
  const path = join(folder, 'package.json');
  let real: string;
  try {
    real = realpathSync.native(folder);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
  const read = parts.files.read(real, path, PACKAGE_FILE_BYTES);
  if (read.kind === 'missing') return null;
  if (read.kind === 'read') {
    const value = jsonObject(new TextDecoder().decode(read.bytes));
    if (value !== null) return { path, folder: real, value };
  }
  problems.push({
    path,
    code: 'package-json-broken',
    message: 'This package.json cannot be read as JSON, so no skills of packages are found.',
  });
  return null;
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The paths of `gbsSkills` in one spelling; what is not one is a problem. */
function offeredPaths(
  core: Core,
  name: string,
  offered: PackageFile,
  problems: FolderProblem[],
): string[] {
  const value = offered.value['gbsSkills'];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const problem = (code: string, message: string) => {
    problems.push({ path: offered.path, code, message: `${name}: ${message}` });
  };
  if (list.length > PACKAGE_PATHS) {
    problem(
      'package-skills-too-many',
      `gbsSkills has ${String(list.length)} paths; those after the first ${String(PACKAGE_PATHS)} are not used.`,
    );
  }
  const paths: string[] = [];
  for (const item of list.slice(0, PACKAGE_PATHS)) {
    if (typeof item !== 'string') {
      problem('package-skills-not-a-path', 'gbsSkills is a path or a list of paths; this is not.');
      continue;
    }
    try {
      paths.push(core.resourcePath(item));
    } catch (error) {
      if (errorCode(error) === null) throw error;
      problem(
        'package-skills-refused',
        `the path ${JSON.stringify(item)} in gbsSkills is not used: give one inside the package.`,
      );
    }
  }
  return paths;
}

/** A name that npm would take: it cannot lead out of node_modules. */
function isPackageName(name: string): boolean {
  return /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name);
}

/** The folder when it is there; else nothing, with a problem unless it is missing. */
function existing(folder: Omit<SkillsFolder, 'real'>, problems: FolderProblem[]): SkillsFolder[] {
  try {
    return [{ ...folder, real: realpathSync.native(folder.path) }];
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(unreadable(folder.path, code));
    return [];
  }
}

/** What is said of a skills folder that cannot be read. */
export function unreadable(path: string, code: string): FolderProblem {
  return {
    path,
    code: code === 'ELOOP' ? 'skills-folder-loop' : 'skills-folder-unreadable',
    message:
      code === 'ELOOP'
        ? 'This skills folder is a link that leads back to itself; it is left out.'
        : `This skills folder cannot be read (${code}); its skills are left out. Check its permissions.`,
  };
}
