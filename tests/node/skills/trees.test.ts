/** Real folder trees: huge ones, ones that nobody may read, and ones that change while they are read. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { FOLDERS_LOOKED_INTO, SKILLS_USED } from '../../../extension/limits.ts';
import { bench, plant, skill, summary, tree } from './tree.ts';

test('10,000 skills are all listed, and others have their turn meanwhile', async () => {
  const root = tree({ 'ws/.keep': '' });
  const folder = join(root, 'home/.gbs/skills');
  const name = (n: number) => `s${String(n).padStart(5, '0')}`;
  for (let n = 0; n < 10_000; n += 1) {
    mkdirSync(join(folder, name(n)), { recursive: true });
    writeFileSync(join(folder, name(n), 'SKILL.md'), skill(name(n)));
  }
  const { skills, workspace } = bench(root);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const view = await skills.look(workspace, 0);
  clearInterval(timer);
  const count = (state: string) =>
    view.skills.filter(({ report }) => report.state === state).length;
  assert.equal(view.skills.length, 10_000);
  assert.equal(count('full') + count('shortened') + count('hidden'), SKILLS_USED);
  assert.equal(count('overLimit'), 10_000 - SKILLS_USED);
  assert.ok(turns > 3, `others had ${String(turns)} turns`);
});

/** As somebody who may not read everything: root reads what it wants. */
async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

test(
  'what nobody may read is said, and the others stay',
  { skip: process.platform === 'win32' },
  async () => {
    const root = tree({
      'ws/.gbs/skills/good/SKILL.md': skill('good'),
      'ws/.gbs/skills/closed/SKILL.md': skill('closed'),
      'ws/.gbs/skills/locked/SKILL.md': skill('locked'),
      'ws/.gbs/skills/part/SKILL.md': skill('part'),
      'ws/.gbs/skills/part/inner/a.md': 'a',
      'ws/.gbs/skills/bundle/SKILL.md': skill('bundle'),
      'ws/.gbs/skills/bundle/data.md': 'x',
      'ws/.agents/skills/lost/SKILL.md': skill('lost'),
    });
    chmodSync(root, 0o755);
    const closed = [
      'ws/.gbs/skills/closed',
      'ws/.gbs/skills/locked/SKILL.md',
      'ws/.gbs/skills/part/inner',
      'ws/.gbs/skills/bundle/data.md',
      'ws/.agents/skills',
    ];
    for (const path of closed) chmodSync(join(root, path), 0);
    const { skills, workspace } = bench(root);
    const view = await asNobody(() => skills.look(workspace, 0));
    for (const path of closed) chmodSync(join(root, path), 0o755);
    assert.deepEqual(summary(root, view), [
      'ws/.gbs/skills/bundle: unusable: data.md cannot be read (EACCES)',
      'ws/.gbs/skills/good: waits for you: new',
      'ws/.gbs/skills/locked: unusable: SKILL.md cannot be read (EACCES)',
      'ws/.gbs/skills/part: waits for you: new',
      'ws/.gbs/skills/closed! skill-unreadable',
      'ws/.agents/skills! skills-folder-unreadable',
    ]);
    const part = view.skills.find(({ report }) => report.name === 'part');
    assert.deepEqual(
      part?.problems.map(({ code }) => code),
      ['skill-unreadable'],
    );
    // What can be read again is read again.
    assert.deepEqual(summary(root, await skills.look(workspace, 0)), [
      'ws/.gbs/skills/bundle: waits for you: new',
      'ws/.gbs/skills/closed: waits for you: new',
      'ws/.gbs/skills/good: waits for you: new',
      'ws/.gbs/skills/locked: waits for you: new',
      'ws/.gbs/skills/part: waits for you: new',
      'ws/.agents/skills/lost: waits for you: new',
    ]);
  },
);

test('a skills folder that goes while it is read leaves nothing half', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `s${String(n).padStart(2, '0')}`);
  const root = tree(
    Object.fromEntries(names.map((name) => [`ws/.gbs/skills/${name}/SKILL.md`, skill(name)])),
  );
  const here = bench(root, {
    files: {
      beforeOpening: (path) => {
        if (path.endsWith('s20/SKILL.md')) {
          renameSync(join(root, 'ws/.gbs/skills'), join(root, 'ws/.gbs/away'));
        }
      },
    },
  });
  const view = await here.skills.look(here.workspace, 0);
  assert.deepEqual(
    view.skills.map(({ report }) => report.name),
    names.slice(0, 20),
  );
  assert.deepEqual(view.problems, []);
});

test('folders renamed all the time are found whole or not at all', async () => {
  const files = { 'SKILL.md': '', 'references/one.md': 'one', 'references/two.md': 'two' };
  const root = tree({ 'ws/.keep': '' });
  for (const name of ['a', 'b', 'c']) {
    plant(join(root, 'ws/.gbs/skills', name), { ...files, 'SKILL.md': skill(name) });
  }
  const worker = new Worker(
    `const { renameSync } = require('node:fs');
     const { workerData, parentPort } = require('node:worker_threads');
     let stop = false;
     parentPort.on('message', () => { stop = true; });
     const turn = () => {
       for (let n = 0; n < 20; n += 1) {
         for (const name of ['a', 'b', 'c']) {
           renameSync(workerData + name, workerData + name + '-moved');
           renameSync(workerData + name + '-moved', workerData + name);
         }
       }
       if (stop) parentPort.close(); else setImmediate(turn);
     };
     turn();`,
    { eval: true, workerData: join(root, 'ws/.gbs/skills/') },
  );
  const seen = new Set<string>();
  try {
    const { skills, workspace } = bench(root);
    for (let n = 0; n < 300; n += 1) {
      const view = await skills.look(workspace, 0);
      for (const { record, report } of view.skills) {
        const paths = record.digests?.map(({ path }) => path).join(' ');
        seen.add(`${report.state} ${String(paths)}`);
      }
      assert.deepEqual(view.problems, []);
    }
  } finally {
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('stop');
    await ended;
  }
  assert.deepEqual([...seen], ['heldBack SKILL.md references/one.md references/two.md']);
  assert.deepEqual(readdirSync(join(root, 'ws/.gbs/skills')), ['a', 'b', 'c']);
});

test('more folders than are looked into are told once', async () => {
  const most = FOLDERS_LOOKED_INTO / 4;
  const root = tree({ 'ws/.keep': '' });
  const folders = Array.from({ length: most + 3 }, (_, n) => join(root, 'w', String(n)));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  for (const n of [0, most - 1, most, most + 1]) {
    plant(folders[n] ?? '', { [`.gbs/skills/s${String(n)}/SKILL.md`]: skill(`s${String(n)}`) });
  }
  const { skills, workspace } = bench(root, { workspace: { folders } });
  assert.deepEqual(summary(root, await skills.look(workspace, 0)), [
    'w/0/.gbs/skills/s0: waits for you: new',
    `w/${String(most - 1)}/.gbs/skills/s${String(most - 1)}: waits for you: new`,
    `w/${String(most)}! too-many-folders`,
  ]);
});
