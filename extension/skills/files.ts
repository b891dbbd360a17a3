/**
 * Reading a file that must lie in a folder, whatever its links say and however they are swapped while
 * it is read.
 *
 * The path is resolved and checked by the core, opened, and then what was *opened* is checked again:
 * only the second check counts, since between the first one and the opening a link can be swapped.
 *
 * Nothing here waits for a promise: the files are small and many, and a promise for each call took four
 * times as long as the calls themselves. Who reads many gives way to others in between.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import type { Core, PathStyle } from '../core.ts';
import { errorCode } from '../error-code.ts';
import { READ_ROOM_BYTES } from '../limits.ts';

export type FileRead =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'missing' }
  /** It leads out of the folder, or no longer to where it led a moment ago. */
  | { readonly kind: 'outside' }
  /** A folder, a pipe, a device. */
  | { readonly kind: 'notAFile' }
  | { readonly kind: 'tooLarge'; readonly size: number }
  | { readonly kind: 'unreadable'; readonly code: string };

/** A file that was read, and how it stood when it was opened: of the very file whose bytes these are. */
export interface StatedRead {
  readonly read: FileRead;
  /** Null where it could not be opened, is no file or lies elsewhere. */
  readonly stats: Stats | null;
}

export interface FilesParts {
  readonly core: Pick<Core, 'isWithin'>;
  readonly platform: NodeJS.Platform;
  /** Called between the first check and the opening; tests swap links here. */
  readonly beforeOpening?: (path: string) => void;
}

export class ContainedFiles {
  readonly #parts: FilesParts;
  readonly #style: PathStyle;
  readonly #room = new Room();

  constructor(parts: FilesParts) {
    this.#parts = parts;
    this.#style = parts.platform === 'win32' ? 'windows' : 'posix';
  }

  /** Does the resolved `target` lie in the resolved `folder`? */
  within(folder: string, target: string): boolean {
    return this.#parts.core.isWithin(folder, target, this.#style);
  }

  /** Reads the file at the absolute `path`. `folder` is absolute and resolved. */
  read(folder: string, path: string, limit: number): FileRead {
    return this.readStated(folder, path, limit).read;
  }

  /** As `read`. What changes it later changes its times: it is looked at before it is read. */
  readStated(folder: string, path: string, limit: number): StatedRead {
    const failed = (read: FileRead): StatedRead => ({ read, stats: null });
    let file: number | null = null;
    try {
      let real = path;
      file = this.#parts.platform === 'linux' ? this.#direct(folder, path) : null;
      if (file === null) {
        real = realpathSync.native(path);
        if (!this.within(folder, real)) return failed({ kind: 'outside' });
        this.#parts.beforeOpening?.(real);
        file = openSync(real, constants.O_RDONLY | noFollow | noWaiting);
      }
      const stats = fstatSync(file);
      if (!stats.isFile()) return failed({ kind: 'notAFile' });
      if (!this.#isInside(folder, real, file)) return failed({ kind: 'outside' });
      const { size } = stats;
      return {
        read: size > limit ? { kind: 'tooLarge', size } : this.#room.readWhole(file, size, limit),
        stats,
      };
    } catch (error) {
      return failed(failure(error));
    } finally {
      if (file !== null) closeSync(file);
    }
  }

  /**
   * Opens a file that is no link without resolving its path first: on Linux what was opened is asked
   * where it lies, and that decides. Null for a link, which takes the longer way.
   */
  #direct(folder: string, path: string): number | null {
    if (!this.within(folder, path)) return null;
    this.#parts.beforeOpening?.(path);
    try {
      return openSync(path, constants.O_RDONLY | noFollow | noWaiting);
    } catch (error) {
      if (errorCode(error) === 'ELOOP') return null;
      throw error;
    }
  }

  /**
   * Where the opened file lies; `real` was found to be inside. Linux names it by its descriptor.
   * Elsewhere the path is resolved once more around a look at what it leads to, and that must be the
   * opened file.
   */
  #isInside(folder: string, real: string, file: number): boolean {
    if (this.#parts.platform === 'linux') {
      const named = nameOf(file);
      if (named !== null) return named === real || this.within(folder, named);
    }
    const opened = fstatSync(file, { bigint: true });
    const before = realpathSync.native(real);
    const found = statSync(before, { bigint: true });
    const after = realpathSync.native(real);
    const same = found.dev === opened.dev && found.ino === opened.ino;
    return same && before === real && after === real && this.within(folder, after);
  }
}

/** Null where /proc is not there. */
function nameOf(file: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${String(file)}`);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
}

/** Absent on Windows, where a missing flag is 0. */
const noFollow = constants.O_NOFOLLOW || 0;
/** Opening a pipe that nobody writes to would otherwise wait for ever. */
const noWaiting = constants.O_NONBLOCK || 0;

/** Memory that many small files share: one for each would be garbage of its own, counted and collected. */
class Room {
  #free = Buffer.alloc(0);

  /**
   * Never more than `limit` bytes, even when the file grows meanwhile. A file gives fewer bytes than
   * were asked for only at its end, so that one read is mostly enough.
   */
  readWhole(file: number, size: number, limit: number): FileRead {
    let bytes = this.#take(Math.min(size + 1, limit + 1));
    let length = 0;
    for (;;) {
      length += readSync(file, bytes, length, bytes.length - length, length);
      if (length > limit) return { kind: 'tooLarge', size: length };
      // It is only given out as far as it was read into.
      if (length < bytes.length) return { kind: 'read', bytes: bytes.subarray(0, length) };
      const larger = Buffer.allocUnsafeSlow(Math.min(bytes.length * 2, limit + 1));
      bytes.copy(larger);
      bytes = larger;
    }
  }

  /** So many bytes that nobody else has. */
  #take(length: number): Buffer {
    if (length > READ_ROOM_BYTES / 4) return Buffer.allocUnsafeSlow(length);
    if (length > this.#free.length) this.#free = Buffer.allocUnsafeSlow(READ_ROOM_BYTES);
    const taken = this.#free.subarray(0, length);
    this.#free = this.#free.subarray(length);
    return taken;
  }
}

function failure(error: unknown): FileRead {
  const code = errorCode(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'missing' };
    case 'EISDIR':
    case 'ENXIO':
      return { kind: 'notAFile' };
    // O_NOFOLLOW met a link where there was none a moment ago.
    case 'ELOOP':
    case 'EMLINK':
      return { kind: 'outside' };
    case null:
      throw error;
    default:
      return { kind: 'unreadable', code };
  }
}
