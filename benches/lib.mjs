// What the benches share: interleaved rounds, medians, and rows that become a table.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects young garbage, so that nobody pays for what another left. */
const collect = runInNewContext('gc');

/** The middle one. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Milliseconds of each of `sides`, by its name: medians of rounds in which each has its turn, after
 * rounds that only warm up. A side is a function, or makes one anew, outside the time, by `fresh`.
 */
export function interleaved(sides, { rounds, warm = 3 }) {
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = -warm; round < rounds; round += 1) {
    for (const [name, side] of Object.entries(sides)) {
      const work = typeof side === 'function' ? side : side.fresh();
      collect({ type: 'minor' });
      const start = performance.now();
      work();
      const time = performance.now() - start;
      if (round >= 0) times[name].push(time);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/** As `interleaved`, for sides that give promises; one after the other. */
export async function interleavedAwaited(sides, { rounds, warm = 2 }) {
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = -warm; round < rounds; round += 1) {
    for (const [name, side] of Object.entries(sides)) {
      collect({ type: 'minor' });
      const start = performance.now();
      await side();
      const time = performance.now() - start;
      if (round >= 0) times[name].push(time);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

function shown(value) {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Milliseconds, or whatever the unit is, in three digits. */
export function amount(value, unit = 'ms') {
  return `${shown(value)} ${unit}`;
}

/**
 * A row: our time against each peer's, with the ratio that is wanted.
 * `against` is `[[name of the peer, ratio at most or null], …]`.
 */
export function compared(title, medians, ours, against) {
  return {
    title,
    ours: amount(medians[ours]),
    peers: against.map(([peer, target]) => {
      const ratio = medians[ours] / medians[peer];
      return {
        text: `${peer} ${amount(medians[peer])}`,
        ratio: `${ratio.toFixed(ratio < 0.1 ? 3 : 2)} ×`,
        target: target === null ? null : `≤ ${target} ×`,
        met: target === null ? null : ratio <= target,
      };
    }),
  };
}

/** A row: a value that must not be over a limit, if one is given. */
export function limited(title, value, target, unit = 'ms') {
  return {
    title,
    ours: amount(value, unit),
    peers: [
      {
        text: '',
        ratio: '',
        target: target === null ? null : `≤ ${target} ${unit}`,
        met: target === null ? null : value <= target,
      },
    ],
  };
}

/** A row that only says something. */
export function said(title, text, met = null) {
  return { title, ours: text, peers: [{ text: '', ratio: '', target: null, met }] };
}
