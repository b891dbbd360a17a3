/**
 * Shakes the order in which concurrent things happen, to find tests (and code) that count on an order
 * which nothing holds: `npm test -- node loop --shake 7`. Loaded before anything else into every Node
 * process of the part, it delays what the file system and the timers answer, by amounts that follow
 * from the seed. What waits for a condition passes; what waits for luck does not.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

const { setTimeout: realTimeout, setImmediate: realImmediate } = globalThis;

/** Mulberry32: 32 bits of state, enough to scatter delays. */
let state = Number(process.env.GBS_SHAKE) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

/** Calls `then` soon, in a few milliseconds, or after a pause as a loaded machine makes it. */
function sometime(then) {
  const luck = random();
  if (luck < 0.5) then();
  else if (luck < 0.75) realImmediate(then);
  else if (luck < 0.98) realTimeout(then, random() * 8);
  else realTimeout(then, 30 + random() * 60);
}

const pause = () => new Promise(sometime);

function shakePromises(object) {
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== 'function' || name === 'watch' || /^[A-Z]/u.test(name)) continue;
    object[name] = async function (...args) {
      await pause();
      try {
        return await value.apply(this, args);
      } finally {
        await pause();
      }
    };
  }
}

function shakeCallbacks(object) {
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== 'function' || /Sync$|Stream$|^[A-Z_]|^(un)?watch/u.test(name)) continue;
    const shaken = function (...args) {
      const callback = args.at(-1);
      if (typeof callback === 'function')
        args[args.length - 1] = (...answer) => sometime(() => callback(...answer));
      return value.apply(this, args);
    };
    object[name] = Object.assign(shaken, value);
    const custom = Object.getOwnPropertySymbols(value);
    for (const symbol of custom) shaken[symbol] = value[symbol];
  }
}

shakeCallbacks(fs);
shakePromises(fs.promises);

const realWatch = fs.watch;
fs.watch = function (...args) {
  const listener = args.at(-1);
  if (typeof listener === 'function')
    args[args.length - 1] = (...seen) => sometime(() => listener(...seen));
  return realWatch.apply(this, args);
};

// A timer is never early; how late it is depends on what else runs. Long ones stay: Node takes what is
// over 2,147,483,647 ms for 1.
const late = (ms) =>
  typeof ms === 'number' && ms < 60_000 ? ms + (random() < 0.3 ? random() * 40 : 0) : ms;
globalThis.setTimeout = Object.assign(
  (then, ms, ...args) => realTimeout(then, late(ms), ...args),
  realTimeout,
);
for (const symbol of Object.getOwnPropertySymbols(realTimeout))
  globalThis.setTimeout[symbol] = realTimeout[symbol];
const realSleep = timersPromises.setTimeout;
timersPromises.setTimeout = (ms, ...args) => realSleep(late(ms), ...args);

syncBuiltinESMExports();
