/**
 * What a model can do, learned once by asking it: does it call tools natively, several at once, does
 * its answer come in pieces, does it see images, how large is its window.
 *
 * In: a provider and a model. Out: a record that is remembered in the user's state folder, by host and
 * model; asking again replaces it. A model that answers with nonsense simply cannot do the thing; a
 * server that is not there is an error.
 */
import { parse } from 'node:path';
import { PROBE_TOKENS } from '../limits.ts';
import type { StateFolder } from '../state.ts';
import { isWindow } from './model-list.ts';
import { ModelError, type ChatMessage, type Provider, type ToolDefinition } from './provider.ts';

export interface ModelProbe {
  readonly nativeTools: boolean;
  readonly parallelTools: boolean;
  readonly streams: boolean;
  readonly images: boolean;
  /** Tokens, or null where the server does not say. */
  readonly contextWindow: number | null;
}

/** Raised when a probe asks something else, so that what was learned before is asked again. */
const VERSION = 1;

const tool: ToolDefinition = {
  name: 'report_color',
  description: 'Reports one color.',
  parameters: '{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}',
};

/** 64 × 64 pixels, the left half blue and the right half yellow: nobody names both by chance. */
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAMAAACdt4HsAAAABlBMVEUAAP///wBW3nahAAAAKklEQVR4' +
  '2u3MQREAAAwCINe/9CL49yAASXFFBAKBQCAQCAQCgUAgEKwHD5QACAGx6jEAAAAAAElFTkSuQmCC';

/** Probes, kept apart from any workspace: a model is the same in all of them. */
export class Probes {
  readonly #state: StateFolder;
  readonly #everywhere: string;

  constructor(state: StateFolder) {
    this.#state = state;
    this.#everywhere = parse(state.root).root;
  }

  /** What is remembered of the model, or null. */
  async read(host: string, model: string): Promise<ModelProbe | null> {
    const all = await this.#state.read(this.#everywhere, 'probes');
    return recordOf(all[keyOf(host, model)]);
  }

  /** Asks the model, and remembers what it did. */
  async run(provider: Provider, model: string, signal: AbortSignal): Promise<ModelProbe> {
    const probe = await probeModel(provider, model, signal);
    await this.#state.update(this.#everywhere, 'probes', (before) => ({
      ...before,
      [keyOf(provider.host, model)]: { version: VERSION, ...probe },
    }));
    return probe;
  }
}

/** What a record is kept by. */
export function keyOf(host: string, model: string): string {
  return `${host} ${model}`;
}

function recordOf(value: unknown): ModelProbe | null {
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Record<string, unknown>;
  const { nativeTools, parallelTools, streams, images, contextWindow } = fields;
  if (
    fields['version'] !== VERSION ||
    typeof nativeTools !== 'boolean' ||
    typeof parallelTools !== 'boolean' ||
    typeof streams !== 'boolean' ||
    typeof images !== 'boolean' ||
    (contextWindow !== null && !isWindow(contextWindow))
  ) {
    return null;
  }
  return { nativeTools, parallelTools, streams, images, contextWindow };
}

/** Four small requests at most. Throws `ModelError` when the server does not answer at all. */
export async function probeModel(
  provider: Provider,
  model: string,
  signal: AbortSignal,
): Promise<ModelProbe> {
  const ask = (
    content: string,
    offered: readonly ToolDefinition[],
    images: readonly string[] = [],
  ) => answer(provider, model, { role: 'user', content, images }, offered, signal);

  const counted = await ask('Count from 1 to 9.', []);
  const two = await refusable(() =>
    ask(
      'Use the report_color tool with color red. Use the report_color tool with color blue. Make both calls at once.',
      [tool],
    ),
  );
  const one =
    two === null || two.calls > 0
      ? two
      : await refusable(() => ask('Use the report_color tool with color red.', [tool]));
  const seen = await refusable(() =>
    ask(
      'Which two colors does this image show, from left to right? Only name them.',
      [],
      [picture],
    ),
  );
  const listed = await provider.models(signal);
  return {
    nativeTools: (one?.calls ?? 0) > 0,
    parallelTools: (two?.calls ?? 0) > 1,
    streams: counted.pieces > 1,
    images: seen !== null && /blue.*yellow/is.test(seen.text),
    contextWindow: listed.find(({ id }) => id === model)?.contextWindow ?? null,
  };
}

interface Answer {
  readonly text: string;
  readonly pieces: number;
  /** Complete calls of the tool that was offered. */
  readonly calls: number;
}

async function answer(
  provider: Provider,
  model: string,
  message: ChatMessage,
  tools: readonly ToolDefinition[],
  signal: AbortSignal,
): Promise<Answer> {
  const request = {
    model,
    messages: [message],
    tools,
    temperature: 0,
    maxOutputTokens: PROBE_TOKENS,
  };
  let text = '';
  let pieces = 0;
  const calls = new Map<string, { name: string; given: string }>();
  for await (const delta of provider.chat(request, signal)) {
    if (delta.type === 'text') {
      text += delta.text;
      pieces += 1;
    } else if (delta.type === 'thinking') {
      pieces += 1;
    } else if (delta.type === 'toolCall') {
      const call = calls.get(delta.id) ?? { name: '', given: '' };
      call.name += delta.name;
      call.given += delta.arguments;
      calls.set(delta.id, call);
    }
  }
  const whole = [...calls.values()].filter(
    ({ name, given }) => name === tool.name && isObject(given),
  );
  return { text, pieces, calls: whole.length };
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Null when the server refuses this kind of request: that is an answer. */
async function refusable(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    const refused =
      error instanceof ModelError && ['badRequest', 'server', 'notFound'].includes(error.code);
    if (refused) return null;
    throw error;
  }
}
