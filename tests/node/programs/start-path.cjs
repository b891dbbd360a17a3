// What the extension reads while it starts: `activate` in a folder with skills, with an editor that
// takes everything and gives nothing. Prints, as JSON, the files of skills that were opened until
// `activate` had returned, the modules of ours that were loaded until then, and what a look opens.
'use strict';
const fs = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

const root = join(__dirname, '..', '..', '..');
const [folder] = process.argv.slice(2);

const opened = [];
const counted = (of, name) => {
  const call = of[name];
  of[name] = (path, ...rest) => {
    if (String(path).includes('SKILL.md')) opened.push(name);
    return call.call(of, path, ...rest);
  };
};
for (const name of ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream']) {
  counted(fs, name);
}
for (const name of ['open', 'readFile']) counted(fs.promises, name);

/** Anything: can be called, constructed and asked for any property. */
const anything = () => {
  const kept = new Map();
  return new Proxy(function () {}, {
    get(_, name) {
      if (name === Symbol.toPrimitive) return () => folder;
      if (name === Symbol.iterator) return [][Symbol.iterator].bind([]);
      if (name === 'then') return undefined;
      if (name === 'fsPath') return folder;
      if (!kept.has(name)) kept.set(name, anything());
      return kept.get(name);
    },
    set: (_, name, value) => kept.set(name, value) !== undefined,
    apply: () => anything(),
    construct: () => anything(),
  });
};
/** All that our sources name of the editor. */
const sources = fs
  .readdirSync(join(root, 'extension'), { recursive: true })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => fs.readFileSync(join(root, 'extension', file), 'utf8'))
  .join('\n');
const names = [
  ...[...sources.matchAll(/\bvscode\.(\w+)/g)].map(([, name]) => name),
  ...[...sources.matchAll(/import (?:type )?\{([^}]*)\} from 'vscode'/g)].flatMap(([, list]) =>
    list.split(',').map((name) => name.replace(/\btype\b/, '').trim()),
  ),
].filter(Boolean);
const editor = Object.fromEntries([...new Set(names)].map((name) => [name, anything()]));
const load = Module._load;
Module._load = function (request, ...rest) {
  return request === 'vscode' ? editor : load.call(this, request, ...rest);
};

async function main() {
  const { activate } = require(join(root, 'extension', 'extension.ts'));
  // What is put off until after the start is not run.
  const later = globalThis.setTimeout;
  globalThis.setTimeout = () => 0;
  activate(anything());
  globalThis.setTimeout = later;
  const untilReturned = [...opened];
  const modules = Object.keys(require.cache)
    .filter((file) => file.startsWith(join(root, 'extension')))
    .map((file) => file.slice(join(root, 'extension').length + 1).replaceAll('\\', '/'));
  const { createCore } = require(join(root, 'extension', 'core.ts'));
  const { Skills } = require(join(root, 'extension', 'skills', 'skills.ts'));
  const { StateFolder } = require(join(root, 'extension', 'state.ts'));
  const { defaultSettings } = require(join(root, 'extension', 'agent', 'settings.ts'));
  opened.length = 0;
  const skills = new Skills({
    core: createCore(),
    settings: () => defaultSettings,
    state: new StateFolder(join(folder, 'state')),
    log: { info() {}, warn() {}, error() {} },
    platform: process.platform,
    userHome: join(folder, 'home'),
  });
  await skills.look({ folders: [folder], trusted: true, openFile: null }, 0);
  process.stdout.write(JSON.stringify({ untilReturned, modules, byLooking: [...opened] }));
}

main();
