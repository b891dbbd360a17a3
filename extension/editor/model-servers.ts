/**
 * The model server in use and what else there is: looks for servers, keeps their models, asks the
 * user. Nothing is looked for before the chat is seen or a message is sent.
 *
 * The address is the user's setting. Where there is none and a server runs on this machine, that one
 * is used for this window: nothing leaves the machine, so nothing needs to be asked.
 */
import * as vscode from 'vscode';
import type { Settings } from '../agent/settings.ts';
import type { ModelChoice, Remote, ServerState, Way } from '../chat/protocol.ts';
import { MODELS_LIST_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Protocol } from '../models/connect.ts';
import { ModelError, type ModelInfo, type Provider } from '../models/provider.ts';
import { never } from '../never.ts';
import type { ApiKeys } from './api-keys.ts';
import { Looks } from './looks.ts';
import type { WindowSettings } from './surroundings.ts';

/** A server that answered. */
export interface FoundServer {
  /** Its product where known, such as "Ollama", else empty. */
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly ModelInfo[];
}

/** A server, and how it is spoken to. */
interface Server extends FoundServer {
  readonly protocol: Settings['provider'];
}

/** Stands in `baseUrl` for the editor's own models. */
const EDITOR = 'VS Code';

export interface ModelServersParts {
  readonly settings: WindowSettings;
  readonly keys: ApiKeys;
  readonly log: Log;
  connect(protocol: Protocol, baseUrl: string, apiKey: string): Provider;
  /** The models that this editor has by itself; null where it has no such thing. */
  readonly editor: Provider | null;
  /** Asks the usual local ports. */
  find(signal: AbortSignal): Promise<readonly FoundServer[]>;
  /** True when a program of this name can be started. */
  onPath(program: string): Promise<boolean>;
  /** Where the extension runs, when that is not the user's own machine. */
  readonly remote: Remote | null;
  /** Where is looked, for people. */
  readonly usual: readonly string[];
  changed(): void;
}

export class ModelServers {
  readonly #parts: ModelServersParts;
  #state: ServerState = { kind: 'looking' };
  #servers: readonly Server[] = [];
  /** The server in use; null before the first look and where none answers. */
  #current: { readonly server: Server; readonly provider: Provider } | null = null;
  /** A server on this machine that is used because the user named none. */
  #fallback: string | null = null;
  /** The address that the last look began with. */
  #lookedFor = '';
  readonly #looks = new Looks(() => this.#look());

  constructor(parts: ModelServersParts) {
    this.#parts = parts;
  }

  get state(): ServerState {
    const state = this.#state;
    return state.kind === 'found' ? { ...state, contextWindow: this.contextWindow || null } : state;
  }

  /** Tokens of the model in use, as the settings stand; 0 where nobody knows. */
  get contextWindow(): number {
    if (this.#current === null) return 0;
    const { contextWindow, model } = this.settings();
    const known = this.#current.server.models.find(({ id }) => id === model);
    return contextWindow || (known?.contextWindow ?? 0);
  }

  get choices(): readonly ModelChoice[] {
    const inUse = this.settings().model;
    return this.#servers.flatMap((server) => {
      const { name, baseUrl, models } = server;
      return models.map(({ id, contextWindow }) => ({
        id,
        server: baseUrl,
        current: server === this.#current?.server && id === inUse,
        group: name === '' ? host(baseUrl) : `${name}, ${host(baseUrl)}`,
        detail: contextWindow === null ? '' : windowWords(contextWindow),
        warning: '',
      }));
    });
  }

  /** The settings with the server and model in use; the model is empty where none is known. */
  readonly settings = (): Settings => {
    const settings = this.#parts.settings.current();
    return {
      ...settings,
      ...(settings.provider === 'openai' ? { openaiBaseUrl: this.#address() } : {}),
      model: settings.model || (this.#current?.server.models[0]?.id ?? ''),
    };
  };

  /** The server in use; where none answered it is looked for again. */
  readonly provider = async (): Promise<Provider> => {
    await this.ready();
    if (this.#current !== null) return this.#current.provider;
    // Nobody answered: the request itself will say why.
    return this.#open(this.#parts.settings.current().provider, this.#address());
  };

  /** Settles once the server in use is known to be there or not; looks where none is known. */
  async ready(): Promise<void> {
    if (this.#current !== null && this.#lookedFor === this.#wanted()) return;
    await this.#looks.shared();
    if (this.#lookedFor !== this.#wanted()) await this.look();
  }

  /** Looks again. */
  look(): Promise<void> {
    return this.#looks.fresh();
  }

  /** What the settings say of the address: which, and whether the user named it. */
  #wanted(): string {
    const { settings } = this.#parts;
    const { provider } = settings.current();
    return JSON.stringify([provider, settings.named(addressKey(provider)), this.#configured()]);
  }

  async #look(): Promise<void> {
    this.#lookedFor = this.#wanted();
    const { settings, log, changed } = this.#parts;
    if (this.#state.kind !== 'found') {
      this.#state = { kind: 'looking' };
      changed();
    }
    const signal = AbortSignal.timeout(MODELS_LIST_MS);
    const { provider: protocol } = settings.current();
    // Whoever chose the editor's models means them.
    const named = protocol === 'vscode' || settings.named(addressKey(protocol));
    const wanted = this.#configured();
    const [own, found] = await Promise.all([
      this.#ask(protocol, wanted, signal),
      this.#parts.find(signal).catch((error: unknown) => {
        log.warn(`Looking for model servers: ${String(error)}`);
        return [];
      }),
    ]);
    const usual = found.map((server): Server => ({ ...server, protocol: 'openai' }));
    const others = usual.filter((server) => origin(server.baseUrl) !== origin(wanted));
    const known = usual.find((server) => origin(server.baseUrl) === origin(wanted));
    this.#servers = own === null ? others : [{ ...own, name: known?.name ?? '' }, ...others];
    const used = own === null && named ? undefined : this.#servers[0];
    this.#fallback = own === null && used !== undefined ? used.baseUrl : null;
    if (used === undefined) {
      this.#current = null;
      this.#state = {
        kind: 'none',
        looked: this.#looked(named, wanted),
        ways: await this.#ways(),
        remote: this.#parts.remote,
      };
    } else {
      const provider = await this.#open(used.protocol, used.baseUrl);
      this.#current = { server: used, provider };
      this.#state = {
        kind: 'found',
        name: used.name,
        host: provider.host,
        loopback: provider.loopback,
        ofEditor: provider.ofEditor === true,
        contextWindow: null,
      };
    }
    changed();
  }

  async #open(protocol: Settings['provider'], baseUrl: string): Promise<Provider> {
    const { editor, keys } = this.#parts;
    if (protocol !== 'vscode') {
      return this.#parts.connect(protocol, baseUrl, await keys.get(baseUrl));
    }
    if (editor !== null) return editor;
    throw new ModelError(
      'unreachable',
      vscode.l10n.t('This editor has no language models of its own.'),
      vscode.l10n.t('Set gbsAgent.provider to openai or ollama.'),
    );
  }

  async #ask(
    protocol: Settings['provider'],
    baseUrl: string,
    signal: AbortSignal,
  ): Promise<Server | null> {
    try {
      const provider = await this.#open(protocol, baseUrl);
      const models = await provider.models(signal);
      if (protocol === 'vscode' && models.length === 0) return null;
      return { name: '', baseUrl, models, protocol };
    } catch (error) {
      this.#parts.log.info(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  /** Uses a model of one of the known servers from the next message on. */
  async choose(baseUrl: string, id: string): Promise<void> {
    const server = this.#servers.find(
      (each) => each.baseUrl === baseUrl && each.models.some((model) => model.id === id),
    );
    if (server !== undefined) await this.#use(server, id);
  }

  async #use({ protocol, baseUrl }: Server, model: string): Promise<void> {
    const { settings } = this.#parts;
    if (protocol !== settings.current().provider) await settings.write('provider', protocol);
    if (protocol !== 'vscode' && (baseUrl !== this.#address() || this.#fallback !== null)) {
      await settings.write(addressKey(protocol), baseUrl);
    }
    await settings.write('model', model);
    await this.look();
  }

  /** Asks for an address, and takes it once it is one. */
  async enterAddress(): Promise<void> {
    const { settings } = this.#parts;
    const { provider, openaiBaseUrl } = settings.current();
    const value = await vscode.window.showInputBox({
      title: vscode.l10n.t('Address of a model server'),
      prompt: vscode.l10n.t(
        'Any server with an OpenAI-style API, up to and with /v1. Messages and the files the agent reads are sent there.',
      ),
      value: provider === 'openai' ? this.#address() : openaiBaseUrl,
      ignoreFocusOut: true,
      validateInput: (text) =>
        URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol)
          ? undefined
          : vscode.l10n.t('An address begins with http:// or https://.'),
    });
    if (value === undefined) return;
    if (provider !== 'openai') await settings.write('provider', undefined);
    await settings.write('openai.baseUrl', value.trim());
    // A model of the old server means nothing to the new one.
    await settings.write('model', undefined);
    await this.look();
  }

  /** Asks for the key of the server in use; an empty one takes it away. */
  async enterKey(): Promise<void> {
    if (this.#parts.settings.current().provider === 'vscode') {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Models of VS Code take no key here: the extension that brings them has it.'),
      );
      return;
    }
    const baseUrl = this.#address();
    const value = await vscode.window.showInputBox({
      title: vscode.l10n.t('Key for {0}', host(baseUrl)),
      prompt: vscode.l10n.t(
        'Kept in the secret store and sent to {0} alone. Leave it empty to remove the key.',
        host(baseUrl),
      ),
      password: true,
      ignoreFocusOut: true,
    });
    if (value === undefined) return;
    await this.#parts.keys.set(baseUrl, value.trim());
    await this.look();
  }

  /** Offers every model of every server found. */
  async pick(): Promise<void> {
    await this.look();
    const { l10n, window, QuickPickItemKind } = vscode;
    type Item = vscode.QuickPickItem & { readonly go?: () => Promise<void> };
    const items: Item[] = [];
    const inUse = this.settings();
    for (const server of this.#servers) {
      const { name, baseUrl, models } = server;
      const label = name === '' ? host(baseUrl) : `${name}, ${host(baseUrl)}`;
      items.push({ label, kind: QuickPickItemKind.Separator });
      for (const { id, contextWindow } of models) {
        const used = server === this.#current?.server && id === inUse.model;
        items.push({
          label: id,
          description: [
            contextWindow === null ? '' : windowWords(contextWindow),
            used ? l10n.t('in use') : '',
          ]
            .filter((part) => part !== '')
            .join(', '),
          go: () => this.#use(server, id),
        });
      }
    }
    const { editor } = this.#parts;
    items.push({ label: '', kind: QuickPickItemKind.Separator });
    if (editor !== null && !this.#servers.some(({ protocol }) => protocol === 'vscode')) {
      items.push({
        label: `$(vscode) ${l10n.t('Models of VS Code…')}`,
        detail: l10n.t('What other extensions bring. Your messages go where they send them.'),
        go: () => this.#pickOfEditor(editor),
      });
    }
    items.push(
      {
        label: `$(globe) ${l10n.t('Enter an Address…')}`,
        detail: l10n.t('Any server with an OpenAI-style API'),
        go: () => this.enterAddress(),
      },
      { label: `$(refresh) ${l10n.t('Look Again')}`, go: () => this.pick() },
    );
    const chosen = await window.showQuickPick(items, {
      title: l10n.t('Choose a model'),
      placeHolder:
        this.#servers.length > 0
          ? l10n.t('Models of the servers that answer')
          : l10n.t(
              'No model server answers at {0}',
              this.#looked(true, this.#address()).join(', '),
            ),
      matchOnDescription: true,
    });
    await chosen?.go?.();
  }

  async #pickOfEditor(editor: Provider): Promise<void> {
    const models = await editor.models(AbortSignal.timeout(MODELS_LIST_MS));
    const server: Server = { name: '', baseUrl: EDITOR, models, protocol: 'vscode' };
    if (models.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('VS Code has no models. An extension that brings some must be installed.'),
      );
      return;
    }
    const chosen = await vscode.window.showQuickPick(
      models.map(({ id }) => id),
      { title: vscode.l10n.t('Choose a model of VS Code') },
    );
    if (chosen !== undefined) await this.#use(server, chosen);
  }

  #address(): string {
    return this.#fallback ?? this.#configured();
  }

  /** The address that the settings mean. */
  #configured(): string {
    const { provider, openaiBaseUrl, ollamaBaseUrl } = this.#parts.settings.current();
    switch (provider) {
      case 'openai':
        return openaiBaseUrl;
      case 'ollama':
        return ollamaBaseUrl;
      case 'vscode':
        return EDITOR;
      default:
        return never(provider);
    }
  }

  /** Ollama is offered as what it is here: a program that can be started, or one to get. */
  async #ways(): Promise<readonly Way[]> {
    const ollama = (await this.#parts.onPath('ollama')) ? 'startOllama' : 'getOllama';
    return [
      'lookAgain',
      ollama,
      'lmStudio',
      'address',
      'demo',
      ...(this.#parts.remote === null ? [] : ['remote' as const]),
    ];
  }

  #looked(named: boolean, wanted: string): readonly string[] {
    const own = host(wanted);
    return named ? [own] : [own, ...this.#parts.usual.filter((each) => each !== own)];
  }
}

/** The setting that holds the address. */
function addressKey(provider: Settings['provider']): string {
  return provider === 'ollama' ? 'ollama.baseUrl' : 'openai.baseUrl';
}

function host(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

function origin(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}

function windowWords(tokens: number): string {
  return tokens >= 1024
    ? vscode.l10n.t('{0}k window', Math.floor(tokens / 1024))
    : vscode.l10n.t('{0} tokens', tokens);
}
