/**
 * A server's process, from its start to the end of its whole tree.
 *
 * In: the exact program, arguments, folder and environment. Out: bytes of stdout, lines of stderr,
 * and one end. Nothing is looked up and nothing is inherited. On POSIX the process leads a group of
 * its own, so that what it starts ends with it; on Windows `taskkill` ends the tree.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { signalGroup, taskkill } from '../agent/process-tree.ts';
import {
  EXIT_DRAIN_MS,
  MAX_UNWRITTEN_BYTES,
  STDERR_LINE_CHARACTERS,
  STDERR_TAIL_CHARACTERS,
  STOP_KILL_MS,
  STOP_POLL_MS,
  STOP_HURRIED_STDIN_MS,
  STOP_HURRIED_TERMINATE_MS,
  STOP_STDIN_MS,
  STOP_TERMINATE_MS,
} from '../limits.ts';
import type { Carried, Carrier } from './carrier.ts';
import type { ApprovedProgram } from './plans.ts';

/** How a process stands. It only ever goes down this list. */
export type ProcessState =
  | { readonly kind: 'running' }
  | { readonly kind: 'stdinClosed' }
  | { readonly kind: 'terminated' }
  | { readonly kind: 'killed' }
  | ProcessEnd;

export interface ProcessEnd {
  readonly kind: 'exited';
  readonly code: number | null;
  readonly signal: string | null;
}

/** Why a process could not be started. */
export type StartProblem =
  | { readonly kind: 'programMissing'; readonly file: string }
  | { readonly kind: 'folderMissing'; readonly folder: string }
  | { readonly kind: 'notAllowed'; readonly file: string }
  | { readonly kind: 'other'; readonly message: string };

export class StartError extends Error {
  override readonly name = 'StartError';
  constructor(readonly problem: StartProblem) {
    super(problem.kind);
  }
}

export interface ProcessEvents {
  stdout(bytes: Uint8Array): void;
  /** A line of stderr, not longer than `STDERR_LINE_CHARACTERS`. */
  stderr(line: string): void;
  /** The process has exited and its last output was given. What it started may still be ending. */
  exited(end: ProcessEnd): void;
}

/** Sees to it that a process group ends when this process dies. */
export interface Watch {
  add(group: number): void;
  remove(group: number): void;
}

export class ServerProcess implements Carrier {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #events: ProcessEvents;
  readonly #watch: Watch;
  readonly #stderr: StderrLines;
  readonly #exited: Promise<void>;
  #state: ProcessState = { kind: 'running' };
  #groupGone = false;
  #unwritten = '';
  /** Lines in it. */
  #gathered = 0;
  /** How many go out as one write; 0 where none was written in this turn of the event loop. */
  #together = 0;
  #stopped: Promise<void> | null = null;

  /** Starts it; rejects with a `StartError` when that is not possible. */
  static async start(
    server: Pick<ApprovedProgram, 'command' | 'cwd' | 'env'>,
    events: ProcessEvents,
    watch: Watch,
  ): Promise<ServerProcess> {
    let child: ChildProcessWithoutNullStreams;
    try {
      child = spawned(server);
    } catch (error) {
      // Some failures are events, others are thrown: arguments that are too long, a path through a file.
      if (!(error instanceof Error)) throw error;
      throw new StartError(await startProblem(error, server));
    }
    // At once: this process may be killed before the next event.
    if (child.pid !== undefined) watch.add(child.pid);
    const process_ = new ServerProcess(child, events, watch);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        startProblem(error, server).then((problem) => reject(new StartError(problem)), reject);
      });
    });
    return process_;
  }

  private constructor(child: ChildProcessWithoutNullStreams, events: ProcessEvents, watch: Watch) {
    this.#child = child;
    this.#events = events;
    this.#watch = watch;
    this.#stderr = new StderrLines((line) => events.stderr(line));
    child.stdout.on('data', (bytes: Buffer) => events.stdout(bytes));
    child.stderr.on('data', (bytes: Buffer) => this.#stderr.add(bytes));
    // A server that closes its input, or has died, makes writes fail; its exit says so.
    child.stdin.on('error', (error) => events.stderr(`(stdin: ${error.message})`));
    child.stdin.on('drain', () => child.stdout.resume());
    this.#exited = new Promise((resolve) => {
      child.on('exit', (code, signal) => {
        this.#afterExit({ kind: 'exited', code, signal }, resolve).catch((error: unknown) => {
          events.stderr(`(ending what it started: ${String(error)})`);
        });
      });
    });
    // Errors after the start are failed signals; the exit tells what became of it.
    child.on('error', (error) => events.stderr(`(${error.message})`));
  }

  get state(): ProcessState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of what it wrote to stderr. */
  get tail(): string {
    return this.#stderr.tail;
  }

  /** A process knows lines alone. */
  carry(effect: Carried): void {
    if (effect.kind === 'send') this.write(effect.line);
  }

  /**
   * The first line of a turn of the event loop goes out at once, so that the server begins; of those
   * that follow in the same turn, twice as many each time go out as one write. A write costs more than
   * all else of a line, and a server that has some lines to work on does not wait for the next ones.
   */
  write(line: string): void {
    this.#unwritten += line;
    this.#gathered += 1;
    if (this.#gathered < this.#together) return;
    this.#send();
    if (this.#together === 0) process.nextTick(() => this.#flush());
    this.#together = Math.max(1, this.#together) * 2;
  }

  #flush(): void {
    this.#together = 0;
    this.#send();
  }

  #send(): void {
    const { stdin, stdout } = this.#child;
    const lines = this.#unwritten;
    this.#unwritten = '';
    this.#gathered = 0;
    if (lines !== '' && stdin.writable) stdin.write(lines);
    if (stdin.writableLength > MAX_UNWRITTEN_BYTES) stdout.pause();
  }

  /** Ends it and all that it started: closes stdin, waits, terminates, waits, kills. */
  stop(hurried = false): Promise<void> {
    this.#stopped ??= this.#stop(hurried);
    return this.#stopped;
  }

  async #stop(hurried: boolean): Promise<void> {
    const [afterStdin, afterTerminate] = hurried
      ? [STOP_HURRIED_STDIN_MS, STOP_HURRIED_TERMINATE_MS]
      : [STOP_STDIN_MS, STOP_TERMINATE_MS];
    this.#flush();
    this.#child.stdout.resume();
    this.#child.stdin.end();
    this.#step('stdinClosed');
    if (!(await this.#goneWithin(afterStdin))) {
      this.#step('terminated');
      await this.#signal('SIGTERM');
      if (!(await this.#goneWithin(afterTerminate))) {
        this.#step('killed');
        await this.#signal('SIGKILL');
        await this.#goneWithin(STOP_KILL_MS);
      }
    }
    await within(this.#exited, STOP_KILL_MS);
    this.#release();
  }

  #step(kind: 'stdinClosed' | 'terminated' | 'killed'): void {
    if (this.#state.kind !== 'exited') this.#state = { kind };
  }

  async #afterExit(end: ProcessEnd, told: () => void): Promise<void> {
    // A grandchild may hold the pipe open for ever; what the server itself wrote comes at once.
    const { stdout } = this.#child;
    if (!stdout.readableEnded) {
      const drained = new Promise<void>((resolve) => stdout.once('end', resolve));
      stdout.resume();
      await within(drained, EXIT_DRAIN_MS);
    }
    this.#state = end;
    this.#stderr.end();
    told();
    // What it started does not outlive it. Whoever hears of the exit can wait for that by `stop`.
    this.#stopped ??= this.#endRest();
    this.#events.exited(end);
    await this.#stopped;
  }

  async #endRest(): Promise<void> {
    for (const [signal, ms] of [
      ['SIGTERM', STOP_TERMINATE_MS],
      ['SIGKILL', STOP_KILL_MS],
    ] as const) {
      if (this.#gone()) break;
      await this.#signal(signal);
      await this.#goneWithin(ms);
    }
    this.#release();
  }

  #release(): void {
    const { pid, stdin, stdout, stderr } = this.#child;
    if (pid !== undefined) this.#watch.remove(pid);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  }

  /** Is the whole tree gone? Once it was, its number may be another's. */
  #gone(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    const exited = exitCode !== null || signalCode !== null || pid === undefined;
    if (!exited) return false;
    this.#groupGone ||= process.platform === 'win32' || pid === undefined || !ours(pid);
    return this.#groupGone;
  }

  async #goneWithin(ms: number): Promise<boolean> {
    const until = performance.now() + ms;
    while (!this.#gone()) {
      if (performance.now() >= until) return false;
      await delay(STOP_POLL_MS);
    }
    return true;
  }

  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined || this.#gone()) return;
    if (process.platform === 'win32') await taskkill(pid, signal === 'SIGKILL');
    else signalGroup(pid, signal);
  }
}

/** Resolves with the promise, but no later than after `ms`. */
async function within(promise: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal }).catch((error: unknown) => {
    if (!timer.signal.aborted) throw error;
  });
  await Promise.race([promise, late]);
  timer.abort();
}

/** stderr as lines, and its end as text. */
class StderrLines {
  readonly #line: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #open = '';
  #skipping = false;
  #tail = '';

  constructor(line: (line: string) => void) {
    this.#line = line;
  }

  get tail(): string {
    return (this.#tail + (this.#skipping ? '' : this.#open)).slice(-STDERR_TAIL_CHARACTERS).trim();
  }

  add(bytes: Buffer): void {
    const lines = this.#decoder.write(bytes).split('\n');
    for (const [n, part] of lines.entries()) {
      if (!this.#skipping) this.#open += part;
      if (n < lines.length - 1) this.#close();
      else if (this.#open.length > STDERR_LINE_CHARACTERS) {
        const rest = this.#open;
        this.#close();
        this.#skipping = rest.length > STDERR_LINE_CHARACTERS;
      }
    }
  }

  end(): void {
    this.#open += this.#skipping ? '' : this.#decoder.end();
    if (this.#open !== '') this.#close();
  }

  #close(): void {
    if (!this.#skipping) {
      const line = this.#open.slice(0, STDERR_LINE_CHARACTERS).replace(/\r$/, '');
      this.#tail = `${this.#tail}${line}\n`.slice(-2 * STDERR_TAIL_CHARACTERS);
      this.#line(line);
    }
    this.#open = '';
    this.#skipping = false;
  }
}

function spawned({
  command,
  cwd,
  env,
}: Pick<ApprovedProgram, 'command' | 'cwd' | 'env'>): ChildProcessWithoutNullStreams {
  return spawn(command.file, [...command.argv], {
    cwd,
    env: { ...env },
    shell: false,
    windowsVerbatimArguments: command.windowsVerbatim,
    windowsHide: true,
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function startProblem(
  error: Error,
  server: Pick<ApprovedProgram, 'command' | 'cwd'>,
): Promise<StartProblem> {
  const code = 'code' in error ? error.code : undefined;
  const { file } = server.command;
  if (code === 'EACCES' || code === 'EPERM') return { kind: 'notAllowed', file };
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return { kind: 'other', message: error.message };
  // The same code says that the folder is missing.
  const folder = await stat(server.cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return folder ? { kind: 'programMissing', file } : { kind: 'folderMissing', folder: server.cwd };
}

/** A group that belongs to somebody else by now is not ours to end, nor to wait for. */
function ours(group: number): boolean {
  return signalGroup(group, 0) === 'sent';
}
