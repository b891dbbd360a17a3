/**
 * Everything that a start of a server needs, found once: its program, its folder, the exact command
 * line, the files it names, or its address and headers; and the form that an approval covers.
 */
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import type {
  CommandLine,
  ConfiguredServer,
  ConsentFacts,
  Core,
  Expanded,
  ServerConsent,
} from '../core.ts';
import { CoveredFiles } from './covered-files.ts';
import { findProgram, type Disk, type FoundProgram } from './find-program.ts';
import type { Settings } from '../agent/settings.ts';
import type { ApprovedServer, Standing } from './plans.ts';
import { isSecretHeader } from './secrets.ts';

type Run = Extract<CommandLine, { kind: 'run' }>;
export type Program = Extract<ConfiguredServer['reach'], { kind: 'program' }>;

export type Address = Extract<ConfiguredServer['reach'], { kind: 'address' }>;

interface Found {
  readonly server: ConfiguredServer;
  readonly facts: ConsentFacts;
  readonly consent: ServerConsent;
  /** See `ApprovedServer.launch`. */
  readonly launch: string;
}

interface LaunchableProgram extends Found {
  readonly kind: 'program';
  readonly program: Program;
  readonly command: Run;
}

interface LaunchableAddress extends Found {
  readonly kind: 'address';
  readonly address: Address;
}

/** A server that could start, as it would be started. */
export type Launchable = LaunchableProgram | LaunchableAddress;

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
  find(server: ConfiguredServer, covered: CoveredFiles): Promise<Launchable | Unavailable> {
    const { reach } = server;
    return reach.kind === 'program'
      ? this.#findProgram(server, reach, covered)
      : this.#findAddress(server, reach);
  }

  async #findAddress(server: ConfiguredServer, address: Address): Promise<Launchable> {
    const { core, salt } = this.#parts;
    const facts = {
      resolved: '',
      inside: '',
      realFolder: '',
      digests: [],
      salt: await salt(server),
    };
    return {
      kind: 'address',
      server,
      address,
      facts,
      consent: core.consentFingerprint(server, facts),
      launch: digestOf(addressParts(address)),
    };
  }

  async #findProgram(
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
      kind: 'program',
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
    if (from.kind === 'address') return this.#findAddress(from.server, from.address);
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
  return digestOf([file, argv, windowsVerbatim, folder, env]);
}

function digestOf(exact: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(exact)).digest('hex');
}

/** What is sent where. */
function addressParts({ url, headers, sse }: Address): readonly unknown[] {
  return [
    wholeText(url),
    headers.map(({ name, value }) => [name, value === null ? null : wholeText(value)]),
    sse,
  ];
}

function wholeText({ pieces }: Expanded): string {
  return pieces.map(({ text }) => text).join('');
}

/** Without the values that variables brought. */
function shownText({ pieces }: Expanded): string {
  return pieces.map(({ kind, text }) => (kind === 'brought' ? '••••' : text)).join('');
}

/** The values of an address that are nobody's to read again. */
function secretsIn({ url, headers }: Address): readonly string[] {
  const brought = [url, ...headers.flatMap(({ value }) => value ?? [])].flatMap(({ pieces }) =>
    pieces.flatMap(({ kind, text }) => (kind === 'brought' ? [text] : [])),
  );
  const named = headers.flatMap(({ name, value }) => {
    if (value === null || !isSecretHeader(name)) return [];
    const whole = wholeText(value);
    // Of `Bearer x` the key alone, too.
    return [whole, whole.slice(whole.lastIndexOf(' ') + 1)];
  });
  return [...brought, ...named];
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
  from: Launchable,
  { mcpStartTimeoutSeconds, mcpCallTimeoutSeconds }: Settings,
): ApprovedServer {
  const { server, consent, launch } = from;
  const approved = {
    name: server.name,
    origin: server.origin,
    path: server.path,
    startTimeoutMs: mcpStartTimeoutSeconds * 1000,
    callTimeoutMs: server.timeoutMs ?? mcpCallTimeoutSeconds * 1000,
    fingerprint: consent.fingerprint,
    launch,
    roots: server.roots,
  };
  if (from.kind === 'address') {
    const { url, headers, sse } = from.address;
    return Object.freeze({
      ...approved,
      kind: 'address',
      url: wholeText(url),
      shown: shownText(url),
      headers: Object.freeze(
        headers.flatMap(({ name, value }) =>
          value === null ? [] : [Object.freeze({ name, value: wholeText(value) })],
        ),
      ),
      secrets: Object.freeze(secretsIn(from.address)),
      sse,
    });
  }
  const { command, program } = from;
  return Object.freeze({
    ...approved,
    kind: 'program',
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
  });
}

/** True where both start the same program with the same arguments, folder and variables of their entry, or call the same address with the same headers. */
export function sameStart(one: Launchable, other: Launchable): boolean {
  const start = (from: Launchable): string => {
    if (from.kind === 'address') return JSON.stringify(addressParts(from.address));
    const { command, program } = from;
    return JSON.stringify([
      command.file,
      command.argv,
      command.windowsVerbatim,
      program.folder,
      program.env.map(({ name, value }) => [name, value === null ? undefined : wholeText(value)]),
    ]);
  };
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
