/** Settings → the model server that they mean. */
import type { Settings } from '../agent/settings.ts';
import { OllamaProvider } from './ollama.ts';
import { OpenAiProvider } from './openai.ts';
import type { Provider } from './provider.ts';

/** A protocol that servers speak. */
export type Protocol = Exclude<Settings['provider'], 'vscode'>;

/** Throws a `ModelError` when `baseUrl` is no http address. */
export function connect(protocol: Protocol, baseUrl: string, apiKey: string): Provider {
  return protocol === 'ollama'
    ? new OllamaProvider({ baseUrl, apiKey })
    : new OpenAiProvider({ baseUrl, apiKey });
}
