/** Which model answers, and how much it takes. */
import { DEFAULT_CONTEXT_WINDOW } from '../limits.ts';
import type { ModelInfo, Provider } from '../models/provider.ts';
import type { Settings } from './settings.ts';

export interface ChosenModel {
  readonly id: string;
  readonly contextWindow: number;
}

export class ModelChoice {
  #host = '';
  #models: readonly ModelInfo[] | null = null;

  /** The last model that was chosen, or empty. */
  last = '';

  /** Null when there is none. Asks the server only for what the settings leave open. */
  async choose(
    provider: Provider,
    settings: Settings,
    signal: AbortSignal,
  ): Promise<ChosenModel | null> {
    if (this.#host !== provider.host) this.#models = null;
    this.#host = provider.host;
    const open = settings.model === '' || settings.contextWindow === 0;
    const listed = open ? await this.#listed(provider, settings, signal) : [];
    const id = settings.model === '' ? (listed[0]?.id ?? '') : settings.model;
    if (id === '') return null;
    this.last = id;
    const known = listed.find((model) => model.id === id)?.contextWindow ?? null;
    const contextWindow = settings.contextWindow || known || DEFAULT_CONTEXT_WINDOW;
    return { id, contextWindow };
  }

  async #listed(
    provider: Provider,
    settings: Settings,
    signal: AbortSignal,
  ): Promise<readonly ModelInfo[]> {
    const named = settings.model;
    const listed = this.#models;
    // A model that was not there before may have been loaded since; an unknown window may be known.
    if (listed !== null && listed.some((m) => m.id === named && m.contextWindow !== null))
      return listed;
    try {
      this.#models = await provider.models(signal);
    } catch (error) {
      // With a model named, a server that lists none can still answer.
      if (named === '' || signal.aborted) throw error;
      this.#models = [];
    }
    return this.#models;
  }
}
