/** Runs the real command line in a process of its own, with a home of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Home {
  /** Absolute; `~` of every run. */
  readonly folder: string;
  /** An empty folder in it to work in. */
  readonly workspace: string;
  write(path: string, text: string): Promise<void>;
  /** Runs `gbs` to its end. `running` is handed the process at once. */
  gbs(args: readonly string[], options?: GbsOptions): Promise<Finished>;
  remove(): Promise<void>;
}

interface GbsOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly running?: (child: ChildProcess, output: () => string) => void;
  readonly timeoutMs?: number;
  /** What stands in its input; nothing when missing. */
  readonly input?: string;
  /** Leaves its input open for `running`, which closes it. */
  readonly typed?: true;
}

/** The command line's entry. */
export const gbsMain = join(import.meta.dirname, '../../extension/cli/main.ts');
const tsx = join(import.meta.dirname, '../../node_modules/tsx/dist/loader.mjs');

export async function makeHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-home-'));
  const workspace = join(folder, 'work');
  await mkdir(workspace);
  return {
    folder,
    workspace,
    write: async (path, text) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    gbs: (args, options) => run(folder, workspace, args, options),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function run(
  home: string,
  cwd: string,
  args: readonly string[],
  { environment = {}, running, timeoutMs = 60_000, input, typed }: GbsOptions = {},
): Promise<Finished> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['--import', tsx, gbsMain, ...args], {
    cwd,
    env: { PATH, HOME: home, USERPROFILE: home, TMPDIR: tmpdir(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  // A program that has ended reads nothing more.
  child.stdin.on('error', () => undefined);
  if (typed === undefined) child.stdin.end(input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += String(data)));
  child.stderr.on('data', (data) => (stderr += String(data)));
  running?.(child, () => stdout + stderr);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, stdout, stderr };
}
