/**
 * Reading a file whose path somebody else chose: a regular one, up to a limit, and nothing that could
 * wait for ever, such as a pipe or a device that a link leads to.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../error-code.ts';

export type RegularFile =
  | { readonly kind: 'read'; readonly bytes: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'folder' }
  /** A pipe, a device, a socket. */
  | { readonly kind: 'odd' }
  | { readonly kind: 'tooLarge'; readonly bytes: number }
  | { readonly kind: 'unreadable'; readonly code: string };

/** Absent on Windows, where a missing flag is 0. Opening a pipe that nobody writes to would wait. */
const noWaiting = constants.O_NONBLOCK || 0;

/** Hands the file's bytes to `take`, piece by piece, unless it has more than `limit`. */
export async function readRegularFile(
  path: string,
  limit: number,
  take: (bytes: Uint8Array) => void,
): Promise<RegularFile> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, constants.O_RDONLY | noWaiting);
    const stat = await handle.stat();
    if (stat.isDirectory()) return { kind: 'folder' };
    if (!stat.isFile()) return { kind: 'odd' };
    if (stat.size > limit) return { kind: 'tooLarge', bytes: stat.size };
    return await readWhole(handle, limit, take);
  } catch (error) {
    return failed(error);
  } finally {
    await handle?.close();
  }
}

/** Never more than `limit` bytes, even when the file grows meanwhile. */
async function readWhole(
  handle: FileHandle,
  limit: number,
  take: (bytes: Uint8Array) => void,
): Promise<RegularFile> {
  const piece = Buffer.allocUnsafe(64 * 1024);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await handle.read(piece, 0, piece.length, bytes);
    if (bytesRead === 0) return { kind: 'read', bytes };
    bytes += bytesRead;
    if (bytes > limit) return { kind: 'tooLarge', bytes };
    take(piece.subarray(0, bytesRead));
  }
}

function failed(error: unknown): RegularFile {
  const code = errorCode(error);
  switch (code) {
    case null:
      throw error;
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
      return { kind: 'missing' };
    case 'EISDIR':
      return { kind: 'folder' };
    // A socket, or a pipe or device that nobody serves.
    case 'ENXIO':
    case 'ENODEV':
      return { kind: 'odd' };
    default:
      return { kind: 'unreadable', code };
  }
}
