/** The model server and the model that the settings mean; shared by `run`, `chat` and `models`. */
import type { Settings } from '../agent/settings.ts';
import { MODELS_NAMED } from '../limits.ts';
import { connect, type Protocol } from '../models/connect.ts';
import { findServers, usualPorts, type FoundServer } from '../models/discover.ts';
import { ModelError, type ModelInfo, type Provider } from '../models/provider.ts';
import { never } from '../never.ts';
import { CliFailure, type CliParts } from './parts.ts';
import { asTyped } from './settings.ts';

/** What reaching a model server needs of `CliParts`. */
type ServerParts = Pick<CliParts, 'core' | 'settings' | 'named' | 'apiKey' | 'signal' | 'screen'>;

export interface OpenServer {
  readonly provider: Provider;
  /** Null where the server was not asked yet: it is not on this machine, and the user comes first. */
  readonly model: ModelInfo | null;
}

/**
 * The server of the settings, and its model once it is one of this machine. Where nobody named an
 * address and another usual port of this machine answers, that one is used, and it is said.
 */
export async function openServer(
  parts: ServerParts,
  find: typeof findServers = findServers,
): Promise<OpenServer> {
  const settings = parts.settings();
  const provider = createProvider(settings, parts.apiKey());
  if (!provider.loopback) return { provider, model: null };
  try {
    return { provider, model: await chooseModel(provider, parts) };
  } catch (error) {
    const named = parts.named(settings.provider === 'ollama' ? 'ollamaBaseUrl' : 'openaiBaseUrl');
    if (named || !(error instanceof ModelError) || error.code !== 'unreachable') throw error;
    const fits = ({ models }: FoundServer): boolean =>
      settings.model === '' ? models.length > 0 : models.some(({ id }) => id === settings.model);
    const other = (await find(parts.signal)).find(fits);
    if (other === undefined) throw error;
    const { err } = parts.screen;
    const note = `Nothing answers at ${provider.host}; ${other.name} on ${other.host} is used.`;
    err.line(err.paint.dim(parts.core.visibleText(note)));
    // A key was meant for the address that was named with it, and none was.
    const found = connected('openai', other.baseUrl, '');
    return { provider: found, model: await chooseModel(found, parts) };
  }
}

/** Throws a `CliFailure` for a provider that the command line does not have. */
export function createProvider(settings: Settings, apiKey: string): Provider {
  switch (settings.provider) {
    case 'openai':
      return connected('openai', settings.openaiBaseUrl, apiKey);
    case 'ollama':
      return connected('ollama', settings.ollamaBaseUrl, apiKey);
    case 'vscode':
      throw new CliFailure(
        2,
        'the models of VS Code are there in the editor only: choose --set provider=openai and --base-url.',
      );
    default:
      return never(settings.provider);
  }
}

function connected(protocol: Protocol, baseUrl: string, apiKey: string): Provider {
  try {
    return connect(protocol, baseUrl, apiKey);
  } catch (error) {
    if (error instanceof ModelError)
      throw new CliFailure(2, `${error.message} ${asTyped(error.remedy)}`);
    throw error;
  }
}

/**
 * The model of the settings, else the server's first; its window where the server says it. One that
 * the server does not list is used all the same, since some load what they are asked for, and it is
 * said.
 */
export async function chooseModel(
  provider: Provider,
  parts: Pick<ServerParts, 'core' | 'settings' | 'signal' | 'screen'>,
): Promise<ModelInfo> {
  const { signal } = parts;
  const settings = parts.settings();
  let models: readonly ModelInfo[];
  try {
    models = await provider.models(signal);
  } catch (error) {
    // A server may have no list and still have the model.
    if (!(error instanceof ModelError) || error.code !== 'notFound' || settings.model === '') {
      throw error;
    }
    models = [];
  }
  if (settings.model !== '') {
    // Ollama takes a name without a tag for the newest.
    const names = [settings.model, `${settings.model}:latest`];
    const listed = models.find(({ id }) => names.includes(id));
    if (listed === undefined && models.length > 0) {
      const { err } = parts.screen;
      const some = models.slice(0, MODELS_NAMED).map(({ id }) => id);
      const rest = models.length > some.length ? ', …' : '';
      const note = `${provider.host} does not list ${settings.model}. It lists: ${some.join(', ')}${rest}`;
      err.line(err.paint.dim(parts.core.visibleText(note)));
    }
    return { id: settings.model, contextWindow: listed?.contextWindow ?? null };
  }
  const [first] = models;
  if (first) return first;
  throw new ModelError(
    'notFound',
    `${provider.host} has no model.`,
    'Load one there, for Ollama with: ollama pull qwen3:4b',
  );
}

/** A model server's failure as the end of a command; other servers of this machine are offered. */
export async function modelFailure(error: unknown, parts: CliParts): Promise<unknown> {
  if (!(error instanceof ModelError)) return error;
  const lines = [error.message, asTyped(error.remedy)];
  if (error.code === 'unreachable' && !parts.signal.aborted) {
    // The flag that would have helped is another one for each protocol.
    const ollama = parts.settings().provider === 'ollama';
    if (ollama && parts.named('openaiBaseUrl')) {
      lines.push('What --base-url or GBS_BASE_URL names is not used with provider=ollama.');
    }
    const found = await findServers(parts.signal);
    for (const { name, host, baseUrl } of found) {
      const flags = `${ollama ? '--set provider=openai ' : ''}--base-url ${baseUrl}`;
      lines.push(`${name} answers on ${host}: ${flags}`);
    }
    if (found.length === 0) {
      const ports = usualPorts.map(({ port }) => String(port)).join(', ');
      lines.push(
        `None answers on the usual ports of this machine: ${ports}.`,
        ollama
          ? 'Name another address with --set ollama.baseUrl=http://localhost:9090, or the like.'
          : 'Name another address with --base-url, such as http://localhost:9090/v1.',
      );
    }
  }
  return new CliFailure(1, lines.map((line) => parts.core.visibleText(line)).join('\n  '));
}
