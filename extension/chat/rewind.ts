/**
 * Going back to before a message: which turns leave the chat, and what becomes of the files they
 * changed. Nothing is changed here.
 */
import type { UndoneFile } from './protocol.ts';
import type { Turn } from './transcript.ts';

export interface RewindPlan {
  readonly files: readonly UndoneFile[];
  /** Messages after this one, which leave the chat too. */
  readonly later: number;
}

interface Undoing {
  undoPlan(...turns: readonly string[]): Promise<readonly UndoneFile[]>;
}

/** The turns from `id` on whose changes stand, the newest first. */
export function undoable(turns: readonly Turn[], id: string): readonly string[] {
  return leaving(turns, id)
    .filter(({ undone }) => undone === null)
    .map((turn) => turn.id)
    .reverse();
}

export async function rewindPlan(
  turns: readonly Turn[],
  id: string,
  session: Undoing,
): Promise<RewindPlan> {
  const found = await session.undoPlan(...undoable(turns, id));
  const known = new Set(found.map(({ path }) => path));
  // A journal is not kept for ever; what it would have named is named all the same.
  const lost = leaving(turns, id)
    .filter(({ undone }) => undone === null)
    .flatMap((turn) => turn.end?.summary.changes ?? [])
    .map(({ path }) => path)
    .filter((path) => !known.has(path));
  const kept = [...new Set(lost)].map((path): UndoneFile => {
    return { path, what: 'keep', note: 'no copy from before is kept any more' };
  });
  const messages = leaving(turns, id).filter(({ message }) => message !== null);
  return { files: [...found, ...kept], later: Math.max(0, messages.length - 1) };
}

function leaving(turns: readonly Turn[], id: string): readonly Turn[] {
  const at = turns.findIndex((turn) => turn.id === id);
  return at < 0 ? [] : turns.slice(at);
}
