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
  statSync,
} from 'node:fs';
import type { Core, PathStyle } from '../core.ts';
import { errorCode } from '../error-code.ts';

export type FileRead =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'missing' }
  /** It leads out of the folder, or no longer to where it led a moment ago. */
  | { readonly kind: 'outside' }
  /** A folder, a pipe, a device. */
  | { readonly kind: 'notAFile' }
  | { readonly kind: 'tooLarge'; readonly size: number }
  | { readonly kind: 'unreadable'; readonly code: string };

export interface FilesParts {
  readonly core: Pick<Core, 'isWithin'>;
  readonly platform: NodeJS.Platform;
  /** Called between the first check and the opening; tests swap links here. */
  readonly beforeOpening?: (path: string) => void;
}

export class ContainedFiles {
  readonly #parts: FilesParts;
  readonly #style: PathStyle;

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
    let file: number | null = null;
    try {
      let real = path;
      file = this.#parts.platform === 'linux' ? this.#direct(folder, path) : null;
      if (file === null) {
        real = realpathSync.native(path);
        if (!this.within(folder, real)) return { kind: 'outside' };
        this.#parts.beforeOpening?.(real);
        file = openSync(real, constants.O_RDONLY | noFollow | noWaiting);
      }
      const opened = fstatSync(file);
      if (!opened.isFile()) return { kind: 'notAFile' };
      if (!this.#isInside(folder, real, file)) return { kind: 'outside' };
      if (opened.size > limit) return { kind: 'tooLarge', size: opened.size };
      return readWhole(file, opened.size, limit);
    } catch (error) {
      return failed(error);
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

/**
 * Never more than `limit` bytes, even when the file grows meanwhile. A file gives fewer bytes than
 * were asked for only at its end, so that one read is mostly enough.
 */
function readWhole(file: number, size: number, limit: number): FileRead {
  // Small ones share memory: it is only given out as far as it was read into.
  let bytes = Buffer.allocUnsafe(Math.min(size + 1, limit + 1));
  let length = 0;
  for (;;) {
    length += readSync(file, bytes, length, bytes.length - length, length);
    if (length > limit) return { kind: 'tooLarge', size: length };
    if (length < bytes.length) return { kind: 'read', bytes: bytes.subarray(0, length) };
    const larger = Buffer.allocUnsafe(Math.min(bytes.length * 2, limit + 1));
    bytes.copy(larger);
    bytes = larger;
  }
}

function failed(error: unknown): FileRead {
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
