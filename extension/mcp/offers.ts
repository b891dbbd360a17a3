/**
 * What running servers offer beside tools: resources, templates of their addresses, and prompts.
 *
 * Lists are read when somebody asks for them, page by page, and hold for a moment: until the server
 * says that they changed, or a few seconds. All of it is the servers' own text. Deliberately not here:
 * who may read what, and what a model gets of it.
 */
import { LISTED_FOR_MS, MAX_OFFER_PAGES, MAX_OFFERED } from '../limits.ts';
import type { ServerTools } from './connection.ts';
import type { Elicit } from './elicitation.ts';
import { objectOf } from './members.ts';
import type { CallEnd, ServerSet } from './servers.ts';

/** A resource, or a template whose address has gaps in braces. */
export interface ServerResource {
  readonly server: string;
  readonly uri: string;
  readonly template: boolean;
  /** A name for people; may be empty. */
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

export interface ServerPrompt {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  /** Names of its arguments, in their order. */
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
  /** The item of the list, as JSON text. */
  readonly json: string;
}

/** A list as far as it could be read. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** Why it is not whole; empty when it is. */
  readonly problem: string;
}

interface Kept {
  readonly offer: ServerTools;
  readonly at: number;
  readonly list: Promise<Listed<unknown>>;
}

export interface OfferOptions {
  readonly signal: AbortSignal;
  readonly elicit?: Elicit | null;
}

type Method = 'resources/list' | 'resources/templates/list' | 'prompts/list';

export class ServerOffers {
  readonly #servers: Pick<ServerSet, 'request' | 'state' | 'standings'>;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(
    servers: Pick<ServerSet, 'request' | 'state' | 'standings'>,
    now: () => number = () => performance.now(),
  ) {
    this.#servers = servers;
    this.#now = now;
  }

  /** Running servers that say they have resources, or prompts. */
  with(kind: 'resources' | 'prompts'): readonly string[] {
    return this.#servers.standings().flatMap(({ server, state }) => {
      if (state.kind !== 'running') return [];
      return Object.hasOwn(objectOf(state.offer.peer.capabilities), kind) ? [server.name] : [];
    });
  }

  /** A server told something: its lists may be others now. */
  notified(server: string, method: string): void {
    if (!method.endsWith('/list_changed')) return;
    for (const key of this.#kept.keys()) if (keyOwner(key) === server) this.#kept.delete(key);
  }

  /** Its resources, then its templates. */
  async resources(server: string, signal: AbortSignal): Promise<Listed<ServerResource>> {
    const [plain, templates] = await Promise.all([
      this.#list(server, 'resources/list', signal, (item) => resourceOf(server, item, false)),
      this.#list(server, 'resources/templates/list', signal, (item) =>
        resourceOf(server, item, true),
      ),
    ]);
    // Servers without templates refuse to list them.
    return { items: [...plain.items, ...templates.items], problem: plain.problem };
  }

  prompts(server: string, signal: AbortSignal): Promise<Listed<ServerPrompt>> {
    return this.#list(server, 'prompts/list', signal, (item) => promptOf(server, item));
  }

  /** Reads a resource; what it holds comes as a result of `tools/call` would. */
  async read(server: string, uri: string, options: OfferOptions): Promise<CallEnd> {
    const end = await this.#request(server, 'resources/read', { uri }, options);
    if (end.kind !== 'result') return end;
    const { contents } = objectOf(end.text);
    const content = Array.isArray(contents) ? contents.map(contentOf) : [];
    return { kind: 'result', text: JSON.stringify({ content }) };
  }

  /** Gets a prompt; its messages come as a result of `tools/call` would. */
  async prompt(
    server: string,
    name: string,
    args: unknown,
    options: OfferOptions,
  ): Promise<CallEnd> {
    const params = { name, arguments: args };
    const end = await this.#request(server, 'prompts/get', params, options);
    if (end.kind !== 'result') return end;
    const { messages } = objectOf(end.text);
    const content = (Array.isArray(messages) ? messages : []).map((message: unknown) =>
      typeof message === 'object' && message !== null && 'content' in message
        ? message.content
        : message,
    );
    return { kind: 'result', text: JSON.stringify({ content: content.flat() }) };
  }

  #request(
    server: string,
    method: string,
    params: object,
    { signal, elicit }: OfferOptions,
  ): Promise<CallEnd> {
    return this.#servers.request(server, method, JSON.stringify(params), {
      signal,
      progress: () => undefined,
      ...(elicit == null ? {} : { elicit }),
    });
  }

  async #list<T>(
    server: string,
    method: Method,
    signal: AbortSignal,
    read: (item: unknown) => T | null,
  ): Promise<Listed<T>> {
    const state = this.#servers.state(server);
    if (state?.kind !== 'running') return { items: [], problem: 'It is not running.' };
    const key = `${method} ${server}`;
    const now = this.#now();
    const kept = this.#kept.get(key);
    const holds = kept?.offer === state.offer && now - kept.at < LISTED_FOR_MS;
    const list = holds ? kept.list : this.#pages(server, method, signal);
    if (!holds) this.#kept.set(key, { offer: state.offer, at: now, list });
    const { items, problem } = await list;
    // What was not read whole, a stopped one too, is asked for again: at once, where another than whoever
    // stopped it waits for it.
    if (problem !== '') {
      if (this.#kept.get(key)?.list === list) this.#kept.delete(key);
      if (holds && !signal.aborted) return this.#list(server, method, signal, read);
    }
    return { items: items.map(read).filter((item) => item !== null), problem };
  }

  async #pages(server: string, method: Method, signal: AbortSignal): Promise<Listed<unknown>> {
    const field = { 'resources/list': 'resources', 'prompts/list': 'prompts' };
    const name = method === 'resources/templates/list' ? 'resourceTemplates' : field[method];
    const items: unknown[] = [];
    const seen = new Set<string>();
    let params: object = {};
    for (let page = 0; page < MAX_OFFER_PAGES; page += 1) {
      const end = await this.#request(server, method, params, { signal });
      if (end.kind !== 'result') {
        return { items, problem: `The server did not list its ${name}: ${end.kind}.` };
      }
      const result = objectOf(end.text);
      const list = result[name];
      if (Array.isArray(list)) items.push(...(list as unknown[]).slice(0, MAX_OFFERED));
      if (items.length >= MAX_OFFERED) {
        return { items: items.slice(0, MAX_OFFERED), problem: `It lists over ${MAX_OFFERED}.` };
      }
      const { nextCursor } = result;
      if (typeof nextCursor !== 'string') return { items, problem: '' };
      if (seen.has(nextCursor)) return { items, problem: 'Its list repeats itself.' };
      seen.add(nextCursor);
      params = { cursor: nextCursor };
    }
    return { items, problem: `It lists over ${MAX_OFFER_PAGES} pages.` };
  }
}

function keyOwner(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}

function textIn(item: unknown, ...names: readonly string[]): string {
  if (typeof item !== 'object' || item === null) return '';
  const own: Readonly<Record<string, unknown>> = { ...item };
  for (const name of names) {
    const value = own[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

function resourceOf(server: string, item: unknown, template: boolean): ServerResource | null {
  const uri = textIn(item, template ? 'uriTemplate' : 'uri');
  if (uri === '') return null;
  return {
    server,
    uri,
    template,
    name: textIn(item, 'title', 'name'),
    description: textIn(item, 'description'),
    mimeType: textIn(item, 'mimeType'),
  };
}

function promptOf(server: string, item: unknown): ServerPrompt | null {
  const name = textIn(item, 'name');
  if (name === '') return null;
  const given: unknown =
    typeof item === 'object' && item !== null && 'arguments' in item ? item.arguments : [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  return {
    server,
    name,
    description: textIn(item, 'description', 'title'),
    arguments: list.map((one) => ({
      name: textIn(one, 'name'),
      required:
        typeof one === 'object' && one !== null && 'required' in one && one.required === true,
    })),
    json: JSON.stringify(item),
  };
}

/** A part of a resource as a part of a result: pictures as such, all else as it is. */
function contentOf(resource: unknown): unknown {
  const mimeType = textIn(resource, 'mimeType');
  const data = textIn(resource, 'blob');
  return data !== '' && mimeType.startsWith('image/')
    ? { type: 'image', mimeType, data }
    : { type: 'resource', resource };
}
