// npm run build: the core, the bundles and gbs-agent.vsix; each only when its inputs changed.
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCore } from './build-core.mjs';
import { root } from './lib/paths.mjs';
import { isStarted, main, run, timed } from './lib/run.mjs';
import { setupBuild } from './lib/setup.mjs';
import { refuseStale, whenChanged } from './lib/stamp.mjs';

/** What the bundles are made of, and the lists of what went into each. */
const bundles = {
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
    ...['extension', 'gbs', 'gbs-skills-mcp', 'skills-server', 'page'].flatMap((name) => [
      `dist/${name}.js`,
      `dist/${name}.packages.json`,
    ]),
    'dist/page.css',
    ...['mjs', 'd.ts', 'd.mts'].map((ending) => `dist/skills-server.${ending}`),
  ],
};

/** The bundles in dist/. */
export async function buildBundles() {
  await whenChanged('bundles', bundles, () =>
    timed('Bundles', async () => {
      await run('webpack', ['--no-stats-colors', '--stats', 'errors-warnings'], {
        step: 'webpack',
      });
      declareServer();
    }),
  );
}

/** Throws when the bundles are not those of the sources as they are now. */
export function refuseStaleBundles() {
  refuseStale('bundles', bundles, 'A bundle in dist/');
}

/** The skills server as programs of others import or require it: a module beside it, and its types. */
function declareServer() {
  const dist = (name) => join(root, 'dist', name);
  for (const name of ['skills-server.d.ts', 'skills-server.d.mts']) {
    copyFileSync(join(root, 'extension/catalogue/skills-server.d.ts'), dist(name));
  }
  // Node finds no names in a bundle that is required.
  const text =
    "import server from './skills-server.js';\nexport const { createSkillsServer } = server;\n";
  writeFileSync(dist('skills-server.mjs'), text);
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

if (isStarted(import.meta.url)) {
  main(async () => {
    await setupBuild();
    await buildAll();
    if (!existsSync(join(root, 'gbs-agent.vsix'))) process.exitCode = 1;
  });
}
