/** Turns in chunks: what did not change is compared chunk by chunk, however long the chat is. */
import type { Turn } from '../transcript.ts';
import { TURNS_IN_CHUNK } from '../../limits.ts';

/** Turns in chunks that stay the same while turns come in at the end and, drawn later, above. */
export function chunks(
  turns: readonly Turn[],
  skipped: number,
): readonly { readonly number: number; readonly turns: readonly Turn[] }[] {
  const list: { number: number; turns: readonly Turn[] }[] = [];
  for (let from = skipped; from < turns.length;) {
    const number = Math.floor(from / TURNS_IN_CHUNK);
    const to = (number + 1) * TURNS_IN_CHUNK;
    list.push({ number, turns: turns.slice(from, to) });
    from = to;
  }
  return list;
}
