/** Notices an agent that repeats itself: the same call with the same result, again and again. */
import { createHash } from 'node:crypto';
import { REPEATS_ASKED, REPEATS_NOTED } from '../limits.ts';

export class Repetition {
  readonly #times = new Map<string, number>();

  /** How often this call now gave this result, and what is to be done about it. */
  count(
    tool: string,
    args: string,
    result: string,
  ): { readonly times: number; readonly act: 'nothing' | 'note' | 'ask' } {
    const key = createHash('sha256')
      .update(JSON.stringify([tool, args, result]))
      .digest('base64');
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    if (times >= REPEATS_ASKED) return { times, act: 'ask' };
    return { times, act: times >= REPEATS_NOTED ? 'note' : 'nothing' };
  }

  /** The user let it go on. */
  forgive(): void {
    this.#times.clear();
  }
}
