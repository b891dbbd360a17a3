/** The examples of the package's README are run as they stand there. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';

const pkg = join(import.meta.dirname, '..', '..', 'pkg');
const load = createRequire(join(pkg, 'index.cjs'));

void test('the examples in pkg/README.md hold', async () => {
  const text = await readFile(join(pkg, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code ?? '');
  assert.ok(blocks.length >= 3);
  const require = (name: string): unknown => load(name === 'gbs-agent-core' ? './index.cjs' : name);
  const run = new Function('require', 'assert', blocks.join('\n')) as (
    ...args: readonly unknown[]
  ) => void;
  run(require, assert);
});
