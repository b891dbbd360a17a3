// npm run vscode: the example workspace in the user's VS Code with the extension, or, where there is
// no `code`, in a workbench in the browser.
import { join } from 'node:path';
import { buildAll } from './build.mjs';
import { setupBed } from './lib/beds.mjs';
import { root } from './lib/paths.mjs';
import { ask, main, run } from './lib/run.mjs';
import { setupBuild } from './lib/setup.mjs';
import { serveWorkbench } from './lib/workbench.mjs';

const folder = join(root, 'examples', 'workspace');
const vsix = join(root, 'gbs-agent.vsix');

main(async () => {
  await setupBuild();
  await buildAll();
  if (ask('code', ['--version'])) {
    await run('code', ['--install-extension', vsix, '--force'], {
      step: 'code --install-extension',
    });
    await run('code', ['--new-window', folder], { step: 'code' });
    process.stdout.write('VS Code opens examples/workspace; GBS Agent is in the activity bar.\n');
    return;
  }
  process.stdout.write(
    'There is no `code` on the PATH: serving a VS Code workbench for the browser.\n',
  );
  const baseUrl = process.env.GBS_BASE_URL;
  const served = await serveWorkbench({
    bed: await setupBed('latest'),
    folder,
    vsix: [vsix],
    settings: {
      ...(baseUrl ? { 'gbsAgent.openai.baseUrl': baseUrl } : {}),
      ...(process.env.GBS_MODEL ? { 'gbsAgent.model': process.env.GBS_MODEL } : {}),
    },
  });
  process.stdout.write(`\nOpen ${served.url}\nCtrl-C ends it.\n`);
  await new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await served.close();
});
