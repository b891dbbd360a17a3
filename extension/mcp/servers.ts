/**
 * The servers that run, each once, kept across requests.
 *
 * In: approved servers, calls. Out: their state, tools and logs, the ends of calls. A server starts
 * at the first need, all of them side by side; it starts anew when its launch changed or it exited,
 * and stops when it is no longer wanted. A failure stays until the launch changes or the user tries
 * again. Deliberately not here: which servers may start, and what the model sees of their tools.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { orStopped } from '../agent/or-stopped.ts';
import type { Core, Era, Outcome, Root } from '../core.ts';
import { MAX_EXITS, RESTART_WINDOW_MS, SETTLED_AT_MOST_MS, SETTLED_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import { Connection, type CallOptions, type ServerTools } from './connection.ts';
import type { ConnectionEnd } from './connection.ts';
import type { EraMemory } from './eras.ts';
import { endsOften, failureOf, serverEnd, type ServerEnd, type ServerFailure } from './failures.ts';
import { noAuthorization, type HttpAuthorization } from './http-authorization.ts';
import { notRunning } from './server-notices.ts';
import type { ApprovedServer } from './plans.ts';
import { ServerLog, type LoggedLine } from './server-log.ts';
import { Watcher } from './watcher.ts';

/** How a server stands. */
export type ServerState =
  | { readonly kind: 'starting'; readonly since: number }
  | { readonly kind: 'running'; readonly offer: ServerTools; readonly pid: number | null }
  /** It exited after it was ready, and starts again at the next need. */
  | { readonly kind: 'exited'; readonly exit: ServerEnd }
  | { readonly kind: 'failed'; readonly failure: ServerFailure }
  /** Files that its approval covers changed since: it asks again before it starts. */
  | { readonly kind: 'waits'; readonly reason: string }
  /** Stopped by the user; it does not start by itself. */
  | { readonly kind: 'stopped' };

export interface ServerStanding {
  readonly server: ApprovedServer;
  readonly state: ServerState;
}

/** How a call ended: the session's outcome, or it was not made. */
export type CallEnd =
  | Outcome
  | { readonly kind: 'notRunning'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

export interface ToolCallOptions extends CallOptions {
  /** Looks at what the server offers at this moment; words refuse the call. */
  readonly refuse?: (offer: ServerTools) => string | null;
}

export interface ServerSetParts {
  readonly core: Core;
  readonly client: { readonly name: string; readonly version: string };
  readonly log: Log;
  /** Folders for servers whose entry says `roots: true`. */
  readonly roots: () => readonly Root[];
  readonly eras: EraMemory;
  /** Servers are told that they can ask the user: true where somebody can answer. */
  readonly elicitation?: boolean;
  /** A server told something that is nothing to its session. */
  readonly notified?: (name: string, method: string) => void;
  /** Asked immediately before every start; see `ServerPlans.changedSince`. */
  readonly changedSince: (server: ApprovedServer) => Promise<string | null>;
  /** Who signs requests to servers over HTTP; without it they have the headers of their entry. */
  readonly authorization?: HttpAuthorization;
  /** Milliseconds of a clock that does not jump; the process's own when absent. */
  readonly now?: () => number;
}

interface Entry {
  server: ApprovedServer;
  state: ServerState;
  connection: Connection | null;
  /** Settles when the start that runs has come to `running` or to an end. */
  starting: Promise<void> | null;
  /** Counts starts and stops: what an older one brings is no longer wanted. */
  turn: number;
  /** When it exited, in milliseconds of the clock that does not jump. */
  exits: number[];
  readonly log: ServerLog;
  /** When its list last came. */
  listedAt: number;
  /** Its failure was handed out once. */
  reported: boolean;
}

export class ServerSet {
  readonly #parts: ServerSetParts;
  readonly #watcher: Watcher;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<(name: string) => void>();
  readonly #readers = new Set<(name: string) => void>();
  /**
   * Ends under way, by name, of those no longer in the set too: the next process of a name waits for
   * them, since two of one server would write the same files.
   */
  readonly #ends = new Map<string, Promise<void>>();
  readonly #now: () => number;
  #disposed = false;

  constructor(parts: ServerSetParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#watcher = new Watcher(parts.log);
  }

  /**
   * Makes the set be these servers: starts what is new, starts anew what changed or exited, stops
   * what is not among them. Resolves when none is starting any more, or the signal fires; what is
   * starting then goes on.
   */
  async ensure(approved: readonly ApprovedServer[], signal: AbortSignal): Promise<void> {
    const wanted = new Set(approved.map((server) => server.name));
    for (const name of [...this.#entries.keys()]) if (!wanted.has(name)) this.remove(name);
    const starts = approved.map((server) => this.#want(server, true));
    await orStopped(Promise.all(starts), signal);
  }

  /** In the order in which they came. */
  standings(): readonly ServerStanding[] {
    return [...this.#entries.values()].map(({ server, state }) => ({ server, state }));
  }

  state(name: string): ServerState | null {
    return this.#entries.get(name)?.state ?? null;
  }

  /** True when a running server's list has not changed for a while. */
  quiet(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry?.state.kind !== 'running') return true;
    return performance.now() - entry.listedAt >= SETTLED_MS;
  }

  /** What was done with it, what it wrote, and what the session noted; oldest first. */
  lines(name: string): readonly LoggedLine[] {
    return this.#entries.get(name)?.log.lines ?? [];
  }

  /** Called with a server's name whenever a line was added. Gives back the way to stop. */
  onLine(reader: (name: string) => void): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Called with a server's name whenever its state or list changed. Gives back the way to stop. */
  onChange(listener: (name: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells running servers that have the folders that these are others now. */
  rootsChanged(): void {
    for (const { server, connection } of this.#entries.values())
      if (server.roots) connection?.rootsAre(this.#parts.roots());
  }

  /** Failures that nobody was told of yet; each is given once. */
  takeFailures(): readonly { readonly server: ApprovedServer; readonly failure: ServerFailure }[] {
    const told = [];
    for (const entry of this.#entries.values()) {
      if (entry.state.kind !== 'failed' || entry.reported) continue;
      entry.reported = true;
      told.push({ server: entry.server, failure: entry.state.failure });
    }
    return told;
  }

  /** Waits until a running server's list has not changed for a while, but not for ever. */
  async settled(name: string, signal: AbortSignal): Promise<void> {
    const until = performance.now() + SETTLED_AT_MOST_MS;
    while (!signal.aborted) {
      const entry = this.#entries.get(name);
      if (entry?.state.kind !== 'running') return;
      const now = performance.now();
      const quiet = Math.min(entry.listedAt + SETTLED_MS, until) - now;
      if (quiet <= 0) return;
      await delay(quiet, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  /** Calls a tool. A server that exited is started again first; a call is never repeated. */
  call(
    name: string,
    tool: string,
    argumentsJson: string,
    options: ToolCallOptions,
  ): Promise<CallEnd> {
    const params = `{"name":${JSON.stringify(tool)},"arguments":${argumentsJson}}`;
    return this.request(name, 'tools/call', params, options, tool);
  }

  /** Any request; the log names it by its method, or by what is called. */
  async request(
    name: string,
    method: string,
    paramsJson: string,
    options: ToolCallOptions,
    called = method,
  ): Promise<CallEnd> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return { kind: 'notRunning', message: 'It is not configured.' };
    if (entry.state.kind !== 'running') await this.#want(entry.server, false);
    const { state, connection } = entry;
    if (state.kind !== 'running' || connection === null) {
      return { kind: 'notRunning', message: notRunning(state) };
    }
    const message = options.refuse?.(state.offer) ?? null;
    if (message !== null) return { kind: 'refused', message };
    const began = this.#now();
    const end = await connection.request(method, paramsJson, options);
    entry.log.called(called, end, this.#now() - began);
    return end;
  }

  /**
   * Starts one server as it was approved just now, anew whatever state it is in: failed, stopped,
   * running. The others are left as they are.
   */
  async start(server: ApprovedServer): Promise<void> {
    const entry = this.#entries.get(server.name);
    if (entry === undefined) return this.#want(server, true);
    if (this.#disposed) return;
    entry.server = server;
    entry.exits = [];
    await this.#begin(entry);
  }

  /** Stops a server; it does not start by itself until `start` or a changed launch. */
  async stop(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    entry.turn += 1;
    this.#change(entry, { kind: 'stopped' });
    await this.#halt(entry);
  }

  /** After a reload: failures are tried again at the next need. */
  forgetFailures(): void {
    for (const entry of this.#entries.values()) {
      if (entry.state.kind !== 'failed' && entry.state.kind !== 'waits') continue;
      entry.exits = [];
      this.#change(entry, { kind: 'exited', exit: { kind: 'forgotten' } });
    }
  }

  /** Ends all of them and what they started. */
  async dispose(hurried = false): Promise<void> {
    this.#disposed = true;
    for (const name of [...this.#entries.keys()]) this.remove(name, hurried);
    await Promise.all(this.#ends.values());
    this.#watcher.dispose();
    this.#listeners.clear();
    this.#readers.clear();
  }

  /** Takes a server out; what runs of it ends. */
  remove(name: string, hurried = false): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.turn += 1;
    this.#entries.delete(name);
    if (entry !== undefined) void this.#halt(entry, hurried);
    this.#tell(name);
  }

  /** Ends what still runs of this server; resolves when all of it is gone, by whom ever it was ended. */
  async #halt(entry: Entry, hurried = false): Promise<void> {
    const { connection } = entry;
    const { name } = entry.server;
    entry.connection = null;
    if (connection !== null) {
      const end = Promise.all([this.#ends.get(name), connection.stop(hurried)]).then(() => {
        if (this.#ends.get(name) === end) this.#ends.delete(name);
      });
      this.#ends.set(name, end);
    }
    await this.#ends.get(name);
  }

  /** Sees to it that this server runs, if it may. `approved`: its approval was looked at just now. */
  #want(server: ApprovedServer, approved: boolean): Promise<void> {
    if (this.#disposed) return Promise.resolve();
    const entry = this.#entries.get(server.name);
    if (entry === undefined) {
      const made: Entry = {
        server,
        state: { kind: 'starting', since: Date.now() },
        connection: null,
        starting: null,
        turn: 0,
        exits: [],
        log: new ServerLog(() => this.#read(server.name)),
        listedAt: 0,
        reported: false,
      };
      this.#entries.set(server.name, made);
      return this.#begin(made);
    }
    const { launch, fingerprint } = entry.server;
    entry.server = server;
    if (launch !== server.launch || fingerprint !== server.fingerprint) {
      entry.exits = [];
      return this.#begin(entry);
    }
    if (entry.starting !== null) return entry.starting;
    const again = entry.state.kind === 'exited' || (approved && entry.state.kind === 'waits');
    return again ? this.#begin(entry) : Promise.resolve();
  }

  /** Starts it, after the end of what still runs of it. */
  #begin(entry: Entry): Promise<void> {
    entry.turn += 1;
    const starting = this.#start(entry, entry.server, entry.turn).finally(() => {
      if (entry.starting === starting) entry.starting = null;
    });
    entry.starting = starting;
    return starting;
  }

  async #start(entry: Entry, server: ApprovedServer, turn: number): Promise<void> {
    this.#change(entry, { kind: 'starting', since: Date.now() });
    try {
      await this.#startEither(entry, server, turn);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const failure = failureOf({ kind: 'internal', message }, server, '');
      if (failure !== null && this.#current(entry, turn)) {
        this.#change(entry, { kind: 'failed', failure });
      }
    }
  }

  /** Starts it the newer way, and if it exits at that, the older way. */
  async #startEither(entry: Entry, server: ApprovedServer, turn: number): Promise<void> {
    const era = await this.#parts.eras.read(server);
    let end = await this.#startOnce(entry, server, turn, era);
    if (end?.kind === 'lost') end = await this.#startOnce(entry, server, turn, era);
    if (end?.kind === 'handshake' && end.failure.kind === 'ended' && era !== 'legacy') {
      end = await this.#startOnce(entry, server, turn, 'legacy');
    }
    if (end === null || !this.#current(entry, turn)) return;
    const failure = failureOf(end, server, entry.connection?.stderrTail ?? '');
    void this.#halt(entry);
    if (failure !== null) this.#change(entry, { kind: 'failed', failure });
  }

  /** Null when it runs, or may not start; else how it ended before it was ready. */
  async #startOnce(
    entry: Entry,
    server: ApprovedServer,
    turn: number,
    era: Era | null,
  ): Promise<ConnectionEnd | null> {
    await this.#halt(entry);
    const reason = await this.#parts.changedSince(server);
    if (!this.#current(entry, turn)) return null;
    if (reason !== null) {
      this.#change(entry, { kind: 'waits', reason });
      return null;
    }
    return new Promise((resolve) => {
      const { core, client, roots } = this.#parts;
      const { elicitation = false, authorization = noAuthorization } = this.#parts;
      const connection = Connection.start(
        server,
        {
          core,
          client,
          roots: server.roots ? roots() : [],
          era,
          elicitation,
          watch: this.#watcher,
          authorization,
        },
        {
          tools: (offer) => {
            if (entry.connection !== connection) return;
            entry.listedAt = performance.now();
            this.#change(entry, { kind: 'running', offer, pid: connection.pid ?? null });
            void this.#remember(server, offer.peer.era);
            resolve(null);
          },
          log: (line) => entry.log.add(line),
          notified: (method) => this.#parts.notified?.(server.name, method),
          ended: (end) => {
            if (entry.connection === connection && entry.state.kind === 'running') {
              this.#exited(entry, end);
            }
            resolve(end);
          },
        },
      );
      entry.connection = connection;
    });
  }

  async #remember(server: ApprovedServer, era: Era): Promise<void> {
    try {
      if ((await this.#parts.eras.read(server)) === era) return;
      await this.#parts.eras.write(server, era);
    } catch (error) {
      // The next start asks again; that is all that is lost.
      this.#parts.log.warn(`The era of ${server.name} was not kept: ${String(error)}`);
    }
  }

  /** It ran and exited by itself. */
  #exited(entry: Entry, end: ConnectionEnd): void {
    const stderr = entry.connection?.stderrTail ?? '';
    // What it started may still be ending.
    void this.#halt(entry);
    if (end.kind === 'stopped') return;
    // One that was lost with the core's instance starts again, too, but not for ever: it may be its
    // own messages that do it.
    const exit = serverEnd(end, entry.server);
    const now = this.#now();
    entry.exits = [...entry.exits.filter((at) => now - at < RESTART_WINDOW_MS), now];
    const often = entry.exits.length >= MAX_EXITS;
    this.#change(
      entry,
      often
        ? { kind: 'failed', failure: endsOften(exit, entry.exits.length, stderr) }
        : { kind: 'exited', exit },
    );
  }

  /** Is this start still wanted? */
  #current(entry: Entry, turn: number): boolean {
    return !this.#disposed && entry.turn === turn;
  }

  #change(entry: Entry, state: ServerState): void {
    const before = entry.state;
    entry.state = state;
    entry.log.changed(before, state);
    if (state.kind === 'failed') entry.reported = false;
    if (this.#entries.get(entry.server.name) === entry) this.#tell(entry.server.name);
  }

  #read(name: string): void {
    for (const reader of this.#readers) reader(name);
  }

  #tell(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }
}
