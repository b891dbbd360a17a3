/**
 * What `GET /v1/models` says → the models and, where it is told, their context window.
 *
 * Every family of servers has its own field for the window. `n_ctx_train` is what a model was made
 * for, which a server may cut down, so it is no answer here.
 */
import { protocolError, type ErrorContext } from './errors.ts';
import type { ModelInfo } from './provider.ts';

/** Fields that hold the real window, most exact first. */
const windowFields = [
  'loaded_context_length', // LM Studio, the model as it is loaded
  'max_model_len', // vLLM, SGLang
  'context_window', // Groq
  'context_length', // OpenRouter, Together
  'max_context_length', // LM Studio, Mistral
];

/** The list in the server's order; entries that have no name are left out. */
export function parseModels(text: string, context: ErrorContext): ModelInfo[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw protocolError('answered with something that is not a list of models', context);
  }
  const list: unknown = Array.isArray(value)
    ? value
    : (fieldOf(value, 'data') ?? fieldOf(value, 'models'));
  // Ollama without a model says null.
  if (list === undefined && fieldOf(value, 'data') === null) return [];
  if (!Array.isArray(list)) {
    throw protocolError('answered with something that is not a list of models', context);
  }
  return list.flatMap((entry): ModelInfo[] => {
    const id = fieldOf(entry, 'id') ?? fieldOf(entry, 'name');
    return typeof id === 'string' && id !== '' ? [{ id, contextWindow: windowOf(entry) }] : [];
  });
}

/** The window that an entry tells of, or null. */
export function windowOf(entry: unknown): number | null {
  const given = [
    fieldOf(fieldOf(entry, 'meta'), 'n_ctx'), // llama.cpp
    ...windowFields.map((name) => fieldOf(entry, name)),
  ];
  return given.find(isWindow) ?? null;
}

export function isWindow(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
