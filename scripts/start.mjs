// npm start: sets up what is missing, builds, and runs the agent once over examples/workspace.
import { spawn } from 'node:child_process';
import { buildAll } from './build.mjs';
import { environment, root } from './lib/paths.mjs';
import { main } from './lib/run.mjs';
import { setupBuild } from './lib/setup.mjs';

main(async () => {
  await setupBuild();
  await buildAll();
  // The demo has the terminal to itself: it asks there, and Ctrl-C is its own.
  const child = spawn(process.execPath, ['scripts/demo.mjs', ...process.argv.slice(2)], {
    cwd: root,
    env: environment(),
    stdio: 'inherit',
  });
  process.on('SIGINT', () => undefined);
  process.exitCode = await new Promise((resolve) =>
    child.on('close', (code) => resolve(code ?? 1)),
  );
});
