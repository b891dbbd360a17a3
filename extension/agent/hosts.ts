/**
 * Model servers that are not on this machine: each is asked about once, by name, before the first
 * request that holds anything of the user's goes there. The answer is kept with the workspace.
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
    { host, loopback }: Pick<Provider, 'host' | 'loopback'>,
    model: string,
    ask: (card: Card) => Promise<CardAnswer>,
  ): Promise<boolean> {
    if (loopback) return true;
    const { core, state, folder } = this.#parts;
    const known = await state.read(folder(), 'hosts');
    if (Object.hasOwn(known, host) && known[host] === true) return true;
    const { answer } = await ask(core.hostCard({ host, model }));
    if (answer !== 'allow' && answer !== 'allowSession') return false;
    await state.update(folder(), 'hosts', (before) => ({ ...before, [host]: true }));
    return true;
  }
}
