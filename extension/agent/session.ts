/**
 * One chat: a conversation that turns are added to, and what they changed. It emits `RunEvent`s and
 * nothing else; the chat, the terminal and `--json` draw the same events.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Card } from '../core.ts';
import { LEFT_RUNNING_MS, STOPPED_WAIT_MS } from '../limits.ts';
import { ModelError, type Provider } from '../models/provider.ts';
import { Blobs, writePrivate } from './blobs.ts';
import { Cards } from './cards.ts';
import { Changes, type ChangedFile } from './changes.ts';
import { Conversation, type Entry } from './conversation.ts';
import { Copies } from './copies.ts';
import type { Emit, Notice, TurnEnd, TurnSummary } from './events.ts';
import { WorkspaceFiles } from './files.ts';
import { pathBelow } from './folder-names.ts';
import { Hosts } from './hosts.ts';
import { removeLeftovers } from './leftovers.ts';
import { answered, beforeTurn, callsOf, type KeptChat } from './kept-chat.ts';
import { ModelChoice } from './model.ts';
import * as notices from './notices.ts';
import { orStopped } from './or-stopped.ts';
import { Queue, withImages } from './queue.ts';
import type { AgentSessionParts } from './parts.ts';
import { Quotes } from './quotes.ts';
import { shellOf } from './shell.ts';
import { TokenEstimate } from './tokens.ts';
import type { CardAnswer, Tool } from './tool.ts';
import { builtinTools } from './tools/builtin.ts';
import { findRipgrep } from './tools/ripgrep.ts';
import { taskTool } from './tools/task.ts';
import { Reads } from './tools/workbench.ts';
import { resultLimit, type ChatMemory, type TurnParts } from './turn-parts.ts';
import { Turn } from './turn.ts';
import { Undo, type UndoneFile } from './undo.ts';
import { UserMessage, type Message } from './user-message.ts';

export type { Abilities, AgentSessionParts } from './parts.ts';
export type { UndoneFile } from './undo.ts';

export class AgentSession {
  readonly #parts: AgentSessionParts;
  readonly #emit: Emit;
  readonly #cards: Cards;
  readonly #hosts: Hosts;
  readonly #files: WorkspaceFiles;
  readonly #blobs: Blobs;
  readonly #copies: Copies;
  readonly #reads = new Reads();
  readonly #models = new ModelChoice();
  readonly #builtin: readonly Tool[];
  /** Saved outputs of this session. */
  readonly #outputs: string;
  readonly #memory: ChatMemory;
  readonly #queue: Queue;
  #running: { readonly controller: AbortController; readonly end: Promise<TurnEnd> } | null = null;
  #ids = 0;
  #window = 0;
  /** What the model is told with the next message. */
  #untold: readonly string[] = [];
  #ripgrep: Promise<string | null> | null = null;
  /** What older sessions left is looked for once. */
  #tidied: Promise<void> | null = null;

  constructor(given: AgentSessionParts) {
    this.#cards = new Cards(given);
    this.#emit = this.#cards.noting;
    this.#queue = new Queue(this.#emit);
    const parts = { ...given, emit: this.#emit };
    this.#parts = parts;
    this.#hosts = new Hosts({ ...parts, folder: () => parts.workspace().folders[0] ?? '' });
    const { storage } = parts;
    const session = `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`;
    this.#outputs = join(storage, 'outputs', session);
    this.#files = new WorkspaceFiles({
      folders: () => parts.workspace().folders,
      readable: () => [this.#outputs],
      platform: parts.platform,
    });
    this.#blobs = new Blobs(join(storage, 'copies'));
    this.#copies = new Copies(join(storage, 'watched', session), () => this.#files.folders());
    const changes = new Changes({
      root: join(storage, 'turns'),
      blobs: this.#blobs,
      copies: this.#copies,
    });
    this.#memory = {
      conversation: new Conversation(),
      quotes: new Quotes(),
      estimate: new TokenEstimate(),
      changes,
      rules: [],
      refused: new Map(),
      asText: new Set(),
      formless: new Set(),
      promptCut: false,
      reported: null,
      pending: new Set(),
    };
    this.#builtin = [
      ...builtinTools({
        core: parts.core,
        files: this.#files,
        reads: this.#reads,
        changes,
        settings: parts.settings,
        environment: parts.environment,
        platform: parts.platform,
        ripgrep: () => this.#foundRipgrep(),
        resultChars: () => this.#resultChars(),
        emit: parts.emit,
        diagnostics: parts.diagnostics ?? (() => Promise.resolve('')),
      }),
      ...(parts.tools ?? []),
    ];
  }

  /**
   * Starts a turn. A message sent while one runs is queued and taken up at its next step; the promise
   * is then that turn's.
   */
  send(text: string, images: readonly string[] = []): Promise<TurnEnd> {
    if (this.#running !== null) {
      this.#queue.add(this.#id('message'), { text, images });
      return this.#running.end;
    }
    this.#tidied ??= removeLeftovers(this.#parts.storage, Date.now()).catch((error: unknown) => {
      this.#parts.log.warn(`what older sessions left was not removed: ${String(error)}`);
    });
    const controller = new AbortController();
    // Every call and every answer of a turn listens to its one signal.
    setMaxListeners(0, controller.signal);
    const end = this.#turns({ text, images }, controller.signal).finally(() => {
      this.#running = null;
    });
    this.#running = { controller, end };
    return end;
  }

  /** Ends everything the turn does, at once; pending cards count as denied. What is queued stays. */
  stop(): void {
    this.#running?.controller.abort();
  }

  /** The same, and waits for its end. */
  async halt(): Promise<void> {
    this.stop();
    await this.#running?.end;
  }

  /**
   * Sums up the older part of the chat now, as `/compact` does; false when there is nothing to sum up
   * or a turn runs.
   */
  async compact(): Promise<boolean> {
    if (this.#running !== null) return false;
    const controller = new AbortController();
    const shorter = this.#shortened(controller.signal).catch((error: unknown) => {
      this.#emit({ type: 'notice', notice: this.#failed(error) });
      return false;
    });
    this.#running = { controller, end: shorter.then(() => ({ kind: 'answered' })) };
    const done = await shorter;
    this.#running = null;
    return done;
  }

  /** Changes a queued message, or removes it with null; false when it was taken up already. */
  editQueued(id: string, text: string | null): boolean {
    return this.#queue.edit(id, text);
  }

  /** What undoing turns, the newest first, would do to each file; nothing is changed. */
  async undoPlan(...turns: readonly string[]): Promise<readonly UndoneFile[]> {
    return new Undo(this.#files, this.#blobs).plan(await this.#changed(turns));
  }

  /** Puts back what turns changed, the newest first, and says what was done; later changes are kept. */
  async undo(...turns: readonly string[]): Promise<readonly UndoneFile[]> {
    await this.#settled();
    const done = await new Undo(this.#files, this.#blobs).undo(await this.#changed(turns));
    const back = done.filter((file) => file.what !== 'keep');
    if (back.length > 0) {
      const names = back.map((file) => file.path).join(', ');
      this.#untold = [
        ...this.#untold,
        `[The user undid your changes of an earlier turn: ${names}]`,
      ];
    }
    // What was kept because it changed in a moment can be tried again.
    if (done.every((file) => file.what !== 'keep')) {
      for (const turn of turns) await this.#memory.changes.forget(turn);
    }
    return done;
  }

  #changed(turns: readonly string[]): Promise<readonly (readonly ChangedFile[])[]> {
    return Promise.all(turns.map((turn) => this.#memory.changes.of(turn)));
  }

  /** What a turn of this chat changed, also one of an earlier run. */
  changesOf(turn: string): Promise<TurnSummary['changes']> {
    return this.#memory.changes.summaryOf(turn);
  }

  /** The chat as it can be kept; `restore` takes it up again. */
  get kept(): KeptChat {
    const { entries } = this.#memory.conversation;
    return { entries, untold: this.#untold, ids: this.#ids };
  }

  /**
   * A new chat: the conversation is forgotten, what was allowed for the session too. Resolves when the
   * turn that ran has ended: what it still writes belongs to the old chat.
   */
  reset(): Promise<void> {
    return this.restore({ entries: [], untold: [], ids: 0 });
  }

  /** The same, and the history of a chat that was kept is taken up. */
  async restore(kept: KeptChat): Promise<void> {
    const { quotes, rules } = this.#memory;
    await this.#become(answered(kept.entries));
    quotes.clear();
    for (const entry of this.#memory.conversation.entries) {
      if (entry.kind === 'result') quotes.add(`the result of ${entry.name}`, entry.text);
    }
    rules.length = 0;
    this.#untold = kept.untold;
    this.#ids = Math.max(this.#ids, kept.ids);
  }

  /**
   * Takes the history back to before a turn; `shown` is what the chat shows before it, for a history
   * in which that part was summed up since. Files stay as they are.
   */
  async rewind(turn: string, shown: readonly Entry[]): Promise<void> {
    const before = beforeTurn(this.#memory.conversation.entries, turn);
    await this.#become(before ?? shown);
    this.#untold = [];
  }

  async #become(entries: readonly Entry[]): Promise<void> {
    await this.halt();
    this.#queue.clear();
    const { conversation } = this.#memory;
    const stay = new Set(callsOf(entries));
    const gone = callsOf(conversation.entries).filter((call) => !stay.has(call));
    for (const contributor of this.#parts.contributors) contributor.forgotten(gone);
    conversation.replace(entries);
    this.#reads.clear();
    this.#memory.reported = null;
  }

  /** Ends the turn and removes what only this session uses; copies for undo stay. */
  async dispose(): Promise<void> {
    this.stop();
    await this.#settled();
    await this.#tidied;
    await this.#copies.dispose();
    await rm(this.#outputs, { recursive: true, force: true });
  }

  async #turns(message: Message, signal: AbortSignal): Promise<TurnEnd> {
    for (let next = message; ;) {
      const end = await this.#turn(next, signal);
      // A message that came in the last moment of an answered turn starts one of its own.
      const queued = end.kind === 'answered' ? this.#queue.next() : null;
      if (queued === null) return end;
      next = queued;
    }
  }

  async #turn(message: Message, signal: AbortSignal): Promise<TurnEnd> {
    const { emit, settings } = this.#parts;
    const started = performance.now();
    const turn = `${Date.now().toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
    const model = settings().model || this.#models.last;
    const { text, images } = message;
    const mode = settings().permissionMode;
    emit({ type: 'turnStarted', turn, text, ...withImages(images), model, mode });
    const user = new UserMessage(message, turn, this.#untold);
    this.#untold = [];
    let run: Turn | null = null;
    let end: TurnEnd;
    try {
      emit({ type: 'phase', phase: { kind: 'preparing' } });
      await this.#settled();
      this.#memory.changes.begin(turn);
      const provider = await this.#provider(signal);
      const stopped = await this.#hostAllowed(provider, signal);
      if (stopped !== null) {
        this.#memory.conversation.add(user.entry([]));
        end = stopped;
      } else {
        run = await this.#prepared(provider, turn, signal);
        const hints = run === null ? [] : await run.prepare(text);
        this.#memory.conversation.add(user.entry([...this.#openFile(), ...hints]));
        end =
          run === null
            ? { kind: 'failed', notice: notices.noModel(provider.host) }
            : await run.run();
      }
    } catch (error) {
      if (!user.added) this.#memory.conversation.add(user.entry([]));
      if (signal.aborted) end = { kind: 'stopped' };
      else end = { kind: 'failed', notice: this.#failed(error) };
    }
    if (signal.aborted) await this.#settled(STOPPED_WAIT_MS);
    const summary = await this.#summary(started, run);
    emit({ type: 'turnEnded', turn, end, summary });
    return end;
  }

  #failed(error: unknown): Notice {
    if (error instanceof ModelError) return notices.modelFailed(error);
    this.#parts.log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return notices.unexpected(error);
  }

  async #shortened(signal: AbortSignal): Promise<boolean> {
    const provider = await this.#provider(signal);
    if ((await this.#hostAllowed(provider, signal)) !== null) return false;
    const run = await this.#prepared(provider, 'compact', signal);
    return (await run?.shorten()) ?? false;
  }

  async #prepared(provider: Provider, turn: string, signal: AbortSignal): Promise<Turn | null> {
    const { settings, environment, platform } = this.#parts;
    const before = this.#models.last;
    const model = await this.#models.choose(provider, settings(), signal);
    if (model === null) return null;
    if (before !== '' && before !== model.id) this.#memory.estimate.reset();
    this.#window = model.contextWindow;
    const task = taskTool({
      turn: () => turnParts,
      tools: () => run.tools,
      count: () => run.count,
      model: async () => {
        const { subagentModel } = settings();
        if (subagentModel === '') return model;
        const own = { ...settings(), model: subagentModel };
        return (await new ModelChoice().choose(provider, own, signal)) ?? model;
      },
    });
    const turnParts: TurnParts = {
      session: this.#parts,
      memory: this.#memory,
      cards: this.#cards,
      provider,
      model,
      builtin: [...this.#builtin, task],
      shell: shellOf(settings().shell, environment, platform).name,
      signal,
      turn,
      folders: () => this.#files.folders(),
      readable: () => this.#files.readable(),
      resultChars: () => this.#resultChars(),
      save: (data, ending) => this.#save(data, ending),
      takeQueued: () => this.#queue.take(),
      nextId: () => this.#callId(),
    };
    const run = new Turn(turnParts);
    return run;
  }

  /** The server in use, which may have to be looked for; a stop does not wait for that. */
  async #provider(signal: AbortSignal): Promise<Provider> {
    const provider = await orStopped(Promise.resolve(this.#parts.provider()), signal);
    if (provider === 'stopped') throw new Error('stopped');
    return provider;
  }

  /** Null when it may be sent to; the host of a server elsewhere is asked about once. */
  async #hostAllowed(provider: Provider, signal: AbortSignal): Promise<TurnEnd | null> {
    const { model } = this.#parts.settings();
    const ask = (card: Card): Promise<CardAnswer> => this.#cards.ask(card, signal);
    if (await this.#hosts.allowed(provider, model, ask)) return null;
    return signal.aborted
      ? { kind: 'stopped' }
      : { kind: 'failed', notice: notices.hostRefused(provider.host) };
  }

  #openFile(): readonly string[] {
    const { openFile, folders } = this.#parts.workspace();
    if (openFile === null) return [];
    const name = pathBelow(openFile, folders);
    return [`[Open in the editor: ${name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?')}]`];
  }

  async #summary(started: number, run: Turn | null): Promise<TurnSummary> {
    const seconds = (performance.now() - started) / 1_000;
    const count = run?.count ?? { steps: 0, promptTokens: 0, outputTokens: 0 };
    try {
      return { seconds, ...count, changes: await this.#memory.changes.summary() };
    } catch (error) {
      // The journal cannot be read: the turn ends all the same, and says less.
      this.#parts.log.error(
        `the turn's changes: ${error instanceof Error ? error.message : String(error)}`,
      );
      return { seconds, ...count, changes: [] };
    }
  }

  // --- small things ---

  /** Waits for what a stopped turn left running, but not for what never ends. */
  async #settled(ms = LEFT_RUNNING_MS): Promise<void> {
    const { pending } = this.#memory;
    if (pending.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([Promise.allSettled([...pending]), enough]);
    clearTimeout(timer);
    // What did not end by now is waited for no more.
    if (ms === LEFT_RUNNING_MS) pending.clear();
  }

  #resultChars(): number {
    return resultLimit(this.#parts.settings().maxToolOutputChars, this.#window);
  }

  async #save(data: string | Uint8Array, ending: string): Promise<string> {
    const name = `${++this.#ids}${/^\.[a-z0-9]{1,8}$/u.test(ending) ? ending : '.txt'}`;
    const path = join(this.#outputs, name);
    await writePrivate(path, data);
    return path;
  }

  #foundRipgrep(): Promise<string | null> {
    const { ripgrep, environment, platform } = this.#parts;
    this.#ripgrep ??= findRipgrep(ripgrep ?? [], environment, platform);
    return this.#ripgrep;
  }

  #id(kind: string): string {
    return `${kind}-${++this.#ids}`;
  }

  /** Nine letters and digits: some servers take no other ids. */
  #callId(): string {
    return `c${String(++this.#ids).padStart(8, '0')}`;
  }
}
