/** What the tests of signing in share: the real servers, a browser by plain requests, and a desk. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { carryOut } from '../../../extension/mcp/oauth/flow.ts';
import type {
  LandingPlace,
  SignInDesk,
  SignInQuestion,
} from '../../../extension/mcp/oauth/flow.ts';
import { listen } from '../../../extension/mcp/oauth/landing.ts';
import type { EnteredClient } from '../../../extension/mcp/oauth/kept.ts';
import type { SecretStore } from '../../../extension/mcp/oauth/secret-store.ts';
import type { SignIns } from '../../../extension/mcp/oauth/sign-ins.ts';

export type { SignInQuestion };
export type Outcome = Awaited<ReturnType<typeof carryOut>>;

export interface Servers {
  readonly issuer: string;
  readonly server: string;
  /** Sets what is to go another way; gives what was seen. */
  control(change?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, number>>>;
  stop(): Promise<void>;
}

/** Starts the authorization server and the MCP server that it guards, at an address of this machine. */
export async function startServers(host = '127.0.0.1'): Promise<Servers> {
  const program = new URL('../../servers/authorization-server.mjs', import.meta.url);
  const child = spawn(process.execPath, [program.pathname, host], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  let ready: { issuer: string; server: string; control: string } | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('READY ')) continue;
    ready = JSON.parse(line.slice(6)) as typeof ready;
    break;
  }
  if (ready === null) throw new Error('the authorization server did not start');
  const { issuer, server, control } = ready;
  return {
    issuer,
    server,
    control: async (change = {}) => {
      const body = JSON.stringify(change);
      const response = await fetch(control, { method: 'POST', body });
      return (await response.json()) as Record<string, number>;
    },
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** A browser of few talents: follows redirects, keeps cookies, fills in the forms of the tests' server. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  /** Pages that were opened, by path. */
  readonly opened: URL[] = [];

  constructor(readonly answers: 'agrees' | 'refuses' = 'agrees') {}

  /** Goes where a person who agrees would end: the address that is not the authorization server's. */
  async goTo(page: URL): Promise<URL> {
    this.opened.push(page);
    let at = page;
    let form: URLSearchParams | null = null;
    for (let step = 0; step < 20; step += 1) {
      if (at.origin !== page.origin) return at;
      const response: Response = await fetch(at, {
        redirect: 'manual',
        headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
        ...(form === null ? {} : { method: 'POST', body: form }),
      });
      form = null;
      for (const cookie of response.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';');
        const equals = pair.indexOf('=');
        this.#cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
      }
      const location = response.headers.get('location');
      if (location !== null) {
        at = new URL(location, at);
        continue;
      }
      const html = await response.text();
      const action = /<form[^>]* action="([^"]+)"/u.exec(html)?.[1];
      if (action === undefined) throw new Error(`no way on at ${at.href}: ${html.slice(0, 2000)}`);
      const prompt = /name="prompt" value="(\w+)"/u.exec(html)?.[1] ?? '';
      if (this.answers === 'refuses') {
        at = new URL(`${at.pathname}/abort`, at);
        continue;
      }
      form = new URLSearchParams({ prompt, login: 'ada', password: 'none' });
      at = new URL(action, at);
    }
    throw new Error('the browser goes round in circles');
  }

  /** Goes there and follows the way back to us, as a real one does. */
  async visit(page: URL): Promise<void> {
    const back = await this.goTo(page);
    await (await fetch(back)).text();
  }
}

/** Secrets in memory, with locks: what several windows share. */
export class MemorySecrets implements SecretStore {
  readonly texts = new Map<string, string>();
  readonly #last = new Map<string, Promise<unknown>>();

  get(name: string): Promise<string | null> {
    return Promise.resolve(this.texts.get(name) ?? null);
  }

  set(name: string, text: string | null): Promise<void> {
    if (text === null) this.texts.delete(name);
    else this.texts.set(name, text);
    return Promise.resolve();
  }

  locked<T>(name: string, act: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(act, act);
    this.#last.set(
      name,
      done.catch(() => null),
    );
    return done;
  }
}

/** A user who agrees, in front of a browser. */
export class Desk implements SignInDesk {
  readonly asked: SignInQuestion[] = [];
  readonly browser: Browser;
  readonly #says: boolean;
  readonly #client: Omit<EnteredClient, 'issuer'> | null;

  constructor({
    browser = new Browser(),
    says = true,
    client = null,
  }: {
    browser?: Browser;
    says?: boolean;
    client?: Omit<EnteredClient, 'issuer'> | null;
  } = {}) {
    this.browser = browser;
    this.#says = says;
    this.#client = client;
  }

  agrees(question: SignInQuestion): Promise<boolean> {
    this.asked.push(question);
    return Promise.resolve(this.#says);
  }

  client(issuer: string): Promise<EnteredClient | null> {
    return Promise.resolve(this.#client === null ? null : { ...this.#client, issuer });
  }

  land = (place: LandingPlace): ReturnType<SignInDesk['land']> =>
    listen(place, { title: 'Back', text: 'Go on.' });

  open(page: URL): Promise<void> {
    // As a person does: while the program waits.
    void this.browser.visit(page);
    return Promise.resolve();
  }
}

export interface CallOutcome {
  readonly status: number;
  readonly text: string;
}

/** Calls a tool as a connection does: with headers, and again when the refusal was worth it. */
export async function callTool(
  signIns: Pick<SignIns, 'headers' | 'refused'>,
  url: string,
  tool: string,
): Promise<CallOutcome> {
  const server = { name: 'guarded', url };
  for (let tries = 0; ; tries += 1) {
    const sent = await signIns.headers(server);
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...sent,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: {} },
      }),
    });
    const { status } = response;
    const text = await response.text();
    if (status !== 401 && status !== 403) return { status, text: textOf(text) };
    const wwwAuthenticate = response.headers.get('www-authenticate');
    const again = await signIns.refused(server, { status, wwwAuthenticate, sent });
    if (!again || tries > 2) return { status, text };
  }
}

function textOf(text: string): string {
  const { result } = JSON.parse(text) as { result?: { content: { text: string }[] } };
  return result?.content[0]?.text ?? text;
}
