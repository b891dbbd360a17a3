/**
 * The context window as it really is, where the list of models does not say it: each family of
 * servers has a question of its own beside the OpenAI protocol.
 *
 * In: the base URL, the list, a way to ask. Out: the list with windows filled in. A server that does
 * not know a question costs nothing but that question; none of them is ever an error.
 */
import { DISCOVERY_MS, OLLAMA_DETAILS, OLLAMA_WINDOW } from '../limits.ts';
import type { AskJson } from './http.ts';
import { fieldOf, isWindow, windowOf } from './model-list.ts';
import type { ModelInfo } from './provider.ts';

export async function findWindows(
  baseUrl: string,
  models: readonly ModelInfo[],
  ask: AskJson,
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  if (models.every(({ contextWindow }) => contextWindow !== null)) return models;
  const root = rootOf(baseUrl);
  const quietly = async (path: string, body: string | null = null): Promise<unknown> => {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_MS)]);
      return await ask(new URL(path, root), body, limit);
    } catch {
      // The question is not known there, or the answer took too long.
      signal.throwIfAborted();
      return null;
    }
  };
  const [props, loaded, studio] = await Promise.all([
    quietly('props'),
    quietly('api/ps'),
    quietly('api/v0/models'),
  ]);
  const single = fieldOf(fieldOf(props, 'default_generation_settings'), 'n_ctx');
  const running = listOf(loaded, 'models');
  const inStudio = listOf(studio, 'data');
  const details = new Map<string, number>();
  if (running !== null) {
    const unknown = models.filter(
      ({ id, contextWindow }) => contextWindow === null && !find(running, id),
    );
    await Promise.all(
      unknown.slice(0, OLLAMA_DETAILS).map(async ({ id }) => {
        const shown = await quietly('api/show', JSON.stringify({ model: id }));
        if (shown !== null) details.set(id, setInFile(shown) ?? OLLAMA_WINDOW);
      }),
    );
  }
  return models.map((model): ModelInfo => {
    if (model.contextWindow !== null) return model;
    const found =
      (isWindow(single) && models.length === 1 ? single : null) ??
      windowOf(find(running ?? [], model.id)) ??
      windowOf(find(inStudio ?? [], model.id)) ??
      details.get(model.id) ??
      null;
    return { id: model.id, contextWindow: found };
  });
}

/** The address above `/v1`, with a slash at its end. */
function rootOf(baseUrl: string): URL {
  return new URL(`${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/`);
}

function listOf(value: unknown, name: string): readonly unknown[] | null {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : null;
}

function find(list: readonly unknown[], id: string): unknown {
  return list.find((entry) => ['id', 'model', 'name'].some((name) => fieldOf(entry, name) === id));
}

/** `num_ctx` of an Ollama model's own file: lines of "name value". */
function setInFile(shown: unknown): number | null {
  const parameters = fieldOf(shown, 'parameters');
  if (typeof parameters !== 'string') return null;
  const value = Number(/^\s*num_ctx\s+(\d+)\s*$/m.exec(parameters)?.[1]);
  return isWindow(value) ? value : null;
}
