// Installs the VS Code test beds and Chromium; npm test does the same by itself.
import { setupBed } from './lib/beds.mjs';
import { main } from './lib/run.mjs';
import { chromium } from './lib/setup.mjs';

main(async () => {
  await chromium();
  for (const kind of ['latest', 'floor'])
    process.stdout.write(`${kind}: ${await setupBed(kind)}\n`);
});
