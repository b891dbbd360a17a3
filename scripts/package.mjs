// Packs gbs-agent.vsix from what was built. One package for all platforms; `.vscodeignore` is a list
// of what goes in. Refuses what was built from other sources.
import { createVSIX } from '@vscode/vsce';
import { join } from 'node:path';
import { refuseStaleCore } from './build-core.mjs';
import { refuseStaleBundles } from './build.mjs';
import { root } from './lib/paths.mjs';
import { main } from './lib/run.mjs';

main(async () => {
  await refuseStaleCore();
  refuseStaleBundles();
  await createVSIX({
    cwd: root,
    packagePath: join(root, 'gbs-agent.vsix'),
    dependencies: false,
    // There is no address of a repository yet: links and images stay as they are.
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
});
