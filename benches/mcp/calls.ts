/**
 * Prints the milliseconds of calls, one by one and 50 at once, and of starts, of both clients by turns:
 * `calls.ts ROUNDS`.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createCore } from '../../extension/core.ts';
import { ours, sdk, type Connect, type Connected, type ServerName } from './clients.ts';

const rounds = Number(process.argv[2]);
const sides: Readonly<Record<'ours' | 'sdk', Connect>> = { ours: ours(createCore()), sdk };
type Side = keyof typeof sides;
const names: readonly Side[] = ['ours', 'sdk'];
/** Pairs of calls, and pairs of bursts, for each round. */
const CALLS = 200;
const BURSTS = 10;
const AT_ONCE = 50;
/** Calls of each side before the time is taken: V8 compiles what is hot on the way. */
const WARM = 4_000;

/**
 * Pairs of calls after which young garbage is collected: before it would be by itself. An odd number,
 * since whoever comes next finds the caches cold.
 */
const COLLECTED = 21;

setFlagsFromString('--expose-gc');
/** Nobody pays for what the other left. */
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Both take their turns in changing order, so that neither always comes first. */
function turn(round: number): readonly Side[] {
  return Math.abs(round) % 2 === 0 ? names : [...names].reverse();
}

type Times = Record<Side, number[]>;
const empty = (): Times => ({ ours: [], sdk: [] });

async function calls(server: ServerName, tool: string, args: object): Promise<object> {
  const connected: Record<Side, Connected> = {
    ours: await sides.ours(server),
    sdk: await sides.sdk(server),
  };
  const one = empty();
  const atOnce = empty();
  for (let n = -WARM; n < rounds * CALLS; n += 1) {
    if (n % COLLECTED === 0) collect({ type: 'minor' });
    for (const side of turn(n)) {
      const time = await timed(() => connected[side].call(tool, args));
      if (n >= 0) one[side].push(time);
    }
  }
  for (let n = -WARM / AT_ONCE; n < rounds * BURSTS; n += 1) {
    for (const side of turn(n)) {
      collect({ type: 'minor' });
      const burst = Array.from({ length: AT_ONCE }, () => connected[side].call);
      const time = await timed(() => Promise.all(burst.map((call) => call(tool, args))));
      if (n >= 0) atOnce[side].push(time);
    }
  }
  for (const side of names) await connected[side].end();
  return { one, atOnce };
}

async function starts(server: ServerName): Promise<Times> {
  const times = empty();
  for (let round = -1; round < rounds; round += 1) {
    for (const side of turn(round)) {
      const made: Connected[] = [];
      const time = await timed(async () => made.push(await sides[side](server)));
      for (const one of made) await one.end();
      if (round >= 0) times[side].push(time);
    }
  }
  return times;
}

async function all(): Promise<object> {
  const text = 'What the gauge says this week. '.repeat(8);
  return {
    everything: await calls('everything', 'echo', { message: text }),
    small: await calls('small', 'echo', { text }),
    starts: { everything: await starts('everything'), small: await starts('small') },
  };
}

void all().then((measured) => process.stdout.write(JSON.stringify(measured)));
