/** Ends a process with everything it started. */
import { spawn, type ChildProcess } from 'node:child_process';
import { win32 } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KILL_POLL_MS } from '../limits.ts';

/** Spawn with `detached: true` on POSIX, so that the process leads a group of its own. */
export async function endTree(
  child: ChildProcess,
  platform: NodeJS.Platform,
  graceMs: number,
): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (platform === 'win32') {
    if (!(await taskkill(pid, true))) child.kill('SIGKILL');
    return;
  }
  if (signalGroup(pid, 'SIGTERM') === 'gone') return;
  const until = performance.now() + graceMs;
  while (performance.now() < until) {
    await sleep(KILL_POLL_MS);
    if (signalGroup(pid, 0) === 'gone') return;
  }
  signalGroup(pid, 'SIGKILL');
}

/** Sends a signal to a process group; 0 only looks. `foreign`: all of it belongs to somebody else. */
export function signalGroup(
  group: number,
  signal: 'SIGTERM' | 'SIGKILL' | 0,
): 'sent' | 'gone' | 'foreign' {
  try {
    process.kill(-group, signal);
    return 'sent';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ESRCH') return 'gone';
    if (code === 'EPERM') return 'foreign';
    throw error;
  }
}

/**
 * Ends a tree on Windows; false when that program could not be started. It is named by its whole
 * path: Windows looks a bare name up in the current folder first, which can be a repository.
 */
export function taskkill(pid: number, force: boolean): Promise<boolean> {
  const root = process.env['SystemRoot'] ?? 'C:\\Windows';
  const argv = ['/T', '/PID', String(pid), ...(force ? ['/F'] : [])];
  return new Promise((resolve) => {
    const killer = spawn(win32.join(root, 'System32', 'taskkill.exe'), argv, {
      stdio: 'ignore',
      windowsHide: true,
    });
    killer.once('error', () => {
      resolve(false);
    });
    killer.once('exit', () => {
      resolve(true);
    });
  });
}
