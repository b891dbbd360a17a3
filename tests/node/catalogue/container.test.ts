/**
 * The container file of the example, as far as it can be tried without a container runtime: what it
 * copies is there and enough, and its entry point serves. Its base image and apt-get are not tried.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { tree } from '../skills/tree.ts';
import { twoSkills } from './support.ts';

const root = join(import.meta.dirname, '../../..');
const lines = readFileSync(join(root, 'examples/skills-server/Containerfile'), 'utf8')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** What follows an instruction, of each line that has it. */
function given(instruction: string): string[] {
  return lines.flatMap((line) =>
    line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : [],
  );
}

test('what the container file copies and starts', { timeout: 120_000 }, async (t) => {
  const known = ['FROM', 'RUN', 'COPY', 'USER', 'EXPOSE', 'ENTRYPOINT'];
  assert.deepEqual(
    lines.filter((line) => !known.includes(line.split(' ')[0] ?? '')),
    [],
  );
  const image = tree({ 'skills/note.txt': '' });
  const skills = tree(twoSkills);
  for (const copied of given('COPY')) {
    const [from = '', to = ''] = copied.split(' ');
    const target = join(image, to, to.endsWith('/') ? from : '');
    mkdirSync(join(target, '..'), { recursive: true });
    cpSync(join(root, from), target, { recursive: true });
  }
  const [entry = ''] = given('ENTRYPOINT');
  const [program, ...args] = (JSON.parse(entry) as string[]).map((word) =>
    word.startsWith('/app/') ? join(image, word) : word,
  );
  assert.equal(program, 'node');
  assert.deepEqual(given('EXPOSE'), ['8080']);
  // Nothing of the project but what was copied; the test's own port, as 8080 may be taken.
  const more = ['--skills-root', skills, '--port', '0'];
  const child = spawn(process.execPath, [...args, ...more], {
    cwd: image,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let port = '';
  for await (const line of createInterface(child.stderr)) {
    const said = JSON.parse(line) as { event: string; url?: string };
    if (said.url === undefined) continue;
    port = new URL(said.url).port;
    break;
  }
  child.stderr.resume();
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  assert.equal(health.status, 200);
  await health.text();
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
});
