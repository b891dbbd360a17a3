/**
 * The files inside the workspace that a server names, each with its digest: what an approval covers
 * besides the command.
 */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import type { Core, CoveredFile, NamedFile, PathStyle } from '../core.ts';
import {
  COVERED_BYTES_IN_ALL,
  COVERED_FILE_BYTES,
  LOOKS_AT_ONCE,
  LOOKS_IN_ALL,
} from '../limits.ts';
import { never } from '../never.ts';
import { readRegularFile } from './regular-file.ts';
import { errorCode } from '../error-code.ts';

export interface CoveredFilesParts {
  readonly core: Pick<Core, 'isWithin'>;
  readonly style: PathStyle;
  /** The workspace folders as the editor gives them. */
  readonly folders: readonly string[];
  /** The same with links followed. */
  readonly realFolders: readonly string[];
}

interface Digest {
  readonly real: string;
  readonly sha256: string | null;
}

/** One reading: a file that several servers name is digested once. */
export class CoveredFiles {
  readonly #parts: CoveredFilesParts;
  readonly #digests = new Map<string, Promise<Digest | null>>();
  #left = COVERED_BYTES_IN_ALL;

  constructor(parts: CoveredFilesParts) {
    this.#parts = parts;
  }

  /** Is a path with links followed inside the workspace? */
  within(real: string): boolean {
    return this.#parts.realFolders.some((folder) => this.#isWithin(folder, real));
  }

  /**
   * Those of `named` that are files inside the workspace, or seem to be and lead out of it; null where
   * all servers together name too many paths.
   */
  async of(named: readonly NamedFile[]): Promise<CoveredFile[] | null> {
    if (this.#digests.size + named.length > LOOKS_IN_ALL) return null;
    const found: CoveredFile[] = [];
    for (let start = 0; start < named.length; start += LOOKS_AT_ONCE) {
      const some = named.slice(start, start + LOOKS_AT_ONCE);
      const digests = await Promise.all(some.map(({ path }) => this.#once(path)));
      some.forEach(({ path, field, secret }, index) => {
        const digest = digests[index] ?? null;
        if (digest !== null) found.push({ path, field, secret, ...digest });
      });
    }
    return found;
  }

  #once(path: string): Promise<Digest | null> {
    const known = this.#digests.get(path);
    if (known !== undefined) return known;
    const digest = this.#digest(path);
    this.#digests.set(path, digest);
    return digest;
  }

  async #digest(path: string): Promise<Digest | null> {
    const named = this.#parts.folders.some((folder) => this.#isWithin(folder, path));
    let real: string;
    try {
      real = await realpath(path);
    } catch (error) {
      switch (errorCode(error)) {
        case null:
          throw error;
        case 'ENOENT':
        case 'ENOTDIR':
        case 'ENAMETOOLONG':
          return null;
        default:
          // There is something that cannot be looked at.
          return named ? { real: path, sha256: null } : null;
      }
    }
    if (!named && !this.within(real)) return null;
    const hash = createHash('sha256');
    const read = await readRegularFile(real, Math.min(COVERED_FILE_BYTES, this.#left), (bytes) => {
      hash.update(bytes);
      this.#left -= bytes.length;
    });
    switch (read.kind) {
      case 'read':
        return { real, sha256: hash.digest('hex') };
      case 'missing':
      case 'folder':
        return null;
      case 'odd':
      case 'tooLarge':
      case 'unreadable':
        return { real, sha256: null };
      default:
        return never(read);
    }
  }

  #isWithin(folder: string, path: string): boolean {
    return this.#parts.core.isWithin(folder, path, this.#parts.style);
  }
}
