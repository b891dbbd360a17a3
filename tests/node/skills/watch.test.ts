/** Changes on disk settle to one look. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { SKILLS_SETTLE_AT_MOST_MS, SKILLS_SETTLE_MS } from '../../../extension/limits.ts';
import { SkillWatch, watchedFolders, type Watcher } from '../../../extension/skills/watch.ts';

/** Touches at these milliseconds; gives when it settled. */
function check(touches: readonly number[], expected: readonly number[]): void {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let now = 0;
    const settled: number[] = [];
    const changed: (() => void)[] = [];
    const watcher: Watcher = (_folders, call) => {
      changed.push(call);
      return { dispose: () => undefined };
    };
    const watch = new SkillWatch(
      watcher,
      ['/a'],
      () => settled.push(now),
      () => now,
    );
    const end = Math.max(...touches) + SKILLS_SETTLE_AT_MOST_MS;
    for (; now <= end; now += 1) {
      if (touches.includes(now)) changed[0]?.();
      mock.timers.tick(1);
    }
    assert.deepEqual(settled, expected);
    void watch.dispose();
  } finally {
    mock.timers.reset();
  }
}

test('a burst is one change, taken up when it is over or has lasted long enough', () => {
  check([10], [10 + SKILLS_SETTLE_MS - 1]);
  check([10, 20, 100], [100 + SKILLS_SETTLE_MS - 1]);
  check([10, 1_000], [10 + SKILLS_SETTLE_MS - 1, 1_000 + SKILLS_SETTLE_MS - 1]);
  const hundred = Array.from({ length: 100 }, (_, n) => n * 10);
  check(hundred, [990 + SKILLS_SETTLE_MS - 1]);
  const endless = Array.from({ length: 300 }, (_, n) => n * 10);
  check(endless, [SKILLS_SETTLE_AT_MOST_MS - 1, 2_990 + SKILLS_SETTLE_MS - 1]);
});

test('after it was ended it says nothing', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let settled = 0;
    const changed: (() => void)[] = [];
    const watch = new SkillWatch(
      (_folders, call) => {
        changed.push(call);
        return { dispose: () => undefined };
      },
      [],
      () => (settled += 1),
    );
    changed[0]?.();
    void watch.dispose();
    mock.timers.tick(SKILLS_SETTLE_AT_MOST_MS * 2);
    assert.equal(settled, 0);
  } finally {
    mock.timers.reset();
  }
});

test('an untrusted workspace is not watched', () => {
  const workspace = { folders: ['/ws'], trusted: true, openFile: null };
  assert.deepEqual(watchedFolders(workspace, ['/home/skills']), [
    '/ws/.gbs',
    '/ws/.agents/skills',
    '/ws/.claude/skills',
    '/ws/.github/skills',
    '/home/skills',
  ]);
  assert.deepEqual(watchedFolders({ ...workspace, trusted: false }, ['/home/skills']), [
    '/home/skills',
  ]);
});
