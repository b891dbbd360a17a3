// npm run pictures: takes the README's pictures in a real VS Code (tests/e2e/pictures.ts).
import { buildAll } from './build.mjs';
import { setupBed } from './lib/beds.mjs';
import { main, run } from './lib/run.mjs';
import { chromium, setupBuild } from './lib/setup.mjs';

main(async () => {
  await setupBuild();
  await buildAll();
  await run(process.execPath, ['--import', 'tsx', 'tests/e2e/pictures.ts'], {
    step: 'pictures',
    env: {
      GBS_CHROMIUM: await chromium(),
      GBS_BED: await setupBed('latest'),
      GBS_BED_KIND: 'latest',
    },
  });
});
