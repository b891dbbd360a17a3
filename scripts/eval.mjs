// npm run eval [-- --tiny | --scripted | --base-url URL --model NAME] [--only TEXT] [--write]: how
// well a model does small jobs with the agent. See docs/eval.md and tests/eval/.
import { buildAll } from './build.mjs';
import { setupBuild } from './lib/setup.mjs';
import { main, run } from './lib/run.mjs';

main(async () => {
  await setupBuild();
  await buildAll();
  const args = process.argv.slice(2);
  await run(process.execPath, ['--import', 'tsx', 'tests/eval/main.ts', ...args], {
    step: 'The evaluation',
    remedy: 'What it said stands above.',
  });
});
