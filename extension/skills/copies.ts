import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { StateFolder } from '../state.ts';
import { ALLOWED_COPY_BYTES } from '../limits.ts';
import { errorCode } from '../error-code.ts';

/**
 * Copies of allowed texts, by their digest, so that a later change can be shown as a diff. They are
 * never given to a model: losing or damaging one only costs a diff.
 */
export class ApprovedCopies {
  readonly #state: StateFolder;

  constructor(state: StateFolder) {
    this.#state = state;
  }

  async keep(workspaceFolder: string, digest: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > ALLOWED_COPY_BYTES || !isHex(digest)) return;
    const folder = await this.#folder(workspaceFolder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFileAtomic(join(folder, digest), Buffer.from(bytes), { mode: 0o600 });
  }

  async read(workspaceFolder: string, digest: string): Promise<Uint8Array | null> {
    if (!isHex(digest)) return null;
    try {
      return await readFile(join(await this.#folder(workspaceFolder), digest));
    } catch (error) {
      if (errorCode(error) === null) throw error;
      return null;
    }
  }

  /** Removes copies that nothing refers to any more. */
  async keepOnly(workspaceFolder: string, digests: ReadonlySet<string>): Promise<void> {
    const folder = await this.#folder(workspaceFolder);
    let names: string[];
    try {
      names = await readdir(folder);
    } catch (error) {
      if (errorCode(error) === null) throw error;
      return;
    }
    for (const name of names) {
      if (isHex(name) && !digests.has(name)) await rm(join(folder, name), { force: true });
    }
  }

  async #folder(workspaceFolder: string): Promise<string> {
    return join(await this.#state.folder(workspaceFolder), 'skill-copies');
  }
}

function isHex(digest: string): boolean {
  return /^[0-9a-f]{64}$/.test(digest);
}
