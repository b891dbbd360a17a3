// Discovery as a chat does it, from folders to the list of skills with their states: against reading
// the same files bare, and the second time against the first.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compared } from './lib.mjs';

export const title = 'Discovery of 1,000 skills';

export function run({ rounds }) {
  const file = fileURLToPath(new URL('discovery-times.mjs', import.meta.url));
  const least = String(Math.max(5, Math.floor(rounds / 2)));
  // The shell's TypeScript is read by tsx.
  const medians = JSON.parse(
    execFileSync(process.execPath, ['--import', 'tsx', file, least], { encoding: 'utf8' }),
  );
  const reading = [
    ['read bare', 1.5],
    ['read bare, by synchronous calls', null],
  ];
  return [
    compared('The user’s own, the first time', medians, 'own', reading),
    compared('… and again, nothing changed', { ...medians, first: medians.own }, 'own again', [
      ['first', 0.2],
    ]),
    compared('A project’s, each file with its SHA-256', medians, 'project', reading),
    compared(
      '… and again, nothing changed',
      { ...medians, first: medians.project },
      'project again',
      [['first', 0.2]],
    ),
  ];
}
