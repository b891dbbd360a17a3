/**
 * Where secrets are kept: texts under names, and a lock for each name that holds in all windows. The
 * editor has a store of its own for this; the command line keeps files that only the user can read.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { errorCode } from '../../error-code.ts';
import { withFileLock } from '../../file-lock.ts';
import { TOKEN_LOCK_TRIES } from '../../limits.ts';

/** Names are lower-case letters, digits and dashes. */
export interface SecretStore {
  get(name: string): Promise<string | null>;
  /** Null takes it away. */
  set(name: string, text: string | null): Promise<void>;
  /** Runs `act` while nobody else, in any window, runs one under this name. */
  locked<T>(name: string, act: () => Promise<T>): Promise<T>;
}

/** Locks as files below a folder of the user's. */
export class FileLocks {
  readonly #folder: string;

  /** `folder` is absolute; it is made when it is first needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async locked<T>(name: string, act: () => Promise<T>): Promise<T> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return withFileLock(join(this.#folder, name), { retries: TOKEN_LOCK_TRIES }, act);
  }
}

/** For the command line: one file a name, readable for the user alone. */
export class FileSecrets extends FileLocks implements SecretStore {
  readonly #path: (name: string) => string;

  constructor(folder: string) {
    super(folder);
    this.#path = (name) => join(folder, `${name}.json`);
  }

  async get(name: string): Promise<string | null> {
    return readFile(this.#path(name), 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
  }

  async set(name: string, text: string | null): Promise<void> {
    if (text === null) return rm(this.#path(name), { force: true });
    const path = this.#path(name);
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, text, { mode: 0o600 });
  }
}
