// Asks one card as `gbs` would and prints the answer as JSON on stdout.
import { Command } from 'commander';
import { createAsk } from '../../../extension/cli/ask.ts';
import { addGlobalFlags, createParts } from '../../../extension/cli/parts.ts';
import { Stop } from '../../../extension/cli/stop.ts';
import type { Card } from '../../../extension/core.ts';

const program = new Command('ask');
addGlobalFlags(program);
const stop = new Stop();
stop.watch();
const parts = createParts(program, stop);
const card: Card = {
  kind: 'command',
  about: ['npm test'],
  question: [{ kind: 'words', text: 'Run this command?' }],
  sentence: [],
  changed: null,
  flags: [],
  panes: [
    {
      title: '',
      measure: '',
      kind: 'command',
      content: [{ kind: 'quoted', text: 'npm test' }],
      editable: process.argv[2] === 'editable',
    },
  ],
  form: [],
  facts: [{ term: 'Key', value: [{ kind: 'secret', text: 'hunter2', masked: '••••••••' }] }],
  actions: [
    { answer: 'allow', label: 'Run once', letter: 'y', primary: true },
    { answer: 'deny', label: 'Deny…', letter: 'n', primary: false },
  ],
  footnote: [],
};
const ask = createAsk(parts, {
  answers: {},
  needsApproval: (_card, flag) => {
    process.stdout.write(`NEEDS ${JSON.stringify(flag)}\n`);
  },
});
void ask(card, stop.signal).then((answer) => {
  process.stdout.write(`ANSWER ${JSON.stringify(answer)}\n`);
});
