/**
 * Skills that running servers offer, as skills among the others: a source each, records without a
 * folder, files that are fetched when they are read and checked against what the server listed.
 */
import type {
  Core,
  FileChange,
  FileDigest,
  OfferedFile,
  OfferedSkill,
  OfferedSkills,
} from '../core.ts';
import { OFFERED_CACHE_BYTES } from '../limits.ts';
import type { SkillRecord } from './library.ts';
import { sha256 } from './library.ts';
import type { FolderProblem, SkillsFolder } from './sources.ts';

/** Who asks the servers. */
export interface ServerSkills {
  /** What the servers that run now listed, in their order. */
  known(): readonly { readonly server: string; readonly offered: OfferedSkills }[];
  /** Asks for lists that no longer hold. */
  ask(signal: AbortSignal): Promise<void>;
  /** A file as the server gives it, unchecked. */
  read(
    server: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'read'; readonly bytes: Uint8Array }
    | { readonly kind: 'unreachable'; readonly message: string }
  >;
  /**
   * Looks for the skill at an address, which its server need not list. `label` is what the server is
   * called in the names of its skills, among which it stands from then on.
   */
  get(
    label: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'had'; readonly name: string }
    | { readonly kind: 'refused'; readonly message: string }
  >;
  /** The server gave something else than it had listed. */
  changed(server: string): void;
  /** Would asking now bring something that the last preparation did not have? */
  readonly wantsAsking: boolean;
}

/** Where a record of a server's skill comes from. */
export interface OfferedRecord {
  readonly server: string;
  readonly skill: OfferedSkill;
}

/** A server's file: checked, or why it cannot be had. */
export type OfferedRead =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly digest: string }
  /** It is not what the server listed. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreachable'; readonly message: string };

export interface OfferedLibrary {
  readonly folders: readonly SkillsFolder[];
  readonly skills: readonly SkillRecord[];
  readonly problems: readonly FolderProblem[];
}

interface Made {
  readonly workspaceFolder: string;
  readonly folder: SkillsFolder;
  readonly skills: readonly SkillRecord[];
}

export class OfferedSkillLibrary {
  readonly #core: Pick<Core, 'isOfferedHeader'>;
  readonly #servers: () => ServerSkills | null;
  /** What was made of a list stays as long as the list does. */
  readonly #made = new WeakMap<OfferedSkills, Made>();
  /** Checked bytes by server and digest; the oldest go. */
  readonly #files = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(core: Pick<Core, 'isOfferedHeader'>, servers: () => ServerSkills | null) {
    this.#core = core;
    this.#servers = servers;
  }

  /** What running servers offer. `workspaceFolder` keeps the answers about it; empty for none. */
  read(workspaceFolder: string): OfferedLibrary {
    const known = this.#servers()?.known() ?? [];
    const made = known.map((list) => this.#of(list, workspaceFolder));
    return {
      folders: made.map(({ folder }) => folder),
      skills: made.flatMap(({ skills }) => skills),
      problems: known.flatMap(({ offered }) =>
        offered.problems.map((message) => ({
          path: offered.label,
          code: 'offered-skills',
          message: `The server ${offered.label}: ${message}`,
        })),
      ),
    };
  }

  /** A file of a server's skill, fetched now unless it was before, and what the list promised. */
  async file(
    { server, skill }: OfferedRecord,
    path: string,
    signal: AbortSignal,
  ): Promise<OfferedRead> {
    const file = skill.files.find((each) => each.path === path);
    if (file === undefined) return { kind: 'missing' };
    const key = JSON.stringify([server, file.uri, file.sha256]);
    const kept = this.#files.get(key);
    const checked = (bytes: Uint8Array): OfferedRead =>
      path === 'SKILL.md' && !this.#core.isOfferedHeader(skill.frontMatter, bytes)
        ? { kind: 'changed' }
        : { kind: 'read', bytes, digest: file.sha256 };
    if (kept !== undefined) return checked(kept);
    const servers = this.#servers();
    if (servers === null) return { kind: 'unreachable', message: 'No server is there.' };
    const read = await servers.read(server, file.uri, signal);
    if (read.kind === 'unreachable') return read;
    const given = isPromised(read.bytes, file)
      ? checked(read.bytes)
      : ({ kind: 'changed' } as const);
    if (given.kind === 'read') this.#keep(key, read.bytes);
    else servers.changed(server);
    return given;
  }

  #of(
    { server, offered }: ReturnType<ServerSkills['known']>[number],
    workspaceFolder: string,
  ): Made {
    const before = this.#made.get(offered);
    if (before?.workspaceFolder === workspaceFolder) return before;
    const { label } = offered;
    const at = `mcp:${label}`;
    const folder = { origin: 'server', label, path: at, real: at, workspaceFolder } as const;
    const skills = offered.skills.map((skill) => recordOf(server, skill, folder));
    const made = { workspaceFolder, folder, skills };
    this.#made.set(offered, made);
    return made;
  }

  #keep(key: string, bytes: Uint8Array): void {
    if (bytes.length > OFFERED_CACHE_BYTES) return;
    // Two that read it at once both bring it.
    this.#bytes -= this.#files.get(key)?.length ?? 0;
    this.#files.set(key, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, old] of this.#files) {
      if (this.#bytes <= OFFERED_CACHE_BYTES) break;
      this.#files.delete(oldest);
      this.#bytes -= old.length;
    }
  }
}

function recordOf(server: string, skill: OfferedSkill, source: SkillsFolder): SkillRecord {
  const { usable, name, description, version, frontMatter, fields, problems, files } = skill;
  // As no folder is named: the server, and where it has the skill.
  const path = `${source.path} ${skill.root}`;
  return {
    source,
    path,
    real: path,
    fileName: 'SKILL.md',
    parsed: { usable, name, description, version, frontMatter, fields, bodyLine: 1, problems },
    files: files.map((file) => ({ path: file.path, size: file.size, stamp: file.sha256 })),
    digests: files.map((file) => ({ path: file.path, sha256: file.sha256 })),
    offered: { server, skill },
  };
}

function isPromised(bytes: Uint8Array, { size, sha256: promised }: OfferedFile): boolean {
  return bytes.length === size && sha256(bytes) === promised;
}

/** Where a skill is: what its server is called in skills' names, and the address of its SKILL.md there. */
export interface SkillAddress {
  readonly label: string;
  readonly uri: string;
}

/**
 * A skill as `server:address`, such as `docs:skill://acme/refunds/SKILL.md`: its server may have it
 * without listing it. Null for what is none. An address without SKILL.md is that of its folder.
 */
export function addressOf(name: string): SkillAddress | null {
  const [, label, address] = /^([\w-]+):([A-Za-z][\w+.-]*:\/\/[^\s?#]+)$/.exec(name) ?? [];
  if (label === undefined || address === undefined) return null;
  const folder = address.replace(/\/(?:SKILL\.md)?$/, '');
  return { label, uri: `${folder}/SKILL.md` };
}

/** What an answer about it is kept under: the server, and where the server has it. */
export function offeredKey({ server, skill }: OfferedRecord): string {
  return `server:${encodeURIComponent(server)}:${skill.root}`;
}

/** The skill that such a key is about, for people; null for a key of another kind. */
export function offeredName(key: string): string | null {
  const [, server, name] = /^server:([^:]*):.*\/([^/]+)$/.exec(key) ?? [];
  return server === undefined || name === undefined
    ? null
    : `${decodeURIComponent(server)}:${name}`;
}

/**
 * What stands for the header among the files that an answer covers: the model is told of a skill by what
 * its server lists, long before any file is fetched and compared with that. No file has such a path.
 */
const headerPath = '/frontmatter';

/** The header in one spelling: the order and the spacing in which a server sends it are nothing. */
function headerText({ skill }: OfferedRecord): string {
  const sorted = (_key: string, value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  return JSON.stringify(JSON.parse(skill.frontMatter), sorted, 2);
}

/** All that an answer about it covers: what the server lists, and its files by their digests. */
export function offeredDigests(offered: OfferedRecord, files: readonly FileDigest[]): FileDigest[] {
  return [...files, { path: headerPath, sha256: sha256(Buffer.from(headerText(offered))) }];
}

/** The header as it is kept, to be compared with a later one; null for what has no such header. */
export function headerCopy(
  offered: OfferedRecord | undefined,
  files: readonly FileDigest[],
): { readonly digest: FileDigest; readonly text: string } | null {
  const digest = files.find(({ path }) => path === headerPath);
  return offered === undefined || digest === undefined
    ? null
    : { digest, text: headerText(offered) };
}

/** What became of the files, and apart from them of the header; null where nothing of one is known. */
export function apartFromHeader(changes: readonly FileChange[]): {
  readonly files: readonly FileChange[];
  readonly header: FileChange | null;
} {
  return {
    files: changes.filter(({ path }) => path !== headerPath),
    header: changes.find(({ path }) => path === headerPath) ?? null,
  };
}

/** The header as people read it: what the server sent, a field a line. */
export function shownHeader({ skill }: OfferedRecord): string {
  return JSON.stringify(JSON.parse(skill.frontMatter), null, 2);
}
