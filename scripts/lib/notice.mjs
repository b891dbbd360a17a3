// The text of NOTICE: the licences of everything that ships inside the bundles and the core.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refuseStaleBundles } from '../build.mjs';
import { environment, root } from './paths.mjs';

const bundles = ['extension', 'gbs', 'gbs-skills-mcp', 'skills-server', 'page'];

/** The licence text in a package's folder, the MIT one where there is a choice. */
function licenceText(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying)/i.test(name));
  const chosen = names.find((name) => /mit/i.test(name)) ?? names.sort()[0];
  return chosen ? readFileSync(join(folder, chosen), 'utf8').replace(/\r\n/g, '\n').trim() : null;
}

/** The npm packages in the bundles, by what webpack wrote down. */
function npmPackages() {
  const found = new Map();
  for (const bundle of bundles) {
    const file = join(root, 'dist', `${bundle}.packages.json`);
    for (const [name, folder] of Object.entries(JSON.parse(readFileSync(file, 'utf8')))) {
      const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      found.set(name, { name, licence: manifest.license, text: licenceText(join(root, folder)) });
    }
  }
  return [...found.values()];
}

/** The crates that are compiled into the core. */
function crates() {
  const metadata = JSON.parse(
    execFileSync(
      'cargo',
      [
        'metadata',
        '--locked',
        '--format-version',
        '1',
        '--filter-platform',
        'wasm32-unknown-unknown',
      ],
      { cwd: root, env: environment(), encoding: 'utf8', maxBuffer: 64 << 20 },
    ),
  );
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const reached = new Set();
  const walk = (id) => {
    if (reached.has(id)) return;
    reached.add(id);
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      if (dep_kinds.some(({ kind }) => kind === null)) walk(pkg);
    }
  };
  walk(metadata.resolve.root);
  return metadata.packages
    .filter(({ id }) => reached.has(id) && id !== metadata.resolve.root)
    .map(({ name, version, license, manifest_path }) => ({
      name: `${name} ${version}`,
      licence: license,
      text: licenceText(dirname(manifest_path)),
    }));
}

/** The whole text. The same texts of several packages stand there once. Throws for stale bundles. */
export function notice() {
  refuseStaleBundles();
  const byText = new Map();
  const all = [...npmPackages(), ...crates()];
  for (const { name, licence, text } of all) {
    const key = text ?? `Licensed under ${licence}.`;
    byText.set(key, [...(byText.get(key) ?? []), `${name} (${licence})`]);
  }
  const parts = [...byText].map(([text, names]) => ({ names: names.sort(), text }));
  parts.sort((a, b) => (a.names[0] < b.names[0] ? -1 : 1));
  return [
    'GBS Agent contains the following third-party software.',
    ...parts.map(({ names, text }) => `${'-'.repeat(72)}\n${names.join('\n')}\n\n${text}`),
    '',
  ].join('\n\n');
}
