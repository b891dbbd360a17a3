/**
 * What the user said to skills and instructions of a repository. An answer is bound to the content of
 * every file, kept per workspace folder in the user's state folder, and shared by all windows.
 */
import type { Core, FileDigest } from '../core.ts';
import type { StateFolder } from '../state.ts';
import type { ApprovedCopies } from './copies.ts';

/** What an answer is about: one skill, or one instructions file. */
export interface ConsentItem {
  /** Says what it is and where in its workspace folder, such as `project:.gbs/skills/x`. */
  readonly key: string;
  readonly workspaceFolder: string;
  readonly files: readonly FileDigest[];
}

export type Standing =
  /** It may be used. */
  | { readonly kind: 'allowed' }
  /** Nobody was asked about it yet, or an earlier version was allowed. */
  | { readonly kind: 'waits'; readonly earlier: Earlier | null }
  /** Not now, until something changes or a reload. */
  | { readonly kind: 'declined'; readonly earlier: Earlier | null };

/** The version that was allowed before. */
export interface Earlier {
  readonly files: readonly FileDigest[];
  /** ISO date and time. */
  readonly at: string;
}

interface Answered {
  readonly allowed: (Earlier & { readonly fingerprint: string }) | null;
  /** Fingerprint of the version that was declined. */
  readonly declined: string | null;
}

export interface ConsentParts {
  readonly core: Pick<Core, 'skillFingerprint'>;
  readonly state: StateFolder;
  readonly copies: ApprovedCopies;
  readonly now: () => Date;
}

const subject = 'skill-consent';

export class SkillConsent {
  readonly #parts: ConsentParts;
  /** Allowed until the program ends: workspace folder, key and fingerprint. */
  readonly #session = new Set<string>();
  /** What was counted stays, as long as the files are the very same. */
  readonly #fingerprints = new WeakMap<readonly FileDigest[], string>();

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /** How each item stands, in their order. */
  async standings(items: readonly ConsentItem[]): Promise<Standing[]> {
    const kept = new Map<string, Record<string, unknown>>();
    for (const { workspaceFolder } of items) {
      if (!kept.has(workspaceFolder)) {
        kept.set(workspaceFolder, await this.#parts.state.read(workspaceFolder, subject));
      }
    }
    return items.map((item) => {
      const answered = answeredOf(kept.get(item.workspaceFolder)?.[item.key]);
      const isAnswered = answered.allowed !== null || answered.declined !== null;
      // Where nothing was answered there is nothing to compare with.
      if (!isAnswered && this.#session.size === 0) return { kind: 'waits', earlier: null };
      const now = this.#fingerprint(item);
      if (answered.allowed?.fingerprint === now || this.#session.has(sessionKey(item, now))) {
        return { kind: 'allowed' };
      }
      const earlier = answered.allowed;
      return { kind: answered.declined === now ? 'declined' : 'waits', earlier };
    });
  }

  /** Allows exactly this content from now on. */
  async allow(items: readonly ConsentItem[]): Promise<void> {
    const at = this.#parts.now().toISOString();
    await this.#change(items, (item) => ({
      allowed: { fingerprint: this.#fingerprint(item), files: item.files, at },
      declined: null,
    }));
  }

  /** Allows exactly this content until the program ends. */
  allowForSession(items: readonly ConsentItem[]): void {
    for (const item of items) this.#session.add(sessionKey(item, this.#fingerprint(item)));
  }

  /** Not now: asks again when it changes. */
  async decline(items: readonly ConsentItem[]): Promise<void> {
    await this.#change(items, (item, before) => ({
      ...before,
      declined: this.#fingerprint(item),
    }));
  }

  /** Forgets every "not now" of the folder. */
  async forgetDeclined(workspaceFolder: string): Promise<void> {
    await this.#parts.state.update(workspaceFolder, subject, (before) =>
      Object.fromEntries(
        Object.entries(before).map(([key, value]) => [
          key,
          { ...answeredOf(value), declined: null },
        ]),
      ),
    );
  }

  /**
   * Takes back what was allowed: the given keys, or all. Gives back the keys that were allowed. What is
   * revoked counts as new afterwards.
   */
  async revoke(workspaceFolder: string, keys: readonly string[] | null): Promise<string[]> {
    const revoked: string[] = [];
    const kept = await this.#parts.state.update(workspaceFolder, subject, (before) =>
      Object.fromEntries(
        Object.entries(before).filter(([key, value]) => {
          if (keys !== null && !keys.includes(key)) return true;
          if (answeredOf(value).allowed !== null) revoked.push(key);
          return false;
        }),
      ),
    );
    for (const entry of this.#session) {
      const [folder, key] = entry.split('\0');
      if (folder !== workspaceFolder || key === undefined) continue;
      if (keys !== null && !keys.includes(key)) continue;
      this.#session.delete(entry);
      if (!revoked.includes(key)) revoked.push(key);
    }
    await this.#parts.copies.keepOnly(workspaceFolder, digestsIn(kept));
    return revoked.sort();
  }

  /** Keys that are allowed, in whatever version. */
  async allowedKeys(workspaceFolder: string): Promise<string[]> {
    const kept = await this.#parts.state.read(workspaceFolder, subject);
    return Object.keys(kept)
      .filter((key) => answeredOf(kept[key]).allowed !== null)
      .sort();
  }

  async #change(
    items: readonly ConsentItem[],
    change: (item: ConsentItem, before: Answered) => Answered,
  ): Promise<void> {
    for (const folder of new Set(items.map(({ workspaceFolder }) => workspaceFolder))) {
      const here = items.filter(({ workspaceFolder }) => workspaceFolder === folder);
      await this.#parts.state.update(folder, subject, (before) => {
        const changed = here.map((item) => [item.key, change(item, answeredOf(before[item.key]))]);
        return { ...before, ...(Object.fromEntries(changed) as Record<string, unknown>) };
      });
    }
  }

  #fingerprint({ files }: ConsentItem): string {
    const known = this.#fingerprints.get(files);
    if (known !== undefined) return known;
    const counted = this.#parts.core.skillFingerprint([...files]);
    this.#fingerprints.set(files, counted);
    return counted;
  }
}

/** Every digest that an allowed version refers to. */
function digestsIn(kept: Record<string, unknown>): Set<string> {
  const files = Object.values(kept).flatMap((value) => answeredOf(value).allowed?.files ?? []);
  return new Set(files.map(({ sha256 }) => sha256));
}

function sessionKey(item: ConsentItem, fingerprint: string): string {
  return [item.workspaceFolder, item.key, fingerprint].join('\0');
}

/** What a state file says; anything in it that is not as we write it grants nothing. */
function answeredOf(value: unknown): Answered {
  const nothing: Answered = { allowed: null, declined: null };
  if (typeof value !== 'object' || value === null) return nothing;
  const { allowed, declined } = value as Readonly<Record<string, unknown>>;
  return {
    allowed: allowedOf(allowed),
    declined: typeof declined === 'string' ? declined : null,
  };
}

function allowedOf(value: unknown): Answered['allowed'] {
  if (typeof value !== 'object' || value === null) return null;
  const { fingerprint, files, at } = value as Readonly<Record<string, unknown>>;
  if (typeof fingerprint !== 'string' || typeof at !== 'string' || !Array.isArray(files)) {
    return null;
  }
  const digests = files.filter(isDigest);
  return digests.length === files.length ? { fingerprint, files: digests, at } : null;
}

function isDigest(value: unknown): value is FileDigest {
  if (typeof value !== 'object' || value === null) return false;
  const { path, sha256 } = value as Readonly<Record<string, unknown>>;
  return typeof path === 'string' && typeof sha256 === 'string';
}
