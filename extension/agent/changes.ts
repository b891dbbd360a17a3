/**
 * What each turn changed in the workspace, with copies of both sides: for the summary and for undo.
 * Our own tools say what they change before they do; around commands and MCP calls the workspace is
 * compared. The journal is kept on disk, so that a turn can be undone after a restart too.
 */
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UNDOABLE_TURNS } from '../limits.ts';
import { isObject } from './arguments.ts';
import { writePrivate, type Blobs } from './blobs.ts';
import { difference } from './difference.ts';
import { missing } from './files.ts';
import type { Copies } from './copies.ts';
import { textOf } from './text-file.ts';
import type { FileChange } from './tool.ts';

/** One side of a change: the name of a copy, nothing there, or something of which no copy is kept. */
export type Side = string | null | 'unknown';

export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  readonly before: Side;
  readonly after: Side;
  readonly added: number;
  readonly removed: number;
  /** What changed it; empty for our own tools. */
  readonly by: string;
}

export interface ChangesParts {
  /** Folder of the journal. */
  readonly root: string;
  readonly blobs: Blobs;
  readonly copies: Copies;
}

export class Changes {
  readonly #parts: ChangesParts;
  #turn = '';
  #files = new Map<string, ChangedFile>();
  #watching = 0;
  #looked: Promise<void> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** A turn starts; its name is unique for ever. */
  begin(turn: string): void {
    this.#turn = turn;
    this.#files = new Map();
  }

  /** Keeps what stands at `path` before our own tool changes it; null for nothing. */
  async before(path: string, data: Buffer | null): Promise<void> {
    const { blobs } = this.#parts;
    const side = data === null ? null : await blobs.put(data);
    if (this.#files.has(path)) return;
    this.#files.set(path, { path, before: side, after: side, added: 0, removed: 0, by: '' });
    await this.#keep();
  }

  /** Our own tool changed `path`. Gives this change alone; the journal holds the turn's. */
  async after(
    path: string,
    before: Buffer | null,
    after: Buffer | null,
    by: string,
  ): Promise<FileChange> {
    const { added, removed } = counts(before, after);
    await this.#record(path, before, after, by);
    return { path, added, removed };
  }

  /** Runs what may change anything, and finds out what it changed. */
  async around<T>(
    by: string,
    work: () => Promise<T>,
  ): Promise<readonly [T, readonly FileChange[]]> {
    const { copies } = this.#parts;
    // Calls side by side share one look at the start; the first to end is said to have done it.
    if (this.#watching++ === 0) this.#looked = copies.look();
    try {
      await this.#looked;
      const result = await work();
      return [result, await this.#found(by)];
    } catch (error) {
      await this.#found(by);
      throw error;
    } finally {
      this.#watching--;
    }
  }

  /** What the turn changed so far, in the order of paths. */
  summary(): Promise<readonly (FileChange & { readonly by: string })[]> {
    return this.#summaryOf([...this.#files.values()]);
  }

  /** The same of an older turn; empty when nothing is known of it. */
  async summaryOf(turn: string): Promise<readonly (FileChange & { readonly by: string })[]> {
    return this.#summaryOf(await this.of(turn));
  }

  async #summaryOf(
    files: readonly ChangedFile[],
  ): Promise<readonly (FileChange & { readonly by: string })[]> {
    const changed = files.filter(isChange);
    const found = await Promise.all(
      changed.map(async ({ path, before, after, by }) => {
        const [old, fresh] = [await this.#data(before), await this.#data(after)];
        const known = old !== 'unknown' && fresh !== 'unknown';
        return {
          path,
          by,
          ...(known ? counts(old, fresh) : { added: 0, removed: 0 }),
          ...(before === 'unknown' ? { copied: false as const } : {}),
        };
      }),
    );
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** What a turn changed, this one or an older one; empty when nothing is known of it. */
  async of(turn: string): Promise<readonly ChangedFile[]> {
    if (turn === this.#turn) return [...this.#files.values()];
    const text = await readFile(this.#path(turn), 'utf8').catch(missing);
    return text === null ? [] : (changedFilesOf(text) ?? []);
  }

  /** The turn was undone: there is nothing left to undo. */
  async forget(turn: string): Promise<void> {
    if (turn === this.#turn) this.#files = new Map();
    await rm(this.#path(turn), { force: true });
  }

  /** One comparison after the other, so that each change is found once. */
  #found(by: string): Promise<readonly FileChange[]> {
    const found = this.#last.then(() => this.#compared(by));
    this.#last = found.catch(() => []);
    return found;
  }

  async #compared(by: string): Promise<readonly FileChange[]> {
    const changes: FileChange[] = [];
    for (const { path, before, after } of await this.#parts.copies.compare()) {
      await this.#record(path, before, after, by);
      changes.push({
        path,
        ...(before === 'unknown' || after === 'unknown'
          ? { added: 0, removed: 0 }
          : counts(before, after)),
        ...(before === 'unknown' ? { copied: false as const } : {}),
      });
    }
    return changes;
  }

  async #record(
    path: string,
    before: Buffer | null | 'unknown',
    after: Buffer | null | 'unknown',
    by: string,
  ): Promise<void> {
    const first = this.#files.get(path);
    const side = async (data: Buffer | null | 'unknown'): Promise<Side> =>
      data === null || data === 'unknown' ? data : this.#parts.blobs.put(data);
    this.#files.set(path, {
      path,
      before: first === undefined ? await side(before) : first.before,
      after: await side(after),
      added: 0,
      removed: 0,
      by: first === undefined || first.before === first.after ? by : first.by,
    });
    await this.#keep();
  }

  async #data(side: Side): Promise<Buffer | null | 'unknown'> {
    if (side === null || side === 'unknown') return side;
    return (await this.#parts.blobs.get(side)) ?? 'unknown';
  }

  async #keep(): Promise<void> {
    if (this.#turn === '') return;
    await writePrivate(this.#path(this.#turn), JSON.stringify([...this.#files.values()]));
    await this.#prune();
  }

  async #prune(): Promise<void> {
    await mkdir(this.#parts.root, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.#parts.root)).filter((name) => name.endsWith('.json')).sort();
    for (const name of names.slice(0, Math.max(0, names.length - UNDOABLE_TURNS))) {
      await rm(join(this.#parts.root, name), { force: true });
    }
  }

  #path(turn: string): string {
    return join(this.#parts.root, `${turn.replace(/[^\w-]/gu, '_')}.json`);
  }
}

/** A file whose copies differ, or of which there are none to compare. */
export function isChange(file: ChangedFile): boolean {
  return file.before !== file.after || file.before === 'unknown';
}

function counts(
  before: Buffer | null,
  after: Buffer | null,
): { readonly added: number; readonly removed: number } {
  const text = (data: Buffer | null): string | null => {
    if (data === null) return '';
    const file = textOf(data);
    return file.kind === 'text' ? file.text : null;
  };
  const [old, fresh] = [text(before), text(after)];
  if (old === null || fresh === null) return { added: 0, removed: 0 };
  const { added, removed } = difference(old, fresh);
  return { added, removed };
}

/** What a turn's journal says; null when it is damaged. */
export function changedFilesOf(text: string): readonly ChangedFile[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isChangedFile) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isChangedFile(value: unknown): value is ChangedFile {
  return (
    isObject(value) &&
    typeof value['path'] === 'string' &&
    (value['before'] === null || typeof value['before'] === 'string') &&
    (value['after'] === null || typeof value['after'] === 'string')
  );
}
