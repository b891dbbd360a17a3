/** The bodies that were asked for last, each of one state of its file. */
import type { Stamp } from './provider.ts';

interface Kept extends Stamp {
  readonly body: string;
}

export class Bodies {
  readonly #most: number;
  /** In the order they were used, oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Null when it is not kept, or of another state, which is then dropped. */
  get(key: string, { modified, size }: Stamp): string | null {
    const kept = this.#kept.get(key);
    if (kept === undefined) return null;
    this.#kept.delete(key);
    if (kept.modified !== modified || kept.size !== size) return null;
    this.#kept.set(key, kept);
    return kept.body;
  }

  set(key: string, { modified, size }: Stamp, body: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, { modified, size, body });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#most) break;
      this.#kept.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }
}
