// The agent's own time and prompt, as JSON; benches/agent.mjs runs this, by tsx, in a process of its
// own. The model answers at once, so that what is left is ours.
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
let characters = 0;
for (let round = -1; round < rounds; round += 1) {
  for (const [name, [steps, files]] of Object.entries(cases)) {
    const turned = await turn(steps, files);
    if (name === 'nothing') characters = turned.characters;
    if (round >= 0) found[name].push(turned.ms);
  }
}
const empty = median(found.nothing);
const perStep = (name) => (median(found[name]) - empty) / STEPS;
console.log(
  JSON.stringify({ empty, reading: perStep('reading'), writing: perStep('writing'), characters }),
);
