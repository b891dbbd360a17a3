/**
 * A recording of what a client and a server said, one JSON object a line, and a server made of it.
 *
 * In: messages, in their order. Out: lines of the recording, secrets masked; and the lines that a
 * replayed server answers with. Deliberately not here: files, pipes and processes.
 */
import { RECORDED_SECRETS } from '../limits.ts';
import { isSecretName, masked, maskerOf } from './secrets.ts';

/** A line of a recording. */
export interface Recorded {
  readonly from: 'client' | 'server';
  readonly message: Message;
}

type Message = Readonly<Record<string, unknown>>;

const MASK = '••••';

/** Gives the line of a recording for each message; what the server was given in secret is masked. */
export class Recorder {
  readonly #masked: (text: string) => string;
  /** What stood under secret names so far: servers say the same again as text. */
  readonly #seen = new Set<string>();

  constructor(environment: Readonly<Record<string, string>>) {
    const escaped = Object.entries(environment).map(
      ([name, value]) => [name, JSON.stringify(value).slice(1, -1)] as const,
    );
    const plain = maskerOf(environment);
    const inJson = maskerOf(Object.fromEntries(escaped));
    this.#masked = (text) => inJson(plain(text));
  }

  /** Null for a line that is no message. */
  line(from: Recorded['from'], text: string): string | null {
    const message = messageOf(text);
    if (message === null) return null;
    const clean = withoutSecrets(message, (secret) => {
      if (this.#seen.size < RECORDED_SECRETS) this.#seen.add(secret);
    });
    return `${this.#masked(JSON.stringify({ from, message: this.#again(clean) }))}\n`;
  }

  /** Without the same values in texts, JSON in them among these; names and methods stay. */
  #again({ jsonrpc, method, id, ...rest }: Message): Message {
    const values = [...this.#seen].flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
    const walk = (_key: string, inner: unknown): unknown =>
      typeof inner === 'string' ? masked(inner, values) : inner;
    const said = JSON.parse(JSON.stringify(rest), walk) as Message;
    const kept = Object.entries({ jsonrpc, method, id }).filter(([, value]) => value !== undefined);
    return { ...Object.fromEntries(kept), ...said };
  }
}

function messageOf(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Texts under names that say that they are secret are masked, and lists of texts; a token of progress
 * is none. `found` is told of each.
 */
function withoutSecrets<T>(value: T, found: (secret: string) => void = () => undefined): T {
  const hidden = (text: string): string => {
    if (text !== MASK) found(text);
    return MASK;
  };
  const walk = (key: string, inner: unknown): unknown => {
    const names = key !== 'progressToken' && (isSecretName(key) || PLURAL.test(key));
    if (!names) return inner;
    if (typeof inner === 'string') return hidden(inner);
    if (!Array.isArray(inner)) return inner;
    return inner.map((each: unknown) => (typeof each === 'string' ? hidden(each) : each));
  };
  return JSON.parse(JSON.stringify(value), walk) as T;
}

/** Names of lists of secrets. */
const PLURAL = /(?:tokens|secrets|passwords|passphrases|cookies)$/iu;

/** The lines of a recording; throws with the number of one that is none. */
export function readRecording(text: string): readonly Recorded[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const value = messageOf(line);
    const message = value?.message;
    const from = value?.from;
    if (!isObject(message) || (from !== 'client' && from !== 'server')) {
      throw new RecordingError(index + 1);
    }
    return { from, message };
  });
}

export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  constructor(readonly line: number) {
    super(`line ${String(line)} is not a line of a recording`);
  }
}

/** A request of the recording, and what the server said until its answer. */
interface Exchange {
  readonly method: string;
  readonly params: string;
  readonly called: unknown;
  readonly token: unknown;
  readonly id: unknown;
  readonly answers: readonly Message[];
}

/** A server that says again what was recorded, each answer to the request that it fits best. */
export class Replay {
  readonly #exchanges: readonly Exchange[];
  readonly #used = new Set<Exchange>();

  constructor(recorded: readonly Recorded[]) {
    this.#exchanges = recorded.flatMap(({ from, message }, index) => {
      if (from !== 'client' || typeof message.method !== 'string' || message.id === undefined) {
        return [];
      }
      const after = recorded.slice(index + 1).filter((one) => one.from === 'server');
      const end = after.findIndex(
        (one) => one.message.method === undefined && one.message.id === message.id,
      );
      if (end < 0) return [];
      const { method, params, id } = message;
      const answers = after.slice(0, end + 1).map((one) => one.message);
      return [{ method, id, answers, ...shapeOf(params) }];
    });
  }

  /** What the server says to a line of the client; nothing to notifications and answers. */
  lines(text: string): readonly string[] {
    const asked = messageOf(text);
    if (asked === null || typeof asked.method !== 'string' || asked.id === undefined) return [];
    const { method, id, params } = asked;
    const shape = shapeOf(withoutSecrets(params ?? {}));
    const found = this.#find(method, shape);
    if (found === null) {
      const error = { code: -32601, message: `The recording has no answer to ${method}.` };
      return [lineOf({ jsonrpc: '2.0', id, error })];
    }
    this.#used.add(found);
    return found.answers
      .filter((answer) => isAbout(answer, found))
      .map((answer) => lineOf(renewed(answer, found, id, shape.token)));
  }

  /** The same request that was not asked yet, else one that was, else one of the same thing. */
  #find(method: string, shape: Pick<Exchange, 'params' | 'called'>): Exchange | null {
    const same = this.#exchanges.filter((one) => one.method === method);
    const exact = same.filter((one) => one.params === shape.params);
    const alike = same.filter((one) => one.called === shape.called);
    const fresh = (list: readonly Exchange[]): Exchange | undefined =>
      list.find((one) => !this.#used.has(one));
    return fresh(exact) ?? exact.at(-1) ?? fresh(alike) ?? alike.at(-1) ?? null;
  }
}

/** What of a request's parameters is compared: not who asks and how progress is told. */
function shapeOf(params: unknown): Pick<Exchange, 'params' | 'called' | 'token'> {
  if (!isObject(params)) return { params: '{}', called: undefined, token: undefined };
  const { _meta, ...own } = params;
  const token = isObject(_meta) ? _meta.progressToken : undefined;
  return { params: JSON.stringify(own), called: own.name ?? own.uri, token };
}

/** Its answer, and notifications; answers to other requests come with those. */
function isAbout(answer: Message, exchange: Exchange): boolean {
  if (answer.method === undefined) return answer.id === exchange.id;
  if (answer.id !== undefined) return false;
  const { params } = answer;
  const token = isObject(params) ? params.progressToken : undefined;
  return token === undefined || token === exchange.token;
}

/** With the id and the token of the request that is answered now. */
function renewed(answer: Message, exchange: Exchange, id: unknown, token: unknown): Message {
  if (answer.method === undefined) return { ...answer, id };
  const { params } = answer;
  if (!isObject(params) || params.progressToken === undefined) return answer;
  return exchange.token === undefined
    ? answer
    : { ...answer, params: { ...params, progressToken: token } };
}

function lineOf(message: Message): string {
  return `${JSON.stringify(message)}\n`;
}
