/**
 * The chats of the command line as files: one folder of them for each workspace, in the state folder.
 * The format is the editor's, the place is not: each program writes whole files, and of two that wrote
 * one chat the second would go on under another id.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RunEvent } from '../agent/events.ts';
import type { AgentSession } from '../agent/session.ts';
import { Chats } from '../chat/chats.ts';
import { Conversation } from '../chat/conversation.ts';
import type { ChatEntry } from '../chat/protocol.ts';
import { Sessions } from '../chat/sessions.ts';
import { CHATS_OFFERED } from '../limits.ts';
import { CliFailure, oneLine, type CliParts } from './parts.ts';
import { readLine } from './read-line.ts';

export interface KeepFlags {
  readonly continue?: boolean;
  /** Words that a chat holds, or its id; true for any chat. */
  readonly resume?: string | boolean;
}

export class KeptTalk {
  readonly #parts: CliParts;
  readonly #conversation: Conversation;
  readonly #chats: Chats;

  constructor(parts: CliParts, agent: AgentSession) {
    this.#parts = parts;
    this.#conversation = new Conversation({
      now: Date.now,
      post: () => undefined,
      soon: () => undefined,
      changed: () => this.#chats.changed(),
    });
    const of = createHash('sha256')
      .update(parts.workspace().folders[0] ?? '')
      .digest('hex');
    this.#chats = new Chats({
      sessions: new Sessions(join(parts.storage, 'chats', of.slice(0, 16))),
      now: Date.now,
      later: (work, ms) => {
        // What is not written by then is at the end.
        const timer = setTimeout(work, ms).unref();
        return () => clearTimeout(timer);
      },
      shown: () => this.#conversation.chat,
      show: (chat) => this.#conversation.load(chat),
      agent,
      failed: (what, error) => {
        const why = error instanceof Error ? error.message : String(error);
        parts.log.warn(oneLine(parts, `${what}: ${why}`));
      },
    });
  }

  readonly emit = (event: RunEvent): void => this.#conversation.emit(event);

  /** Takes up the chat that the flags mean; says which one. A `CliFailure` where it is not there. */
  async takeUp({ continue: newest, resume }: KeepFlags): Promise<void> {
    if (newest !== true && resume === undefined) return;
    if (newest === true && resume !== undefined) {
      throw new CliFailure(2, 'say --continue or --resume, not both');
    }
    const words = typeof resume === 'string' ? resume : '';
    const found = (await this.#chats.list('')).chats.filter(({ id }) => id === words);
    const all = found.length > 0 ? found : (await this.#chats.list(words)).chats;
    const chat = newest === true ? all[0] : await this.#chosen(all);
    if (chat === undefined) {
      const what =
        words === '' ? 'no chat is kept' : `no chat that holds ${JSON.stringify(words)} is kept`;
      throw new CliFailure(2, oneLine(this.#parts, `${what} for this folder`));
    }
    await this.#chats.open(chat.id);
    this.#say(chat);
  }

  async #chosen(all: readonly ChatEntry[]): Promise<ChatEntry | undefined> {
    if (all.length < 2) return all[0];
    const { screen, signal, json } = this.#parts;
    const offered = all.slice(0, CHATS_OFFERED);
    const rows = offered.map((chat, n) => `  ${String(n + 1).padStart(2)}  ${this.#drawn(chat)}`);
    if (all.length > offered.length) {
      rows.push(
        `      ${String(all.length - offered.length)} older ones: say words that they hold`,
      );
    }
    if (json || !process.stdin.isTTY) {
      throw new CliFailure(
        2,
        `more than one chat is meant; say its id or more words\n${rows.join('\n')}`,
      );
    }
    for (const row of rows) screen.err.line(row);
    for (;;) {
      const typed = await readLine(`${screen.err.paint.bold('Which one?')} `, signal);
      if (typed === null) throw new CliFailure(2, 'no chat was chosen');
      const chat = offered[Number(typed.trim()) - 1];
      if (chat !== undefined) return chat;
      screen.err.line(`There are the numbers 1 to ${String(offered.length)}; Ctrl-C to leave.`);
    }
  }

  #drawn({ id, title, updated, turns }: ChatEntry): string {
    const when = new Date(updated).toISOString().slice(0, 16).replace('T', ' ');
    const messages = `${String(turns)} ${turns === 1 ? 'message' : 'messages'}`;
    return `${oneLine(this.#parts, title)}  ${messages}, ${when} UTC  ${id}`;
  }

  #say(chat: ChatEntry): void {
    const { screen, json } = this.#parts;
    if (json) return;
    const { err } = screen;
    err.line(err.paint.dim(`Goes on: ${this.#drawn(chat)}`));
    err.line('');
  }

  /** An empty chat; the one before stays as it is kept. */
  begin(): Promise<void> {
    return this.#chats.begin();
  }

  /** Writes what is not written yet. */
  close(): Promise<void> {
    return this.#chats.flush();
  }
}
