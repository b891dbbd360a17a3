/** What skills and instructions add to a run, and that it is nothing when there is nothing. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Contribution } from '../../../extension/agent/contributor.ts';
import type { RunEvent } from '../../../extension/agent/events.ts';
import { SKILLS_ASKED_FOR } from '../../../extension/limits.ts';
import { SkillsContributor } from '../../../extension/skills/contributor.ts';
import { invokedBy, notInvoked } from '../../../extension/skills/invoke.ts';
import { answering, bench, plant, skill, tree, type Bench } from './tree.ts';

interface Run {
  readonly here: Bench;
  readonly contributor: SkillsContributor;
  readonly events: RunEvent[];
  prepare(openFile?: string): Promise<Contribution & { readonly cards: number }>;
}

function runOf(root: string, options: Parameters<typeof bench>[1] = {}): Run {
  const here = bench(root, options);
  const contributor = new SkillsContributor({ ...here.parts, skills: here.skills });
  const events: RunEvent[] = [];
  return {
    here,
    contributor,
    events,
    prepare: async (openFile) => {
      const { ask, cards } = answering('allow');
      const contribution = await contributor.prepare({
        workspace: { ...here.workspace, openFile: openFile ?? null },
        contextWindow: 32_768,
        mode: 'ask',
        ask,
        emit: (event) => events.push(event),
        signal: new AbortController().signal,
      });
      return { ...contribution, cards: cards.length };
    },
  };
}

const context = {
  signal: new AbortController().signal,
  callId: 'x',
  progress: () => undefined,
  save: () => Promise.reject(new Error('nothing is saved here')),
};

const nothing = { tools: [], catalogue: '', servers: [], hint: '', cards: 0 };

test('with nothing usable there is nothing', async () => {
  const own = skill('own', 'x', 'disable-model-invocation: true\nautoAttach: ["*.ts"]\n');
  const cases: readonly [Readonly<Record<string, string>>, Parameters<typeof bench>[1]][] = [
    [{ 'ws/a.ts': '' }, {}],
    [{ 'ws/.gbs/skills/bad/SKILL.md': 'no header' }, {}],
    [{ 'home/.gbs/skills/own/SKILL.md': own }, {}],
    [{ 'home/.gbs/skills/a/SKILL.md': skill('a') }, { settings: { skillsEnabled: false } }],
    [
      { 'ws/.gbs/skills/a/SKILL.md': skill('a'), 'ws/AGENTS.md': 'x' },
      { workspace: { trusted: false } },
    ],
  ];
  for (const [nodes, options] of cases) {
    const root = tree(nodes);
    assert.deepEqual(await runOf(root, options).prepare(join(root, 'ws/a.ts')), nothing);
  }
});

test('catalogue, hint, tool and instructions', async () => {
  const root = tree({
    'ws/.gbs/skills/http/SKILL.md': skill('http', 'About http.', 'autoAttach: ["src/**/*.ts"]\n'),
    'ws/.gbs/skills/docs/SKILL.md': skill('docs'),
    'ws/AGENTS.md': 'Use tabs.\n',
    'ws/CLAUDE.md': 'Use tabs.\n',
    'ws/.gbs/instructions.md': 'Test first.',
  });
  const { prepare, here } = runOf(root);
  const contribution = await prepare(join(root, 'ws/src/http/retry.ts'));
  assert.deepEqual(
    { ...contribution, tools: contribution.tools.map(({ name }) => name) },
    {
      tools: ['skill'],
      catalogue:
        '# Skills\nGuidance for certain tasks, one a line. When a task fits a line, load that skill with the tool skill before you start.\n- http: About http.\n- docs: About docs.',
      servers: [],
      hint: 'Hint: the skill http fits the open file.',
      instructions: [
        { path: 'AGENTS.md', text: 'Use tabs.' },
        { path: '.gbs/instructions.md', text: 'Test first.' },
      ],
      cards: 1,
    },
  );
  // The same files give the same bytes.
  const again = await prepare(join(root, 'ws/src/http/retry.ts'));
  assert.deepEqual(
    { ...again, tools: again.tools.map(({ parameters }) => parameters) },
    {
      ...contribution,
      tools: contribution.tools.map(({ parameters }) => parameters),
      cards: 0,
    },
  );
  // Instructions are the project's, not skills: they stay when skills are off.
  here.settings = { ...here.settings, skillsEnabled: false };
  const off = await prepare();
  assert.deepEqual([off.catalogue, off.tools, off.instructions?.length], ['', [], 2]);
});

test('what changed since the last turn is said once', async () => {
  const root = tree({
    'ws/.gbs/skills/a/SKILL.md': skill('a'),
    'ws/.gbs/skills/b/SKILL.md': skill('b'),
    'ws/.gbs/skills/c/SKILL.md': skill('c'),
  });
  const { prepare, events } = runOf(root);
  await prepare();
  plant(root, {
    'ws/.gbs/skills/a/references/x.md': 'x',
    'ws/.gbs/skills/b/SKILL.md': 'broken',
    'ws/.gbs/skills/d/SKILL.md': skill('d'),
  });
  rmSync(join(root, 'ws/.gbs/skills/c'), { recursive: true });
  await prepare();
  await prepare();
  const facts = events.flatMap((event) => (event.type === 'notice' ? [event.notice.fact] : []));
  assert.deepEqual(facts, [
    'The skill b cannot be used.',
    'Skills: added d; changed a; removed c; unusable b.',
  ]);
});

test('a skill that cannot be used is said once, with its place; many are one message', async () => {
  const root = tree({ 'ws/.gbs/skills/bad/SKILL.md': skill('Bad') });
  const { prepare, events } = runOf(root);
  const told = (): readonly string[] =>
    events
      .splice(0)
      .flatMap((event) =>
        event.type === 'notice' && event.notice.code === 'skill-unusable'
          ? [`${event.notice.fact} ${event.notice.cause} ${event.notice.remedy}`]
          : [],
      );
  await prepare();
  assert.deepEqual(told(), [
    `The skill Bad cannot be used. A name has 1 to 64 lower-case letters and digits, with single hyphens between them. This skill cannot be used. See ${root}/ws/.gbs/skills/bad/SKILL.md, line 2.`,
  ]);
  await prepare();
  assert.deepEqual(told(), []);
  for (const name of ['w', 'x', 'y'])
    plant(root, { [`ws/.gbs/skills/${name}/SKILL.md`]: 'broken' });
  await prepare();
  assert.deepEqual(told(), [
    '4 skills cannot be used: Bad, w, x, y.  The Skills view, or gbs skills check, says why for each.',
  ]);
});

test('the agent reloads skills by itself only where the user allowed that', async () => {
  const root = tree({ 'home/.gbs/skills/a/SKILL.md': skill('a') });
  const { prepare, contributor } = runOf(root, { settings: { selfConfiguration: true } });
  const { tools } = await prepare();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['skill', 'reload_skills'],
  );
  assert.equal(contributor.takeRebuild(), false);
  plant(root, {
    'home/.gbs/skills/b/SKILL.md': skill('b'),
    'ws/.gbs/skills/c/SKILL.md': skill('c'),
  });
  assert.deepEqual(await tools[1]?.run({}, context), {
    text: 'Skills: added c, b. 1 wait for the user.',
    isError: false,
  });
  assert.deepEqual([contributor.takeRebuild(), contributor.takeRebuild()], [true, false]);
  const after = await prepare();
  assert.match(after.catalogue, /- a: .*\n- b: .*\n- c: /);
});

test('/name loads a skill at once, also one that only the user may load', async () => {
  const root = tree({
    'home/.gbs/skills/standup/SKILL.md': skill(
      'standup',
      'x',
      'disable-model-invocation: true\n',
      'Ask three things.\n',
    ),
    'home/.gbs/skills/standup/notes.md': 'Notes.',
    'home/.gbs/skills/model-only/SKILL.md': skill('model-only', 'x', 'user-invocable: false\n'),
    'ws/.gbs/skills/waits/SKILL.md': skill('waits'),
  });
  const here = bench(root);
  const contributor = new SkillsContributor({ ...here.parts, skills: here.skills });
  const events: RunEvent[] = [];
  const send = (message?: string) =>
    contributor.prepare({
      workspace: here.workspace,
      contextWindow: 32_768,
      mode: 'ask',
      ask: answering('notNow').ask,
      emit: (event) => events.push(event),
      signal: new AbortController().signal,
      ...(message === undefined ? {} : { message }),
    });
  for (const message of [undefined, 'about /standup', '/stand', '/model-only x', '/waits x', '/']) {
    const { hint, tools } = await send(message);
    assert.deepEqual([hint, tools.length], ['', 1], message);
    const refused = tools[0]?.run({ name: 'standup' }, context);
    await assert.rejects(async () => refused, /Only the user loads the skill standup/);
  }
  // What loads nothing is said, and went to the model as it is.
  assert.deepEqual(
    events.map((event) => event.type === 'notice' && [event.notice.fact, event.notice.cause]),
    [
      ['There is no skill or command named /stand.', ''],
      ['/model-only loads nothing.', 'Its header says that only the model loads it.'],
    ],
  );
  events.length = 0;
  const { hint, tools } = await send('/standup for today');
  assert.equal(
    hint,
    'The user loaded the skill standup for this message:\n<skill name="standup">\nAsk three things.\n\nFiles of this skill (call skill with name standup and resource):\n- notes.md (6 bytes)\n</skill>',
  );
  assert.deepEqual(
    events.map((event) => event.type === 'line' && [event.line.verb, event.line.object]),
    [['Loaded skill', 'standup']],
  );
  // What belongs to it is now the model's to load.
  const notes = await tools[0]?.run({ name: 'standup', resource: 'notes.md' }, context);
  assert.match(notes?.text ?? '', /Notes\./);
});

test('/name in a queued message loads it too, and the tool for its files comes at the next step', async () => {
  const own = skill('own', 'x', 'disable-model-invocation: true\n', 'Do it.\n');
  const root = tree({ 'home/.gbs/skills/own/SKILL.md': own });
  const { prepare, contributor, events } = runOf(root);
  assert.deepEqual((await prepare()).tools, []);
  const emit = (event: RunEvent): void => {
    events.push(event);
  };
  const { signal } = new AbortController();
  assert.equal(await contributor.asked('own it', 32_768, emit, signal), '');
  assert.equal(contributor.takeRebuild(), false);
  assert.equal(
    await contributor.asked('/own it', 32_768, emit, signal),
    'The user loaded the skill own for this message:\n<skill name="own">\nDo it.\n</skill>',
  );
  assert.equal(contributor.takeRebuild(), true);
  assert.equal((await prepare()).tools.length, 1);
});

test('@skill:name loads skills wherever it stands, each once and only so many', async () => {
  const names = ['one', 'two', 'three', 'four', 'five'];
  const root = tree({
    ...Object.fromEntries(
      names.map((name) => [
        `home/.gbs/skills/${name}/SKILL.md`,
        skill(name, 'x', '', `Text of ${name}.\n`),
      ]),
    ),
    'home/.gbs/skills/model-only/SKILL.md': skill('model-only', 'x', 'user-invocable: false\n'),
  });
  const here = bench(root);
  const view = await here.skills.look(here.workspace, 0);
  const asked = (message: string): string[] =>
    invokedBy(message, view.skills).map(({ report }) => report.name);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['Do it as @skill:two and @skill:one say', ['two', 'one']],
    ['/one then @skill:two, and @skill:two', ['one', 'two']],
    ['@skill:one.', ['one']],
    ['mail@skill:one @skill:model-only @skill:nothing @one', []],
    [names.map((name) => `@skill:${name}`).join(' '), ['one', 'two', 'three', 'four']],
    ['/usr/bin/one', []],
  ];
  for (const [message, expected] of cases) assert.deepEqual(asked(message), expected, message);
  assert.equal(SKILLS_ASKED_FOR, 4);
  const contributor = new SkillsContributor({ ...here.parts, skills: here.skills });
  const { hint } = await contributor.prepare({
    workspace: here.workspace,
    contextWindow: 32_768,
    mode: 'ask',
    ask: answering('deny').ask,
    emit: () => undefined,
    signal: new AbortController().signal,
    message: 'Do @skill:two like @skill:one',
  });
  assert.match(
    hint,
    /loaded the skill two [^]*Text of two\.[^]*loaded the skill one [^]*Text of one\./,
  );
});

test('why a /word loads nothing', async () => {
  const root = tree({
    'home/.gbs/skills/good/SKILL.md': skill('good'),
    'home/.gbs/skills/model-only/SKILL.md': skill('model-only', 'x', 'user-invocable: false\n'),
    'home/.gbs/skills/bad/SKILL.md': '---\nname: bad\n---\n',
    'ws/.gbs/skills/waiting/SKILL.md': skill('waiting'),
  });
  const { skills, workspace } = bench(root);
  const view = await skills.look(workspace, 0);
  const cases: readonly (readonly [string, string | null])[] = [
    ['/good x', null],
    ['/waiting', null],
    ['no command', null],
    ['/tmp/file is full', null],
    ['/ x', null],
    ['/nothing at all', 'There is no skill or command named /nothing. '],
    ['/Good', 'There is no skill or command named /Good. '],
    ['/model-only', '/model-only loads nothing. Its header says that only the model loads it.'],
    [
      '/bad',
      '/bad loads nothing. The skill bad stands so: unusable: The header has no description.',
    ],
  ];
  for (const [message, expected] of cases) {
    const nothing = notInvoked(message, view.skills);
    assert.equal(nothing && `${nothing.fact} ${nothing.cause}`, expected, message);
  }
});
