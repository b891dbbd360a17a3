/** The public conformance suite's scenarios for hosts of offered skills (SEP-2640), against ours. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { tsx } from '../catalogue/support.ts';
import { tree } from '../skills/tree.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'programs/skills-client.ts');

interface Check {
  readonly id: string;
  readonly status: string;
}

/** What the suite found, and what our side said. */
async function scenario(name: string): Promise<{ checks: readonly Check[]; said: string }> {
  const programs = process.env['GBS_MCP_PROGRAMS'];
  if (!programs)
    throw new Error('GBS_MCP_PROGRAMS is not set: run these tests by npm test -- node');
  const modules = join(programs, 'node_modules');
  const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const suite = join(modules, '@modelcontextprotocol/conformance/dist/index.js');
  const out = tree({ 'note.txt': '' });
  const command = `${process.execPath} --import ${tsx} ${program}`;
  const args = [
    'client',
    '--command',
    command,
    '--scenario',
    name,
    '--timeout',
    '120000',
    '-o',
    out,
  ];
  const env = { ...process.env, NODE_OPTIONS: '' };
  // It ends with 1 when a check failed; the checks say which.
  await run(node, [suite, ...args], { cwd: out, env }).catch((error: unknown) => {
    if (!(error instanceof Error && 'stdout' in error)) throw error;
  });
  const text = (end: string): string => {
    const found = readdirSync(out, { recursive: true, encoding: 'utf8' });
    const path = found.find((each) => each.endsWith(end));
    return path === undefined ? '' : readFileSync(join(out, path), 'utf8');
  };
  const said = text('stderr.txt');
  assert.notEqual(text('checks.json'), '', said);
  return { checks: JSON.parse(text('checks.json')) as readonly Check[], said };
}

/** Scenarios, the check that each is about, and what our side says. */
const scenarios: readonly [string, string, RegExp][] = [
  ['sep-2640-client-no-prefetch', 'sep-2640-host-no-prefetch', /\n- suite:pdf-processing: Extract/],
  ['sep-2640-client-verify-digest', 'sep-2640-host-verify-digest', /refused: The server gave/],
  [
    'sep-2640-client-verify-size',
    'sep-2640-host-size-mismatch-failure',
    /refused: The server gave/,
  ],
  [
    'sep-2640-client-verify-frontmatter',
    'sep-2640-host-frontmatter-comparison',
    /refused: The server gave/,
  ],
];

describe('the conformance suite, for hosts of skills', { concurrency: 2, timeout: 300_000 }, () => {
  for (const [name, check, expected] of scenarios) {
    test(name, async () => {
      const { checks, said } = await scenario(name);
      assert.match(said, expected);
      const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
      assert.deepEqual(failed, [], said);
      const found = checks.find(({ id }) => id === check);
      assert.equal(found?.status, 'SUCCESS', said);
    });
  }
});
