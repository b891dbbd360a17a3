'use strict';
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

/** The folder of the npm package that `file` belongs to, or null for our own files. */
function packageFolder(file) {
  const at = file.lastIndexOf(`${path.sep}node_modules${path.sep}`);
  if (at < 0) return null;
  let folder = path.dirname(file);
  while (folder.length > at) {
    const manifest = path.join(folder, 'package.json');
    // Some packages keep nested manifests that say only how files are read.
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return folder;
    folder = path.dirname(folder);
  }
  return null;
}

/** Writes down which packages went into a bundle, so that NOTICE can be compared with it. */
class BundledPackages {
  constructor(name) {
    this.name = name;
  }

  apply(compiler) {
    compiler.hooks.thisCompilation.tap('BundledPackages', (compilation) => {
      compilation.hooks.processAssets.tap('BundledPackages', () => {
        const found = new Map();
        const walk = (module) => {
          for (const inner of module.modules ?? []) walk(inner);
          const folder = packageFolder(module.nameForCondition?.() ?? '');
          if (folder === null) return;
          const { name, version } = JSON.parse(
            readFileSync(path.join(folder, 'package.json'), 'utf8'),
          );
          found.set(`${name}@${version}`, path.relative(compiler.context, folder));
        };
        for (const module of compilation.modules) walk(module);
        const list = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
        const text = JSON.stringify(Object.fromEntries(list), null, 2);
        compilation.emitAsset(
          `${this.name}.packages.json`,
          new compiler.webpack.sources.RawSource(`${text}\n`),
        );
      });
    });
  }
}

module.exports = { BundledPackages };
