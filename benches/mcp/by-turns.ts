/** Measures calls of two clients by turns, one by one and many at once. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Connected } from './clients.ts';

export type Side = 'ours' | 'sdk';
export const names: readonly Side[] = ['ours', 'sdk'];

/** Milliseconds, of each measurement. */
export type Times = Record<Side, number[]>;
export const empty = (): Times => ({ ours: [], sdk: [] });

export interface Amount {
  /** Pairs of calls, in all. */
  readonly calls: number;
  /** Pairs of bursts, in all. */
  readonly bursts: number;
  /** Calls of each side before the time is taken: V8 compiles what is hot on the way. */
  readonly warm: number;
}

const AT_ONCE = 50;
/**
 * Pairs of calls after which young garbage is collected: before it would be by itself. An odd number,
 * since whoever comes next finds the caches cold.
 */
const COLLECTED = 21;

setFlagsFromString('--expose-gc');
/** Nobody pays for what the other left. */
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Both take their turns in changing order, so that neither always comes first. */
export function turn(round: number): readonly Side[] {
  return Math.abs(round) % 2 === 0 ? names : [...names].reverse();
}

/** Calls one tool of both sides, and ends them. */
export async function callsByTurns(
  sides: Readonly<Record<Side, Connected>>,
  [tool, args]: readonly [string, object],
  { calls, bursts, warm }: Amount,
): Promise<{ readonly one: Times; readonly atOnce: Times }> {
  const one = empty();
  const atOnce = empty();
  for (let n = -warm; n < calls; n += 1) {
    if (n % COLLECTED === 0) collect({ type: 'minor' });
    for (const side of turn(n)) {
      const time = await timed(() => sides[side].call(tool, args));
      if (n >= 0) one[side].push(time);
    }
  }
  for (let n = -warm / AT_ONCE; n < bursts; n += 1) {
    for (const side of turn(n)) {
      collect({ type: 'minor' });
      const burst = Array.from({ length: AT_ONCE }, () => sides[side].call);
      const time = await timed(() => Promise.all(burst.map((call) => call(tool, args))));
      if (n >= 0) atOnce[side].push(time);
    }
  }
  for (const side of names) await sides[side].end();
  return { one, atOnce };
}
