/** The package's README: its examples run as they stand, hold types, and show every door. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Bed, root, tool } from './bed.ts';

const timeout = 60_000;

let bed: Bed;
let code: string;
before(async () => {
  bed = await Bed.make();
  const text = await readFile(join(root, 'pkg', 'README.md'), 'utf8');
  code = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n');
  await writeFile(
    bed.path('readme.cjs'),
    `const assert = require('node:assert/strict');\nvoid (async () => {\n${code}\nconsole.log('done');\n})();\n`,
  );
  // The server that the example starts.
  const everything = '@modelcontextprotocol/server-everything/dist/index.js';
  const server = pathToFileURL(join(root, 'node_modules', everything)).href;
  await writeFile(bed.path('server.js'), `import(${JSON.stringify(server)});\n`);
});
after(() => bed.remove());

test('its examples hold, with a real server', { timeout }, async () => {
  assert.equal(await bed.node('readme.cjs'), 'done');
});

test('every door has an example', async () => {
  const { parameters } = (await import('../../pkg/wasm/parameters.mjs' as string)) as {
    parameters: { functions: object; classes: object };
  };
  const doors = [...Object.keys(parameters.functions), ...Object.keys(parameters.classes)];
  assert.deepEqual(
    doors.filter((door) => !code.includes(`core.${door}(`)),
    [],
  );
});

test('its examples hold in strict TypeScript', { timeout }, async () => {
  // What stands there is JavaScript: only parameters have no types, and no index is known to be there.
  const options = {
    ...{ strict: true, noImplicitAny: false, allowJs: true, checkJs: true, noEmit: true },
    ...{ target: 'es2022', module: 'node16', types: ['node'] },
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  const config = { compilerOptions: options, files: ['readme.cjs'] };
  await writeFile(bed.path('readme.json'), JSON.stringify(config));
  await tool('tsc', ['-p', 'readme.json'], bed.folder);
});
