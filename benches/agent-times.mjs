// The agent's own time and prompt, as JSON; benches/agent.mjs runs this, by tsx, in a process of its
// own. The model answers at once, so that what is left is ours.
import { setTimeout as sleep } from 'node:timers/promises';
import { call, say, withBed } from '../tests/node/agent/support.ts';
import { median } from './lib.mjs';

const STEPS = 60;
const rounds = Number(process.argv[2]);
const page = 'A line of some length that stands for what is read.\n'.repeat(40);

/** Milliseconds of a turn, and what its first request held. */
async function turn(steps, files) {
  const turned = { ms: 0, characters: 0 };
  await withBed({ steps, files, settings: { maxSteps: STEPS + 5 } }, async (bed) => {
    const start = performance.now();
    const end = await bed.session.send('go');
    turned.ms = performance.now() - start;
    if (end.kind !== 'answered') throw new Error(`the turn ended with ${end.kind}`);
    const [{ messages, tools }] = bed.provider.requests;
    turned.characters = JSON.stringify([messages, tools]).length;
  });
  return turned;
}

/** Milliseconds from a stop to the end of its turn, once `busy` says that the turn is where it should be. */
async function stopped(steps, busy) {
  let ms = 0;
  await withBed({ steps, settings: { permissionMode: 'auto' } }, async (bed) => {
    const turn = bed.session.send('go');
    while (!bed.events.some(busy)) await sleep(5);
    await sleep(50);
    const start = performance.now();
    bed.session.stop();
    await turn;
    ms = performance.now() - start;
  });
  return ms;
}

/** An answer that never ends. */
const forever = async function* (_request, signal) {
  for (;;) {
    await sleep(5, undefined, { signal });
    yield { type: 'text', text: 'word ' };
  }
};

const stops = {
  'stop while it writes': () => stopped([forever], ({ type }) => type === 'text'),
  'stop while a command runs': () =>
    stopped(
      [call('run_command', { command: 'sleep 100' }), say('ok')],
      ({ type, line }) => type === 'line' && line.state === 'running',
    ),
};

const names = Array.from({ length: STEPS }, (_, k) => `file-${k}.txt`);
const cases = {
  nothing: [[say('ok')], {}],
  reading: [
    [...names.map((path) => call('read_file', { path })), say('ok')],
    Object.fromEntries(names.map((name) => [name, page])),
  ],
  writing: [[...names.map((path) => call('write_file', { path, content: page })), say('ok')], {}],
};

const found = { nothing: [], reading: [], writing: [] };
const stopTimes = Object.fromEntries(Object.keys(stops).map((name) => [name, []]));
let characters = 0;
for (let round = -1; round < rounds; round += 1) {
  for (const [name, [steps, files]] of Object.entries(cases)) {
    const turned = await turn(steps, files);
    if (name === 'nothing') characters = turned.characters;
    if (round >= 0) found[name].push(turned.ms);
  }
  for (const [name, time] of Object.entries(stops)) {
    const ms = await time();
    if (round >= 0) stopTimes[name].push(ms);
  }
}
const empty = median(found.nothing);
const perStep = (name) => (median(found[name]) - empty) / STEPS;
console.log(
  JSON.stringify({
    empty,
    reading: perStep('reading'),
    writing: perStep('writing'),
    characters,
    stops: Object.fromEntries(
      Object.entries(stopTimes).map(([name, times]) => [name, median(times)]),
    ),
  }),
);
