/**
 * Everything that a start of a server needs, found once: its program, its folder, the exact command
 * line, the files it names, and the form that an approval covers.
 */
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import type { CommandLine, ConfiguredServer, ConsentFacts, Core, ServerConsent } from '../core.ts';
import { CoveredFiles } from './covered-files.ts';
import { findProgram, type Disk, type FoundProgram } from './find-program.ts';
import type { Settings } from '../agent/settings.ts';
import type { ApprovedServer, Standing } from './plans.ts';

type Run = Extract<CommandLine, { kind: 'run' }>;
export type Program = Extract<ConfiguredServer['reach'], { kind: 'program' }>;

/** A server that could start, as it would be started. */
export interface Launchable {
  readonly server: ConfiguredServer;
  readonly program: Program;
  readonly facts: ConsentFacts;
  readonly consent: ServerConsent;
  readonly command: Run;
  /** See `ApprovedServer.launch`. */
  readonly launch: string;
}

/** Why a server cannot start. */
export type Unavailable = Extract<Standing, { kind: 'unavailable' }>;

/** The workspace folders, and the same with links followed. */
export interface Folders {
  readonly named: readonly string[];
  readonly real: readonly string[];
}

export interface LaunchablesParts {
  readonly core: Core;
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly disk: Disk;
  /** The salt of the folder in which answers to this server are kept. */
  readonly salt: (server: ConfiguredServer) => Promise<string>;
}

export class Launchables {
  readonly #parts: LaunchablesParts;

  constructor(parts: LaunchablesParts) {
    this.#parts = parts;
  }

  coveredFiles(folders: Folders): CoveredFiles {
    const { core, platform } = this.#parts;
    return new CoveredFiles({
      core,
      style: platform === 'win32' ? 'windows' : 'posix',
      folders: folders.named,
      realFolders: folders.real,
    });
  }

  /** Looks for everything that starting this server needs. */
  async find(
    server: ConfiguredServer,
    reach: Program,
    covered: CoveredFiles,
  ): Promise<Launchable | Unavailable> {
    const { core, environment, platform } = this.#parts;
    const program = await this.#program(reach, covered);
    if (program.kind === 'missing') {
      const { code, message, remedy } = program;
      return { kind: 'unavailable', code, message, remedy };
    }
    const command = core.commandLine(server, {
      platform,
      resolved: program.path,
      systemRoot: environment.SystemRoot ?? environment.SYSTEMROOT ?? '',
    });
    if (command.kind === 'refused') {
      const { code, message, remedy } = command;
      return { kind: 'unavailable', code, message, remedy };
    }
    const { facts, coverable } = await this.#facts(server, reach, program, covered);
    if (facts.realFolder === '') {
      return {
        kind: 'unavailable',
        code: 'no-working-folder',
        message: 'Its working folder is not there.',
        remedy: 'Check "cwd", or create the folder.',
      };
    }
    const asked = { ...server, coverable };
    return {
      server: asked,
      program: reach,
      facts,
      consent: core.consentFingerprint(asked, facts),
      command,
      launch: launchOf(command, reach),
    };
  }

  /** The same server as the disk has it now; its program and command stay what they are. */
  async again(from: Launchable, folders: Folders): Promise<Launchable> {
    const { core, disk } = this.#parts;
    const covered = this.coveredFiles(folders);
    const path = from.facts.resolved;
    const real = await disk.real(path);
    const program = { path, inside: covered.within(real) ? real : '' };
    const { facts, coverable } = await this.#facts(from.server, from.program, program, covered);
    const server = { ...from.server, coverable };
    return { ...from, server, facts, consent: core.consentFingerprint(server, facts) };
  }

  #program(
    { command, program, environment }: Program,
    covered: CoveredFiles,
  ): Promise<FoundProgram> {
    const { platform, disk } = this.#parts;
    const search = {
      platform,
      command: command.pieces.map(({ text }) => text).join(''),
      program,
      // A value that a variable brought in is nobody's business in a message.
      shown: holdsValues(command) ? command.template : null,
      environment,
      within: (path: string) => covered.within(path),
    };
    return findProgram(search, disk);
  }

  /** What the disk says about a server whose program was found. */
  async #facts(
    server: ConfiguredServer,
    { command, folder }: Program,
    { path: resolved, inside }: { readonly path: string; readonly inside: string },
    covered: CoveredFiles,
  ): Promise<{ readonly facts: ConsentFacts; readonly coverable: boolean }> {
    const salt = await this.#parts.salt(server);
    const realFolder = await realFolderOf(folder);
    const found = { resolved, inside, realFolder, salt };
    if (server.origin === 'user') return { facts: { ...found, digests: [] }, coverable: true };
    const reads = [...server.reads];
    // On Windows the file that a path names may have an ending that the entry does not write.
    if (inside !== '' && !reads.some(({ path }) => path === resolved)) {
      reads.push({ path: resolved, field: 'command', secret: holdsValues(command) });
    }
    const digests = await covered.of(reads);
    return {
      facts: { ...found, digests: digests ?? [] },
      coverable: server.coverable && digests !== null,
    };
  }
}

export async function foldersOf(named: readonly string[]): Promise<Folders> {
  const real = named.map((folder) => realpath(folder).catch(() => folder));
  return { named, real: await Promise.all(real) };
}

function holdsValues({ pieces }: Program['command']): boolean {
  return pieces.some(({ kind }) => kind === 'brought');
}

function launchOf({ file, argv, windowsVerbatim }: Run, { folder, environment }: Program): string {
  const env = environment.map(({ name, value }) => [name, value]);
  const exact = JSON.stringify([file, argv, windowsVerbatim, folder, env]);
  return createHash('sha256').update(exact).digest('hex');
}

/** Links followed; empty where it is no folder. */
async function realFolderOf(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    return (await stat(real)).isDirectory() ? real : '';
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

/** The very thing that is launched, once it was approved. */
export function approvedFrom(
  { server, program, command, consent, launch }: Launchable,
  { mcpStartTimeoutSeconds, mcpCallTimeoutSeconds }: Settings,
): ApprovedServer {
  return Object.freeze({
    name: server.name,
    origin: server.origin,
    path: server.path,
    command: Object.freeze({
      file: command.file,
      argv: Object.freeze([...command.argv]),
      windowsVerbatim: command.windowsVerbatim,
    }),
    cwd: program.folder,
    // Entries, not assignments: a variable may be called `__proto__`.
    env: Object.freeze(
      Object.fromEntries(program.environment.map(({ name, value }) => [name, value])),
    ),
    startTimeoutMs: mcpStartTimeoutSeconds * 1000,
    callTimeoutMs: server.timeoutMs ?? mcpCallTimeoutSeconds * 1000,
    fingerprint: consent.fingerprint,
    launch,
    roots: server.roots,
  });
}

/** True where both start the same program with the same arguments, folder and variables of their entry. */
export function sameStart(one: Launchable, other: Launchable): boolean {
  const start = ({ command, program }: Launchable): string =>
    JSON.stringify([
      command.file,
      command.argv,
      command.windowsVerbatim,
      program.folder,
      program.env.map(({ name, value }) => [name, value?.pieces.map(({ text }) => text).join('')]),
    ]);
  return start(one) === start(other);
}

/** True where the program, the folder and the files that the command names are on the disk as they were. */
export function sameFiles(one: Launchable, other: Launchable): boolean {
  const files = ({ facts: { inside, realFolder, digests } }: Launchable): string =>
    JSON.stringify([
      inside,
      realFolder,
      digests.map(({ path, real, sha256 }) => JSON.stringify([path, real, sha256])).sort(),
    ]);
  return files(one) === files(other);
}
