/**
 * What the user said to servers: kept per workspace folder in the user's state folder, which no
 * repository can write. The answers to entries of the user's own files stand under the home folder,
 * since they hold in every workspace.
 */
import { randomBytes } from 'node:crypto';
import type { ConsentLine, ConsentPart, ServerConsent } from '../core.ts';
import type { StateFolder } from '../state.ts';
import { errorCode } from '../error-code.ts';

/** The form that was approved, and when. */
interface Approved {
  readonly consent: ServerConsent;
  /** ISO date and time. */
  readonly at: string;
}

export interface Answered {
  readonly approved: Approved | null;
  /** Fingerprint of the form that was put off. */
  readonly declined: string | null;
}

/** Where an answer is kept: whose folder, and which entry. */
export interface ConsentPlace {
  readonly folder: string;
  readonly key: string;
}

interface Kept {
  readonly salt: string | null;
  readonly servers: ReadonlyMap<string, Answered>;
}

const subject = 'server-consent';
const nothing: Answered = { approved: null, declined: null };

export class ServerConsents {
  readonly #state: StateFolder;
  readonly #now: () => Date;
  /** Salts made here that no answer has brought to the disk yet. */
  readonly #salts = new Map<string, string>();

  constructor(state: StateFolder, now: () => Date) {
    this.#state = state;
    this.#now = now;
  }

  /** The salt of a folder: the kept one, else one that is kept with the first answer. */
  async salt(folder: string): Promise<string> {
    const kept = await this.#read(folder);
    return kept.salt ?? this.#fresh(folder);
  }

  async answered({ folder, key }: ConsentPlace): Promise<Answered> {
    return (await this.#read(folder)).servers.get(key) ?? nothing;
  }

  /**
   * Keeps a yes to this form. False where another window has made the folder's salt meanwhile: the
   * form is then to be made again with that one.
   */
  async approve(place: ConsentPlace, salt: string, consent: ServerConsent): Promise<boolean> {
    const at = this.#now().toISOString();
    return this.#change(place, salt, () => ({ approved: { consent, at }, declined: null }));
  }

  /** Keeps that this form was put off. */
  async decline(place: ConsentPlace, salt: string, consent: ServerConsent): Promise<boolean> {
    return this.#change(place, salt, (before) => ({ ...before, declined: consent.fingerprint }));
  }

  /** Forgets what was put off: these entries, or all. */
  async forgetDeclined(folder: string, chosen: (key: string) => boolean): Promise<void> {
    if ((await this.#read(folder)).servers.size === 0) return;
    await this.#update(folder, (servers) => {
      for (const [key, answered] of servers) {
        if (chosen(key)) servers.set(key, { ...answered, declined: null });
      }
    });
  }

  /** Takes back answers; gives back the keys of those that were a yes. */
  async revoke(folder: string, chosen: (key: string) => boolean): Promise<string[]> {
    if ((await this.#read(folder)).servers.size === 0) return [];
    const revoked: string[] = [];
    await this.#update(folder, (servers) => {
      for (const [key, { approved }] of servers) {
        if (!chosen(key)) continue;
        if (approved !== null) revoked.push(key);
        servers.delete(key);
      }
    });
    return revoked;
  }

  async #change(
    { folder, key }: ConsentPlace,
    salt: string,
    change: (before: Answered) => Answered,
  ): Promise<boolean> {
    let same = true;
    await this.#update(folder, (servers, kept) => {
      same = (kept ?? salt) === salt;
      if (same) servers.set(key, change(servers.get(key) ?? nothing));
    });
    return same;
  }

  async #update(
    folder: string,
    change: (servers: Map<string, Answered>, salt: string | null) => void,
  ): Promise<void> {
    await this.#state.update(folder, subject, (before) => {
      const { salt, servers } = keptOf(before);
      const changed = new Map(servers);
      change(changed, salt);
      return { salt: salt ?? this.#fresh(folder), servers: [...changed] };
    });
  }

  /** What cannot be read grants nothing; whoever then answers is told that it cannot be kept. */
  async #read(folder: string): Promise<Kept> {
    try {
      return keptOf(await this.#state.read(folder, subject));
    } catch (error) {
      if (errorCode(error) === null) throw error;
      return { salt: null, servers: new Map() };
    }
  }

  #fresh(folder: string): string {
    const made = this.#salts.get(folder) ?? randomBytes(32).toString('hex');
    this.#salts.set(folder, made);
    return made;
  }
}

/** What a state file says; anything in it that is not as we write it grants nothing. */
function keptOf({ salt, servers }: Record<string, unknown>): Kept {
  const known = new Map<string, Answered>();
  for (const pair of Array.isArray(servers) ? (servers as unknown[]) : []) {
    if (!Array.isArray(pair)) continue;
    const [key, answered] = pair as unknown[];
    if (typeof key === 'string') known.set(key, answeredOf(answered));
  }
  const usable = typeof salt === 'string' && /^[0-9a-f]{32,}$/u.test(salt);
  return { salt: usable ? salt : null, servers: known };
}

function answeredOf(value: unknown): Answered {
  if (!isObject(value)) return nothing;
  const { approved, declined } = value;
  return {
    approved: approvedOf(approved),
    declined: typeof declined === 'string' ? declined : null,
  };
}

function approvedOf(value: unknown): Approved | null {
  if (!isObject(value) || typeof value.at !== 'string' || !isObject(value.consent)) return null;
  const { fingerprint, parts, covered } = value.consent;
  if (typeof fingerprint !== 'string' || typeof covered !== 'boolean' || !Array.isArray(parts)) {
    return null;
  }
  const read = parts.map(partOf);
  const whole = read.filter((part) => part !== null);
  if (whole.length !== read.length) return null;
  return { consent: { fingerprint, parts: whole, covered }, at: value.at };
}

function partOf(value: unknown): ConsentPart | null {
  if (!isObject(value) || typeof value.field !== 'string' || !Array.isArray(value.lines))
    return null;
  const lines = value.lines.map(lineOf);
  const whole = lines.filter((line) => line !== null);
  return whole.length === lines.length ? { field: value.field, lines: whole } : null;
}

function lineOf(value: unknown): ConsentLine | null {
  if (!isObject(value) || typeof value.text !== 'string') return null;
  const { seal } = value;
  return typeof seal === 'string' || seal === null ? { text: value.text, seal } : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
