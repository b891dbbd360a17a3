/**
 * Model servers that are not on this machine, and models of the editor, of which nobody here knows
 * where they run: each is asked about once, by name, before the first request that holds anything of
 * the user's goes there. The answer is kept with the workspace.
 */
import type { Card, Core } from '../core.ts';
import type { Provider } from '../models/provider.ts';
import type { StateFolder } from '../state.ts';
import type { CardAnswer } from './tool.ts';

export interface HostsParts {
  readonly core: Pick<Core, 'hostCard'>;
  readonly state: StateFolder;
  /** The first workspace folder; empty for none. */
  readonly folder: () => string;
}

export class Hosts {
  readonly #parts: HostsParts;

  constructor(parts: HostsParts) {
    this.#parts = parts;
  }

  /** True when it may be sent to, after asking where that is due. */
  async allowed(
    { host, loopback, ofEditor }: Pick<Provider, 'host' | 'loopback' | 'ofEditor'>,
    model: string,
    ask: (card: Card) => Promise<CardAnswer>,
  ): Promise<boolean> {
    if (loopback) return true;
    const { core, state, folder } = this.#parts;
    // Each model of the editor may come from another extension, and go elsewhere.
    const place = ofEditor === true ? `${host}: ${model}` : host;
    const known = await state.read(folder(), 'hosts');
    if (Object.hasOwn(known, place) && known[place] === true) return true;
    const { answer } = await ask(core.hostCard({ host, model, ofEditor: ofEditor === true }));
    if (answer !== 'allow' && answer !== 'allowSession') return false;
    await state.update(folder(), 'hosts', (before) => ({ ...before, [place]: true }));
    return true;
  }
}
