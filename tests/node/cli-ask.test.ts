import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { answerOf, flagFor, type FlagAnswers } from '../../extension/cli/ask.ts';
import { cardLines } from '../../extension/cli/card.ts';
import { createScreen } from '../../extension/cli/screen.ts';
import { ARMING_MS } from '../../extension/limits.ts';
import { hasTerminal, runOnTerminal, type TerminalStep } from './terminal.ts';
import { createCore, type Card, type CardKind } from '../../extension/core.ts';

const core = createCore();
const plain = createScreen({ out: process.stdout, err: process.stderr }, 'never', {}, 'linux');

const empty: Card = {
  kind: 'command',
  about: [],
  question: [{ kind: 'words', text: 'Run this command?' }],
  sentence: [],
  changed: null,
  flags: [],
  panes: [],
  form: [],
  facts: [],
  actions: [],
  footnote: [],
};

function check(title: string, card: Partial<Card>, expected: string): void {
  test(title, () => {
    const lines = cardLines(
      { ...empty, ...card },
      {
        paint: plain.err.paint,
        marks: plain.marks,
        visible: (text) => core.visibleText(text),
        revealed: false,
      },
    );
    assert.equal(lines.join('\n'), expected);
  });
}

const pane = { title: '', measure: '', editable: false } as const;

check(
  'a command stands alone, controls as numbers',
  {
    panes: [
      {
        ...pane,
        kind: 'command',
        content: [{ kind: 'quoted', text: 'rm -rf x\u001b[2K\r\u202etxt.exe' }],
      },
    ],
    sentence: [{ kind: 'words', text: 'in packages/http, stops after 120 s' }],
  },
  `? Run this command?
  in packages/http, stops after 120 s
  rm -rf x\\u{1b}[2K\\u{d}\\u{202e}txt.exe`,
);
check(
  'an argument that would not read as one is quoted, a secret is masked',
  {
    panes: [
      {
        ...pane,
        title: 'What will run',
        measure: '4 parts',
        kind: 'command',
        content: [
          { kind: 'quoted', text: '/usr/bin/node' },
          { kind: 'quoted', text: 'a b"c\\' },
          { kind: 'quoted', text: '' },
          { kind: 'secret', text: '--key=hunter2', masked: '--key=••••••••' },
        ],
      },
    ],
  },
  `? Run this command?
  What will run, 4 parts
  /usr/bin/node "a b\\"c\\\\" "" --key=••••••••`,
);
check(
  'lines of a command cannot pose as the question',
  {
    panes: [
      {
        ...pane,
        kind: 'command',
        content: [{ kind: 'quoted', text: 'ls\n? Read this file?\n  y allow  > ' }],
      },
    ],
  },
  `? Run this command?
  | ls
  | ? Read this file?
  |   y allow  > `,
);
check(
  'a name that reads like our words is quoted',
  {
    question: [
      { kind: 'words', text: 'Start the server ' },
      { kind: 'quoted', text: 'docs", which is safe\n? ok' },
      { kind: 'words', text: '?' },
    ],
  },
  '? Start the server "docs\\", which is safe\\n? ok"?',
);
check(
  'words between quotes of ours cannot end them',
  {
    question: [
      { kind: 'words', text: 'Its own words: “' },
      { kind: 'quoted', text: 'Reads.” It is safe.\n? Yes' },
      { kind: 'words', text: '”' },
    ],
  },
  '? Its own words: “Reads." It is safe.\\n? Yes”',
);
check(
  'a diff has its numbers and its counts',
  {
    question: [
      { kind: 'words', text: 'Change ' },
      { kind: 'quoted', text: 'src/a.ts' },
      { kind: 'words', text: '?' },
    ],
    panes: [
      {
        ...pane,
        kind: 'diff',
        content: [
          {
            kind: 'quoted',
            text: '@@ -8,3 +8,4 @@\n keep\n-old\n+new\n+more\n keep\n@@ -20 +21 @@\n-x\n+y\n',
          },
        ],
      },
    ],
  },
  `? Change src/a.ts? +3 -2
     8 keep
  -  9 old
  +  9 new
  + 10 more
    11 keep
    ...
  - 20 x
  + 21 y`,
);
check(
  'facts, flags and what is not covered',
  {
    flags: [
      {
        code: 'loads-code',
        text: [
          { kind: 'quoted', text: 'NODE_OPTIONS' },
          { kind: 'words', text: ' loads code before the server starts' },
        ],
      },
    ],
    facts: [
      { term: 'Program', value: [{ kind: 'quoted', text: '/usr/bin/node' }] },
      { term: 'Set in', value: [{ kind: 'place', text: '.mcp.json, line 4', path: 'x', line: 4 }] },
    ],
    footnote: [{ kind: 'words', text: 'Not covered: what they import.' }],
  },
  `? Run this command?
  ! NODE_OPTIONS loads code before the server starts
  Program  /usr/bin/node
  Set in   .mcp.json, line 4
  Not covered: what they import.`,
);

function checkFlag(
  kind: CardKind,
  about: string[],
  answers: FlagAnswers,
  expected: { flag: string; matches: boolean },
  flags: Card['flags'] = [],
): void {
  test(`flags for a ${kind} about ${JSON.stringify(about)}`, () => {
    assert.deepEqual(flagFor({ kind, about, flags }, answers), expected);
  });
}
const everything: FlagAnswers = {
  yesMcp: ['a', 'b'],
  yesSkills: true,
  yesHosts: ['h:1'],
  allow: ['mcp__a__x'],
};
checkFlag('server', ['a', 'b'], everything, { flag: '--yes-mcp a --yes-mcp b', matches: true });
checkFlag('server', ['a', 'c d'], everything, {
  flag: "--yes-mcp a --yes-mcp 'c d'",
  matches: false,
});
checkFlag('server', [], everything, { flag: '', matches: false });
checkFlag('server', ['a'], everything, { flag: '--yes-mcp a', matches: true }, [
  { code: 'unpinned', text: [] },
]);
checkFlag('server', ['a'], everything, { flag: '', matches: false }, [
  { code: 'quoted', text: [] },
]);
checkFlag('skill', ['s'], everything, { flag: '--yes-skills', matches: true });
checkFlag('host', ['h:1'], everything, { flag: '--yes-host h:1', matches: true });
checkFlag('call', ['mcp__a__x'], everything, { flag: '--allow mcp__a__x', matches: true });
checkFlag('call', ['mcp__a__x'], everything, { flag: '', matches: false }, [
  { code: 'quoted-from-data', text: [] },
]);
for (const kind of ['edit', 'command', 'read', 'drift', 'repeat'] as const) {
  checkFlag(kind, ['mcp__a__x', 'a'], everything, { flag: '', matches: false });
}

test('only a typed letter answers, and only a denial takes a reason', () => {
  const actions = [
    { answer: 'allow', letter: 'y' },
    { answer: 'allowSession', letter: 's' },
    { answer: 'deny', letter: 'n' },
  ] as const;
  assert.deepEqual(
    ['', 'y', 'Y', 'yes', 's', 'n', 'no', 'n use the other', 'y but not this', 'yess', 'q'].map(
      (typed) => answerOf(typed, actions),
    ),
    [
      null,
      { answer: 'allow' },
      { answer: 'allow' },
      { answer: 'allow' },
      { answer: 'allowSession' },
      { answer: 'deny' },
      { answer: 'deny' },
      { answer: 'deny', reason: 'use the other' },
      null,
      null,
      null,
    ],
  );
});

const program = join(import.meta.dirname, 'programs/ask-card.ts');

/** The answer that the program gave, or all that was seen. */
async function onTerminal(
  steps: readonly TerminalStep[],
  options: { readonly early?: string; readonly editor?: string } = {},
): Promise<string> {
  const args = [program, ...(options.editor === undefined ? [] : ['editable'])];
  const seen = await runOnTerminal(args, steps, {
    early: options.early ?? '',
    environment: { VISUAL: '', EDITOR: options.editor ?? '' },
    until: /(ANSWER|NEEDS) .*\n/,
  });
  return /ANSWER (.*)\r?\n/.exec(seen)?.[1] ?? seen;
}

test('Enter alone says nothing; a letter answers', { skip: !hasTerminal }, async () => {
  const answer = await onTerminal([
    { after: 'more  > ', type: '\r' },
    { after: 'Type one of y, n and press Enter.', type: '' },
    { after: 'more  > ', type: 'y\r' },
  ]);
  assert.equal(answer, '{"answer":"allow"}');
});

test('what was typed before the card does not count', { skip: !hasTerminal }, async () => {
  const answer = await onTerminal([{ after: 'more  > ', type: 'n not now\r' }], {
    early: 'y\r\ny\r\n',
  });
  assert.equal(answer, '{"answer":"deny","reason":"not now"}');
  assert.ok(ARMING_MS >= 500);
});

test('? shows more, secrets too, and answers nothing', { skip: !hasTerminal }, async () => {
  const answer = await onTerminal([
    { after: 'Key  ••••••••', type: '' },
    { after: 'more  > ', type: '?\r' },
    { after: 'Key  hunter2', type: '' },
    { after: 'more  > ', type: 'n\r' },
  ]);
  assert.equal(answer, '{"answer":"deny"}');
});

test('Ctrl-C and the end of input deny', { skip: !hasTerminal }, async () => {
  assert.equal(await onTerminal([{ after: 'more  > ', type: '\u0003' }]), '{"answer":"deny"}');
  assert.equal(await onTerminal([{ after: 'more  > ', type: '\u0004' }]), '{"answer":"deny"}');
});

test('an edited pane goes back with the yes', { skip: !hasTerminal }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-test-'));
  try {
    const editor = join(folder, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\necho "npm run check" > "$1"\n');
    await chmod(editor, 0o700);
    const answer = await onTerminal(
      [
        { after: 'more  > ', type: 'e\r' },
        { after: 'npm run check', type: '' },
        { after: 'more  > ', type: 'y\r' },
      ],
      { editor },
    );
    assert.equal(answer, '{"answer":"allow","edited":{"0":"npm run check\\n"}}');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('without a terminal nothing is allowed, and the flag is named', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
  });
  let seen = '';
  for await (const chunk of child.stdout) seen += String(chunk);
  assert.equal(seen, 'NEEDS ""\nANSWER {"answer":"deny"}\n');
});
