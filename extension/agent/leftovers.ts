/**
 * Removes what nobody will ask for again: saved outputs and copies of sessions that were killed, and
 * copies of files that no turn names any more. What is young stays, since another window or command
 * may be at work on it.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LEFTOVER_DAYS } from '../limits.ts';
import { changedFilesOf } from './changes.ts';
import { missing } from './files.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** `storage` is that of `AgentSession`; `now` in milliseconds. */
export async function removeLeftovers(storage: string, now: number): Promise<void> {
  const oldest = now - LEFTOVER_DAYS * DAY_MS;
  for (const folder of ['outputs', 'watched']) {
    for (const path of await inside(join(storage, folder))) await removeOld(path, oldest);
  }
  const named = await namedCopies(join(storage, 'turns'));
  if (named === null) return;
  for (const folder of await inside(join(storage, 'copies'))) {
    for (const name of await readdir(folder).catch(nothing)) {
      if (!named.has(name)) await removeOld(join(folder, name), oldest);
    }
  }
}

/** The copies that turns name; null when a turn cannot be read, and nobody knows what it names. */
async function namedCopies(turns: string): Promise<ReadonlySet<string> | null> {
  const named = new Set<string>();
  for (const path of await inside(turns)) {
    if (!path.endsWith('.json')) continue;
    const changed = changedFilesOf(await readFile(path, 'utf8').catch(() => ''));
    if (changed === null) return null;
    for (const { before, after } of changed) {
      for (const side of [before, after]) if (side !== null) named.add(side);
    }
  }
  return named;
}

async function inside(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(nothing)).map((name) => join(folder, name));
}

async function removeOld(path: string, oldest: number): Promise<void> {
  const found = await stat(path).catch(missing);
  if (found !== null && found.mtimeMs < oldest) await rm(path, { recursive: true, force: true });
}

function nothing(error: unknown): [] {
  missing(error);
  return [];
}
