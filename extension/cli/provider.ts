/** The model server and the model that the settings mean; shared by `run`, `chat` and `models`. */
import type { Settings } from '../agent/settings.ts';
import { findServers, usualPorts } from '../models/discover.ts';
import { OpenAiProvider } from '../models/openai.ts';
import { ModelError, type ModelInfo, type Provider } from '../models/provider.ts';
import { never } from '../never.ts';
import { CliFailure, type CliParts } from './parts.ts';

/** Throws a `CliFailure` for a provider that the command line does not have. */
export function createProvider(settings: Settings, apiKey: string): Provider {
  switch (settings.provider) {
    case 'openai':
      return openAi(settings.openaiBaseUrl, apiKey);
    case 'ollama':
      return openAi(`${settings.ollamaBaseUrl.replace(/\/+$/, '')}/v1`, apiKey);
    case 'vscode':
      throw new CliFailure(
        2,
        'the models of VS Code are there in the editor only: choose --set provider=openai and --base-url.',
      );
    default:
      return never(settings.provider);
  }
}

function openAi(baseUrl: string, apiKey: string): Provider {
  try {
    return new OpenAiProvider({ baseUrl, apiKey });
  } catch (error) {
    if (error instanceof ModelError) throw new CliFailure(2, `${error.message} ${error.remedy}`);
    throw error;
  }
}

/** The model of the settings, else the server's first; its window where the server says it. */
export async function chooseModel(
  provider: Provider,
  settings: Settings,
  signal: AbortSignal,
): Promise<ModelInfo> {
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
    return (
      models.find(({ id }) => id === settings.model) ?? { id: settings.model, contextWindow: null }
    );
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
  const lines = [error.message, error.remedy];
  if (error.code === 'unreachable' && !parts.signal.aborted) {
    const found = await findServers(parts.signal);
    for (const { name, host, baseUrl } of found) {
      lines.push(`${name} answers on ${host}: --base-url ${baseUrl}`);
    }
    if (found.length === 0) {
      const ports = usualPorts.map(({ port }) => String(port)).join(', ');
      lines.push(
        `None answers on the usual ports of this machine: ${ports}.`,
        'Name another address with --base-url, such as http://localhost:9090/v1.',
      );
    }
  }
  return new CliFailure(1, lines.map((line) => parts.core.visibleText(line)).join('\n  '));
}
