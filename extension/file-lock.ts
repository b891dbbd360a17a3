/** Locks as files, for what several windows and processes change. */
import lockfile from 'proper-lockfile';
import { LOCK_FIRST_WAIT_MS, LOCK_LONGEST_WAIT_MS, LOCK_STALE_MS } from './limits.ts';

/** How a lock that another holds is tried again. */
export interface LockTries {
  readonly retries: number;
  /** By how much each wait is longer than the one before; 2 unless told. */
  readonly factor?: number;
  /** Waits differ by chance, so that those who began together do not meet each time. */
  readonly randomize?: boolean;
}

/**
 * Runs `act` while nobody else, in any process, runs one under this path. Throws `ELOCKED` when the tries
 * are spent. `lost` is told when another took the lock: this process did not run for so long, as when the
 * machine slept, that it counted as killed. `act` goes on, since nobody could say how far it has come.
 */
export async function withFileLock<T>(
  path: string,
  tries: LockTries,
  act: () => Promise<T>,
  lost: () => void = () => undefined,
): Promise<T> {
  let isLost = false;
  const release = await lockfile.lock(path, {
    realpath: false,
    stale: LOCK_STALE_MS,
    retries: { ...tries, minTimeout: LOCK_FIRST_WAIT_MS, maxTimeout: LOCK_LONGEST_WAIT_MS },
    // Unless told otherwise it throws in a timer, where nobody catches, and `gbs` ends.
    onCompromised: () => {
      isLost = true;
      lost();
    },
  });
  try {
    return await act();
  } finally {
    if (!isLost) await release();
  }
}
