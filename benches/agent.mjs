// The agent beside its model: its own time for each step, and what an empty session sends.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { limited } from './lib.mjs';

export const title = 'The agent’s own part, the model answering at once';

export function run({ rounds }) {
  const file = fileURLToPath(new URL('agent-times.mjs', import.meta.url));
  const times = JSON.parse(
    execFileSync(
      process.execPath,
      ['--import', 'tsx', file, String(Math.max(3, Math.floor(rounds / 3)))],
      { encoding: 'utf8' },
    ),
  );
  return [
    limited('A turn without a call, from message to answer', times.empty, null),
    limited('A step that reads a file', times.reading, 10),
    limited('A step that writes a file, with its copy for undo', times.writing, 10),
    limited(
      'Stop while it writes, to the end of the turn',
      times.stops['stop while it writes'],
      100,
    ),
    limited('Stop while a command runs', times.stops['stop while a command runs'], 100),
    limited(
      'First request of an empty session: tokens, at 4 characters',
      times.characters / 4,
      1500,
      'tokens',
    ),
  ];
}
