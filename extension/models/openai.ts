/**
 * Any OpenAI-compatible server: llama.cpp, LM Studio, vLLM, Ollama, routers.
 *
 * The `openai` package builds the request and its headers; the answer is read in `stream.ts`, the
 * retries are made here, where they can be seen. Nothing is taken from the environment: a key that is
 * meant for one host must not reach another.
 */
import OpenAI from 'openai';
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import type { ResponseFormatJSONSchema } from 'openai/resources/shared';
import { never } from '../never.ts';
import { addressOf, isLoopback } from './address.ts';
import { attempts, failure, Follower, refusing, type RetryParts } from './attempts.ts';
import type { ErrorContext } from './errors.ts';
import { askJson, patientFetch, type Fetch } from './http.ts';
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

export interface OpenAiProviderParts extends RetryParts {
  /** Such as `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  /** Empty for none. */
  readonly apiKey: string;
  readonly fetch?: Fetch;
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
    const url = addressOf(parts.baseUrl, 'http://localhost:11434/v1');
    // Only the host was given: the protocol's usual path is meant.
    if (url.pathname === '/') url.pathname = '/v1';
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
      fetch: refusing(
        (input, init) => this.#fetch(input, { ...init, headers: this.#headers(init) }),
        this.#context,
      ),
    });
  }

  /**
   * Streams one answer. The pieces of a call share `index` and `id`; their names and arguments are to
   * be joined. Throws `ModelError`, or the signal's reason once it has fired.
   */
  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatDelta> {
    const own = new Follower(signal);
    try {
      const ask = (): AsyncIterable<ChatDelta> => this.#answer(bodyOf(request), own.signal);
      yield* attempts(ask, this.#context, own.signal, this.#parts);
    } finally {
      own.release();
    }
  }

  async *#answer(
    body: ChatCompletionCreateParamsStreaming,
    signal: AbortSignal,
  ): AsyncGenerator<ChatDelta> {
    const response = await this.#client.chat.completions.create(body, { signal }).asResponse();
    yield* readAnswer(response, this.#context);
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
      throw error instanceof ModelError ? error : failure(error, this.#context).error;
    } finally {
      own.release();
    }
    const listed = parseModels(text, this.#context);
    const ask = askJson(this.#fetch, this.#context);
    return findWindows(this.#baseUrl, listed, ask, signal);
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
}

/** The same request gives the same bytes: every field stands in a fixed place. */
function bodyOf(request: ChatRequest): ChatCompletionCreateParamsStreaming {
  return {
    model: request.model,
    messages: request.messages.map(messageOf),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolOf) }),
    temperature: request.temperature,
    max_tokens: request.maxOutputTokens,
    ...(request.answerSchema === undefined
      ? {}
      : { response_format: formOf(request.answerSchema) }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function formOf(schema: string): ResponseFormatJSONSchema {
  return {
    type: 'json_schema',
    json_schema: {
      name: 'answer',
      strict: true,
      schema: JSON.parse(schema) as Record<string, unknown>,
    },
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
