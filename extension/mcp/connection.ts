/**
 * One server that runs: a session and what carries its messages, joined.
 *
 * In: calls. Out: what the session says, as promises and events. The session decides; this moves
 * messages and keeps time. A connection lives once: after its end another is made.
 */
import {
  whenReplaced,
  type Core,
  type Effect,
  type Era,
  type Failure,
  type Outcome,
  type Peer,
  type Root,
  type SessionOptions,
  type ToolDefinition,
} from '../core.ts';
import { never } from '../never.ts';
import type { Elicit } from './elicitation.ts';
import type { Carrier } from './carrier.ts';
import type { HttpAuthorization } from './http-authorization.ts';
import { HttpExchanges } from './http.ts';
import { maskedFailure } from './http-failures.ts';
import type { ApprovedProgram, ApprovedServer } from './plans.ts';
import {
  ServerProcess,
  StartError,
  type ProcessEnd,
  type StartProblem,
  type Watch,
} from './process.ts';
import { masked, secretsOf } from './secrets.ts';

/** What a server offers at one time. */
export interface ServerTools {
  readonly peer: Peer;
  readonly tools: readonly ToolDefinition[];
  /** What is wrong with the list, for people. */
  readonly problems: readonly string[];
}

/** Why a connection did not come about, or ended. */
export type ConnectionEnd =
  | { readonly kind: 'notStarted'; readonly problem: StartProblem }
  | { readonly kind: 'handshake'; readonly failure: Failure; readonly exit: ProcessEnd | null }
  /** It exited by itself after it was ready. */
  | { readonly kind: 'exited'; readonly exit: ProcessEnd }
  /** We stopped it. */
  | { readonly kind: 'stopped' }
  /** The core was replaced, and the session was lost with it: the server did nothing wrong. */
  | { readonly kind: 'lost' }
  /** Something of ours went wrong. */
  | { readonly kind: 'internal'; readonly message: string };

export interface ConnectionEvents {
  /** The list as it is from now on: first when the server is ready, then whenever it changed. */
  tools(offer: ServerTools): void;
  log(line: LogLine): void;
  /** The method of a notification that is nothing to the session. */
  notified(method: string): void;
  /** Once, at the end. */
  ended(end: ConnectionEnd): void;
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly from: 'stdout' | 'server' | 'session' | 'stderr';
  readonly text: string;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  progress(text: string): void;
  /** Asks the user for the server; without it what a server asks during this call is put away. */
  readonly elicit?: Elicit;
}

export interface ConnectionOptions {
  readonly core: Core;
  readonly client: { readonly name: string; readonly version: string };
  readonly roots: readonly Root[];
  readonly era: Era | null;
  /** Servers are told that they can ask the user. */
  readonly elicitation: boolean;
  readonly watch: Watch;
  readonly authorization: HttpAuthorization;
}

interface PendingCall {
  settle(outcome: Outcome): void;
  progress(text: string): void;
  readonly signal: AbortSignal;
  readonly elicit: Elicit | null;
}

/** One listener for all calls that a signal ends: a run may make many at once. */
interface Listening {
  calls: number;
  readonly stop: () => void;
}

interface Timer {
  readonly handle: NodeJS.Timeout;
  readonly deadline: number;
}

export class Connection {
  readonly #session: InstanceType<Core['Session']>;
  readonly #events: ConnectionEvents;
  readonly #calls = new Map<number, PendingCall>();
  readonly #signals = new Map<AbortSignal, Listening>();
  readonly #timers = new Map<number, Timer>();
  /** Questions to the user that are open; aborted when nobody waits for the answer any more. */
  readonly #asks = new Map<number, AbortController>();
  readonly #started: Promise<void>;
  readonly #forget: () => void;
  /** What the server was given in secret. */
  readonly #secrets: Set<string>;
  #carrier: Carrier | null = null;
  /** Sign-ins that go on; timers that fire meanwhile wait. */
  #waits = 0;
  readonly #due = new Map<number, number>();
  #peer: Peer | null = null;
  #failure: Failure | null = null;
  #stopping = false;
  #over = false;

  /** Starts the process and the handshake. What becomes of it is told by events, never thrown. */
  static start(
    server: ApprovedServer,
    options: ConnectionOptions,
    events: ConnectionEvents,
  ): Connection {
    const session: SessionOptions = {
      clientInfo: { ...options.client },
      limits: { startMs: server.startTimeoutMs, callMs: server.callTimeoutMs },
      roots: [...options.roots],
      elicitation: options.elicitation,
      ...(options.era === null ? {} : { era: options.era }),
      ...(server.kind === 'address' ? { http: { sse: server.sse } } : {}),
    };
    return new Connection(session, events, server, options);
  }

  private constructor(
    session: SessionOptions,
    events: ConnectionEvents,
    server: ApprovedServer,
    { core, watch, authorization }: ConnectionOptions,
  ) {
    this.#session = new core.Session(session);
    this.#secrets = new Set(server.kind === 'program' ? secretsOf(server.env) : server.secrets);
    this.#events = events;
    this.#forget = whenReplaced(core, () => this.#lost());
    this.#started = this.#start(server, watch, authorization);
  }

  /** The end of what the server wrote to stderr. */
  get stderrTail(): string {
    return this.#masked(this.#carrier?.tail ?? '');
  }

  get pid(): number | undefined {
    return this.#carrier?.pid;
  }

  /** Calls a method of a server that is ready. Never rejects: how it ended is the outcome. */
  request(method: string, paramsJson: string, options: CallOptions): Promise<Outcome> {
    if (this.#over || this.#peer === null) return Promise.resolve({ kind: 'ended' });
    if (options.signal.aborted) return Promise.resolve({ kind: 'cancelled' });
    return new Promise((resolve) => {
      this.#guard(() => {
        const { id, effects } = this.#session.request(method, paramsJson);
        const { signal, progress, elicit = null } = options;
        this.#calls.set(id, { settle: resolve, progress, signal, elicit });
        // What is sent comes first: the server works while the rest is done.
        this.#carryOut(effects);
        if (this.#calls.has(id)) this.#listen(signal);
      });
      if (this.#over) resolve({ kind: 'ended' });
    });
  }

  rootsAre(roots: readonly Root[]): void {
    this.#input(() => this.#session.setRoots([...roots]));
  }

  /** Ends the process and all that it started; resolves when they are gone. */
  async stop(hurried = false): Promise<void> {
    this.#stopping = true;
    await this.#started;
    await this.#carrier?.stop(hurried);
    this.#end(null);
  }

  async #start(
    server: ApprovedServer,
    watch: Watch,
    authorization: HttpAuthorization,
  ): Promise<void> {
    try {
      this.#carrier =
        server.kind === 'program'
          ? await this.#process(server, watch)
          : new HttpExchanges(
              server,
              authorization,
              {
                input: (give) => this.#input(() => give(this.#session)),
                waits: (waiting) => this.#pause(waiting),
              },
              (secret) => this.#secrets.add(secret),
            );
    } catch (error) {
      if (error instanceof StartError) this.#finish({ kind: 'notStarted', problem: error.problem });
      else this.#broken(error);
      return;
    }
    // Whoever made this connection knows it before it says anything.
    await Promise.resolve();
    if (!this.#stopping) this.#input(() => this.#session.start());
  }

  #process(server: ApprovedProgram, watch: Watch): Promise<ServerProcess> {
    return ServerProcess.start(
      server,
      {
        stdout: (bytes) => this.#input(() => this.#session.feed(bytes)),
        stderr: (text) => this.#log({ level: 'info', from: 'stderr', text }),
        exited: (end) => this.#end(end),
      },
      watch,
    );
  }

  #masked(text: string): string {
    return masked(text, this.#secrets);
  }

  /** Gives the session an input and carries out what it says, while there is a session. */
  #input(give: () => readonly Effect[]): void {
    if (!this.#over) this.#guard(() => this.#carryOut(give()));
  }

  /** What goes wrong in the core ends this server, not the editor. */
  #guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#broken(error);
    }
  }

  #broken(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#log({ level: 'error', from: 'session', text: message });
    this.#finish({ kind: 'internal', message });
    void this.#carrier?.stop();
  }

  /** Told at once, not at the next input: a call must not find a session that is no more. */
  #lost(): void {
    const text = 'GBS Agent failed inside and lost this connection. The server starts again.';
    this.#log({ level: 'error', from: 'session', text });
    this.#finish({ kind: 'lost' });
    void this.#carrier?.stop();
  }

  #carryOut(effects: readonly Effect[]): void {
    for (const effect of effects) this.#carryOutOne(effect);
  }

  #carryOutOne(effect: Effect): void {
    switch (effect.kind) {
      case 'send':
      case 'open':
      case 'read':
      case 'abort':
        this.#carrier?.carry(effect);
        return;
      case 'wait':
        this.#wait(effect.id, effect.ms, effect.atMostMs);
        return;
      case 'stopWaiting':
        this.#stopWaiting(effect.id);
        return;
      case 'ready':
        this.#peer = effect.peer;
        return;
      case 'toolsChanged':
        if (this.#peer !== null) {
          const { tools, problems } = effect;
          this.#events.tools({ peer: this.#peer, tools, problems });
        }
        return;
      case 'settled': {
        this.#stopWaiting(effect.id);
        const call = this.#calls.get(effect.id);
        this.#calls.delete(effect.id);
        if (call !== undefined) {
          this.#unlisten(call.signal);
          call.settle(effect.outcome);
        }
        return;
      }
      case 'progress':
        this.#calls.get(effect.id)?.progress(progressText(effect));
        return;
      case 'asked':
        void this.#asked(effect);
        return;
      case 'withdrawn':
        this.#asks.get(effect.ask)?.abort();
        this.#asks.delete(effect.ask);
        return;
      case 'notification':
        this.#events.notified(effect.method);
        return;
      case 'log':
        this.#log({ level: effect.level, from: effect.speaker, text: effect.text });
        return;
      case 'failed':
        this.#failure = maskedFailure(effect.failure, (text) => this.#masked(text));
        // The process may still run: it is of no use any more. One over HTTP has no end of its own.
        void this.#carrier?.stop().then(() => this.#end(null));
        return;
      default:
        never(effect);
    }
  }

  /** A server of the older era does not say which call it asks for: the newest that can ask. */
  async #asked({ ask, call, elicitation }: Extract<Effect, { kind: 'asked' }>): Promise<void> {
    const calls = call === null ? [...this.#calls.values()] : [this.#calls.get(call)];
    const elicit = calls.findLast((one) => one?.elicit != null)?.elicit ?? null;
    const stop = new AbortController();
    this.#asks.set(ask, stop);
    let answer: Awaited<ReturnType<Elicit>> = { action: 'cancel', contentJson: '' };
    try {
      if (elicit !== null) answer = await elicit(elicitation, stop.signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#log({ level: 'error', from: 'session', text: `The user could not be asked: ${why}` });
    }
    if (!this.#asks.delete(ask)) return;
    this.#input(() => this.#session.answer(ask, answer.action, answer.contentJson));
  }

  #listen(signal: AbortSignal): void {
    const listening = this.#signals.get(signal);
    if (listening !== undefined) {
      listening.calls += 1;
      return;
    }
    const stop = (): void => {
      const ended = [...this.#calls].filter(([, call]) => call.signal === signal);
      for (const [id] of ended) this.#input(() => this.#session.cancel(id));
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#signals.set(signal, { calls: 1, stop });
  }

  #unlisten(signal: AbortSignal): void {
    const listening = this.#signals.get(signal);
    if (listening === undefined) return;
    listening.calls -= 1;
    if (listening.calls > 0) return;
    signal.removeEventListener('abort', listening.stop);
    this.#signals.delete(signal);
  }

  #log(line: LogLine): void {
    this.#events.log({ ...line, text: this.#masked(line.text) });
  }

  /** While the user is asked something, no time passes. */
  #pause(waiting: boolean): void {
    this.#waits += waiting ? 1 : -1;
    if (this.#waits > 0) return;
    const due = [...this.#due];
    this.#due.clear();
    for (const [id, ms] of due) this.#wait(id, ms, ms);
  }

  #wait(id: number, ms: number, atMostMs: number): void {
    const before = this.#timers.get(id);
    clearTimeout(before?.handle);
    const now = performance.now();
    const deadline = before?.deadline ?? now + atMostMs;
    const handle = setTimeout(
      () => {
        this.#timers.delete(id);
        if (this.#waits > 0) this.#due.set(id, ms);
        else this.#input(() => this.#session.expire(id));
      },
      Math.max(0, Math.min(ms, deadline - now)),
    );
    this.#timers.set(id, { handle, deadline });
  }

  #stopWaiting(id: number): void {
    clearTimeout(this.#timers.get(id)?.handle);
    this.#timers.delete(id);
    this.#due.delete(id);
  }

  /** The process has exited, or there is none. */
  #end(exit: ProcessEnd | null): void {
    if (this.#over) return;
    const known = this.#failure;
    this.#input(() => this.#session.end());
    const failure = this.#failure;
    if (this.#stopping) this.#finish({ kind: 'stopped' });
    else if (failure !== null) {
      // An exit that we brought about ourselves says nothing.
      this.#finish({ kind: 'handshake', failure, exit: known === null ? exit : null });
    } else if (exit !== null) this.#finish({ kind: 'exited', exit });
  }

  #finish(end: ConnectionEnd): void {
    if (this.#over) return;
    this.#over = true;
    for (const { handle } of this.#timers.values()) clearTimeout(handle);
    this.#timers.clear();
    this.#due.clear();
    for (const call of this.#calls.values()) {
      this.#unlisten(call.signal);
      call.settle({ kind: 'ended' });
    }
    this.#calls.clear();
    for (const ask of this.#asks.values()) ask.abort();
    this.#asks.clear();
    this.#forget();
    this.#session.free();
    this.#events.ended(end);
  }
}

function progressText(effect: Extract<Effect, { kind: 'progress' }>): string {
  const of = effect.total === null ? '' : ` of ${effect.total}`;
  const words = effect.message === '' ? '' : `: ${effect.message}`;
  return `${effect.progress}${of}${words}`;
}
