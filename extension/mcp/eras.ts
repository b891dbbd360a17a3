/** Which era of the protocol each server was found to speak, kept with the workspace. */
import type { Era } from '../core.ts';
import { ERAS_KEPT } from '../limits.ts';
import type { StateFolder } from '../state.ts';
import type { EraMemory } from './servers.ts';

export class Eras implements EraMemory {
  readonly #state: StateFolder;
  readonly #folder: () => string;

  /** `folder`: the workspace folder whose servers these are. */
  constructor(state: StateFolder, folder: () => string) {
    this.#state = state;
    this.#folder = folder;
  }

  async read(fingerprint: string): Promise<Era | null> {
    const era = (await this.#state.read(this.#folder(), 'eras'))[fingerprint];
    return era === 'legacy' || era === 'modern' ? era : null;
  }

  async write(fingerprint: string, era: Era): Promise<void> {
    await this.#state.update(this.#folder(), 'eras', (before) => {
      // The newest last: servers that came and went are forgotten, and one that comes back is asked.
      const others = Object.entries(before).filter(([other]) => other !== fingerprint);
      return Object.fromEntries([...others.slice(1 - ERAS_KEPT), [fingerprint, era]]);
    });
  }
}
