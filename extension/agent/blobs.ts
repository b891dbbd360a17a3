/** Copies of files by their content, in a folder of the user's that no repository can write. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digest, missing } from './files.ts';

export class Blobs {
  constructor(readonly root: string) {}

  /** Keeps `data`; gives the name it is found by. One that was there counts as young again. */
  async put(data: Buffer): Promise<string> {
    const name = digest(data);
    const path = this.#path(name);
    if ((await stat(path).catch(missing)) === null) await writePrivate(path, data);
    else await utimes(path, new Date(), new Date());
    return name;
  }

  /** Null when it was removed since. */
  async get(name: string): Promise<Buffer | null> {
    return readFile(this.#path(name)).catch(missing);
  }

  #path(name: string): string {
    return join(this.root, name.slice(0, 2), name);
  }
}

/** Writes a file whole or not at all, for the user alone. */
export async function writePrivate(path: string, data: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(temporary, data, { mode: 0o600, flag: 'wx' });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
