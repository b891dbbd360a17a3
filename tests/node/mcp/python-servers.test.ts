/** The public servers that are written in Python, as they are: another SDK on the other side. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { approved, smallEnvironment, testSet } from './set.ts';
import type { ApprovedServer } from '../../../extension/mcp/plans.ts';

/** The setup of this part of the tests installs them, by version. */
function python(name: string, module: string, ...argv: readonly string[]): ApprovedServer {
  const file = process.env.GBS_PYTHON;
  if (!file) throw new Error('GBS_PYTHON is not set: run these tests by npm test -- node');
  const command = { file, argv: ['-m', module, ...argv], windowsVerbatim: false };
  return approved(name, command.argv, {
    command,
    env: { ...smallEnvironment, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    startTimeoutMs: 60_000,
  });
}

test('mcp-server-git', { timeout: 120_000 }, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  await writeFile(join(folder, 'beds.md'), 'south\n');
  git('add', '.');
  git('commit', '-q', '-m', 'List the beds');
  await writeFile(join(folder, 'beds.md'), 'south, nörd 🐛\n');
  const { set, start, text, call, core } = testSet(context);
  const state = await start(python('git', 'mcp_server_git', '--repository', folder));
  assert.equal(state?.kind, 'running', JSON.stringify(state));
  if (state?.kind !== 'running') return;
  assert.deepEqual(state.offer.problems, []);
  const tools = state.offer.tools.map(({ name }) => name);
  for (const name of ['git_status', 'git_diff_unstaged', 'git_log', 'git_add']) {
    assert.ok(tools.includes(name), name);
  }
  const at = { repo_path: folder };
  assert.match(await text('git', 'git_log', at), /List the beds/);
  assert.match(await text('git', 'git_diff_unstaged', at), /\+south, nörd 🐛/);
  assert.match(await text('git', 'git_add', { ...at, files: ['beds.md'] }), /staged/);
  assert.match(git('status', '--porcelain'), /^M {2}beds\.md/);
  const elsewhere = await call('git', 'git_status', { repo_path: tmpdir() });
  assert.equal(elsewhere.kind, 'result', JSON.stringify(elsewhere));
  if (elsewhere.kind !== 'result') return;
  assert.equal(
    core.toolOutput(elsewhere.text, { server: 'git', tool: 'git_status' }).isError,
    true,
  );
  assert.equal(await readFile(join(folder, 'beds.md'), 'utf8'), 'south, nörd 🐛\n');
  await set.stop('git');
  assert.equal(set.state('git')?.kind, 'stopped');
});

test('mcp-server-time', { timeout: 120_000 }, async (context) => {
  const { start, text, call, set } = testSet(context);
  const state = await start(python('time', 'mcp_server_time', '--local-timezone', 'Europe/Paris'));
  assert.equal(state?.kind, 'running', JSON.stringify(state));
  const asked = { source_timezone: 'UTC', time: '12:30', target_timezone: 'Asia/Tokyo' };
  const converted = JSON.parse(await text('time', 'convert_time', asked)) as {
    target: { datetime: string };
  };
  assert.match(converted.target.datetime, /T21:30:00\+09:00$/);
  const wrong = await call('time', 'get_current_time', { timezone: 'Mars/Olympus' });
  assert.ok(wrong.kind === 'error' || wrong.kind === 'result', wrong.kind);
  assert.deepEqual(set.takeFailures(), []);
});
