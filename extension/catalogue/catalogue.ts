/**
 * Every skill of the server's providers, in one list: the first provider that has an id wins.
 *
 * In: providers, first ones first. Out: the list, scores, bodies and files. SKILL.md is read when its
 * time or size changed, and never otherwise; a call for one skill asks for its time first, and the
 * lists look at all of them at most once in a tenth of a second.
 */
import { setImmediate as others } from 'node:timers/promises';
import type { Core, SkillIndex } from '../core.ts';
import { whenReplaced } from '../core.ts';
import {
  CATALOGUE_BODIES,
  CATALOGUE_FILE_BYTES,
  CATALOGUE_FRESH_MS,
  CATALOGUE_LOOK_AWAITED,
  CATALOGUE_LOOKS_AT_ONCE,
  SKILL_FILE_BYTES,
  SKILLS_SLICE_MS,
} from '../limits.ts';
import { Settled } from '../skills/watch.ts';
import { Bodies } from './bodies.ts';
import { isSegment } from './ids.ts';
import type { FileBytes, SkillProvider, Stamp, Subdir, SubdirEntry } from './provider.ts';
import { readSkill, type Skill, type SkillReading } from './skill.ts';

/** Something that keeps a skill, or all of a provider, from being served. */
export interface CatalogueWarning {
  /** The skill's id; empty when it is about a whole provider. */
  readonly skill: string;
  readonly message: string;
}

export interface CatalogueParts {
  readonly core: Core;
  readonly providers: readonly SkillProvider[];
  readonly onWarning: (warning: CatalogueWarning) => void;
  /** Milliseconds, from any start. */
  readonly now?: () => number;
}

/** What became different between two looks. */
export interface CatalogueChange {
  /** A skill came, went, or says something else about itself. */
  readonly list: boolean;
  /** Skills whose SKILL.md is another one than before, or which came or went. */
  readonly ids: readonly string[];
}

export interface SearchedSkill {
  readonly skill: Skill;
  readonly score: number;
}

/** A skill and where it was found. */
interface Found {
  readonly source: Source;
  readonly stamp: Stamp;
  readonly skill: Skill;
}

interface Known {
  readonly stamp: Stamp;
  readonly reading: Standing;
}

/** A reading without the body. */
type Standing =
  | { readonly kind: 'usable'; readonly skill: Skill }
  | { readonly kind: 'unusable'; readonly why: string };

/** One provider and what is known of its skills. */
interface Source {
  readonly provider: SkillProvider;
  readonly number: number;
  readonly known: Map<string, Known>;
}

export class Catalogue {
  readonly #core: Core;
  readonly #sources: readonly Source[];
  readonly #warn: (warning: CatalogueWarning) => void;
  readonly #now: () => number;
  readonly #bodies = new Bodies(CATALOGUE_BODIES);
  readonly #reading = new Map<string, Promise<SkillReading>>();
  readonly #warned = new Map<string, string>();
  readonly #listeners = new Set<(change: CatalogueChange) => void>();
  readonly #settled: Settled;
  readonly #ends: (() => void)[] = [];
  /** By id, in the order of the ids. */
  #skills: ReadonlyMap<string, Found> | null = null;
  #index: SkillIndex | null = null;
  #look: Promise<void> | null = null;
  #looked = Number.NEGATIVE_INFINITY;
  #stale = true;

  constructor({ core, providers, onWarning, now = () => performance.now() }: CatalogueParts) {
    this.#core = core;
    this.#warn = onWarning;
    this.#now = now;
    this.#sources = providers.map((provider, number) => ({ provider, number, known: new Map() }));
    this.#settled = new Settled(() => void this.#lookNow());
    this.#ends.push(whenReplaced(core, () => (this.#index = null)));
  }

  /** Tells `listener` of changes from now on; gives back how to stop. */
  onChange(listener: (change: CatalogueChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notices changes by itself from now on. */
  watch(): void {
    for (const { provider } of this.#sources) {
      const end = provider.watch?.(() => {
        this.#stale = true;
        this.#settled.touch();
      });
      if (end !== undefined) this.#ends.push(end);
    }
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    this.#settled.dispose();
    this.#dropIndex();
    for (const { provider } of this.#sources) await provider.close?.();
  }

  /** Every usable skill, by id. */
  async list(): Promise<readonly Skill[]> {
    return [...(await this.#all()).values()].map(({ skill }) => skill);
  }

  /** The skills that fit the words, best first, at most `limit`. */
  async search(query: string, limit: number): Promise<readonly SearchedSkill[]> {
    const skills = await this.#all();
    this.#index ??= new this.#core.SkillIndex(
      [...skills.values()].map(({ skill: { id, name, description, tags } }) => ({
        id,
        name,
        description,
        tags: [...tags],
      })),
    );
    return this.#core.searchSkills(this.#index, query, limit).flatMap(({ id, score }) => {
      const found = skills.get(id);
      return found === undefined ? [] : [{ skill: found.skill, score }];
    });
  }

  /** One skill as it is now; null when there is none of this id. */
  async get(id: string): Promise<Skill | null> {
    return (await this.#find(id))?.skill ?? null;
  }

  /** The Markdown after the header. */
  async body(id: string): Promise<string | null> {
    const found = await this.#find(id);
    if (found === null) return null;
    const kept = this.#bodies.get(keyOf(found.source, id), found.stamp);
    if (kept !== null) return kept;
    const reading = await this.#read(found.source, id, found.stamp);
    return reading.kind === 'usable' ? reading.body : null;
  }

  /** The bytes of SKILL.md. */
  async manifest(id: string): Promise<FileBytes | null> {
    const found = await this.#find(id);
    return found === null ? null : await found.source.provider.read(id, SKILL_FILE_BYTES);
  }

  async files(id: string, folder: Subdir): Promise<readonly SubdirEntry[] | null> {
    const found = await this.#find(id);
    if (found === null) return null;
    const entries = (await found.source.provider.listSubdir(id, folder)) ?? [];
    return entries.filter(({ kind }) => kind === 'file').sort(byName);
  }

  /** What stands in any folder of a skill, by name. */
  async folder(id: string, folder: string): Promise<readonly SubdirEntry[] | null> {
    const found = await this.#find(id);
    const entries = (await found?.source.provider.listSubdir(id, folder)) ?? null;
    return entries === null ? null : [...entries].sort(byName);
  }

  async file(
    id: string,
    folder: string,
    name: string,
    limit = CATALOGUE_FILE_BYTES,
  ): Promise<FileBytes | null> {
    if (!isSegment(this.#core, name)) return null;
    const found = await this.#find(id);
    return found === null ? null : await found.source.provider.readSubfile(id, folder, name, limit);
  }

  /** The skills of the provider of this number cannot be listed, and why. */
  unlisted(number: number, why: string): void {
    this.tell('', `provider ${String(number)}`, `The skills cannot be listed: ${why}.`);
  }

  /** Something about one skill that whoever runs the server should know; each text once. */
  tell(skill: string, about: string, message: string | null): void {
    const key = `${about}\0${skill}`;
    if (message === null) {
      this.#warned.delete(key);
    } else if (this.#warned.get(key) !== message) {
      this.#warned.set(key, message);
      this.#warn({ skill, message });
    }
  }

  /** The first provider that has the skill and can use it. */
  async #find(id: string): Promise<Found | null> {
    if (!isSegment(this.#core, id)) return null;
    for (const source of this.#sources) {
      const stamp = await source.provider.stat(id);
      if (stamp === null) continue;
      const standing = await this.#know(source, id, stamp);
      if (standing.kind === 'usable') return { source, stamp, skill: standing.skill };
    }
    return null;
  }

  async #know(source: Source, id: string, stamp: Stamp): Promise<Standing> {
    const known = source.known.get(id);
    if (known !== undefined && isSame(known.stamp, stamp)) return known.reading;
    return this.#read(source, id, stamp);
  }

  /** Reads a SKILL.md, once for all that wait for it. */
  #read(source: Source, id: string, stamp: Stamp): Promise<SkillReading> {
    const key = keyOf(source, id);
    const waiting = `${key}\0${String(stamp.modified)}\0${String(stamp.size)}`;
    const running = this.#reading.get(waiting);
    if (running !== undefined) return running;
    const begun = this.#readNow(source, id).then((read) => {
      const reading: Standing =
        read.kind === 'usable' ? { kind: 'usable', skill: read.skill } : read;
      // Read again for its body alone, it is still the same skill.
      const known = source.known.get(id);
      if (known === undefined || !isSame(known.stamp, stamp))
        source.known.set(id, { stamp, reading });
      if (read.kind === 'usable') this.#bodies.set(key, stamp, read.body);
      else this.#bodies.delete(key);
      this.tell(id, `read ${String(source.number)}`, read.kind === 'usable' ? null : read.why);
      return read;
    });
    const ended = begun.finally(() => this.#reading.delete(waiting));
    this.#reading.set(waiting, ended);
    return ended;
  }

  async #readNow({ provider }: Source, id: string): Promise<SkillReading> {
    try {
      const bytes = await provider.read(id, SKILL_FILE_BYTES);
      if (bytes === null) return { kind: 'unusable', why: 'Its SKILL.md is not there.' };
      if (bytes instanceof Uint8Array) return readSkill(this.#core, id, bytes);
      const most = String(SKILL_FILE_BYTES / 1024);
      return { kind: 'unusable', why: `Its SKILL.md has more than ${most} KiB.` };
    } catch (error) {
      return { kind: 'unusable', why: `Skipped: ${messageOf(error)}.` };
    }
  }

  /** What is there, as fresh as the module says. */
  async #all(): Promise<ReadonlyMap<string, Found>> {
    const now = this.#now();
    const due = this.#stale || now - this.#looked >= CATALOGUE_FRESH_MS;
    if (this.#skills === null || (due && this.#skills.size <= CATALOGUE_LOOK_AWAITED)) {
      await this.#lookNow();
    } else if (due) {
      void this.#lookNow();
    }
    return this.#skills ?? new Map<string, Found>();
  }

  /** A look that begins now or later: one that runs already may have passed what changed. */
  #lookNow(): Promise<void> {
    const running = this.#look;
    if (running === null) return this.#begin();
    return running.then(() => this.#look ?? this.#begin());
  }

  #begin(): Promise<void> {
    const begun = this.#now();
    this.#stale = false;
    this.#look = this.#lookAtAll()
      .then(() => {
        this.#looked = begun;
      })
      .finally(() => {
        this.#look = null;
      });
    return this.#look;
  }

  async #lookAtAll(): Promise<void> {
    const merged = new Map<string, Found>();
    for (const source of this.#sources) {
      for (const found of await this.#lookAt(source)) {
        const { id } = found.skill;
        const first = merged.get(id);
        if (first === undefined) merged.set(id, found);
        const hidden = first === undefined ? null : shadowed;
        this.tell(id, `shadowed ${String(source.number)}`, hidden);
      }
    }
    this.#take(new Map([...merged].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))));
  }

  /** The usable skills of one provider. One that cannot be asked keeps what it had. */
  async #lookAt(source: Source): Promise<readonly Found[]> {
    try {
      const listed = await source.provider.list();
      this.tell('', `provider ${String(source.number)}`, null);
      const ids = [...new Set(listed)].filter((id) => isSegment(this.#core, id));
      const there = new Set(ids);
      for (const id of [...source.known.keys()]) if (!there.has(id)) this.#forget(source, id);
      return await this.#lookAtEach(source, ids);
    } catch (error) {
      this.unlisted(source.number, messageOf(error));
      return [...source.known].flatMap(([, { stamp, reading }]) =>
        reading.kind === 'usable' ? [{ source, stamp, skill: reading.skill }] : [],
      );
    }
  }

  async #lookAtEach(source: Source, ids: readonly string[]): Promise<readonly Found[]> {
    const found: (Found | null)[] = ids.map(() => null);
    const next = ids.entries();
    let pause = performance.now() + SKILLS_SLICE_MS;
    const lookOn = async (): Promise<void> => {
      for (const [at, id] of next) {
        found[at] = await this.#lookAtOne(source, id);
        if (performance.now() < pause) continue;
        await others();
        pause = performance.now() + SKILLS_SLICE_MS;
      }
    };
    await Promise.all(Array.from({ length: CATALOGUE_LOOKS_AT_ONCE }, lookOn));
    return found.filter((each) => each !== null);
  }

  async #lookAtOne(source: Source, id: string): Promise<Found | null> {
    try {
      const stamp = await source.provider.stat(id);
      if (stamp === null) {
        this.#forget(source, id);
        return null;
      }
      const standing = await this.#know(source, id, stamp);
      return standing.kind === 'usable' ? { source, stamp, skill: standing.skill } : null;
    } catch (error) {
      this.tell(id, `read ${String(source.number)}`, `Skipped: ${messageOf(error)}.`);
      return null;
    }
  }

  #forget(source: Source, id: string): void {
    source.known.delete(id);
    this.#bodies.delete(keyOf(source, id));
    this.tell(id, `read ${String(source.number)}`, null);
    this.tell(id, `shadowed ${String(source.number)}`, null);
  }

  #take(now: ReadonlyMap<string, Found>): void {
    const before = this.#skills;
    this.#skills = now;
    const change = before === null ? null : compare(before, now);
    if (before === null || change?.list === true) this.#dropIndex();
    if (change === null || change.ids.length === 0) return;
    for (const listener of [...this.#listeners]) listener(change);
  }

  #dropIndex(): void {
    this.#index?.free();
    this.#index = null;
  }
}

const shadowed =
  'Another folder of skills that comes before has one of this id: this one is not served.';

function compare(
  before: ReadonlyMap<string, Found>,
  now: ReadonlyMap<string, Found>,
): CatalogueChange {
  const ids = new Set<string>();
  let list = false;
  for (const id of new Set([...before.keys(), ...now.keys()])) {
    const was = before.get(id);
    const is = now.get(id);
    if (was !== undefined && is !== undefined && was.skill === is.skill) continue;
    ids.add(id);
    const same =
      was !== undefined && is !== undefined && was.skill.frontMatter === is.skill.frontMatter;
    if (!same) list = true;
  }
  return { list, ids: [...ids].sort() };
}

function isSame(a: Stamp, b: Stamp): boolean {
  return a.modified === b.modified && a.size === b.size;
}

function keyOf(source: Source, id: string): string {
  return `${String(source.number)}\0${id}`;
}

function byName(a: SubdirEntry, b: SubdirEntry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
