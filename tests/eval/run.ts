/** Runs a task with `gbs run`, as a person would, in a folder of its own. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunEvent } from '../../extension/agent/events.ts';
import type { Task } from './task.ts';

const gbs = join(import.meta.dirname, '../../dist/gbs.js');

export interface Model {
  readonly baseUrl: string;
  readonly model: string;
  /** More settings, as `name=value`. */
  readonly settings: readonly string[];
}

export interface Result {
  readonly name: string;
  /** What is wrong, or null when the task is solved. */
  readonly wrong: string | null;
  readonly steps: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly seconds: number;
}

export async function runTask(task: Task, model: Model, limitMs: number): Promise<Result> {
  const place = await mkdtemp(join(tmpdir(), 'gbs-eval-'));
  const folder = join(place, 'work');
  try {
    await mkdir(folder);
    for (const [path, text] of Object.entries(task.files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const started = performance.now();
    const { events, failed } = await run(task, model, folder, place, limitMs);
    const seconds = (performance.now() - started) / 1000;
    const end = events.findLast((event) => event.type === 'turnEnded');
    const answer = events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('');
    const wrong =
      failed ??
      (end?.end.kind === 'answered'
        ? task.check({ answer, events, file: (path) => read(join(folder, path)) })
        : `the turn ended with ${end?.end.kind ?? 'nothing'}`);
    const { steps = 0, promptTokens = 0, outputTokens = 0 } = end?.summary ?? {};
    return { name: task.name, wrong, steps, promptTokens, outputTokens, seconds };
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Ran {
  readonly events: readonly RunEvent[];
  readonly failed: string | null;
}

async function run(
  task: Task,
  model: Model,
  folder: string,
  place: string,
  limitMs: number,
): Promise<Ran> {
  const settings = model.settings.flatMap((each) => ['--set', each]);
  const flags = ['--json', '--mode', 'auto', '--workspace', folder, ...settings];
  const server = ['--base-url', model.baseUrl, ...(model.model && ['--model', model.model])];
  const child = spawn(
    process.execPath,
    [gbs, 'run', task.ask, ...flags, ...server, ...(task.flags ?? [])],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Nothing of the user's own takes part: neither skills, nor servers, nor approvals.
      env: { ...process.env, HOME: place, XDG_STATE_HOME: join(place, 'state') },
    },
  );
  const timer = setTimeout(() => child.kill('SIGTERM'), limitMs);
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  const events = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunEvent);
  const ended = events.some(({ type }) => type === 'turnEnded');
  const failed = ended ? null : `gbs ended with ${String(code)}: ${said.trim().slice(0, 300)}`;
  return { events, failed };
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
