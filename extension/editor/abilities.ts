/** What the models in use can do, as far as somebody asked them; and asking one. */
import * as vscode from 'vscode';
import type { Abilities } from '../agent/session.ts';
import { keyOf, Probes, type ModelProbe } from '../models/probe.ts';
import type { Provider } from '../models/provider.ts';
import type { StateFolder } from '../state.ts';

export class ModelAbilities {
  readonly #probes: Probes;
  /** By host and model; null where nobody asked. */
  readonly #known = new Map<string, ModelProbe | null>();
  #host = '';

  constructor(state: StateFolder) {
    this.#probes = new Probes(state);
  }

  /** Reads what is remembered of these models of a server, for `of`; false where it was known. */
  async load(host: string, models: readonly string[]): Promise<boolean> {
    const fresh = models.filter((model) => !this.#known.has(keyOf(host, model)));
    const news = fresh.length > 0 || this.#host !== host;
    this.#host = host;
    await Promise.all(
      fresh.map(async (model) => {
        this.#known.set(keyOf(host, model), await this.#probes.read(host, model));
      }),
    );
    return news;
  }

  /** Of a model of the server that was loaded last. */
  readonly of = (model: string): Abilities => {
    const probe = this.#known.get(keyOf(this.#host, model)) ?? null;
    return { nativeTools: probe?.nativeTools ?? null, images: probe?.images ?? null };
  };

  /** Asks the model, remembers what it did, and says it. */
  async ask(provider: Provider, model: string): Promise<void> {
    const { l10n, window, ProgressLocation } = vscode;
    const probe = await window.withProgress(
      {
        location: ProgressLocation.Notification,
        title: l10n.t('Asking {0} what it can do', model),
        cancellable: true,
      },
      async (_progress, token) => {
        const own = new AbortController();
        token.onCancellationRequested(() => own.abort());
        try {
          return await this.#probes.run(provider, model, own.signal);
        } catch (error) {
          if (own.signal.aborted) return null;
          throw error;
        }
      },
    );
    if (probe === null) return;
    this.#known.set(keyOf(provider.host, model), probe);
    void window.showInformationMessage(`${model}: ${wordsOf(probe).join(' ')}`);
  }
}

function wordsOf(probe: ModelProbe): readonly string[] {
  const { l10n } = vscode;
  return [
    probe.nativeTools
      ? probe.parallelTools
        ? l10n.t('It calls tools, several at once.')
        : l10n.t('It calls tools, one at a time.')
      : l10n.t('It does not call tools by itself; calls are read from its text.'),
    probe.images ? l10n.t('It sees images.') : l10n.t('It sees no images.'),
    probe.streams ? '' : l10n.t('It answers in one piece.'),
    probe.contextWindow === null
      ? l10n.t('Its server does not say how large its window is.')
      : l10n.t('Its window has {0} tokens.', probe.contextWindow),
  ].filter((words) => words !== '');
}
