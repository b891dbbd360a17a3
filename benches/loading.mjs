// Loading in fresh processes: the core (its glue and module read, compiled, instantiated) against
// importing the client of the MCP SDK. Each process takes the time by itself, from its first line on.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compared, limited, median } from './lib.mjs';

const entry = fileURLToPath(new URL('../pkg/index.cjs', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const header = '---\\nname: a\\ndescription: Something to read.\\n---\\nBody\\n';

/** Programs that print their milliseconds. */
const programs = {
  core: `require(${JSON.stringify(entry)}).createCore()`,
  'core, first skill read': `require(${JSON.stringify(entry)}).createCore().parseSkill(Buffer.from('${header}'), 'a')`,
  'SDK client': `await import('@modelcontextprotocol/sdk/client/index.js')`,
};

function timed(work) {
  const code = `const start = performance.now();
(async () => { ${work}; })().then(() => console.log(performance.now() - start));`;
  const ended = spawnSync(process.execPath, ['-e', code], { cwd: root, encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  return Number(ended.stdout);
}

export const title = 'Loading, in fresh processes';

export function run({ rounds }) {
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(programs)) {
      const time = timed(work);
      if (round >= 0) times[name].push(time);
    }
  }
  const medians = Object.fromEntries(Object.entries(times).map(([name, t]) => [name, median(t)]));
  return [
    limited('Read, compile, instantiate', medians.core, 10),
    compared('The same, against importing the MCP SDK’s client', medians, 'core', [
      ['SDK client', 0.1],
    ]),
    limited('The same with the first skill read', medians['core, first skill read'], null),
  ];
}
