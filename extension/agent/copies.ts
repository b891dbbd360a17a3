/**
 * Copies of the workspace's files, so that what a command or an MCP call changed can be shown and put
 * back. Files are copied when their time or size is new, into one file that this session appends to;
 * large ones, and those beyond a total, are watched without a copy. What `.gitignore` names is not
 * watched: builds and dependencies would take all of the room.
 */
import { lstat, mkdir, open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { COPIED_AT_ONCE, COPIED_BYTES, COPIED_FILE_BYTES } from '../limits.ts';
import { missing } from './files.ts';
import { walk } from './walk.ts';

export interface FoundChange {
  readonly path: string;
  readonly before: Buffer | null | 'unknown';
  readonly after: Buffer | null | 'unknown';
}

interface Known {
  /** Size and times; another stamp is another content. */
  readonly stamp: string;
  /** Where the copy stands, or null when there is none. */
  readonly copy: { readonly offset: number; readonly length: number } | null;
}

export class Copies {
  readonly #file: string;
  readonly #folders: () => Promise<readonly string[]>;
  #known = new Map<string, Known>();
  #handle: Promise<FileHandle> | null = null;
  #end = 0;
  #whole = true;

  /** `file` is where the copies go; it is made when first needed. */
  constructor(file: string, folders: () => Promise<readonly string[]>) {
    this.#file = file;
    this.#folders = folders;
  }

  /** Brings the copies up to date with what stands there now. */
  async look(): Promise<void> {
    if (this.#end > 2 * COPIED_BYTES) await this.dispose();
    const { stamps, whole } = await this.#stamps();
    this.#known = await this.#renewed(stamps);
    this.#whole = whole;
  }

  /** What changed since the last look or compare; the copies are then up to date again. */
  async compare(): Promise<readonly FoundChange[]> {
    const before = this.#known;
    const seenWhole = this.#whole;
    const { stamps, whole } = await this.#stamps();
    const fresh = await this.#renewed(stamps);
    const changes: FoundChange[] = [];
    for (const [path, now] of fresh) {
      const known = before.get(path);
      if (known?.stamp === now.stamp) continue;
      const old = known === undefined ? (seenWhole ? null : 'unknown') : await this.#read(known);
      const data = await this.#read(now);
      const same = Buffer.isBuffer(old) && Buffer.isBuffer(data) && old.equals(data);
      if (!same) changes.push({ path, before: old, after: data });
    }
    for (const [path, known] of before) {
      // A file that a shortened walk did not reach is not gone.
      if (stamps.has(path) || (await lstat(path).catch(missing)) !== null) continue;
      changes.push({ path, before: await this.#read(known), after: null });
    }
    this.#known = fresh;
    this.#whole = whole;
    return changes;
  }

  /** Removes the copies. */
  async dispose(): Promise<void> {
    await (await this.#handle)?.close();
    this.#handle = null;
    this.#known = new Map();
    this.#end = 0;
    await rm(this.#file, { force: true });
  }

  async #stamps(): Promise<{
    readonly stamps: ReadonlyMap<string, string>;
    readonly whole: boolean;
  }> {
    const stamps = new Map<string, string>();
    let whole = true;
    for (const folder of await this.#folders()) {
      const walked = walk(folder, folder, new AbortController().signal);
      const paths: string[] = [];
      for await (const { path } of walked.files) paths.push(path);
      await sideBySide(paths, async (path) => {
        const found = await lstat(path, { bigint: true }).catch(missing);
        if (found?.isFile() !== true) return;
        stamps.set(path, `${found.size}:${found.mtimeNs}:${found.ctimeNs}:${found.ino}`);
      });
      whole &&= !walked.isCut();
    }
    return { stamps, whole };
  }

  /** What is known, with copies of the files whose stamp is new. */
  async #renewed(stamps: ReadonlyMap<string, string>): Promise<Map<string, Known>> {
    const fresh = new Map<string, Known>();
    const changed: (readonly [string, string])[] = [];
    let live = 0;
    for (const [path, stamp] of stamps) {
      const known = this.#known.get(path);
      if (known?.stamp === stamp) {
        fresh.set(path, known);
        live += known.copy?.length ?? 0;
      } else changed.push([path, stamp]);
    }
    await sideBySide(changed, async ([path, stamp]) => {
      const size = Number(stamp.slice(0, stamp.indexOf(':')));
      if (size > COPIED_FILE_BYTES || live + size > COPIED_BYTES) {
        fresh.set(path, { stamp, copy: null });
        return;
      }
      live += size;
      fresh.set(path, { stamp, copy: await this.#copied(path) });
    });
    return fresh;
  }

  async #copied(path: string): Promise<Known['copy']> {
    const data = await readFile(path).catch(missing);
    if (data === null || data.length > COPIED_FILE_BYTES) return null;
    const handle = await this.#opened();
    const offset = this.#end;
    this.#end += data.length;
    await handle.write(data, 0, data.length, offset);
    return { offset, length: data.length };
  }

  async #read(known: Known): Promise<Buffer | 'unknown'> {
    if (known.copy === null) return 'unknown';
    const { offset, length } = known.copy;
    const data = Buffer.alloc(length);
    const { bytesRead } = await (await this.#opened()).read(data, 0, length, offset);
    return bytesRead === length ? data : 'unknown';
  }

  #opened(): Promise<FileHandle> {
    this.#handle ??= mkdir(dirname(this.#file), { recursive: true, mode: 0o700 }).then(() =>
      open(this.#file, 'w+', 0o600),
    );
    return this.#handle;
  }
}

/** Works on all items, some at a time. */
async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += COPIED_AT_ONCE) {
    await Promise.all(items.slice(i, i + COPIED_AT_ONCE).map(work));
  }
}
