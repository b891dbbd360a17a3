/**
 * Writes a server into a configuration file: under a lock, whole or not at all.
 *
 * The file keeps its comments, order, line ends, encoding and mode. A link is followed, but not out of
 * the workspace. A file that cannot be read is left as it is and reported.
 */
import { chmod, lstat, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, isAbsolute, sep } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { errorCode } from '../error-code.ts';
import { withFileLock } from '../file-lock.ts';
import { CONFIG_FILE_BYTES, LOCK_TRIES } from '../limits.ts';
import { withServer } from './new-server.ts';

export interface KeepTarget {
  /** Absolute. */
  readonly path: string;
  /** The workspace folder that the file must not lead out of, absolute; null for the user's own. */
  readonly within: string | null;
}

export type Kept =
  | { readonly kind: 'kept' }
  /** The fact and cause, a sentence. */
  | {
      readonly kind: 'refused';
      readonly code: 'taken' | 'broken-file' | 'leads-outside' | 'not-a-file' | 'unwritable';
      readonly message: string;
    };

export async function keepServer(
  { path, within }: KeepTarget,
  name: string,
  server: object,
): Promise<Kept> {
  try {
    const file = await realFile(path, within);
    if (typeof file !== 'string') return file;
    const tries = { retries: LOCK_TRIES, factor: 1.2, randomize: true };
    return await withFileLock(file, tries, async () => {
      for (let left = LOCK_TRIES; left > 0; left -= 1) {
        const kept = await write({ path, within }, file, name, server);
        if (kept !== null) return kept;
      }
      return refused('unwritable', `${path} is written by others all the time.`);
    });
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    return refused('unwritable', `${path} cannot be written (${code}).`);
  }
}

/** The file that is meant, links followed and its folder made, or why it may not be written. */
async function realFile(path: string, within: string | null): Promise<string | Kept> {
  const root = within === null ? null : await realpath(within);
  const isOutside = (real: string): boolean => {
    if (root === null) return false;
    const inside = relative(root, real);
    return isAbsolute(inside) || inside.split(sep)[0] === '..';
  };
  const outside = refused('leads-outside', `${path} leads out of the workspace.`);
  const folder = dirname(path);
  let real = await realOrNull(folder);
  if (real === null) {
    const parent = await realpath(dirname(folder));
    if (isOutside(parent)) return outside;
    real = join(parent, basename(folder));
    // Two windows may make it at once.
    await mkdir(real, { recursive: true });
  }
  if (isOutside(real)) return outside;
  const named = join(real, basename(path));
  if (await isAbsent(named)) return named;
  // A link that leads nowhere is not followed: who made it meant another place than this.
  const file = await realpath(named);
  if (isOutside(file)) return outside;
  return (await stat(file)).isFile() ? file : refused('not-a-file', `${path} is not a file.`);
}

/** Nothing stands there, not even a link that leads nowhere. */
async function isAbsent(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

async function realOrNull(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Null where somebody who knows of no lock wrote meanwhile. */
async function write(
  { path, within }: KeepTarget,
  file: string,
  name: string,
  server: object,
): Promise<Kept | null> {
  const before = await bytesOf(file);
  if (before !== null && before.length > CONFIG_FILE_BYTES) {
    return refused('broken-file', `${path} is too large to be a list of servers.`);
  }
  const encoding = encodingOf(before ?? Buffer.alloc(0));
  const text = decoded(before ?? Buffer.alloc(0), encoding);
  if (text === null) return refused('broken-file', `${path} is not UTF-8, so it is left as it is.`);
  const after = withServer(text, name, server);
  switch (after.kind) {
    case 'taken':
      return refused(
        'taken',
        `${path} has a server "${name}" already. Remove or rename one of them.`,
      );
    case 'broken':
      return refused(
        'broken-file',
        `${path}, line ${String(after.line)}, cannot be read, so it is left as it is.`,
      );
    case 'text': {
      const now = await bytesOf(file);
      if (!same(before, now)) return null;
      // What others' files held of keys is for the user alone; a project's file is for all who have it.
      const ofNew = within === null ? 0o600 : 0o644;
      const mode = before === null ? undefined : (await stat(file)).mode & 0o7777;
      await writeFileAtomic(file, encoded(after.text, encoding), { mode: mode ?? ofNew });
      if (mode !== undefined) await chmod(file, mode);
      return { kind: 'kept' };
    }
  }
}

async function bytesOf(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function same(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

function encodingOf([first, second]: Buffer): Encoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** With its byte order mark; null where the bytes are no text. */
function decoded(bytes: Buffer, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function encoded(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
  }
}

function refused(code: Extract<Kept, { kind: 'refused' }>['code'], message: string): Kept {
  return { kind: 'refused', code, message };
}
