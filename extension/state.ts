/**
 * What is remembered between runs: small JSON files in a folder of the user's that no repository can
 * write. One file per workspace and subject; written atomically, under a lock, so that two windows
 * lose nothing.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { withFileLock } from './file-lock.ts';
import { LOCK_TRIES } from './limits.ts';

/** Subjects that are kept, each in a file of its own. */
export type Subject = 'server-consent' | 'skill-consent' | 'pins' | 'eras' | 'hosts' | 'probes';

export class StateFolder {
  /** `root` is absolute; it is made when first written to. */
  constructor(readonly root: string) {}

  /** What is kept of `subject` for the workspace folder; an empty object where there is nothing. */
  async read(workspaceFolder: string, subject: Subject): Promise<Record<string, unknown>> {
    return this.#parse(await this.#file(workspaceFolder, subject));
  }

  /** Reads, changes and writes under one lock; gives back what was written. */
  async update(
    workspaceFolder: string,
    subject: Subject,
    change: (before: Record<string, unknown>) => Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const file = await this.#file(workspaceFolder, subject);
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
    return withFileLock(file, { retries: LOCK_TRIES }, async () => {
      const after = change(await this.#parse(file));
      await writeFileAtomic(file, `${JSON.stringify(after, null, 2)}\n`, { mode: 0o600 });
      return after;
    });
  }

  /** Where everything about the workspace folder is kept. */
  async folder(workspaceFolder: string): Promise<string> {
    const real = await realpath(workspaceFolder).catch(() => workspaceFolder);
    const key = createHash('sha256').update(real).digest('hex').slice(0, 32);
    return join(this.root, 'workspaces', key);
  }

  async #file(workspaceFolder: string, subject: Subject): Promise<string> {
    return join(await this.folder(workspaceFolder), `${subject}.json`);
  }

  /** A file that is missing or damaged counts as empty: the user is asked again, nothing is granted. */
  async #parse(file: string): Promise<Record<string, unknown>> {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}';
      throw error;
    });
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { ...value }
        : {};
    } catch (error) {
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }
}
