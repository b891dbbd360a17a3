/**
 * Ends processes that left the group they were started in (`setsid`, a daemon): they keep the
 * environment they began with, so a variable in it finds them. Linux tells that of a process to its
 * own user; elsewhere nobody is found, and the group is what is ended.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { KILL_POLL_MS } from '../limits.ts';

/** The variable that a child is given, with a value that no other has. */
export const MARK = 'GBS_AGENT_COMMAND';

/** Ends every process that was given this mark. */
export async function endMarked(mark: string, graceMs: number): Promise<void> {
  if (process.platform !== 'linux') return;
  let left = await marked(mark);
  for (const pid of left) signal(pid, 'SIGTERM');
  for (const until = performance.now() + graceMs; left.length > 0;) {
    if (performance.now() > until) {
      for (const pid of left) signal(pid, 'SIGKILL');
      return;
    }
    await sleep(KILL_POLL_MS);
    left = await marked(mark);
  }
}

async function marked(mark: string): Promise<readonly number[]> {
  const wanted = Buffer.from(`${MARK}=${mark}\0`);
  const names = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      // Gone meanwhile, or somebody else's.
      const environment = await readFile(`/proc/${name}/environ`).catch(() => null);
      return environment?.includes(wanted) === true ? Number(name) : null;
    }),
  );
  return found.filter((pid) => pid !== null);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
