/**
 * The chat that is open, and the others as files. It keeps the open one a moment after each change,
 * takes the last one up again when the editor starts, and goes back to before a message.
 *
 * Deliberately not here: what a chat looks like (the host), and what the model is sent (the session).
 */
import { randomBytes } from 'node:crypto';
import type { Entry } from '../agent/conversation.ts';
import type { Notice, TurnSummary } from '../agent/events.ts';
import type { KeptChat } from '../agent/kept-chat.ts';
import { interrupted } from '../agent/notices.ts';
import { SESSION_SAVE_MS, SESSION_SAVE_TIMES } from '../limits.ts';
import { SessionBroken, type Session, type SessionHead } from './session-file.ts';
import type { ChatEntry } from './protocol.ts';
import { oneLine, titleOf, type SessionList, type Sessions } from './sessions.ts';
import {
  after,
  emptyTranscript,
  type Draft,
  type Output,
  type Transcript,
  type Turn,
} from './transcript.ts';

/** A chat as the view has it. */
export interface ShownChat {
  readonly transcript: Transcript;
  readonly outputs: ReadonlyMap<string, Output>;
  readonly draft: Draft;
}

export interface ChatsParts {
  readonly sessions: Sessions;
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `work` after so many milliseconds; gives what prevents it. */
  later(work: () => void, ms: number): () => void;
  shown(): ShownChat;
  /** Shows another chat in place of the one that is there; with `keepBox` the box stays as it is. */
  show(chat: ShownChat, keepBox: boolean): void;
  readonly agent: {
    readonly kept: KeptChat;
    halt(): Promise<void>;
    restore(kept: KeptChat): Promise<void>;
    rewind(turn: string, shown: readonly Entry[]): Promise<void>;
    changesOf(turn: string): Promise<TurnSummary['changes']>;
  };
  failed(what: string, error: unknown): void;
}

type Known = Pick<SessionHead, 'id' | 'title' | 'named' | 'created'>;

export class Chats {
  readonly #parts: ChatsParts;
  #open: Known;
  /** The head of its file as it was read or written last; null where there was none. */
  #head: SessionHead | null = null;
  /** What was written last, part by part; nothing is written twice. */
  #written: readonly unknown[] = [];
  #timer: (() => void) | null = null;
  /** Milliseconds that the last write took. */
  #took = 0;
  /** What reads or writes files, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: ChatsParts) {
    this.#parts = parts;
    this.#open = this.#fresh();
  }

  /** The chats in which all words of `query` stand, the newest first; all of them for none. */
  list(query: string): Promise<{
    readonly chats: readonly ChatEntry[];
    readonly broken: SessionList['broken'];
  }> {
    return this.#alone(async () => {
      await this.#write();
      const { sessions, broken } = await this.#parts.sessions.search(query);
      const chats = sessions.map(({ id, title, updated, turns }) => {
        return { id, title, updated, turns, open: id === this.#open.id };
      });
      return { chats, broken };
    });
  }

  /** The open chat changed in what it shows, or in what is being written. */
  changed(): void {
    if (this.#timer !== null) return;
    const ms = Math.max(SESSION_SAVE_MS, this.#took * SESSION_SAVE_TIMES);
    this.#timer = this.#parts.later(() => {
      this.#timer = null;
      this.#quietly(() => this.#write());
    }, ms);
  }

  /** The chat that was open when the editor ended; nothing where there is none. */
  takeUp(): Promise<void> {
    return this.#alone(async () => {
      const id = await this.#parts.sessions.current();
      const session = id === null ? null : await this.#parts.sessions.read(id);
      if (session !== null) await this.#take(session);
    });
  }

  /** Writes what is not written yet. */
  flush(): Promise<void> {
    this.#timer?.();
    this.#timer = null;
    return this.#alone(() => this.#write());
  }

  /** Another chat is shown; throws `SessionBroken` and leaves the open one where it cannot be read. */
  open(id: string): Promise<void> {
    return this.#alone(async () => {
      if (id === this.#open.id) return;
      const session = await this.#parts.sessions.read(id);
      if (session === null) return;
      await this.#parts.agent.halt();
      await this.#write();
      await this.#take(session);
      await this.#parts.sessions.setCurrent(id);
    });
  }

  /** An empty chat; what is being written moves on to it. */
  begin(): Promise<void> {
    return this.#alone(async () => {
      const { agent } = this.#parts;
      await agent.halt();
      await this.#write({ text: '', images: [] });
      await agent.restore({ entries: [], untold: [], ids: 0 });
      this.#open = this.#fresh();
      this.#head = null;
      this.#written = [];
      // Somebody may have gone on writing meanwhile.
      const { draft } = this.#parts.shown();
      this.#parts.show({ transcript: emptyTranscript, outputs: new Map(), draft }, true);
      await this.#parts.sessions.setCurrent(this.#open.id);
    });
  }

  rename(id: string, title: string): Promise<void> {
    return this.#alone(async () => {
      const line = oneLine(title);
      if (line === '') return;
      if (id === this.#open.id) await this.#write();
      await this.#parts.sessions.rename(id, line);
      if (id === this.#open.id) this.#open = { ...this.#open, title: line, named: true };
    });
  }

  /** Deletes a chat; in place of the open one stands an empty one. */
  async remove(id: string): Promise<void> {
    // Which one is open is known in its turn: what was asked for before may have opened another.
    const isOpen = await this.#alone(async () => {
      if (id === this.#open.id) return true;
      await this.#parts.sessions.remove(id);
      return false;
    });
    if (!isOpen) return;
    await this.begin();
    await this.remove(id);
  }

  /**
   * Back to before a turn's message. Where more than that turn goes, the chat as it was stays among
   * the others.
   */
  rewind(turn: string, draft: Draft | null): Promise<void> {
    return this.#alone(async () => {
      const { agent } = this.#parts;
      await agent.halt();
      const { transcript, outputs } = this.#parts.shown();
      const { turns, lasting } = transcript;
      const at = turns.findIndex(({ id }) => id === turn);
      if (at < 0) return;
      if (turns.slice(at).filter(({ message }) => message !== null).length > 1) {
        await this.#write();
        this.#part();
      }
      const stay = turns.slice(0, at);
      await agent.rewind(turn, historyOf(stay));
      this.#parts.show(
        {
          transcript: { ...emptyTranscript, lasting, turns: stay },
          outputs,
          draft: draft ?? this.#parts.shown().draft,
        },
        draft === null,
      );
      await this.#write();
    });
  }

  async #take(session: Session): Promise<void> {
    const { agent, now, show } = this.#parts;
    const { head, outputs, draft } = session;
    await agent.restore(session.agent);
    const open = session.transcript.turns.at(-1);
    const changes =
      open?.message != null && open.end === null ? await agent.changesOf(open.id) : [];
    const { transcript, queued } = reopened(session.transcript, changes, now());
    this.#open = head;
    this.#head = head;
    // What waited for a step that never came goes back to where it was written.
    const text = [draft.text, ...queued.map((message) => message.text)].filter(Boolean);
    const images = [...draft.images, ...queued.flatMap((message) => message.images ?? [])];
    const chat: ShownChat = { transcript, outputs, draft: { text: text.join('\n\n'), images } };
    show(chat, false);
    this.#written = this.#partsOf(chat);
  }

  async #write(draft?: Draft): Promise<void> {
    const { sessions, now } = this.#parts;
    const shown = this.#parts.shown();
    const chat = draft === undefined ? shown : { ...shown, draft };
    const parts = this.#partsOf(chat);
    if (parts.every((part, n) => part === this.#written[n]) && this.#written.length > 0) return;
    await this.#yield();
    const { transcript, outputs } = chat;
    const messages = transcript.turns.flatMap(({ message }) => message ?? []);
    if (messages.length === 0 && chat.draft.text.trim() === '' && chat.draft.images.length === 0) {
      // Nothing was said: there is no chat to keep, nor one that was left of an older draft.
      await sessions.remove(this.#open.id);
      return;
    }
    const began = now();
    const made = titleOf(messages[0]?.text ?? chat.draft.text);
    const title = this.#open.named ? this.#open.title : made;
    this.#open = { ...this.#open, title };
    const head = { ...this.#open, updated: began, turns: messages.length };
    const { agent } = this.#parts;
    await sessions.write({ head, transcript, outputs, agent: agent.kept, draft: chat.draft });
    if (this.#written.length === 0) await sessions.setCurrent(this.#open.id);
    this.#head = head;
    this.#written = parts;
    this.#took = now() - began;
  }

  /**
   * Another window, or another terminal, may have the same chat open. What it wrote stays, and this one
   * goes on under an id of its own; a title that it gave holds here, too.
   */
  async #yield(): Promise<void> {
    const { id } = this.#open;
    const there = await this.#parts.sessions.head(id).catch((error: unknown) => {
      if (error instanceof SessionBroken) return 'broken' as const;
      throw error;
    });
    if (there === null) return;
    if (there === 'broken' || !isSame(there, this.#head)) this.#part();
    else if (there.named) this.#open = { ...this.#open, title: there.title, named: true };
  }

  /** What is open goes on as a chat of its own; the one that it was stays among the others. */
  #part(): void {
    const { title, named } = this.#open;
    this.#open = { ...this.#fresh(), title, named };
    this.#head = null;
    this.#written = [];
  }

  /** What a write is made from; the same parts need no second one. */
  #partsOf({ transcript, draft }: ShownChat): readonly unknown[] {
    return [transcript.turns, transcript.plan, transcript.queue, draft.text, draft.images];
  }

  #fresh(): Known {
    const created = this.#parts.now();
    const id = `${created.toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
    return { id, title: '', named: false, created };
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #quietly(work: () => Promise<void>): void {
    this.#alone(work).catch((error: unknown) => this.#parts.failed('keeping the chat', error));
  }
}

/** Whatever its title: that can be given from anywhere. */
function isSame(there: SessionHead, known: SessionHead | null): boolean {
  return there.updated === known?.updated && there.turns === known.turns;
}

/** A transcript of another run, in which nothing goes on any more. */
function reopened(
  transcript: Transcript,
  changes: TurnSummary['changes'],
  at: number,
): { readonly transcript: Transcript; readonly queued: Transcript['queue'] } {
  const open = transcript.turns.at(-1);
  const ended = { ...transcript, queue: [] };
  if (open === undefined || open.end !== null)
    return { transcript: ended, queued: transcript.queue };
  const notice: Notice = interrupted();
  const summary = { seconds: 0, steps: 0, promptTokens: 0, outputTokens: 0, changes };
  const end =
    open.message === null ? ({ kind: 'stopped' } as const) : ({ kind: 'failed', notice } as const);
  const closed = after(ended, { type: 'turnEnded', turn: open.id, end, summary }, at);
  return { transcript: closed, queued: transcript.queue };
}

/** What was said in these turns, for a model whose history of them was summed up. */
export function historyOf(turns: readonly Turn[]): readonly Entry[] {
  return turns.flatMap(({ id, message, items }): readonly Entry[] => {
    const said = items.flatMap((item): readonly Entry[] => {
      if (item.kind === 'message') {
        return [{ kind: 'user', text: item.text, images: item.images ?? [] }];
      }
      return item.kind === 'text' && item.text.trim() !== ''
        ? [{ kind: 'assistant', text: item.text, calls: [] }]
        : [];
    });
    if (message === null) return said;
    return [{ kind: 'user', text: message.text, images: message.images ?? [], turn: id }, ...said];
  });
}
