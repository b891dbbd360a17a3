/** What a repository brings is used only after a yes to exactly that. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CardAnswer } from '../../../extension/agent/tool.ts';
import type { Card, Span } from '../../../extension/core.ts';
import { answering, bench, lines, plant, skill, summary, tree, type Bench } from './tree.ts';

const never = new AbortController().signal;

/** One request: what is asked, and what the model is told of afterwards. */
async function turn(
  here: Bench,
  answer: CardAnswer['answer'],
): Promise<{ asked: readonly string[]; card: Card | undefined; told: readonly string[] }> {
  const { ask, cards } = answering(answer);
  const view = await here.skills.prepare(here.workspace, 0, ask, never);
  const told = [
    ...lines(view).map((line) => line.slice(2).split(':')[0] ?? ''),
    ...view.instructions
      .filter(({ standing }) => standing.kind === 'allowed')
      .map(({ record }) => record.path),
  ];
  return { asked: cards.flatMap(({ about }) => about), card: cards[0], told };
}

async function check(
  here: Bench,
  answer: CardAnswer['answer'],
  asked: readonly string[],
  told: readonly string[],
): Promise<Card | undefined> {
  const happened = await turn(here, answer);
  assert.deepEqual({ asked: happened.asked, told: happened.told }, { asked, told });
  return happened.card;
}

const repository = {
  'ws/.gbs/skills/a/SKILL.md': skill('a'),
  'ws/.gbs/skills/a/references/x.md': 'one\ntwo\nthree\n',
  'ws/.claude/skills/b/SKILL.md': skill('b'),
  'ws/AGENTS.md': 'Use tabs.\n',
  'home/.gbs/skills/mine/SKILL.md': skill('mine'),
};

test('what is of the repository is asked about once, what is the user’s never', async () => {
  const root = tree(repository);
  await check(bench(root), 'allow', ['a', 'b', 'AGENTS.md'], ['a', 'b', 'mine', 'AGENTS.md']);
  // Another window, another day.
  await check(bench(root), 'deny', [], ['a', 'b', 'mine', 'AGENTS.md']);
});

test('without a yes nothing of it is used; a turn that was stopped decides nothing', async () => {
  const root = tree(repository);
  await check(bench(root), 'deny', ['a', 'b', 'AGENTS.md'], ['mine']);
  await check(bench(root), 'allow', ['a', 'b', 'AGENTS.md'], ['a', 'b', 'mine', 'AGENTS.md']);
});

test('not now is remembered until something changes or a reload', async () => {
  const root = tree(repository);
  await check(bench(root), 'notNow', ['a', 'b', 'AGENTS.md'], ['mine']);
  const here = bench(root);
  await check(here, 'allow', [], ['mine']);
  plant(root, { 'ws/.gbs/skills/a/references/y.md': 'new' });
  await check(here, 'notNow', ['a'], ['mine']);
  await check(here, 'allow', [], ['mine']);
  await here.skills.reload(here.workspace);
  await check(here, 'allow', ['a', 'b', 'AGENTS.md'], ['a', 'b', 'mine', 'AGENTS.md']);
});

test('a state says why it waits, and whether it was put off', async () => {
  const root = tree({
    'ws/.gbs/skills/a/SKILL.md': skill('a'),
    'ws/.gbs/skills/a/x.md': 'x',
    'ws/.gbs/skills/b/SKILL.md': skill('b'),
  });
  const here = bench(root);
  const states = async () => summary(root, await here.skills.look(here.workspace, 0));
  assert.deepEqual(await states(), [
    'ws/.gbs/skills/a: waits for you: new',
    'ws/.gbs/skills/b: waits for you: new',
  ]);
  await (await here.skills.approval(here.workspace, (name) => name === 'a'))?.allow();
  await turn(here, 'notNow');
  assert.deepEqual(await states(), [
    'ws/.gbs/skills/a: full',
    'ws/.gbs/skills/b: waits for you: new; not now, as you said',
  ]);
  writeFileSync(join(root, 'ws/.gbs/skills/a/SKILL.md'), skill('a', 'Other.'));
  assert.equal((await states())[0], 'ws/.gbs/skills/a: waits for you: 1 file changed');
  writeFileSync(join(root, 'ws/.gbs/skills/a/x.md'), 'y');
  await turn(here, 'notNow');
  assert.equal(
    (await states())[0],
    'ws/.gbs/skills/a: waits for you: 2 files changed; not now, as you said',
  );
});

test('any change holds back that skill alone, asks again and shows what changed', async () => {
  const changes: readonly [string, string | null, string][] = [
    [
      'ws/.gbs/skills/a/references/x.md',
      'one\n2\nthree\n',
      '@@ -1,3 +1,3 @@ a/references/x.md\n one\n-two\n+2\n three',
    ],
    [
      'ws/.gbs/skills/a/references/new.sh',
      'rm -rf ~\n',
      '@@ -0,0 +1,1 @@ a/references/new.sh\n+rm -rf ~',
    ],
    [
      'ws/.gbs/skills/a/references/x.md',
      null,
      '@@ -1,3 +0,0 @@ a/references/x.md\n-one\n-two\n-three',
    ],
  ];
  for (const [path, text, diff] of changes) {
    const root = tree(repository);
    await check(bench(root), 'allow', ['a', 'b', 'AGENTS.md'], ['a', 'b', 'mine', 'AGENTS.md']);
    if (text === null) rmSync(join(root, path));
    else writeFileSync(join(root, path), text);
    const here = bench(root);
    const view = await here.skills.look(here.workspace, 0);
    assert.equal(summary(root, view)[0], 'ws/.gbs/skills/a: waits for you: 1 file changed');
    const card = await check(here, 'allow', ['a'], ['a', 'b', 'mine', 'AGENTS.md']);
    assert.deepEqual(card?.changed?.content, [{ kind: 'quoted', text: diff }]);
    await check(here, 'deny', [], ['a', 'b', 'mine', 'AGENTS.md']);
  }
});

test('changed instructions are held back too', async () => {
  const root = tree(repository);
  await turn(bench(root), 'allow');
  writeFileSync(join(root, 'ws/AGENTS.md'), 'Use blanks.\n');
  const card = await check(bench(root), 'notNow', ['AGENTS.md'], ['a', 'b', 'mine']);
  assert.deepEqual(card?.changed?.content, [
    { kind: 'quoted', text: '@@ -1,1 +1,1 @@ AGENTS.md\n-Use tabs.\n+Use blanks.' },
  ]);
});

test('a yes for the session is gone with the program', async () => {
  const root = tree(repository);
  const here = bench(root);
  await check(here, 'allowSession', ['a', 'b', 'AGENTS.md'], ['a', 'b', 'mine', 'AGENTS.md']);
  await check(here, 'deny', [], ['a', 'b', 'mine', 'AGENTS.md']);
  await check(bench(root), 'deny', ['a', 'b', 'AGENTS.md'], ['mine']);
});

test('what changes between question and answer is not covered by the answer', async () => {
  const root = tree(repository);
  const here = bench(root);
  const view = await here.skills.prepare(
    here.workspace,
    0,
    () => {
      writeFileSync(join(root, 'ws/.gbs/skills/a/SKILL.md'), skill('a', 'Something else.'));
      return Promise.resolve({ answer: 'allow' });
    },
    never,
  );
  assert.deepEqual(
    lines(view).map((line) => line.split(':')[0]),
    ['- b', '- mine'],
  );
  assert.equal(summary(root, view)[0], 'ws/.gbs/skills/a: waits for you: 1 file changed');
});

test('what changes while it is read for the question is read again', async () => {
  const root = tree({ 'ws/.gbs/skills/a/SKILL.md': skill('a', 'First.') });
  let reads = 0;
  const here = bench(root, {
    files: {
      beforeOpening: () => {
        reads += 1;
        // The first reading finds the skill; the second is the one for the card.
        if (reads === 2)
          writeFileSync(join(root, 'ws/.gbs/skills/a/SKILL.md'), skill('a', 'Next.'));
      },
    },
  });
  const card = await check(here, 'allow', ['a'], ['a']);
  const shown = card?.panes[0]?.content[0];
  assert.deepEqual(shown, {
    kind: 'quoted',
    text: skill('a', 'Next.').trimEnd(),
  } satisfies Span);
});

test('a skill that changes each time it is read waits', async () => {
  const root = tree({ 'ws/.gbs/skills/a/SKILL.md': skill('a') });
  let reads = 0;
  const here = bench(root, {
    files: {
      beforeOpening: () => {
        reads += 1;
        writeFileSync(join(root, 'ws/.gbs/skills/a/SKILL.md'), skill('a', `No. ${String(reads)}`));
      },
    },
  });
  await check(here, 'allow', [], []);
  assert.equal(here.warnings.length, 1);
});

test('revoking takes back what was allowed, by name or all', async () => {
  const root = tree(repository);
  const here = bench(root);
  await turn(here, 'allow');
  assert.deepEqual(await here.skills.revoke(here.workspace, ['b', 'unknown']), ['b']);
  await check(here, 'deny', ['b'], ['a', 'mine', 'AGENTS.md']);
  // Also what is no longer there.
  rmSync(join(root, 'ws/.gbs/skills/a'), { recursive: true });
  assert.deepEqual(await here.skills.revoke(here.workspace, null), ['AGENTS.md', 'a']);
  await check(here, 'deny', ['b', 'AGENTS.md'], ['mine']);
  assert.deepEqual(await here.skills.revoke(here.workspace, null), []);
});

test('approving by name allows exactly what its card shows', async () => {
  const root = tree(repository);
  const here = bench(root);
  const approval = await here.skills.approval(here.workspace, (name) => name === 'b');
  assert.deepEqual(approval?.names, ['b']);
  writeFileSync(join(root, 'ws/.claude/skills/b/SKILL.md'), skill('b', 'Later.'));
  await approval.allow();
  await check(here, 'deny', ['a', 'b', 'AGENTS.md'], ['mine']);
  writeFileSync(
    join(root, 'ws/.claude/skills/b/SKILL.md'),
    repository['ws/.claude/skills/b/SKILL.md'],
  );
  await check(here, 'deny', ['a', 'AGENTS.md'], ['b', 'mine']);
  assert.equal(await here.skills.approval(here.workspace, (name) => name === 'b'), null);
});

test('a workspace that is not trusted asks nothing and uses nothing', async () => {
  const root = tree(repository);
  await turn(bench(root), 'allow');
  await check(bench(root, { workspace: { trusted: false } }), 'allow', [], ['mine']);
});

test('a skill that an earlier one shadows needs no answer', async () => {
  const root = tree({ ...repository, 'ws/.github/skills/a/SKILL.md': skill('a', 'Later.') });
  await check(bench(root), 'allow', ['a', 'b', 'AGENTS.md'], ['a', 'b', 'mine', 'AGENTS.md']);
  const { skills, workspace } = bench(root);
  const view = await skills.look(workspace, 0);
  assert.ok(summary(root, view).includes('ws/.github/skills/a: shadowed by .gbs/skills'));
});

test('an answer holds in its workspace folder alone, and under its path alone', async () => {
  const root = tree({
    ...repository,
    'other/.gbs/skills/a/SKILL.md': skill('a'),
    'other/.gbs/skills/a/references/x.md': 'one\ntwo\nthree\n',
  });
  await turn(bench(root), 'allow');
  const other = bench(root, { workspace: { folders: [join(root, 'other')] } });
  await check(other, 'deny', ['a'], ['mine']);
});

test('state that is damaged or forged beyond its form grants nothing', async () => {
  const root = tree(repository);
  await turn(bench(root), 'allow');
  const folder = join(root, 'state/workspaces');
  const file = join(folder, readdirSync(folder)[0] ?? '', 'skill-consent.json');
  // Nobody but the user reads or writes it.
  assert.equal(statSync(file).mode & 0o077, 0);
  const good = readFileSync(file, 'utf8');
  for (const damaged of ['', '[]', 'null', good.slice(0, -40), good.replaceAll('"files"', '"f"')]) {
    writeFileSync(file, damaged);
    await check(bench(root), 'deny', ['a', 'b', 'AGENTS.md'], ['mine']);
  }
  writeFileSync(file, good);
  await check(bench(root), 'deny', [], ['a', 'b', 'mine', 'AGENTS.md']);
});

test('a copy that was damaged costs the diff, not the question', async () => {
  const root = tree(repository);
  await turn(bench(root), 'allow');
  const folder = join(root, 'state/workspaces');
  const copies = join(folder, readdirSync(folder)[0] ?? '', 'skill-copies');
  for (const name of readdirSync(copies)) writeFileSync(join(copies, name), 'forged');
  writeFileSync(join(root, 'ws/.gbs/skills/a/references/x.md'), 'changed\n');
  const card = await check(bench(root), 'deny', ['a'], ['b', 'mine', 'AGENTS.md']);
  assert.equal(card?.changed, null);
  assert.deepEqual(
    card?.panes.map(({ title, content }) => [title, content]),
    [['A changed file of a, whole', [{ kind: 'quoted', text: 'changed' }]]],
  );
});

test('the card of a changed skill says when it was allowed', async () => {
  const root = tree(repository);
  await turn(bench(root, { now: () => new Date(2026, 4, 3, 12) }), 'allow');
  plant(root, { 'ws/.gbs/skills/a/references/y.md': 'y' });
  for (const [now, day] of [
    [new Date(2026, 10, 30, 12), '3 May'],
    [new Date(2027, 0, 1, 12), '3 May 2026'],
  ] as const) {
    const { card } = await turn(bench(root, { now: () => now }), 'deny');
    assert.deepEqual(card?.sentence, [
      { kind: 'words', text: `1 of 3 files changed since you approved it on ${day}.` },
    ]);
  }
});

test('a skill that lies outside of the repository says so', async () => {
  const root = tree({
    'elsewhere/a/SKILL.md': skill('a'),
    'ws/.gbs/skills/a': { link: '../../../elsewhere/a' },
  });
  const { card } = await turn(bench(root), 'deny');
  assert.deepEqual(
    card?.flags.map(({ code }) => code),
    ['outside-workspace'],
  );
});
