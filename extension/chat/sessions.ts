/**
 * The chats of a workspace: one file each in a folder of the user's, written whole or not at all and
 * for the user alone. The list reads the first line of each; a file that cannot be read is named and
 * left as it is.
 */
import { mkdir, open, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { missing } from '../agent/files.ts';
import { errorCode } from '../error-code.ts';
import { SESSION_HEAD_BYTES, SESSIONS_AT_ONCE, TITLE_CHARS, TITLE_MOST_CHARS } from '../limits.ts';
import {
  decode,
  decodeHead,
  encode,
  SessionBroken,
  type Session,
  type SessionHead,
} from './session-file.ts';

export interface SessionList {
  /** The newest first. */
  readonly sessions: readonly SessionHead[];
  /** Absolute paths of files that cannot be read, and why. */
  readonly broken: readonly { readonly path: string; readonly why: string }[];
}

const ENDING = '.chat.jsonl';

export class Sessions {
  /** `root` is absolute; it is made when first written to. */
  constructor(readonly root: string) {}

  async list(): Promise<SessionList> {
    const names = (await readdir(this.root).catch(nothing)).filter((name) => name.endsWith(ENDING));
    const sessions: SessionHead[] = [];
    const broken: { path: string; why: string }[] = [];
    await sideBySide(names, async (name) => {
      const path = join(this.root, name);
      try {
        const head = decodeHead(await firstLine(path));
        if (head.id !== name.slice(0, -ENDING.length)) {
          throw new SessionBroken('its name is not that of the chat in it');
        }
        sessions.push(head);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return;
        broken.push({ path, why: error instanceof Error ? error.message : String(error) });
      }
    });
    sessions.sort((a, b) => b.updated - a.updated || (a.id < b.id ? 1 : -1));
    broken.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { sessions, broken };
  }

  /** Those in whose title or text all words stand, whatever their case. */
  async search(query: string): Promise<SessionList> {
    const list = await this.list();
    const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
    if (words.length === 0) return list;
    const hits = new Set<string>();
    await sideBySide(list.sessions, async ({ id, title }) => {
      const has = (text: string): boolean => words.every((word) => text.includes(word));
      if (has(title.toLowerCase()) || has(await this.#words(id))) hits.add(id);
    });
    return { ...list, sessions: list.sessions.filter(({ id }) => hits.has(id)) };
  }

  /** What the file of a chat says of it now; null where there is none. Throws `SessionBroken`. */
  async head(id: string): Promise<SessionHead | null> {
    try {
      return decodeHead(await firstLine(this.path(id)));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** Throws `SessionBroken` for a file that is no whole chat; null where there is none. */
  async read(id: string): Promise<Session | null> {
    const text = await readFile(this.path(id), 'utf8').catch(missing);
    if (text === null) return null;
    try {
      return decode(text);
    } catch (error) {
      if (!(error instanceof SessionBroken)) throw error;
      const where = this.path(id);
      throw new SessionBroken(
        `The chat in ${where} cannot be read: ${error.message}. The file stays as it is.`,
      );
    }
  }

  async write(session: Session): Promise<void> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    await writeFileAtomic(this.path(session.head.id), encode(session), { mode: 0o600 });
  }

  /** `title` is one line, as `oneLine` makes it. False where there is no such chat. */
  async rename(id: string, title: string): Promise<boolean> {
    const session = await this.read(id);
    if (session === null) return false;
    await this.write({ ...session, head: { ...session.head, title, named: true } });
    return true;
  }

  async remove(id: string): Promise<void> {
    await rm(this.path(id), { force: true });
  }

  /** The chat that was open last, or null. */
  async current(): Promise<string | null> {
    const id = await readFile(this.#currentFile, 'utf8').catch(missing);
    return id === null || !ID.test(id) ? null : id;
  }

  async setCurrent(id: string): Promise<void> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    await writeFileAtomic(this.#currentFile, id, { mode: 0o600 });
  }

  /** Absolute. An id comes from a page, so only one that we can have made is taken. */
  path(id: string): string {
    if (!ID.test(id)) throw new SessionBroken(`no chat has the id ${JSON.stringify(id)}`);
    return join(this.root, `${id}${ENDING}`);
  }

  get #currentFile(): string {
    return join(this.root, 'current');
  }

  /** What was said in a chat, in lower case; empty for one that cannot be read. */
  async #words(id: string): Promise<string> {
    try {
      const session = await this.read(id);
      const turns = session?.transcript.turns ?? [];
      return turns
        .flatMap(({ message, items }) => [
          message?.text ?? '',
          ...items.map((item) =>
            item.kind === 'message' || item.kind === 'text'
              ? item.text
              : item.kind === 'line'
                ? item.line.object
                : '',
          ),
        ])
        .join('\n')
        .toLowerCase();
    } catch (error) {
      if (error instanceof SessionBroken) return '';
      throw error;
    }
  }
}

const ID = /^[a-z0-9]{6,16}-[0-9a-f]{8}$/u;

/** A title from a message: its first line with words in it. */
export function titleOf(text: string): string {
  const line = oneLine(text.split('\n').find((each) => each.trim() !== '') ?? '');
  const points = [...line];
  return points.length <= TITLE_CHARS ? line : `${points.slice(0, TITLE_CHARS - 1).join('')}…`;
}

/** A title on one line; hidden characters could make one chat look like another one. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').replace(/\s+/gu, ' ');
  return [...line.trim()].slice(0, TITLE_MOST_CHARS).join('');
}

async function firstLine(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(SESSION_HEAD_BYTES) });
    const end = buffer.subarray(0, bytesRead).indexOf('\n');
    if (end < 0) throw new SessionBroken('its first line is not that of a chat');
    return buffer.toString('utf8', 0, end);
  } finally {
    await file.close();
  }
}

async function sideBySide<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...list];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, worker));
}

function nothing(error: unknown): [] {
  missing(error);
  return [];
}
