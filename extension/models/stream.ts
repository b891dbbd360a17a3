/**
 * The answer of a chat completion → deltas.
 *
 * In: the body of a 2xx answer, as a stream of events or as one JSON document (some servers ignore
 * `stream`). Out: text, thinking, pieces of calls, usage, the end. Thinking that a
 * server leaves in the text is taken out by the loop. What a server may get wrong is put
 * right here: calls without an id, all with index 0, with their name in every piece or with arguments
 * as an object. An answer that breaks off is an error, never an end: half a call must not run.
 */
import { createParser } from 'eventsource-parser';
import { MODEL_EVENT_BYTES } from '../limits.ts';
import { connectionError, eventError, protocolError, type ErrorContext } from './errors.ts';
import type { ChatDelta } from './provider.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads `response` to its end. Leaving the iteration early closes the connection. */
export async function* readAnswer(
  response: Response,
  context: ErrorContext,
): AsyncGenerator<ChatDelta> {
  const type = response.headers.get('content-type') ?? '';
  const assembler = new Assembler(context);
  if (/^application\/(\w+\+)?json/.test(type)) {
    yield* assembler.whole(await wholeText(response, context));
  } else if (type.startsWith('text/html')) {
    await response.body?.cancel();
    throw protocolError('answered with a web page', context);
  } else {
    for await (const data of events(response, context)) yield* assembler.event(data);
  }
  yield* assembler.end();
}

/** Deltas of pieces that are already shaped as chunks of a chat completion; read to the end. */
export async function* readChunks(
  chunks: AsyncIterable<object>,
  context: ErrorContext,
): AsyncGenerator<ChatDelta> {
  const assembler = new Assembler(context);
  for await (const chunk of chunks) yield* assembler.chunk(chunk);
  yield* assembler.end();
}

/**
 * `response` with a body whose every line is a JSON object, the last with `done`: a line that is none,
 * has no end, or tells of an error, and an end before the last, make reading it throw a `ModelError`.
 */
export function checkedLines(response: Response, context: ErrorContext): Response {
  return new Response(ReadableStream.from(jsonLines(response, context)), {
    status: response.status,
    headers: response.headers,
  });
}

async function* jsonLines(response: Response, context: ErrorContext): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  let done = false;
  const checked = (line: string): Uint8Array => {
    const value = recordOf(parsed(line));
    if (!value) throw protocolError('sent something that is not a JSON object', context);
    const { error, ...rest } = value;
    if (error !== undefined && error !== null) throw eventError(line, context);
    done = value['done'] === true;
    // The package takes the field alone for an error, whatever it holds.
    return encoder.encode(`${error === null ? JSON.stringify(rest) : line}\n`);
  };
  for await (const bytes of bytesOf(response, context)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MODEL_EVENT_BYTES) throw protocolError('sent a line without an end', context);
    for (const line of lines) if (line.trim() !== '') yield checked(line);
  }
  rest += decoder.decode();
  if (parsed(rest) !== undefined) yield checked(rest);
  if (!done) throw protocolError('broke off its answer', context);
}

/** The text of an answer that is not streamed. */
export async function wholeText(response: Response, context: ErrorContext): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of bytesOf(response, context)) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MODEL_EVENT_BYTES) {
      throw protocolError('sent more than an answer can be', context);
    }
  }
  return text + decoder.decode();
}

/** The data of each event. */
async function* events(response: Response, context: ErrorContext): AsyncGenerator<string> {
  const ready: string[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: MODEL_EVENT_BYTES,
    onEvent: ({ event, data }) => {
      // Older llama.cpp sends what went wrong as an event of its own name.
      ready.push(event === 'error' ? JSON.stringify({ error: parsed(data) ?? data }) : data);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') tooLong = true;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(response, context)) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (tooLong) throw protocolError('sent an event without an end', context);
    yield* ready.splice(0);
  }
  // The last event may lack its empty line; one that is cut off is left to the end to tell.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* ready.splice(0).filter((data) => data.trim() === '[DONE]' || parsed(data) !== undefined);
}

async function* bytesOf(response: Response, context: ErrorContext): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  try {
    for await (const bytes of response.body as AsyncIterable<Uint8Array>) yield bytes;
  } catch (error) {
    throw connectionError(error, context);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Call {
  readonly index: number;
  readonly id: string;
  name: string;
}

/** Puts the pieces of one answer together as far as the deltas need it. */
class Assembler {
  readonly #context: ErrorContext;
  readonly #calls: Call[] = [];
  /** The call that a server's index means now. */
  readonly #current = new Map<number, Call>();
  #finish: string | null = null;
  #done = false;
  #usage: { promptTokens: number; outputTokens: number } | null = null;

  constructor(context: ErrorContext) {
    this.#context = context;
  }

  /** One event of a stream. */
  *event(data: string): Generator<ChatDelta> {
    if (data.trim() === '[DONE]') {
      this.#done = true;
      return;
    }
    if (data.trim() === '' || this.#done) return;
    yield* this.#take(this.#fields(data), 'delta');
  }

  chunk(value: object): Generator<ChatDelta> {
    return this.#take({ ...value }, 'delta');
  }

  /** An answer in one piece. */
  *whole(text: string): Generator<ChatDelta> {
    yield* this.#take(this.#fields(text), 'message');
    this.#done = true;
  }

  /** What is left, the usage, and the reason; throws when the answer broke off. */
  *end(): Generator<ChatDelta> {
    if (this.#usage) yield { type: 'usage', ...this.#usage };
    if (this.#finish === null && !this.#done) {
      throw protocolError('broke off its answer', this.#context);
    }
    yield { type: 'end', reason: this.#reason() };
  }

  #reason(): 'stop' | 'toolCalls' | 'length' | 'other' {
    switch (this.#finish) {
      case 'length':
        return 'length';
      case 'stop':
      case 'tool_calls':
      case 'function_call':
      case null:
        // Some servers say `stop` after calls.
        return this.#calls.length > 0 ? 'toolCalls' : 'stop';
      default:
        return 'other';
    }
  }

  #fields(text: string): Fields {
    const value = recordOf(parsed(text));
    if (!value) throw protocolError('sent something that is not a JSON object', this.#context);
    if (value['error'] !== undefined && value['error'] !== null) {
      throw eventError(text, this.#context);
    }
    return value;
  }

  *#take(value: Fields, part: 'delta' | 'message'): Generator<ChatDelta> {
    const usage = recordOf(value['usage']);
    const promptTokens = usage?.['prompt_tokens'];
    const outputTokens = usage?.['completion_tokens'];
    if (isCount(promptTokens) && isCount(outputTokens))
      this.#usage = { promptTokens, outputTokens };
    const choices: unknown = value['choices'];
    const choice = recordOf(Array.isArray(choices) ? choices[0] : undefined);
    if (!choice) return;
    const delta = recordOf(choice[part]) ?? {};
    const thinking = [delta['reasoning_content'], delta['reasoning'], delta['thinking']].find(
      (each): each is string => typeof each === 'string' && each !== '',
    );
    if (thinking !== undefined) yield { type: 'thinking', text: thinking };
    const content = textOf(delta['content']);
    if (content !== '') yield { type: 'text', text: content };
    const calls: unknown = delta['tool_calls'];
    if (Array.isArray(calls)) {
      for (const [at, call] of calls.entries()) {
        const fields = recordOf(call);
        if (fields) yield this.#call(fields, part === 'message' ? at : null);
      }
    }
    if (typeof choice['finish_reason'] === 'string') this.#finish = choice['finish_reason'];
  }

  #call(fields: Fields, whole: number | null): ChatDelta {
    const given = recordOf(fields['function']) ?? fields;
    const id = typeof fields['id'] === 'string' ? fields['id'] : '';
    const name = typeof given['name'] === 'string' ? given['name'] : '';
    const index = isCount(fields['index']) ? fields['index'] : (whole ?? this.#guess(id, name));
    let call = this.#current.get(index);
    // A new id where a call is under way is another call, whatever its index says.
    if (!call || (id !== '' && id !== call.id && name !== '')) {
      call = { index: this.#calls.length, id: id === '' ? freshId() : id, name: '' };
      this.#calls.push(call);
      this.#current.set(index, call);
    }
    const more = name === call.name ? '' : name;
    call.name += more;
    const raw = given['arguments'];
    return {
      type: 'toolCall',
      index: call.index,
      id: call.id,
      name: more,
      arguments:
        typeof raw === 'string'
          ? raw
          : raw === undefined || raw === null
            ? ''
            : JSON.stringify(raw),
    };
  }

  /** Without an index, an id or a name begins a call; anything else continues the last one. */
  #guess(id: string, name: string): number {
    const begins = id !== '' || name !== '';
    return begins ? this.#calls.length : Math.max(0, this.#calls.length - 1);
  }
}

/** Nine letters and digits: the form that the strictest of the servers (Mistral's) accepts. */
function freshId(): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) =>
    letters.charAt(byte % letters.length),
  ).join('');
}

function recordOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Text, or the text of a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((each) => {
      const text = recordOf(each)?.['text'];
      return typeof text === 'string' ? text : '';
    })
    .join('');
}
