/**
 * A model server as the loop sees it. Implementations: `openai.ts` (any OpenAI-compatible server),
 * `ollama.ts` (Ollama's own protocol); others join without the loop knowing.
 */

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema as text. */
  readonly parameters: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them; not yet known to be JSON. */
  readonly arguments: string;
}

/**
 * The arguments of a call of the history, for protocols that hold objects alone. What is no object was
 * refused when it was called, and the result that follows says so.
 */
export function argumentsObject({ arguments: text }: ToolCall): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly string[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls: readonly ToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly content: string;
    };

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly temperature: number;
  readonly maxOutputTokens: number;
  /** Tokens that prompt and answer may take; for servers that are told. Absent: as before. */
  readonly contextWindow?: number;
  /** JSON Schema as text: the answer is to be JSON of that form, where the server can see to it. */
  readonly answerSchema?: string;
}

export type ChatDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** A piece of a call: pieces share index and id, their names and arguments are to be joined. */
  | {
      readonly type: 'toolCall';
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: 'usage'; readonly promptTokens: number; readonly outputTokens: number }
  | { readonly type: 'retry'; readonly reason: string; readonly seconds: number }
  | { readonly type: 'end'; readonly reason: 'stop' | 'toolCalls' | 'length' | 'other' };

export interface ModelInfo {
  readonly id: string;
  /** Tokens, or null where the server does not say. */
  readonly contextWindow: number | null;
}

export interface Provider {
  /** Shown to people, such as `localhost:11434`. */
  readonly host: string;
  /** True when the server is on this machine. */
  readonly loopback: boolean;
  /** The editor has its models from other extensions: where they run is not known here. */
  readonly ofEditor?: true;
  /**
   * One answer, ended by `end`. Throws `ModelError`, or the signal's reason once that has fired; what
   * came before is then not an answer.
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatDelta>;
  models(signal: AbortSignal): Promise<readonly ModelInfo[]>;
}

/** A model server that did not do what was asked; `code` is stable, `remedy` says what to do. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  constructor(
    readonly code:
      | 'unreachable'
      /** The connection broke before the answer was complete. */
      | 'broken'
      | 'unauthorized'
      | 'notFound'
      | 'badRequest'
      /** The prompt is longer than the server's context window. */
      | 'contextFull'
      | 'overloaded'
      | 'server'
      | 'protocol',
    message: string,
    readonly remedy: string,
    override readonly cause?: unknown,
  ) {
    super(message);
  }
}
