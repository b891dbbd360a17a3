/**
 * The skills of a workspace: found, read, merged, and used as far as the user allowed. The agent, the
 * editor's view and the command line all look through this.
 */
import type { Workspace } from '../agent/contributor.ts';
import type { Settings } from '../agent/settings.ts';
import type { Ask } from '../agent/tool.ts';
import type { Catalogue, Core, Problem, ReportedSkill } from '../core.ts';
import type { Log } from '../log.ts';
import type { StateFolder } from '../state.ts';
import { LastCatalogue } from './catalogue.ts';
import { type ConsentItem, SkillConsent, type Standing } from './consent.ts';
import { ApprovedCopies } from './copies.ts';
import { ContainedFiles, type FileRead } from './files.ts';
import {
  type OfferedLibrary,
  type OfferedRead,
  OfferedSkillLibrary,
  type ServerSkills,
  apartFromHeader,
  offeredDigests,
  offeredKey,
  offeredName,
} from './offered.ts';
import { type InstructionsRecord, readInstructions } from './instructions.ts';
import { realFolders, relativeTo, within } from './folders.ts';
import { SkillLibrary, type SkillRecord, sha256 } from './library.ts';
import { consentQuestion, type Texts, type WaitingSkill } from './question.ts';
import { findSources, type FolderProblem, type SkillsFolder } from './sources.ts';

export interface SkillsParts {
  readonly core: Core;
  readonly settings: () => Settings;
  readonly state: StateFolder;
  readonly log: Log;
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly userHome: string;
  /** For the date of an answer; the clock when missing. */
  readonly now?: () => Date;
  /** How files are read; made from the others when missing. */
  readonly files?: ContainedFiles;
  /** Who asks running servers for their skills; none are asked when missing. */
  readonly offered?: () => ServerSkills;
}

/** One skill and how it stands. */
export interface SkillEntry {
  readonly record: SkillRecord;
  /** State, cost and reason; `text` is what a tree or a terminal says. */
  readonly report: ReportedSkill;
  /** Null for a skill of the user's own and for one that cannot be used. */
  readonly consent: { readonly item: ConsentItem; readonly standing: Standing } | null;
  /** Those of its file and those that only the merge can see. */
  readonly problems: readonly Problem[];
}

export interface InstructionsEntry {
  readonly record: InstructionsRecord;
  readonly standing: Standing;
}

/** Everything known of a workspace's skills at one moment. */
export interface SkillsView {
  readonly sources: readonly SkillsFolder[];
  /** By source, then path. */
  readonly skills: readonly SkillEntry[];
  readonly instructions: readonly InstructionsEntry[];
  readonly catalogue: Catalogue;
  /** About folders and package.json files. */
  readonly problems: readonly FolderProblem[];
}

const nobodyAsked: Standing = { kind: 'waits', earlier: null };

export class Skills {
  readonly #parts: SkillsParts;
  readonly #files: ContainedFiles;
  readonly #library: SkillLibrary;
  readonly #offered: OfferedSkillLibrary;
  readonly #copies: ApprovedCopies;
  readonly #consent: SkillConsent;
  readonly #catalogue: LastCatalogue;
  readonly #now: () => Date;
  /** A record that did not change is the same object, and what is asked about it stays the same. */
  readonly #items = new WeakMap<SkillRecord, ConsentItem | null>();

  constructor(parts: SkillsParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => new Date());
    this.#files = parts.files ?? new ContainedFiles(parts);
    this.#library = new SkillLibrary({
      core: parts.core,
      files: this.#files,
      now: () => this.#now().getTime(),
    });
    this.#offered = new OfferedSkillLibrary(parts.core, () => parts.offered?.() ?? null);
    this.#catalogue = new LastCatalogue(parts.core);
    this.#copies = new ApprovedCopies(parts.state);
    this.#consent = new SkillConsent({
      core: parts.core,
      state: parts.state,
      copies: this.#copies,
      now: this.#now,
    });
  }

  /** What holds right now, without asking anybody. A context window of 0 is unknown. */
  async look(workspace: Workspace, contextWindow: number): Promise<SkillsView> {
    const { core, settings } = this.#parts;
    const { skillsEnabled } = settings();
    const sources = skillsEnabled
      ? findSources({ ...this.#parts, files: this.#files }, workspace, settings())
      : { folders: [], problems: [] };
    const library = await this.#library.read(sources.folders);
    const offered = skillsEnabled ? this.#offered.read(workspace.folders[0] ?? '') : nothing;
    const folders = [...sources.folders, ...offered.folders];
    const records = [...library.skills, ...offered.skills];
    const items = records.map((record) => this.#item(record));
    const standings = await this.#standings(items);
    const held = items.map((item, index) => heldBack(core, item, standings[index]));
    const openFile = relativeTo(workspace.folders, workspace.openFile);
    const catalogue = this.#catalogue.of(folders, records, held, openFile, contextWindow);
    const reports = new Map(catalogue.skills.map((report) => [report.path, report]));
    const skills: SkillEntry[] = [];
    for (const [index, record] of records.entries()) {
      const report = reports.get(record.path);
      if (report === undefined) continue;
      const item = items[index] ?? null;
      const consent = item === null ? null : { item, standing: standings[index] ?? nobodyAsked };
      const own = record.parsed.problems;
      const problems = report.problems.length === 0 ? own : [...own, ...report.problems];
      skills.push({ record, report, consent, problems });
    }
    const instructions = readInstructions({ core, files: this.#files }, workspace);
    const allowed = await this.#consent.standings(instructions.found.map(({ item }) => item));
    return {
      sources: folders,
      skills,
      instructions: instructions.found.map((record, index) => ({
        record,
        standing: allowed[index] ?? nobodyAsked,
      })),
      catalogue,
      problems: [sources, library, offered, instructions].flatMap(({ problems }) => problems),
    };
  }

  /**
   * As `look`, after asking about what waits and was not declined before: all of it, or only what lies
   * on disk, or only what servers offer.
   */
  async prepare(
    workspace: Workspace,
    contextWindow: number,
    ask: Ask,
    signal: AbortSignal,
    about: 'all' | 'disk' | 'servers' = 'all',
  ): Promise<SkillsView> {
    const { view, asked } = await this.#question(
      workspace,
      contextWindow,
      (standing, _name, isOffered) =>
        standing.kind === 'waits' && (about === 'all' || isOffered === (about === 'servers')),
    );
    if (asked === null) return view;
    const card = this.#parts.core.skillConsentCard(asked.question);
    const { answer } = await ask(card, signal);
    switch (answer) {
      case 'allow':
        await this.#keep(asked.items, asked.texts);
        break;
      case 'allowSession':
      case 'keepForUser':
      case 'keepInProject':
        this.#consent.allowForSession(asked.items);
        break;
      case 'notNow':
        await this.#consent.decline(asked.items);
        return view;
      // Nobody decided: the turn was stopped, or nobody could answer. It is asked again.
      case 'deny':
      case 'decline':
      case 'dismiss':
        return view;
    }
    return this.look(workspace, contextWindow);
  }

  /**
   * The card for everything that waits and that `chosen` takes, declined or not, and what allows exactly
   * what the card shows. Null when nothing of it waits.
   */
  async approval(
    workspace: Workspace,
    chosen: (name: string) => boolean,
  ): Promise<Approval | null> {
    const { asked } = await this.#question(
      workspace,
      0,
      (standing, name) => standing.kind !== 'allowed' && chosen(name),
    );
    if (asked === null) return null;
    return {
      names: asked.names,
      card: this.#parts.core.skillConsentCard(asked.question),
      allow: () => this.#keep(asked.items, asked.texts),
      decline: () => this.#consent.decline(asked.items),
    };
  }

  /**
   * Takes back what was allowed: skills and instructions by the names that `approval` gives them, or
   * all. Also what is no longer there can be taken back. Gives back what was allowed.
   */
  async revoke(workspace: Workspace, names: readonly string[] | null): Promise<string[]> {
    const view = await this.look(workspace, 0);
    const named = new Map<string, string>();
    for (const { record, consent } of view.skills) {
      if (consent !== null) named.set(itemId(consent.item), nameOf(record));
    }
    for (const { record } of view.instructions) named.set(itemId(record.item), record.path);
    const revoked: string[] = [];
    for (const workspaceFolder of consentFolders(workspace)) {
      const keys = await this.#consent.allowedKeys(workspaceFolder);
      const name = (key: string) =>
        named.get(itemId({ workspaceFolder, key })) ?? offeredName(key) ?? lastPart(key);
      const chosen = names === null ? null : keys.filter((key) => names.includes(name(key)));
      if (chosen?.length === 0) continue;
      revoked.push(...(await this.#consent.revoke(workspaceFolder, chosen)).map(name));
    }
    return [...new Set(revoked)].sort();
  }

  /** Asks again about what was declined. */
  async reload(workspace: Workspace): Promise<void> {
    for (const folder of consentFolders(workspace)) await this.#consent.forgetDeclined(folder);
  }

  /**
   * The bytes of a skill's file as they are now: `changed` when they are not what was allowed. A
   * server's file is fetched, and `changed` when it is not what the server listed.
   */
  async file(record: SkillRecord, path: string, signal: AbortSignal = never): Promise<AllowedRead> {
    return record.offered === undefined
      ? readAllowed(this.#library, record, path)
      : this.#offered.file(record.offered, path, signal);
  }

  /** The file at `path` of a skill as it is now, allowed or not: for a person, never for a model. */
  async anyFile(
    record: SkillRecord,
    path: string,
    signal: AbortSignal = never,
  ): Promise<FileRead | AllowedRead> {
    return record.offered === undefined
      ? this.#library.file(record, path)
      : this.#offered.file(record.offered, path, signal);
  }

  /** What waits, and the question about it, made of the very bytes that an answer will cover. */
  async #question(
    workspace: Workspace,
    contextWindow: number,
    takes: (standing: Standing, name: string, isOffered: boolean) => boolean,
  ): Promise<{ readonly view: SkillsView; readonly asked: Asked | null }> {
    for (let tries = 3; ; tries -= 1) {
      const view = await this.look(workspace, contextWindow);
      const skills = view.skills.filter(
        ({ record, report, consent }) =>
          report.state === 'heldBack' &&
          consent !== null &&
          takes(consent.standing, nameOf(record), record.offered !== undefined),
      );
      const instructions = view.instructions.filter(({ record, standing }) =>
        takes(standing, record.path, false),
      );
      if (skills.length + instructions.length === 0) return { view, asked: null };
      const roots = await realFolders(workspace.folders);
      const made = await consentQuestion(
        { core: this.#parts.core, library: this.#library, copies: this.#copies, now: this.#now },
        skills.flatMap((entry) => waiting(entry, roots, this.#files)),
        instructions.map(({ record, standing }) => ({ record, earlier: earlierOf(standing) })),
      );
      if (made !== null) {
        const items = [
          ...skills.flatMap(({ consent }) => (consent === null ? [] : [consent.item])),
          ...instructions.map(({ record }) => record.item),
        ];
        const names = [
          ...skills.map(({ record }) => nameOf(record)),
          ...instructions.map(({ record }) => record.path),
        ];
        return { view, asked: { ...made, items, names } };
      }
      if (tries === 0) {
        this.#parts.log.warn('Skills change while they are read; they wait for the next request.');
        return { view, asked: null };
      }
    }
  }

  async #keep(items: readonly ConsentItem[], texts: Texts): Promise<void> {
    for (const [digest, { folder, bytes }] of texts) {
      await this.#copies.keep(folder, digest, bytes);
    }
    await this.#consent.allow(items);
  }

  #item(record: SkillRecord): ConsentItem | null {
    const known = this.#items.get(record);
    if (known !== undefined) return known;
    const item = consentItem(record);
    this.#items.set(record, item);
    return item;
  }

  async #standings(items: readonly (ConsentItem | null)[]): Promise<(Standing | null)[]> {
    const asked = items.filter((item) => item !== null);
    const found = (await this.#consent.standings(asked)).values();
    return items.map((item) => (item === null ? null : (found.next().value ?? nobodyAsked)));
  }
}

/** What a yes would allow. */
export interface Approval {
  /** Skills by name, instructions by path. */
  readonly names: readonly string[];
  readonly card: ReturnType<Core['skillConsentCard']>;
  allow(): Promise<void>;
  decline(): Promise<void>;
}

interface Asked {
  readonly question: Parameters<Core['skillConsentCard']>[0];
  readonly texts: Texts;
  readonly items: readonly ConsentItem[];
  readonly names: readonly string[];
}

/** A file that may be used, or why it may not. */
export type AllowedRead = OfferedRead | { readonly kind: 'refused' };

/** Of a read that nobody stops. */
const never = new AbortController().signal;

const nothing: OfferedLibrary = { folders: [], skills: [], problems: [] };

function readAllowed(library: SkillLibrary, record: SkillRecord, path: string): AllowedRead {
  const read = library.file(record, path);
  if (read.kind === 'missing') return { kind: 'missing' };
  if (read.kind !== 'read') return { kind: 'refused' };
  const digest = sha256(read.bytes);
  const allowed = record.digests?.find((file) => file.path === path)?.sha256;
  const isAllowed = record.digests === null || allowed === digest;
  return isAllowed ? { kind: 'read', bytes: read.bytes, digest } : { kind: 'changed' };
}

/** The folders whose answers are kept; without one, what is said of servers is kept all the same. */
function consentFolders({ folders }: Workspace): readonly string[] {
  return folders.length === 0 ? [''] : folders;
}

function earlierOf(standing: Standing) {
  return standing.kind === 'allowed' ? null : standing.earlier;
}

function nameOf(record: SkillRecord): string {
  return record.parsed.name ?? lastPart(record.path);
}

function lastPart(path: string): string {
  return path.split(/[/\\:]/).at(-1) ?? path;
}

function itemId({ workspaceFolder, key }: Pick<ConsentItem, 'workspaceFolder' | 'key'>): string {
  return `${workspaceFolder}\0${key}`;
}

/** Null where no consent is needed, or where none could make the skill usable. */
function consentItem(record: SkillRecord): ConsentItem | null {
  const { workspaceFolder, origin } = record.source;
  if (workspaceFolder === null || record.digests === null || !record.parsed.usable) return null;
  const { offered } = record;
  if (offered !== undefined) {
    const files = offeredDigests(offered, record.digests);
    return { key: offeredKey(offered), workspaceFolder, files };
  }
  const inside = within(workspaceFolder, record.path);
  return { key: `${origin}:${inside}`, workspaceFolder, files: record.digests };
}

/** Why it waits, in the few words of a tree; null when it does not. */
function heldBack(
  core: Core,
  item: ConsentItem | null | undefined,
  standing: Standing | null | undefined,
): string | null {
  if (!item || !standing || standing.kind === 'allowed') return null;
  // Nobody is asked again about what was put off, so it says so.
  const putOff = standing.kind === 'declined' ? '; not now, as you said' : '';
  if (standing.earlier === null) return `new${putOff}`;
  const { files, header } = apartFromHeader(
    core.compareSkillFiles([...standing.earlier.files], [...item.files]),
  );
  const isHeaders = header !== null && header.state !== 'same';
  if (isHeaders && files.every(({ state }) => state === 'same')) {
    return `its header changed${putOff}`;
  }
  const changed = files.filter(
    ({ path, state }) => state !== 'same' || (isHeaders && path === 'SKILL.md'),
  ).length;
  return `${changed === 1 ? '1 file' : `${String(changed)} files`} changed${putOff}`;
}

function waiting(
  { record, consent }: SkillEntry,
  roots: readonly string[],
  files: ContainedFiles,
): WaitingSkill[] {
  const { workspaceFolder } = record.source;
  if (consent === null || workspaceFolder === null || record.digests === null) return [];
  const isInside =
    record.offered !== undefined || roots.some((root) => files.within(root, record.real));
  return [
    {
      record,
      digests: consent.item.files,
      workspaceFolder,
      earlier: earlierOf(consent.standing),
      outside: isInside ? null : record.real,
    },
  ];
}
