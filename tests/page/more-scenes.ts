/** More states: what is offered while typing, other machines, failures, and what is long or wide. */
import type { Completion, Status } from '../../extension/chat/protocol.ts';
import type { Card } from '../../extension/core.ts';
import { callCard, hostCard } from './sample-cards.ts';
import { card, done, line, output, started, summary, waits, writing } from './sample-turn.ts';
import type { Scene } from './scenes.ts';

const file = (path: string): Completion => {
  const cut = path.lastIndexOf('/') + 1;
  return {
    insert: `@${path}`,
    label: path.slice(cut),
    detail: path.slice(0, cut),
    icon: 'file',
    group: 'Files',
  };
};

const offer = (
  icon: Completion['icon'],
  group: string,
  label: string,
  detail: string,
): Completion => ({ insert: label, label, detail, icon, group });

const server: Status['server'] = {
  kind: 'found',
  name: '',
  host: 'VS Code',
  loopback: false,
  ofEditor: true,
  contextWindow: 65_536,
};

const editorCard: Card = {
  ...hostCard,
  question: [
    { kind: 'words', text: 'Send to a model of ' },
    { kind: 'quoted', text: 'VS Code' },
    { kind: 'words', text: '?' },
  ],
  sentence: [
    {
      kind: 'words',
      text: 'Another extension brings this model and decides where it runs: here or elsewhere.',
    },
  ],
  facts: [],
};

const ended = {
  type: 'turnEnded',
  turn: 't1',
  end: { kind: 'answered' },
  summary: { ...summary, changes: [] },
} as const;

const columns = Array.from({ length: 10 }, (_, n) => `Column ${String(n + 1)}`);
const wide = [
  `| ${columns.join(' | ')} |`,
  `| ${columns.map(() => '---').join(' | ')} |`,
  ...Array.from(
    { length: 3 },
    (_, row) => `| ${columns.map((_, n) => `value ${String(row)}.${String(n)}`).join(' | ')} |`,
  ),
  '',
  '```ts',
  `export const address = 'https://search.example.net/${'a-long-path/'.repeat(20)}';`,
  ...Array.from({ length: 40 }, (_, n) => `export const constant${String(n)} = ${String(n)};`),
  '```',
].join('\n');

export const moreScenes: readonly Scene[] = [
  {
    name: 'composer-at',
    events: [started, ...done],
    clicks: ['.composer textarea'],
    types: '@re',
    offers: [
      offer('resource', 'tracker', '@tracker:issue://482', 'Search client ignores Retry-After'),
      file('api/src/http/retry.ts'),
      file('web/src/retry-notice.ts'),
      file(`web/${'deeply/nested/'.repeat(6)}readme.md`),
    ],
  },
  {
    name: 'composer-slash',
    events: [started, ...done],
    clicks: ['.composer textarea'],
    types: '/re',
    offers: [
      offer('command', 'Commands', '/new', 'Starts a new chat'),
      offer(
        'skill',
        'Skills',
        '/review-sql',
        'How queries are reviewed here. Use it before a merge.',
      ),
      offer('prompt', 'tracker', '/tracker.release-notes', 'Release notes from closed issues'),
    ],
  },
  { name: 'first-run-there', events: [], status: { remote: 'ssh' } },
  { name: 'first-run-editor', events: [], status: { server, model: 'scripted-lm' } },
  {
    name: 'card-editor-model',
    events: [started, ...waits, card('k1', editorCard)],
    status: { server },
  },
  {
    name: 'undone',
    events: [started, ...done],
    then: [
      {
        type: 'events',
        events: [
          {
            at: 0,
            event: {
              type: 'undone',
              turn: 't1',
              note: 'Put back 3 files; kept 1 that you changed.',
            },
          },
        ],
      },
    ],
  },
  {
    name: 'failures',
    events: [
      started,
      line('f1', 'command', 'Ran', 'npm test -- retry', {
        state: 'failed',
        measure: 'exit 1, 12.4 s',
        output: output(
          'not ok 3 - waits as long as Retry-After says\n  expected: 2000\n  actual: 0',
        ),
        allowedBy: 'You allowed it once.',
      }),
      line('f2', 'edit', 'Edited', 'src/http/retry.ts', {
        state: 'failed',
        measure: 'failed',
        output: output(
          'old_string stands 3 times in src/http/retry.ts. Give more of what is around it.',
        ),
      }),
      line('f3', 'server', 'Called', 'tracker create_issue', {
        state: 'failed',
        measure: 'no answer',
      }),
      ended,
    ],
    clicks: ['.line:has-text("npm test")'],
  },
  {
    name: 'wide',
    events: [
      started,
      { type: 'text', id: 'x1', delta: wide },
      { type: 'textEnded', id: 'x1' },
      ended,
    ],
  },
  {
    name: 'card-long',
    events: [
      started,
      ...waits,
      card('k1', {
        ...callCard,
        panes: callCard.panes.map((pane) => ({
          ...pane,
          content: [
            {
              kind: 'quoted' as const,
              text: JSON.stringify(
                {
                  title: 'x'.repeat(300),
                  labels: Array.from({ length: 30 }, (_, n) => `label-${String(n)}`),
                },
                null,
                2,
              ),
            },
          ],
        })),
      }),
    ],
  },
  {
    name: 'queue-edit',
    events: [
      ...writing,
      { type: 'queue', messages: [{ id: 'q1', text: 'Use the clock from test/helpers' }] },
    ],
    clicks: ['.queue .acts button'],
  },
];
