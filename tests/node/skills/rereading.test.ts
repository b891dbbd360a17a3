/** What is read again, and what is not. */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SKILL_STAMP_SETTLES_MS } from '../../../extension/limits.ts';
import { bench, skill, tree, type Node } from './tree.ts';

/** Long after everything here was written: then a look trusts what it saw. */
const later = () => new Date(Date.now() + 60_000);

/** Looks before and after a change: which files were read each time, by the end of their path. */
async function readAgain(
  nodes: Readonly<Record<string, Node>>,
  change: (root: string) => void,
  expected: readonly string[],
): Promise<void> {
  const read: string[] = [];
  const root = tree({ 'ws/.keep': '', ...nodes });
  const { skills, workspace } = bench(root, {
    now: later,
    files: {
      beforeOpening: (path) => {
        if (path.includes('/skills/')) read.push(path.slice(path.indexOf('/skills/') + 8));
      },
    },
  });
  await skills.look(workspace, 0);
  read.length = 0;
  await skills.look(workspace, 0);
  assert.deepEqual(read, [], 'nothing changed');
  change(root);
  await skills.look(workspace, 0);
  assert.deepEqual(read, expected);
}

test('what did not change is not read again, and what did is', async () => {
  const nodes = {
    'ws/.gbs/skills/a/SKILL.md': skill('a'),
    'ws/.gbs/skills/b/SKILL.md': skill('b'),
    'ws/.gbs/skills/b/in/x.md': 'x',
    'ws/.gbs/skills/c/SKILL.md': skill('c'),
    'ws/.gbs/skills/c/y.md': { link: 'in/y.md' },
    'ws/.gbs/skills/c/in/y.md': 'y',
  } as const;
  const all = ['b/SKILL.md', 'b/in/x.md'];
  const at = (root: string, path: string) => join(root, 'ws/.gbs/skills', path);
  // A folder without a SKILL.md is none.
  await readAgain(nodes, (root) => mkdirSync(at(root, 'd')), []);
  await readAgain(nodes, (root) => renameSync(at(root, 'b/in/x.md'), at(root, 'b/in/y.md')), [
    'b/SKILL.md',
    'b/in/y.md',
  ]);
  await readAgain(nodes, (root) => writeFileSync(at(root, 'b/in/x.md'), 'z'), all);
  await readAgain(nodes, (root) => writeFileSync(at(root, 'b/in/new.md'), ''), [
    'b/SKILL.md',
    'b/in/new.md',
    'b/in/x.md',
  ]);
  await readAgain(nodes, (root) => rmSync(at(root, 'b/in/x.md')), ['b/SKILL.md']);
  // As large as before, and as old: a file's own time is set back by whoever wants to.
  const sameAge = (root: string) => {
    const path = at(root, 'b/in/x.md');
    const { atime, mtime } = statSync(path);
    writeFileSync(path, 'z');
    utimesSync(path, atime, mtime);
  };
  await readAgain(nodes, sameAge, all);
  // Through a link: the folder that holds the link does not change.
  await readAgain(nodes, (root) => writeFileSync(at(root, 'c/in/y.md'), 'changed'), [
    'c/SKILL.md',
    'c/in/y.md',
    // A link is opened by where it leads.
    'c/y.md',
    'c/in/y.md',
  ]);
});

test('a folder that takes the place of a link, or a link of a folder, is another skill', async () => {
  const linked = {
    'else/d/SKILL.md': skill('d', 'Elsewhere.'),
    'ws/.gbs/skills/d': { link: '../../../else/d' },
  } as const;
  const root = tree({ 'ws/.keep': '', ...linked });
  const { skills, workspace } = bench(root, { now: later });
  const at = join(root, 'ws/.gbs/skills/d');
  const descriptions = async () => {
    const view = await skills.look(workspace, 0);
    return view.skills.map(({ record }) => [record.parsed.description, record.real === at]);
  };
  assert.deepEqual(await descriptions(), [['Elsewhere.', false]]);
  rmSync(at);
  mkdirSync(at);
  writeFileSync(join(at, 'SKILL.md'), skill('d', 'Here.'));
  assert.deepEqual(await descriptions(), [['Here.', true]]);
  assert.deepEqual(await descriptions(), [['Here.', true]]);
  rmSync(at, { recursive: true });
  symlinkSync(join(root, 'else/d'), at);
  assert.deepEqual(await descriptions(), [['Elsewhere.', false]]);
});

test('what was just written is read again, until another change would show', async () => {
  const read: string[] = [];
  let now = 0;
  const root = tree({ 'ws/.gbs/skills/a/SKILL.md': skill('a') });
  const { skills, workspace } = bench(root, {
    now: () => new Date(now),
    files: {
      beforeOpening: (path) => {
        if (path.endsWith('SKILL.md')) read.push(path);
      },
    },
  });
  const written = statSync(join(root, 'ws/.gbs/skills/a/SKILL.md')).ctimeMs;
  const counts: number[] = [];
  for (const after of [0, 1, SKILL_STAMP_SETTLES_MS - 1, SKILL_STAMP_SETTLES_MS + 1, 60_000]) {
    now = written + after;
    await skills.look(workspace, 0);
    counts.push(read.length);
  }
  assert.deepEqual(counts, [1, 2, 3, 4, 4]);
});
