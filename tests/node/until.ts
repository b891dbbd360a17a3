/** Waits for a condition, with an end. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Rejects when it does not hold within a minute: a loop outlives the test that its runner gave up. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `not within a minute: ${String(holds)}`);
    await sleep(10);
  }
}
