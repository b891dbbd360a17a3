// npm run build: the core, the bundles and gbs-agent.vsix; each only when its inputs changed.
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildCore } from './build-core.mjs';
import { root } from './lib/paths.mjs';
import { main, run, timed } from './lib/run.mjs';
import { setupBuild } from './lib/setup.mjs';
import { whenChanged } from './lib/stamp.mjs';

/** The bundles in dist/. */
export async function buildBundles() {
  await whenChanged(
    'bundles',
    {
      inputs: [
        'extension',
        'webpack.config.js',
        'scripts/lib/bundled.cjs',
        'package-lock.json',
        'tsconfig.json',
        'tsconfig.page.json',
        'tsconfig.base.json',
      ],
      outputs: [
        'dist/extension.js',
        'dist/gbs.js',
        'dist/gbs-skills-mcp.js',
        'dist/skills-server.js',
        'dist/skills-server.d.ts',
        'dist/page.js',
        'dist/page.css',
      ],
    },
    () =>
      timed('Bundles', async () => {
        await run('webpack', ['--no-stats-colors', '--stats', 'errors-warnings'], {
          step: 'webpack',
        });
        // What programs of others import is declared for their compilers.
        copyFileSync(
          join(root, 'extension/catalogue/skills-server.d.ts'),
          join(root, 'dist/skills-server.d.ts'),
        );
      }),
  );
}

/** gbs-agent.vsix. */
export async function buildVsix() {
  await whenChanged(
    'vsix',
    {
      inputs: [
        'dist',
        'pkg',
        'package.json',
        'README.md',
        'CHANGELOG.md',
        'LICENSE',
        'NOTICE',
        '.vscodeignore',
        'scripts/package.mjs',
        'media',
        'schemas',
        'docs',
        'l10n',
        'package.nls.json',
      ],
      outputs: ['gbs-agent.vsix'],
    },
    () =>
      timed('gbs-agent.vsix', () =>
        run('node', ['scripts/package.mjs'], { step: 'vsce package', quiet: true }),
      ),
  );
}

/** Everything. */
export async function buildAll() {
  await buildCore();
  await buildBundles();
  await buildVsix();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(async () => {
    await setupBuild();
    await buildAll();
    if (!existsSync(join(root, 'gbs-agent.vsix'))) process.exitCode = 1;
  });
}
