/** The examples of the package's README are run as they stand there, one for each door. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

const pkg = join(import.meta.dirname, '..', '..', 'pkg');
const load = createRequire(join(pkg, 'index.cjs'));

/** The doors that others build on. */
const doors = [
  'parseSkill',
  'parseSkills',
  'parseSkillsAsync',
  'buildCatalogue',
  'loadBody',
  'loadResource',
  'SkillIndex',
  'searchSkills',
  'planServers',
  'consentFingerprint',
  'compareConsent',
  'commandLine',
  'toolName',
  'Session',
  'toolOutput',
  'compareTools',
  'decideApproval',
];

test('the examples in pkg/README.md hold, and every door has one', async () => {
  const text = await readFile(join(pkg, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code ?? '');
  const code = blocks.join('\n');
  const without = doors.filter((door) => !code.includes(`core.${door}(`));
  assert.deepEqual(without, []);
  const require = (name: string): unknown => load(name === 'gbs-agent-core' ? './index.cjs' : name);
  const run = new Function('require', 'assert', `return (async () => {${code}\n})()`) as (
    ...args: readonly unknown[]
  ) => Promise<void>;
  await run(require, assert);
});
