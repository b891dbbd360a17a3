/**
 * Where a command's program lies: our own look-up on the PATH, which never looks in the current
 * folder nor inside the workspace, and takes a path only where the entry names one.
 *
 * Windows looks in the current folder first, and a shell of the user's may have put a folder of the
 * repository on the PATH: either would run whatever a repository calls `npx`.
 */
import { constants } from 'node:fs';
import { access, lstat, realpath, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { errorCode } from '../error-code.ts';

/** What is asked of the disk, so that the rules of Windows are tested on every platform. */
export interface Disk {
  look(path: string): Promise<'program' | 'notExecutable' | 'nothing'>;
  /** Links followed; the path itself where that cannot be done. */
  real(path: string): Promise<string>;
}

export interface ProgramSearch {
  readonly platform: NodeJS.Platform;
  readonly command: string;
  /** Where the program lies, absolute, if the entry names a path; empty for a name. */
  readonly program: string;
  /** What messages say in the place of either; null for themselves. */
  readonly shown: string | null;
  /** The environment that the process will get. */
  readonly environment: readonly { readonly name: string; readonly value: string }[];
  /** Is a path with links followed inside the workspace? */
  within(real: string): boolean;
}

export type FoundProgram =
  | {
      readonly kind: 'found';
      /** The path to spawn; a link in it is not followed, since programs go by the name they have. */
      readonly path: string;
      /** Where it lies with links followed, if that is inside the workspace; else empty. */
      readonly inside: string;
    }
  | {
      readonly kind: 'missing';
      readonly code: 'program-not-found' | 'program-not-executable' | 'program-only-in-workspace';
      readonly message: string;
      readonly remedy: string;
    };

export async function findProgram(search: ProgramSearch, disk: Disk): Promise<FoundProgram> {
  return search.program === '' ? onPath(search, disk) : atPath(search, disk);
}

async function atPath(search: ProgramSearch, disk: Disk): Promise<FoundProgram> {
  let notExecutable = false;
  const there = leadsToOnePlace(search.program, search.platform);
  for (const candidate of there ? spellings(search.program, search) : []) {
    const found = await disk.look(candidate);
    if (found === 'program') {
      const real = await disk.real(candidate);
      return { kind: 'found', path: candidate, inside: search.within(real) ? real : '' };
    }
    notExecutable ||= found === 'notExecutable';
  }
  return notExecutable
    ? {
        kind: 'missing',
        code: 'program-not-executable',
        message: `${search.shown ?? search.program} may not be run.`,
        remedy: 'Allow it by chmod +x, or name the program that runs it as "command".',
      }
    : {
        kind: 'missing',
        code: 'program-not-found',
        message: `There is no program at ${search.shown ?? search.program}.`,
        remedy: 'Check "command" and "cwd".',
      };
}

async function onPath(search: ProgramSearch, disk: Disk): Promise<FoundProgram> {
  const { command, shown, platform } = search;
  const path = platform === 'win32' ? win32 : posix;
  let onlyInside = false;
  for (const folder of pathFolders(search)) {
    if (!leadsToOnePlace(folder, platform)) continue;
    for (const candidate of spellings(path.join(folder, command), search)) {
      if ((await disk.look(candidate)) !== 'program') continue;
      const inside =
        search.within(await disk.real(folder)) || search.within(await disk.real(candidate));
      if (!inside) return { kind: 'found', path: candidate, inside: '' };
      onlyInside = true;
    }
  }
  if (onlyInside) {
    return {
      kind: 'missing',
      code: 'program-only-in-workspace',
      message: `${JSON.stringify(shown ?? command)} is only found inside this workspace, where nothing is looked up by name.`,
      remedy: 'Write its path as "command" to run that one.',
    };
  }
  return {
    kind: 'missing',
    code: 'program-not-found',
    message: `There is no program ${JSON.stringify(shown ?? command)} on the PATH.`,
    remedy: remedyFor(command),
  };
}

/** False for what is seen from the current folder, or on Windows from the current drive. */
function leadsToOnePlace(path: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32'
    ? win32.isAbsolute(path) && win32.parse(path).root.length > 1
    : posix.isAbsolute(path);
}

function pathFolders({ environment, platform }: ProgramSearch): string[] {
  const value = variable('PATH', environment, platform);
  const folders = value.split(platform === 'win32' ? ';' : ':');
  // On Windows a folder may stand in quotes.
  return folders.map((folder) =>
    platform === 'win32' ? folder.trim().replaceAll('"', '') : folder,
  );
}

/** The files that a name may mean: itself, and on Windows with each ending that can be started. */
function spellings(path: string, { environment, platform }: ProgramSearch): string[] {
  if (platform !== 'win32') return [path];
  const startable = ['.com', '.exe', '.bat', '.cmd'];
  const told = variable('PATHEXT', environment, platform)
    .split(';')
    .map((ending) => ending.trim().toLowerCase())
    .filter((ending) => startable.includes(ending));
  const endings = told.length > 0 ? told : startable;
  const complete = startable.includes(win32.extname(path).toLowerCase());
  return [...(complete ? [path] : []), ...endings.map((ending) => path + ending)];
}

function variable(
  name: string,
  environment: ProgramSearch['environment'],
  platform: NodeJS.Platform,
): string {
  const same = (other: string): boolean =>
    platform === 'win32' ? other.toUpperCase() === name : other === name;
  return environment.find((entry) => same(entry.name))?.value ?? '';
}

function remedyFor(command: string): string {
  if (/\s/u.test(command)) {
    return 'Write the program alone as "command", and each argument in "args".';
  }
  const name = command.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/u, '');
  const installs: readonly (readonly [string, readonly string[]])[] = [
    ['Node.js', ['node', 'npx', 'npm']],
    ['uv', ['uv', 'uvx']],
    ['Python', ['python', 'python3', 'pip', 'pipx']],
    ['Docker', ['docker']],
    ['Bun', ['bun', 'bunx']],
    ['Deno', ['deno']],
    ['pnpm', ['pnpm', 'pnpx']],
    ['Yarn', ['yarn']],
  ];
  const product = installs.find(([, names]) => names.includes(name))?.[0];
  return product === undefined
    ? 'Install it, or write its whole path as "command".'
    : `Install ${product}, or write the whole path as "command". A program that was just installed is found after a restart.`;
}

/** The disk of this machine. */
export const realDisk: Disk = {
  async look(path) {
    try {
      if (!(await stat(path)).isFile()) return 'nothing';
    } catch (error) {
      return (await isAlias(path, error)) ? 'program' : 'nothing';
    }
    try {
      await access(path, constants.X_OK);
      return 'program';
    } catch (error) {
      if (errorCode(error) === null) throw error;
      return 'notExecutable';
    }
  },
  real: (path) => realpath(path).catch(() => path),
};

/** Windows installs some programs as aliases of its store, which can be started but not looked at. */
async function isAlias(path: string, error: unknown): Promise<boolean> {
  const code = errorCode(error);
  if (code === null) throw error;
  if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(code)) return false;
  const link = await lstat(path).catch(() => null);
  return link !== null && link.isSymbolicLink() && process.platform === 'win32';
}
