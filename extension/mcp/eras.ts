/**
 * Which era of the protocol each server was found to speak, kept with the workspace: of the
 * `ERAS_KEPT` servers that were there last. A server that lasts for the session alone has another
 * fingerprint in each, so that it is remembered in memory.
 */
import type { Era } from '../core.ts';
import { ERAS_KEPT } from '../limits.ts';
import type { StateFolder } from '../state.ts';
import type { ApprovedServer } from './plans.ts';

/** What an era is remembered by. */
export type EraOwner = Pick<ApprovedServer, 'fingerprint' | 'origin'>;

/** Remembers which era of the protocol a server speaks. */
export interface EraMemory {
  read(server: EraOwner): Promise<Era | null>;
  write(server: EraOwner, era: Era): Promise<void>;
}

export class Eras implements EraMemory {
  readonly #state: StateFolder;
  readonly #folder: () => string;
  readonly #ofSession = new Map<string, Era>();

  /** `folder`: the workspace folder whose servers these are. */
  constructor(state: StateFolder, folder: () => string) {
    this.#state = state;
    this.#folder = folder;
  }

  async read({ fingerprint, origin }: EraOwner): Promise<Era | null> {
    if (origin === 'agent') return this.#ofSession.get(fingerprint) ?? null;
    const era = (await this.#state.read(this.#folder(), 'eras'))[fingerprint];
    return era === 'legacy' || era === 'modern' ? era : null;
  }

  async write({ fingerprint, origin }: EraOwner, era: Era): Promise<void> {
    if (origin === 'agent') {
      this.#ofSession.set(fingerprint, era);
      return;
    }
    await this.#state.update(this.#folder(), 'eras', (before) => {
      // The newest last: servers that came and went are forgotten, and one that comes back is asked.
      const others = Object.entries(before).filter(([other]) => other !== fingerprint);
      return Object.fromEntries([...others.slice(1 - ERAS_KEPT), [fingerprint, era]]);
    });
  }
}
