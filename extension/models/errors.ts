/**
 * What went wrong with a model server, as a `ModelError` that names the host and says what to do.
 *
 * In: an HTTP status with the server's own words, or an error of the connection. Out: fact, remedy,
 * stable code. The server's words are passed on short and on one line, with the key masked.
 */
import { MODEL_MESSAGE_CHARS } from '../limits.ts';
import { ModelError } from './provider.ts';

export interface ErrorContext {
  /** Shown, such as `localhost:11434`. */
  readonly host: string;
  /** The key that was sent; masked wherever a server repeats it. */
  readonly apiKey: string;
}

/** An answer that is not 2xx. `body` as received. */
export function statusError(status: number, body: string, context: ErrorContext): ModelError {
  const { host } = context;
  const given = errorOf(body);
  const said = quote(given.message, context);
  if (status === 401 || status === 403) {
    return new ModelError(
      'unauthorized',
      `${host} refused the key${said}.`,
      'Set the API key of this server: the command “GBS Agent: Set API key”, or GBS_API_KEY on the command line.',
    );
  }
  if (isContextFull(given)) {
    return new ModelError(
      'contextFull',
      `The prompt is longer than the model's context window on ${host}${said}.`,
      'Start a new chat, or give the model a larger context window on its server.',
    );
  }
  if (status === 404) {
    return new ModelError(
      'notFound',
      `${host} does not have what was asked for${said}.`,
      'Check the name of the model, and that the address ends in /v1.',
    );
  }
  if (status === 429 || status === 503) {
    return new ModelError(
      'overloaded',
      `${host} has no room for the request now${said}.`,
      'Wait, then try again.',
    );
  }
  if (status >= 300 && status < 400) {
    return new ModelError(
      'protocol',
      `${host} points to another address, which is not followed.`,
      'Set the address where the server itself answers.',
    );
  }
  if (status >= 500) {
    return new ModelError(
      'server',
      `${host} failed with status ${String(status)}${said}.`,
      'Its own log says more. Then try again.',
    );
  }
  return new ModelError(
    'badRequest',
    `${host} refused the request with status ${String(status)}${said}.`,
    'Its own log says more; another model may take the request.',
  );
}

/** An error that the server sent as an event of a stream that had begun well. */
export function eventError(body: string, context: ErrorContext): ModelError {
  const given = errorOf(body);
  const status = given.status >= 400 ? given.status : 500;
  return statusError(status, body, context);
}

/** The connection did not stand, or broke. */
export function connectionError(error: unknown, context: ErrorContext): ModelError {
  const { host } = context;
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new ModelError(
      'unreachable',
      `There is no host ${host}.`,
      'Check the address of the model server.',
      error,
    );
  }
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/.test(code)) {
    return new ModelError(
      'unreachable',
      `${host} has a certificate that is not trusted (${code}).`,
      'Trust its certificate in the system, or name the file with NODE_EXTRA_CA_CERTS.',
      error,
    );
  }
  if (code === 'EPROTO') {
    return new ModelError(
      'unreachable',
      `${host} does not speak TLS.`,
      'Write http:// instead of https:// in its address.',
      error,
    );
  }
  if (
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    code === 'ABORT_ERR' ||
    code === 'ECONNABORTED'
  ) {
    return new ModelError(
      'broken',
      `${host} closed the connection before it had answered.`,
      'Its log says why: often the memory was not enough for the model. Then try again.',
      error,
    );
  }
  return new ModelError(
    'unreachable',
    `No answer from ${host}${code === '' ? '' : ` (${code})`}.`,
    'Start the model server, or set the address where it listens.',
    error,
  );
}

/** An answer that is no chat completion. */
export function protocolError(fact: string, context: ErrorContext): ModelError {
  return new ModelError(
    'protocol',
    `${context.host} ${fact}.`,
    'Check that the address is that of a model server: an OpenAI-style one ends in /v1, Ollama’s own does not.',
  );
}

export function codeOf(error: unknown): string {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; depth += 1) {
    if ('code' in each && typeof each.code === 'string') return each.code;
    each = each.cause;
  }
  return '';
}

interface GivenError {
  readonly message: string;
  /** `code` and `type`, whatever was there, joined by a blank. */
  readonly kind: string;
  readonly status: number;
}

/** `{error: {message, type, code}}`, `{error: "…"}`, `{message}`, `{detail}`, or plain text. */
function errorOf(body: string): GivenError {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const isPage = /^\s*</.test(body);
    return { message: isPage ? '' : body, kind: '', status: 0 };
  }
  const outer = recordOf(value);
  const inner = outer['error'] ?? value;
  if (typeof inner === 'string') return { message: inner, kind: '', status: 0 };
  const { message, detail, type, code } = recordOf(inner);
  const text = [message, detail].find((each) => typeof each === 'string');
  return {
    message: text ?? (detail === undefined ? '' : JSON.stringify(detail)),
    kind: [code, type].filter((each) => typeof each === 'string').join(' '),
    status: typeof code === 'number' ? code : 0,
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** llama.cpp and OpenAI name it by a code; the others only say it. */
function isContextFull({ kind, message }: GivenError): boolean {
  return (
    /exceed_context_size|context_length_exceeded/.test(kind) ||
    /(context (length|size|window)|n_ctx|maximum context|too many tokens)/i.test(message)
  );
}

function quote(message: string, { apiKey }: ErrorContext): string {
  let line = message.replace(/\s+/gu, ' ').trim();
  if (apiKey !== '') line = line.replaceAll(apiKey, '••••');
  if (line === '') return '';
  const characters = Array.from(line);
  const short = characters.slice(0, MODEL_MESSAGE_CHARS).join('');
  return `: “${short}${characters.length > MODEL_MESSAGE_CHARS ? '…' : ''}”`;
}
