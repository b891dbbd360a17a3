/** A hundred edits in a second, on a real disk with a real watcher: what is seen at last is what is there. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { changesBetween, sentence } from '../../../extension/skills/changes.ts';
import { SkillWatch, type Watcher } from '../../../extension/skills/watch.ts';
import { bench, skill, tree } from './tree.ts';

/** Node's own watcher of the folders and of those below, as the editor's is one. */
const watcher: Watcher = (folders, changed) => {
  const watching = folders.map((folder) => watch(folder, { recursive: true }, changed));
  return {
    dispose: () => {
      for (const each of watching) each.close();
    },
  };
};

test('a hundred edits settle to the right state', { timeout: 60_000 }, async () => {
  const root = tree({
    'home/.gbs/skills/a/SKILL.md': skill('a', 'Edit 00.'),
    'home/.gbs/skills/b/SKILL.md': skill('b'),
  });
  const folder = join(root, 'home/.gbs/skills');
  const { skills, workspace } = bench(root);
  const before = await skills.look(workspace, 0);
  const looks: Promise<Awaited<ReturnType<typeof skills.look>>>[] = [];
  const watching = new SkillWatch(watcher, [folder], () => {
    looks.push(skills.look(workspace, 0));
  });
  try {
    for (let n = 1; n <= 100; n += 1) {
      const number = String(n % 100).padStart(2, '0');
      // Every text is as long as the one before: only its time tells.
      writeFileSync(join(folder, 'a/SKILL.md'), skill('a', `Edit ${number}.`));
      if (n === 40) rmSync(join(folder, 'b'), { recursive: true });
      if (n % 20 === 0) {
        mkdirSync(join(folder, `c${number}`));
        writeFileSync(join(folder, `c${number}`, 'SKILL.md'), skill(`c${number}`));
      }
      if (n === 90) writeFileSync(join(folder, 'c20/SKILL.md'), 'no header');
      await sleep(10);
    }
    writeFileSync(join(folder, 'a/SKILL.md'), skill('a', 'Last one.'));
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(100)) {
      const last = await looks.at(-1);
      if (last?.skills[0]?.record.parsed.description === 'Last one.') break;
    }
    const after = await looks.at(-1);
    assert.ok(after, 'nothing was noticed');
    assert.deepEqual(
      after.skills.map(({ report, record }) => [
        report.name,
        report.state,
        record.parsed.description,
      ]),
      [
        ['a', 'full', 'Last one.'],
        ['c00', 'full', 'About c00.'],
        ['c20', 'unusable', null],
        ['c40', 'full', 'About c40.'],
        ['c60', 'full', 'About c60.'],
        ['c80', 'full', 'About c80.'],
      ],
    );
    assert.equal(
      sentence(changesBetween(before, after)),
      'Skills: added c00, c40, c60, c80; changed a; removed b; unusable c20.',
    );
    // Far fewer looks than edits.
    assert.ok(looks.length < 20, `${String(looks.length)} looks`);
  } finally {
    await watching.dispose();
  }
});
