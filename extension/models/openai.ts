/**
 * Any OpenAI-compatible server: llama.cpp, LM Studio, vLLM, Ollama, routers.
 *
 * The `openai` package builds the request and its headers; the answer is read in `stream.ts`, the
 * retries are made here, where they can be seen. Nothing is taken from the environment: a key that is
 * meant for one host must not reach another.
 */
import OpenAI, { APIConnectionError } from 'openai';
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import { MODEL_FIRST_RETRY_MS, MODEL_LONGEST_RETRY_MS, MODEL_RETRIES } from '../limits.ts';
import { never } from '../never.ts';
import { codeOf, connectionError, statusError, type ErrorContext } from './errors.ts';
import { patientFetch, type Fetch } from './http.ts';
import { parseModels } from './model-list.ts';
import {
  ModelError,
  type ChatDelta,
  type ChatMessage,
  type ChatRequest,
  type ModelInfo,
  type Provider,
} from './provider.ts';
import { readAnswer, wholeText } from './stream.ts';
import { findWindows } from './windows.ts';

export interface OpenAiProviderParts {
  /** Such as `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  /** Empty for none. */
  readonly apiKey: string;
  readonly fetch?: Fetch;
  /** Milliseconds before the first repetition. */
  readonly firstRetryMs?: number;
  /** Waits; rejects when the signal fires. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Longer than any model takes, and what a timer can hold. */
const NO_TIME_LIMIT = 2 ** 31 - 1;

export class OpenAiProvider implements Provider {
  readonly host: string;
  readonly loopback: boolean;
  readonly #baseUrl: string;
  readonly #client: OpenAI;
  readonly #parts: OpenAiProviderParts;
  readonly #context: ErrorContext;
  readonly #fetch: Fetch;

  /** Throws a `ModelError` when `baseUrl` is no http address. */
  constructor(parts: OpenAiProviderParts) {
    const url = addressOf(parts.baseUrl);
    this.#baseUrl = url.href.replace(/\/+$/, '');
    this.host = url.host;
    this.loopback = isLoopback(url.hostname);
    this.#parts = parts;
    this.#context = { host: this.host, apiKey: parts.apiKey };
    this.#fetch = parts.fetch ?? patientFetch;
    this.#client = new OpenAI({
      baseURL: this.#baseUrl,
      apiKey: parts.apiKey === '' ? 'none' : parts.apiKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: 'off',
      maxRetries: 0,
      timeout: NO_TIME_LIMIT,
      fetch: async (input, init) => {
        const response = await this.#fetch(input, { ...init, headers: this.#headers(init) });
        if (response.ok) return response;
        // The package keeps only some shapes of a server's error; here all of it is wanted.
        const body = await wholeText(response, this.#context);
        throw new Refused(response.status, response.headers, body);
      },
    });
  }

  /**
   * Streams one answer. The pieces of a call share `index` and `id`; their names and arguments are to
   * be joined. Throws `ModelError`, or the signal's reason once it has fired.
   */
  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatDelta> {
    const own = new Follower(signal);
    try {
      yield* this.#attempts(bodyOf(request), own.signal);
    } finally {
      own.release();
    }
  }

  async *#attempts(
    body: ChatCompletionCreateParamsStreaming,
    signal: AbortSignal,
  ): AsyncGenerator<ChatDelta> {
    for (let failures = 0; ; failures += 1) {
      let retry: Retry;
      try {
        const response = await this.#client.chat.completions.create(body, { signal }).asResponse();
        for await (const delta of readAnswer(response, this.#context)) {
          signal.throwIfAborted();
          yield delta;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        // What has been read of an answer cannot be taken back, so only a refusal is repeated.
        if (error instanceof ModelError) throw error;
        retry = this.#failure(error);
      }
      const ms =
        retry.afterMs ?? (this.#parts.firstRetryMs ?? MODEL_FIRST_RETRY_MS) * 2 ** failures;
      if (!retry.again || failures >= MODEL_RETRIES || ms > MODEL_LONGEST_RETRY_MS) {
        throw retry.error;
      }
      yield { type: 'retry', reason: retry.error.message, seconds: ms / 1000 };
      await (this.#parts.wait ?? waitFor)(ms, signal);
    }
  }

  /** What the server has, with the windows it tells of. */
  async models(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const own = new Follower(signal);
    let text: string;
    try {
      const response = await this.#client.models.list({ signal: own.signal }).asResponse();
      text = await wholeText(response, this.#context);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ModelError ? error : this.#failure(error).error;
    } finally {
      own.release();
    }
    const listed = parseModels(text, this.#context);
    return findWindows(this.#baseUrl, listed, this.#askJson, signal);
  }

  /** Without what the package tells about this machine, and without a key that nobody set. */
  #headers(init: RequestInit | undefined): Headers {
    const headers = new Headers(init?.headers);
    const told = [...headers.keys()].filter((name) => name.startsWith('x-stainless-'));
    for (const name of told) headers.delete(name);
    headers.set('user-agent', 'gbs-agent');
    if (this.#parts.apiKey === '') headers.delete('authorization');
    return headers;
  }

  /** Another question to the same server, by a path below its root; null where it has no answer. */
  readonly #askJson = async (
    url: URL,
    body: string | null,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (this.#parts.apiKey !== '') headers['authorization'] = `Bearer ${this.#parts.apiKey}`;
    if (body !== null) headers['content-type'] = 'application/json';
    const response = await this.#fetch(url, {
      method: body === null ? 'GET' : 'POST',
      headers,
      signal,
      ...(body === null ? {} : { body }),
    });
    const text = await wholeText(response, this.#context);
    return response.ok ? (JSON.parse(text) as unknown) : null;
  };

  #failure(error: unknown): Retry {
    const cause = error instanceof APIConnectionError ? (error.cause ?? error) : error;
    if (cause instanceof Refused) {
      return {
        error: statusError(cause.status, cause.body, this.#context),
        again: [429, 502, 503, 504].includes(cause.status),
        afterMs: retryAfter(cause.headers, Date.now()),
      };
    }
    return {
      error: connectionError(cause, this.#context),
      // The server listens and hung up: as a gateway it would have said 502.
      again: ['ECONNRESET', 'EPIPE'].includes(codeOf(cause)),
      afterMs: null,
    };
  }
}

/** A signal for one request: the package never takes its listeners off the one it was given. */
class Follower {
  readonly #controller = new AbortController();
  readonly #followed: AbortSignal;
  readonly #follow = (): void => {
    this.#controller.abort(this.#followed.reason);
  };

  constructor(followed: AbortSignal) {
    this.#followed = followed;
    if (followed.aborted) this.#follow();
    else followed.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    this.#followed.removeEventListener('abort', this.#follow);
  }
}

/** An answer that is not 2xx. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: string,
  ) {
    super(`status ${String(status)}`);
  }
}

interface Retry {
  readonly error: ModelError;
  readonly again: boolean;
  /** When the server says how long. */
  readonly afterMs: number | null;
}

/** `Retry-After` in seconds or as a date, `retry-after-ms` as some send it. */
export function retryAfter(headers: Headers, now: number): number | null {
  const ms = Number(headers.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const given = headers.get('retry-after');
  if (given === null || given.trim() === '') return null;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function addressOf(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ModelError(
      'badRequest',
      `${JSON.stringify(baseUrl)} is not the address of a model server.`,
      'Write it as http://localhost:11434/v1.',
    );
  }
  // Only the host was given: the protocol's usual path is meant.
  if (url.pathname === '/') url.pathname = '/v1';
  return url;
}

/** True for this machine by any of its names. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    /^::ffff:7f[0-9a-f]{2}:/.test(name)
  );
}

/** The same request gives the same bytes: every field stands in a fixed place. */
function bodyOf(request: ChatRequest): ChatCompletionCreateParamsStreaming {
  return {
    model: request.model,
    messages: request.messages.map(messageOf),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolOf) }),
    temperature: request.temperature,
    max_tokens: request.maxOutputTokens,
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toolOf(tool: ChatRequest['tools'][number]): ChatCompletionTool {
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: JSON.parse(tool.parameters) as Record<string, unknown>,
    },
  };
}

function messageOf(message: ChatMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: userContent(message.content, message.images ?? []) };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.toolCalls.length === 0
          ? {}
          : {
              tool_calls: message.toolCalls.map((call) => ({
                id: call.id,
                type: 'function' as const,
                function: { name: call.name, arguments: call.arguments },
              })),
            }),
      };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    default:
      return never(message);
  }
}

function userContent(
  text: string,
  images: readonly string[],
): Extract<ChatCompletionMessageParam, { role: 'user' }>['content'] {
  if (images.length === 0) return text;
  return [
    { type: 'text', text },
    ...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
  ];
}
