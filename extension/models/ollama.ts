/**
 * Ollama by its own protocol: it alone can be told how large the window is to be (`num_ctx`).
 *
 * The `ollama` package builds the request and takes the answer apart; every line is checked before it
 * gets there, since the package prints what it cannot read. Nothing is taken from the environment.
 */
import {
  Ollama,
  type ChatRequest as OllamaRequest,
  type ChatResponse,
  type Message,
} from 'ollama/browser';
import { never } from '../never.ts';
import { addressOf, isLoopback } from './address.ts';
import { attempts, failure, Follower, refusing, type RetryParts } from './attempts.ts';
import { protocolError, type ErrorContext } from './errors.ts';
import { askJson, patientFetch, type Fetch } from './http.ts';
import { fieldOf } from './model-list.ts';
import {
  argumentsObject,
  ModelError,
  type ChatDelta,
  type ChatMessage,
  type ChatRequest,
  type ModelInfo,
  type Provider,
} from './provider.ts';
import { checkedLines, readChunks } from './stream.ts';
import { findWindows } from './windows.ts';

export interface OllamaProviderParts extends RetryParts {
  /** Such as `http://localhost:11434`; `/v1` at its end is left out. */
  readonly baseUrl: string;
  /** Empty for none. */
  readonly apiKey: string;
  readonly fetch?: Fetch;
}

export class OllamaProvider implements Provider {
  readonly host: string;
  readonly loopback: boolean;
  readonly #address: string;
  readonly #parts: OllamaProviderParts;
  readonly #context: ErrorContext;
  readonly #fetch: Fetch;
  /** By model. Another window loads the model anew, so requests that name none keep the last one. */
  readonly #windows = new Map<string, number>();

  /** Throws a `ModelError` when `baseUrl` is no http address. */
  constructor(parts: OllamaProviderParts) {
    const url = addressOf(parts.baseUrl, 'http://localhost:11434');
    this.#address = url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.host = url.host;
    this.loopback = isLoopback(url.hostname);
    this.#parts = parts;
    this.#context = { host: this.host, apiKey: parts.apiKey };
    this.#fetch = parts.fetch ?? patientFetch;
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatDelta> {
    const own = new Follower(signal);
    try {
      const ask = (): AsyncIterable<ChatDelta> => this.#answer(request, own.signal);
      yield* attempts(ask, this.#context, own.signal, this.#parts);
    } finally {
      // The package leaves the connection open when its answer is not read to the end.
      own.end();
    }
  }

  async *#answer(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatDelta> {
    const window = request.contextWindow ?? this.#windows.get(request.model);
    if (window !== undefined) this.#windows.set(request.model, window);
    const lines = await this.#client(signal).chat(bodyOf(request, window));
    yield* readChunks(chunks(lines), this.#context);
  }

  #client(signal: AbortSignal): Ollama {
    const asked = refusing(
      (input, init) => this.#fetch(input, { ...init, signal, headers: this.#headers(init) }),
      this.#context,
    );
    return new Ollama({
      host: this.#address,
      fetch: async (input, init) => checkedLines(await asked(input, init), this.#context),
    });
  }

  /** Without what the package tells about this machine, and with no key but the one that was set. */
  #headers(init: RequestInit | undefined): Headers {
    const headers = new Headers(init?.headers);
    headers.set('user-agent', 'gbs-agent');
    headers.delete('authorization');
    if (this.#parts.apiKey !== '') headers.set('authorization', `Bearer ${this.#parts.apiKey}`);
    return headers;
  }

  /** What is installed, with the windows that Ollama tells of. */
  async models(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const own = new Follower(signal);
    const ask = askJson(this.#fetch, this.#context);
    // A list that is refused says why; one that is not there belongs to another kind of server.
    const list = askJson(refusing(this.#fetch, this.#context), this.#context);
    try {
      const tags = await list(new URL(`${this.#address}/api/tags`), null, own.signal);
      const models = fieldOf(tags, 'models');
      if (!Array.isArray(models)) {
        throw protocolError('did not list its models as Ollama does', this.#context);
      }
      const listed = models.flatMap((model): ModelInfo[] => {
        const id = fieldOf(model, 'model') ?? fieldOf(model, 'name');
        return typeof id === 'string' && id !== '' ? [{ id, contextWindow: null }] : [];
      });
      return await findWindows(this.#address, listed, ask, own.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SyntaxError) {
        throw protocolError('did not list its models as Ollama does', this.#context);
      }
      if (error instanceof ModelError) throw error;
      const { error: refused } = failure(error, this.#context);
      throw refused.code === 'notFound'
        ? protocolError('did not list its models as Ollama does', this.#context)
        : refused;
    } finally {
      own.release();
    }
  }
}

/** The same request gives the same bytes: every field stands in a fixed place. */
function bodyOf(
  request: ChatRequest,
  window: number | undefined,
): OllamaRequest & { readonly stream: true } {
  return {
    model: request.model,
    messages: request.messages.map(messageOf),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters: JSON.parse(parameters) as object },
          })),
        }),
    ...(request.answerSchema === undefined
      ? {}
      : { format: JSON.parse(request.answerSchema) as object }),
    stream: true,
    options: {
      ...(window === undefined ? {} : { num_ctx: window }),
      temperature: request.temperature,
      num_predict: request.maxOutputTokens,
    },
  };
}

function messageOf(message: ChatMessage): Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return {
        role: 'user',
        content: message.content,
        // The protocol wants the bytes alone, without what kind they are.
        ...(message.images === undefined || message.images.length === 0
          ? {}
          : { images: message.images.map((url) => url.slice(url.indexOf(',') + 1)) }),
      };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.toolCalls.length === 0
          ? {}
          : {
              tool_calls: message.toolCalls.map((call) => ({
                function: { name: call.name, arguments: argumentsObject(call) },
              })),
            }),
      };
    case 'tool':
      return { role: 'tool', content: message.content, tool_name: message.name };
    default:
      return never(message);
  }
}

/** The lines of an answer, shaped as chunks of a chat completion. */
async function* chunks(lines: AsyncIterable<ChatResponse>): AsyncGenerator<object> {
  for await (const line of lines) yield chunkOf(line);
}

function chunkOf(line: ChatResponse): object {
  const message: unknown = fieldOf(line, 'message');
  const finish = line.done ? (fieldOf(line, 'done_reason') ?? 'stop') : null;
  return {
    choices: [
      {
        delta: {
          content: fieldOf(message, 'content'),
          thinking: fieldOf(message, 'thinking'),
          tool_calls: fieldOf(message, 'tool_calls'),
        },
        finish_reason: finish,
      },
    ],
    usage: { prompt_tokens: line.prompt_eval_count, completion_tokens: line.eval_count },
  };
}
