// Activation in a real VS Code, as it reports it itself, beside the extensions that it brings.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildAll } from '../scripts/build.mjs';
import { setupBed } from '../scripts/lib/beds.mjs';
import { chromium } from '../scripts/lib/setup.mjs';
import { limited, median, said } from './lib.mjs';

export const title = 'Activation in VS Code';

export async function run({ rounds }) {
  await buildAll();
  const env = {
    ...process.env,
    GBS_CHROMIUM: await chromium(),
    GBS_BED: await setupBed('latest'),
    GBS_BED_KIND: 'latest',
  };
  const file = fileURLToPath(new URL('activation-times.mjs', import.meta.url));
  const times = String(Math.min(5, Math.max(1, Math.floor(rounds / 3))));
  const seen = JSON.parse(
    execFileSync(process.execPath, ['--import', 'tsx', file, times], { encoding: 'utf8', env }),
  );
  const own = seen.flatMap((each) => Object.entries(each).filter(([name]) => /GBS/.test(name)));
  if (own.length === 0) throw new Error('VS Code does not list GBS Agent among what runs.');
  const others = seen.flatMap((each) => Object.entries(each).filter(([name]) => !/GBS/.test(name)));
  return [
    limited('GBS Agent', median(own.map(([, ms]) => ms)), 50),
    others.length === 0
      ? said('What VS Code brings', 'nothing else ran')
      : limited(`Median of ${others.length} others`, median(others.map(([, ms]) => ms)), null),
  ];
}
