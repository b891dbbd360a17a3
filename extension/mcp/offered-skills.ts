/**
 * Skills that running servers offer by the extension `io.modelcontextprotocol/skills` (SEP-2640): their
 * lists, asked for when a request is prepared and kept until the server says that they changed, and
 * their files, asked for when somebody reads one.
 *
 * Deliberately not here: what of a list is a skill, whether a file is what the list promised, and
 * whether the user allowed it.
 */
import type { Core, OfferedSkills, Peer } from '../core.ts';
import {
  LISTED_FOR_MS,
  MAX_OFFER_PAGES,
  OFFERED_ASKED_FOR,
  OFFERED_LIST_BYTES,
  OFFERED_LIST_MS,
} from '../limits.ts';
import { never } from '../never.ts';
import { membersOf, objectOf } from './members.ts';
import type { CallEnd, ServerSet } from './servers.ts';

/** The skills of one server, as it listed them last. */
export interface ListedSkills {
  readonly server: string;
  readonly offered: OfferedSkills;
}

/** A file as the server gave it, unchecked. */
export type OfferedFileRead =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'unreachable'; readonly message: string };

/** What became of asking for a skill by its address. */
export type AddressedSkill =
  | { readonly kind: 'had'; readonly name: string }
  /** A sentence or two. */
  | { readonly kind: 'refused'; readonly message: string };

interface Kept {
  /** The connection that it came over. */
  readonly peer: Peer;
  readonly at: number;
  readonly offered: OfferedSkills;
  /** The results that it was read from. */
  readonly pages: readonly string[];
  /**
   * Why it could not be read to its end, as a sentence; empty where it could. Such a list is not asked
   * for again by itself: that took its time.
   */
  readonly problem: string;
  /** The changes that were known when it was asked for. */
  readonly changes: number;
}

/** An entry that a server gave for an address, as a page of a list. */
type EntryRead =
  | { readonly kind: 'had'; readonly page: string }
  /** `gone`: the server answered that it has no such skill, or had another one for it. */
  | { readonly kind: 'refused'; readonly gone: boolean; readonly message: string };

type Servers = Pick<ServerSet, 'request' | 'state' | 'standings'>;

export class ServerSkillLists {
  readonly #core: Pick<Core, 'readOfferedSkills'>;
  readonly #servers: Servers;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  /** Skills that were asked for by their addresses: their entries, each as a page of its own. */
  readonly #asked = new Map<string, ReadonlyMap<string, string>>();
  /** How often each server's list has become another one, as far as anybody was told. */
  readonly #changes = new Map<string, number>();

  constructor(
    core: Pick<Core, 'readOfferedSkills'>,
    servers: Servers,
    now: () => number = () => performance.now(),
  ) {
    this.#core = core;
    this.#servers = servers;
    this.#now = now;
  }

  /** What the servers that run now listed, in their order. */
  known(): readonly ListedSkills[] {
    return this.#offering().flatMap(({ server, peer }) => {
      const kept = this.#kept.get(server);
      return kept?.peer === peer ? [{ server, offered: kept.offered }] : [];
    });
  }

  /** Asks every running server that offers skills for its list, where the last one no longer holds. */
  async ask(signal: AbortSignal): Promise<void> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(OFFERED_LIST_MS)]);
    await Promise.all(
      this.#offering().map(async ({ server, peer }) => {
        const kept = this.#kept.get(server);
        const at = this.#now();
        // What changes while the list is read may have come too late for it.
        const changes = this.#changesOf(server);
        const holds = kept?.peer === peer && kept.changes === changes;
        if (holds && (kept.problem !== '' || at - kept.at < LISTED_FOR_MS)) return;
        const { pages, problem } = await this.#pages(server, within);
        const before = this.#asked.get(server);
        const again = await this.#askedAgain(server, within);
        // Whoever was stopped has learnt nothing.
        if (signal.aborted) return;
        // What somebody else asked for in the meantime stays.
        const since = [...(this.#asked.get(server) ?? [])].filter(
          ([uri, page]) => before?.get(uri) !== page,
        );
        const asked = [...new Map([...again, ...since])].slice(-OFFERED_ASKED_FOR);
        this.#asked.set(server, new Map(asked));
        const offered = this.#read(server, pages, problem);
        // What is the same stays the same object, so that what was made of it stays, too.
        const isSame =
          kept?.peer === peer && JSON.stringify(kept.offered) === JSON.stringify(offered);
        this.#kept.set(server, {
          peer,
          at,
          offered: isSame ? kept.offered : offered,
          pages,
          problem,
          changes,
        });
      }),
    );
  }

  /**
   * Looks for the skill at an address, which its server need not list (`skills/get`), under the server's
   * name in the names of its skills. From then on it stands among those that the server lists.
   */
  async get(label: string, uri: string, signal: AbortSignal): Promise<AddressedSkill> {
    const found = this.known().find(({ offered }) => offered.label === label);
    if (found === undefined) {
      const message = `No server that runs and offers skills is called ${label}.`;
      return { kind: 'refused', message };
    }
    const { server } = found;
    const listed = found.offered.skills.find((skill) => skill.uri === uri);
    if (listed !== undefined) return { kind: 'had', name: listed.name };
    const within = AbortSignal.any([signal, AbortSignal.timeout(OFFERED_LIST_MS)]);
    const entry = await this.#entry(server, uri, within);
    const kept = this.#kept.get(server);
    if (entry.kind === 'refused' || kept === undefined) {
      const message = entry.kind === 'refused' ? entry.message : 'The server has gone.';
      return { kind: 'refused', message };
    }
    const alone = this.#core.readOfferedSkills(server, [entry.page]);
    if (!alone.skills.some((each) => each.uri === uri)) {
      const why = alone.problems[0]?.replace(/^Entry 1 of its list is left out: /, '');
      const message = `The server ${JSON.stringify(server)} gave no skill at ${uri}${why === undefined ? '.' : `: ${why}`}`;
      return { kind: 'refused', message };
    }
    const before = [...(this.#asked.get(server) ?? [])].filter(([at]) => at !== uri);
    const asked = [...before, [uri, entry.page] as const].slice(-OFFERED_ASKED_FOR);
    this.#asked.set(server, new Map(asked));
    const offered = this.#read(server, kept.pages, kept.problem);
    this.#kept.set(server, { ...kept, offered });
    // Beside the others it may be called by more of its path.
    const name = offered.skills.find((each) => each.uri === uri)?.name ?? uri;
    return { kind: 'had', name };
  }

  /** Reads a file by its address, from its own server alone. */
  async read(server: string, uri: string, signal: AbortSignal): Promise<OfferedFileRead> {
    const end = await this.#request(server, 'resources/read', { uri }, signal);
    if (end.kind !== 'result') return { kind: 'unreachable', message: failed(end, server) };
    const { contents } = objectOf(end.text);
    const list: readonly unknown[] = Array.isArray(contents) ? contents : [];
    const content = list.find((each) => membersOf(each)['uri'] === uri) ?? list[0];
    const { text, blob } = membersOf(content);
    if (typeof text === 'string') return { kind: 'read', bytes: new TextEncoder().encode(text) };
    if (typeof blob === 'string') return { kind: 'read', bytes: Buffer.from(blob, 'base64') };
    const message = `The server ${JSON.stringify(server)} gave no content for ${uri}.`;
    return { kind: 'unreachable', message };
  }

  /** Its list no longer holds: it gave something else than it had listed, or said so itself. */
  changed(server: string): void {
    this.#changes.set(server, this.#changesOf(server) + 1);
  }

  /** Whatever was listed is asked for again. */
  reload(): void {
    for (const server of this.#kept.keys()) this.changed(server);
  }

  /** A server told something. */
  notified(server: string, method: string): void {
    if (method.endsWith('/list_changed') || method.endsWith('/updated')) this.changed(server);
  }

  /** Would asking now bring something that the last preparation did not have? */
  get wantsAsking(): boolean {
    return this.#offering().some(({ server, peer }) => {
      const kept = this.#kept.get(server);
      return kept?.peer !== peer || kept.changes !== this.#changesOf(server);
    });
  }

  #changesOf(server: string): number {
    return this.#changes.get(server) ?? 0;
  }

  #offering(): readonly { readonly server: string; readonly peer: Peer }[] {
    return this.#servers.standings().flatMap(({ server, state }) => {
      if (state.kind !== 'running') return [];
      const { peer } = state.offer;
      const extensions = membersOf(objectOf(peer.capabilities)['extensions']);
      const isOffered = typeof extensions['io.modelcontextprotocol/skills'] === 'object';
      return isOffered ? [{ server: server.name, peer }] : [];
    });
  }

  #request(server: string, method: string, params: object, signal: AbortSignal): Promise<CallEnd> {
    const progress = (): void => undefined;
    return this.#servers.request(server, method, JSON.stringify(params), { signal, progress });
  }

  /**
   * What a server lists, and after it what it has at addresses that were asked for. These have their
   * place also where the list is as long as lists may be. `problem` is why it was not read to its end.
   */
  #read(server: string, pages: readonly string[], problem: string): OfferedSkills {
    const listed = this.#core.readOfferedSkills(server, [...pages]);
    const known = new Set(listed.skills.map(({ uri }) => uri));
    const more = new Map([...(this.#asked.get(server) ?? [])].filter(([uri]) => !known.has(uri)));
    // Entries are counted as the server lists them.
    const problems = problem === '' ? listed.problems : [...listed.problems, problem];
    if (more.size === 0) return { ...listed, problems };
    const { label, skills } = this.#core.readOfferedSkills(server, [...more.values(), ...pages]);
    const left = listed.skills.length + more.size - skills.length;
    const makeRoom = `Left out for skills that were asked for by address: ${String(left)} of its list.`;
    return {
      label,
      skills: [
        ...skills.filter(({ uri }) => !more.has(uri)),
        ...skills.filter(({ uri }) => more.has(uri)),
      ],
      problems: left > 0 ? [...problems, makeRoom] : problems,
    };
  }

  /**
   * The entries at addresses that were asked for, as they are now; without those that went. Of what the
   * server does not answer for, nothing is known but what it said before.
   */
  async #askedAgain(server: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const entries = [...(this.#asked.get(server) ?? [])].map(async ([uri, before]) => {
      const entry = await this.#entry(server, uri, signal);
      if (entry.kind === 'had') return [[uri, entry.page] as const];
      return entry.gone ? [] : [[uri, before] as const];
    });
    return new Map((await Promise.all(entries)).flat());
  }

  /** The entry at an address, as a page of a list. */
  async #entry(server: string, uri: string, signal: AbortSignal): Promise<EntryRead> {
    const end = await this.#request(server, 'skills/get', { uri }, signal);
    if (end.kind !== 'result') {
      return { kind: 'refused', gone: end.kind === 'error', message: failed(end, server) };
    }
    const { skill } = objectOf(end.text);
    const given = membersOf(skill)['uri'];
    if (given !== uri) {
      const message = `The server ${JSON.stringify(server)} gave another skill than that at ${uri}.`;
      return { kind: 'refused', gone: typeof given === 'string', message };
    }
    return { kind: 'had', page: JSON.stringify({ skills: [skill] }) };
  }

  /** The results of `skills/list` as far as they could be had, and why there are no more. */
  async #pages(
    server: string,
    signal: AbortSignal,
  ): Promise<{ readonly pages: string[]; readonly problem: string }> {
    const pages: string[] = [];
    const seen = new Set<string>();
    let bytes = 0;
    let params: object = {};
    for (let page = 0; page < MAX_OFFER_PAGES; page += 1) {
      const end = await this.#request(server, 'skills/list', params, signal);
      if (end.kind !== 'result') {
        return { pages, problem: `It did not list all its skills: ${failed(end, server)}` };
      }
      bytes += Buffer.byteLength(end.text);
      if (bytes > OFFERED_LIST_BYTES) {
        const most = String(OFFERED_LIST_BYTES);
        return {
          pages,
          problem: `Its list of skills has over ${most} bytes; the rest is left out.`,
        };
      }
      pages.push(end.text);
      const { nextCursor } = objectOf(end.text);
      if (typeof nextCursor !== 'string') return { pages, problem: '' };
      if (seen.has(nextCursor)) return { pages, problem: 'Its list of skills repeats itself.' };
      seen.add(nextCursor);
      params = { cursor: nextCursor };
    }
    return { pages, problem: `It lists its skills on over ${String(MAX_OFFER_PAGES)} pages.` };
  }
}

/** Why there is no answer, as a sentence. Reading changes nothing, so nothing is said of that. */
function failed(end: Exclude<CallEnd, { kind: 'result' }>, server: string): string {
  const name = JSON.stringify(server);
  switch (end.kind) {
    case 'error':
      return `The server ${name} says: ${end.message}`;
    case 'timedOut':
    case 'cancelled':
      return `The server ${name} did not answer in time.`;
    case 'tooLong':
    case 'broken':
      return `The answer of the server ${name} cannot be used.`;
    case 'ended':
    case 'dropped':
    case 'unreached':
      return `The server ${name} is not there any more.`;
    case 'notRunning':
    case 'refused':
      return `The server ${name} cannot be asked. ${end.message}`;
    default:
      return never(end);
  }
}
