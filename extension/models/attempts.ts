/**
 * One request to a model server, repeated while the server has no room for it.
 *
 * In: how to ask, a signal. Out: the deltas of the answer that came, with a `retry` before every
 * repetition. What has been read of an answer cannot be taken back, so only a refusal is repeated.
 */
import { MODEL_FIRST_RETRY_MS, MODEL_LONGEST_RETRY_MS, MODEL_RETRIES } from '../limits.ts';
import { codeOf, connectionError, statusError, type ErrorContext } from './errors.ts';
import type { Fetch } from './http.ts';
import { ModelError, type ChatDelta } from './provider.ts';
import { wholeText } from './stream.ts';

export interface RetryParts {
  /** Milliseconds before the first repetition. */
  readonly firstRetryMs?: number;
  /** Waits; rejects when the signal fires. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Throws `ModelError`, or the signal's reason once it has fired. */
export async function* attempts(
  ask: () => AsyncIterable<ChatDelta>,
  context: ErrorContext,
  signal: AbortSignal,
  parts: RetryParts,
): AsyncGenerator<ChatDelta> {
  for (let failures = 0; ; failures += 1) {
    let retry: Retry;
    try {
      for await (const delta of ask()) {
        signal.throwIfAborted();
        yield delta;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError) throw error;
      retry = failure(error, context);
    }
    const ms = retry.afterMs ?? (parts.firstRetryMs ?? MODEL_FIRST_RETRY_MS) * 2 ** failures;
    if (!retry.again || failures >= MODEL_RETRIES || ms > MODEL_LONGEST_RETRY_MS) {
      throw retry.error;
    }
    yield { type: 'retry', reason: retry.error.message, seconds: ms / 1000 };
    await (parts.wait ?? waitFor)(ms, signal);
  }
}

/** `fetch` without an answer that is not 2xx: that is thrown whole, as `Refused`. */
export function refusing(fetch: Fetch, context: ErrorContext): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    // The packages keep only some shapes of a server's error; here all of it is wanted.
    throw new Refused(response.status, response.headers, await wholeText(response, context));
  };
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

export interface Retry {
  readonly error: ModelError;
  readonly again: boolean;
  /** When the server says how long. */
  readonly afterMs: number | null;
}

/** What went wrong, and whether the same request may be sent again. */
export function failure(error: unknown, context: ErrorContext): Retry {
  const refused = causeOf(error);
  if (refused !== null) {
    return {
      error: statusError(refused.status, refused.body, context),
      again: [429, 502, 503, 504].includes(refused.status),
      afterMs: retryAfter(refused.headers, Date.now()),
    };
  }
  return {
    error: connectionError(error, context),
    // The server listens and hung up: as a gateway it would have said 502.
    again: ['ECONNRESET', 'EPIPE'].includes(codeOf(error)),
    afterMs: null,
  };
}

/** The packages wrap what their `fetch` throws. */
function causeOf(error: unknown): Refused | null {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; depth += 1) {
    if (each instanceof Refused) return each;
    each = each.cause;
  }
  return null;
}

/** A signal for one request: the package never takes its listeners off the one it was given. */
export class Follower {
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

  /** Ends the request, wherever it is. */
  end(): void {
    this.release();
    this.#controller.abort(new DOMException('not wanted any more', 'AbortError'));
  }

  /** The request is over. */
  release(): void {
    this.#followed.removeEventListener('abort', this.#follow);
  }
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
