/** Ends a process with everything it started. */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Spawn with `detached: true` on POSIX, so that the process leads a group of its own. */
export async function endTree(
  child: ChildProcess,
  platform: NodeJS.Platform,
  graceMs: number,
): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (platform === 'win32') {
    const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], {
      stdio: 'ignore',
      windowsHide: true,
    });
    await new Promise<void>((resolve) => {
      killer.once('error', () => {
        child.kill('SIGKILL');
        resolve();
      });
      killer.once('close', () => {
        resolve();
      });
    });
    return;
  }
  if (!signalGroup(pid, 'SIGTERM')) return;
  const until = performance.now() + graceMs;
  while (performance.now() < until) {
    await sleep(10);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, 'SIGKILL');
}

/** False when no process of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    // EPERM: some member belongs to somebody else; the group is there.
    if (code === 'ESRCH') return false;
    if (code === 'EPERM') return true;
    throw error;
  }
}
