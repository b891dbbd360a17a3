/** Every state of the chat, as the events that lead to it. Texts follow one believable turn. */
import type { ContextUse, Line, RunEvent, TurnSummary } from '../../extension/agent/events.ts';
import type { Card } from '../../extension/core.ts';
import type { Status, ToPage } from '../../extension/chat/protocol.ts';
import { after, emptyTranscript, shown, type Transcript } from '../../extension/chat/transcript.ts';
import {
  callCard,
  commandCard,
  flaggedCommand,
  editCard,
  serverCard,
  skillCard,
  driftCard,
  hostCard,
  repeatCard,
  readCard,
} from './sample-cards.ts';

export const status: Status = {
  trusted: true,
  folder: true,
  folders: ['/home/me/orbit'],
  openFile: 'src/http/retry.ts',
  mode: 'acceptEdits',
  server: {
    kind: 'found',
    name: 'Ollama',
    host: 'localhost:11434',
    loopback: true,
    contextWindow: 32768,
  },
  model: 'qwen3-coder:30b',
  models: [
    { id: 'qwen3-coder:30b', group: 'Ollama, localhost:11434', detail: 'tools, 32k', warning: '' },
    {
      id: 'gemma3:12b',
      group: 'Ollama, localhost:11434',
      detail: '8k',
      warning: 'tools read from text',
    },
    { id: 'devstral:24b', group: 'Ollama, localhost:11434', detail: 'not tried yet', warning: '' },
  ],
  skills: [
    { name: 'http-conventions', state: 'usable', origin: 'project', detail: 'full, 62 tokens' },
    { name: 'review-sql', state: 'usable', origin: 'project', detail: '' },
    {
      name: 'write-tests',
      state: 'usable',
      origin: 'project',
      detail: 'shortened, 31 of 74 tokens',
    },
    { name: 'old-deploy', state: 'hidden', origin: 'project', detail: 'over budget, 58 tokens' },
    { name: 'plain-writing', state: 'usable', origin: 'user', detail: '' },
    { name: 'Deploy Prod', state: 'unusable', origin: 'project', detail: 'capitals in name' },
  ],
  servers: [
    { name: 'tracker', state: 'running', tools: 11, detail: '9 of 11 tools', withheld: 2 },
    { name: 'docs-index', state: 'running', tools: 64, detail: '', withheld: 0 },
    { name: 'browser', state: 'failed', tools: 0, detail: 'uvx is not on the PATH', withheld: 0 },
  ],
};

export const use: ContextUse = {
  window: 32768,
  system: 1420,
  skills: 655,
  tools: 2310,
  history: 5890,
  message: 2125,
  reported: 12_400,
};

export const started: RunEvent = {
  type: 'turnStarted',
  turn: 't1',
  text: 'Requests to the search service fail on 429. Retry them with back-off and honour Retry-After. @src/http/retry.ts',
  model: 'qwen3-coder:30b',
  mode: 'acceptEdits',
};

const line = (
  id: string,
  icon: Line['icon'],
  verb: string,
  object: string,
  more: Partial<Line> = {},
): RunEvent => ({
  type: 'line',
  line: {
    id,
    icon,
    verb,
    object,
    state: 'done',
    measure: '',
    output: null,
    allowedBy: '',
    ...more,
  },
});

const output = (text: string, kind: 'text' | 'diff' | 'json' = 'text'): Line['output'] => ({
  kind,
  text,
});

const reads: readonly RunEvent[] = [
  line('r1', 'read', 'Read', 'src/http/retry.ts', {
    measure: '84 lines',
    output: output('export async function retry(call, limit = 3) {\n'),
  }),
  line('r2', 'read', 'Read', 'src/http/fetch.ts', { measure: '212 lines' }),
  line('r3', 'read', 'Read', 'src/search/client.ts', { measure: '58 of 340 lines' }),
  line('r4', 'search', 'Searched', 'fetchJson(', { measure: '7 hits' }),
  line('r5', 'search', 'Searched', 'retry-after', { measure: '0 hits' }),
];

const testOutput = `> orbit@2.4.0 test
> node --test test/http "retry"

ok 1 - waits 1 s, 2 s, 4 s
ok 2 - stops after three tries
not ok 3 - reads Retry-After as a date
${Array.from({ length: 40 }, (_, n) => `  # detail ${n + 1}`).join('\n')}
`;

const beginning: readonly RunEvent[] = [
  started,
  { type: 'context', use },
  {
    type: 'thinking',
    id: 'h1',
    delta:
      'The limit is read in two places. If search.ts passes its own, retry.ts should not override it.',
  },
  { type: 'thinkingEnded', id: 'h1', seconds: 6 },
  line('s1', 'skill', 'Loaded skill', 'http-conventions', {
    measure: 'part 1 of 2',
    allowedBy: '1,640 tokens from .gbs/skills/http-conventions, approved by you.',
  }),
  ...reads,
  line('c1', 'server', 'Called', 'tracker search_issues', {
    measure: '0.8 s',
    output: output('{"issues": [{"id": 41, "title": "Search fails on 429"}], "total": 1}', 'json'),
    allowedBy: 'Allowed by you',
  }),
];

const code =
  '```ts\nfunction waitFor(res, attempt) {\n  const after = retryAfter(res.headers);\n  if (after !== null) return after;\n  return 1000 * 2 ** attempt; // ms\n}\n```\n';

const middle: readonly RunEvent[] = [
  ...beginning,
  {
    type: 'text',
    id: 'x1',
    delta:
      '`fetchJson` gives up on the first error. The wait belongs in `retry.ts`, so every client gets it.',
  },
  { type: 'textEnded', id: 'x1' },
  line('e1', 'edit', 'Edited', 'src/http/retry.ts', {
    measure: '+31 −4',
    output: output(
      '@@ -18,4 +18,7 @@\n export async function retry(call, limit = 3) {\n-  const res = await call();\n-  return res;\n+  for (let n = 0; ; n++) {\n+    const res = await call();\n+    await sleep(waitFor(res, n));\n+  }\n }\n',
      'diff',
    ),
  }),
  line('m1', 'command', 'Ran', 'npm test -- retry', {
    state: 'failed',
    measure: 'exit code 1, 3.4 s',
    output: output(testOutput),
    allowedBy: 'Allowed by you',
  }),
];

const plan: RunEvent = {
  type: 'plan',
  items: [
    { text: 'Find every caller of fetchJson', state: 'done' },
    { text: 'Check how other clients set a limit', state: 'done' },
    { text: 'Add back-off to retry.ts', state: 'doing' },
    { text: 'Test Retry-After in seconds and as a date', state: 'open' },
    { text: 'Run the retry tests', state: 'open' },
  ],
};

const writing: readonly RunEvent[] = [
  ...middle,
  {
    type: 'text',
    id: 'x2',
    delta: `One test fails: the header may also be a date. This reads both forms:\n\n${code}\nI will move the parsing into its own function so the search client`,
  },
  plan,
  { type: 'phase', phase: { kind: 'writing' } },
  { type: 'rate', tokensPerSecond: 41 },
];

const waits: readonly RunEvent[] = [{ type: 'phase', phase: { kind: 'waitingForYou' } }];

export const card = (id: string, value: Card, number = 1, of = 1): RunEvent => ({
  type: 'card',
  id,
  card: value,
  number,
  of,
});

export const summary: TurnSummary = {
  seconds: 72,
  steps: 18,
  promptTokens: 14_100,
  outputTokens: 2740,
  changes: [
    { path: '/home/me/orbit/src/http/retry.ts', added: 31, removed: 4, by: '' },
    { path: '/home/me/orbit/src/search/client.ts', added: 3, removed: 1, by: '' },
    { path: '/home/me/orbit/test/http/retry.test.ts', added: 58, removed: 0, by: '' },
    { path: '/home/me/orbit/package-lock.json', added: 4, removed: 6, by: 'npm test' },
  ],
};

const done: readonly RunEvent[] = [
  {
    type: 'text',
    id: 'x9',
    delta:
      'Retries now wait 1, 2 and 4 seconds, or as long as Retry-After says, in seconds or as a date. All 14 retry tests pass.',
  },
  { type: 'textEnded', id: 'x9' },
  { type: 'turnEnded', turn: 't1', end: { kind: 'answered' }, summary },
];

/** The transcript that events lead to; a second passes with each. */
export function transcriptOf(events: readonly RunEvent[], end = Date.now()): Transcript {
  const from = end - events.length * 100;
  return events.reduce(
    (transcript, event, index) => after(transcript, shown(event).event, from + index * 100),
    emptyTranscript,
  );
}

export interface Scene {
  readonly name: string;
  readonly events: readonly RunEvent[];
  readonly status?: Partial<Status>;
  /** A selector that is clicked, one after the other, once it stands. */
  readonly clicks?: readonly string[];
  readonly draft?: string;
  readonly then?: readonly ToPage[];
}

const waitingServers: Status['servers'] = [
  { name: 'tracker', state: 'waits', tools: 0, detail: '.mcp.json', withheld: 0 },
];

const markdown = `## Findings

The client retries **twice** and *never* waits. See [the RFC](https://www.rfc-editor.org/rfc/rfc9110) and [retry.ts](src/http/retry.ts:18).

1. Read the header
2. Parse it:
   - as seconds
   - as a date

   \`\`\`js
   const date = new Date(header);
   \`\`\`
3. Wait

| Status | Waits | Tries |
| --- | --- | ---: |
| 429 | 1, 2, 4 s | 3 |
| 503 | \`Retry-After\` | 3 |

> A server may send both.

![diagram](https://example.com/diagram.png) <script>alert(1)</script> and a hidden\u200b mark, but an emoji 👩‍💻 is whole.

\`\`\`
${'a very long line without any language '.repeat(5)}
\`\`\`
`;

export const scenes: readonly Scene[] = [
  { name: 'first-run-found', events: [], status: { servers: waitingServers } },
  {
    name: 'first-run-none',
    events: [],
    status: {
      model: '',
      models: [],
      server: {
        kind: 'none',
        looked: ['localhost:11434', 'localhost:1234', 'localhost:8080', 'localhost:8000'],
        ways: ['startOllama', 'lmStudio', 'address', 'editorModels', 'lookAgain', 'remote'],
        remote: 'container',
      },
    },
  },
  {
    name: 'first-run-looking',
    events: [],
    status: { model: '', models: [], server: { kind: 'looking' } },
  },
  {
    name: 'untrusted',
    events: [],
    status: { trusted: false, skills: [], servers: [], openFile: null },
  },
  { name: 'running', events: writing, clicks: ['.line:has-text("npm test")'] },
  {
    name: 'running-open',
    events: [
      ...beginning,
      line('c2', 'server', 'Called', 'tracker list_labels', { state: 'running' }),
      { type: 'progress', id: 'c2', text: '3 of 8 pages' },
      plan,
      { type: 'phase', phase: { kind: 'waitingForModel' } },
    ],
    clicks: ['.line:has-text("Read 3 files")', '.todo .head'],
  },
  {
    name: 'lines',
    events: [
      ...middle,
      line('d1', 'command', 'Ran', 'rm -rf build', {
        state: 'denied',
        output: output('You said: keep the build'),
      }),
      line('d2', 'task', 'Explored', 'who calls fetchJson', { measure: '12 s' }),
      line('d3', 'command', 'Ran', 'npm run watch', { state: 'stopped', measure: '4 s' }),
      line('d4', 'read', 'Read', 'src/\u202egnp.exe', { measure: '3 lines' }),
      { type: 'phase', phase: { kind: 'startingServers', names: ['tracker', 'docs-index'] } },
    ],
    clicks: ['.line:has-text("src/http/retry.ts")', '.line:has-text("search_issues")'],
  },
  {
    name: 'markdown',
    events: [
      started,
      { type: 'text', id: 'x1', delta: markdown },
      { type: 'textEnded', id: 'x1' },
      {
        type: 'turnEnded',
        turn: 't1',
        end: { kind: 'answered' },
        summary: { ...summary, changes: [] },
      },
    ],
  },
  {
    name: 'card-call',
    events: [
      ...beginning,
      { type: 'text', id: 'x1', delta: 'No issue covers this yet, so I will file one.' },
      { type: 'textEnded', id: 'x1' },
      ...waits,
      card('k1', callCard, 1, 2),
      card('k2', commandCard, 2, 2),
    ],
  },
  {
    name: 'card-command',
    events: [
      line('e1', 'edit', 'Edited', 'src/http/retry.ts', { measure: '+31 −4' }),
      started,
      ...waits,
      card('k1', commandCard, 1, 2),
      card('k2', flaggedCommand, 2, 2),
    ],
    clicks: ['gbs-card:last-of-type [data-answer=deny]'],
  },
  {
    name: 'card-edit',
    events: [...beginning, ...waits, card('k1', editCard)],
    status: { mode: 'ask' },
  },
  { name: 'consent-server', events: [started, ...waits, card('k1', serverCard)] },
  { name: 'consent-skill', events: [started, ...waits, card('k1', skillCard)] },
  { name: 'drift', events: [started, ...waits, card('k1', driftCard)] },
  {
    name: 'card-host',
    events: [started, ...waits, card('k1', hostCard), card('k2', readCard), card('k3', repeatCard)],
  },
  {
    name: 'answered',
    events: [
      started,
      card('k1', serverCard),
      { type: 'answered', id: 'k1', answer: { answer: 'allow' } },
      card('k2', hostCard),
      { type: 'answered', id: 'k2', answer: { answer: 'notNow' } },
      { type: 'phase', phase: { kind: 'thinking' } },
    ],
    clicks: ['.line:has-text("tracker")'],
  },
  {
    name: 'summary',
    events: [started, ...done],
    then: [
      {
        type: 'undoPlan',
        turn: 't1',
        files: [
          { path: '/home/me/orbit/src/http/retry.ts', what: 'putBack', note: '' },
          { path: '/home/me/orbit/src/search/client.ts', what: 'keep', note: '' },
          { path: '/home/me/orbit/test/http/retry.test.ts', what: 'remove', note: '' },
          { path: '/home/me/orbit/package-lock.json', what: 'putBack', note: '' },
        ],
      },
    ],
  },
  {
    name: 'stopped',
    events: [
      ...writing,
      {
        type: 'turnEnded',
        turn: 't1',
        end: { kind: 'stopped' },
        summary: { ...summary, changes: [] },
      },
    ],
  },
  {
    name: 'step-limit',
    events: [
      ...middle,
      { type: 'turnEnded', turn: 't1', end: { kind: 'stepLimit', steps: 60 }, summary },
    ],
  },
  {
    name: 'error',
    events: [
      started,
      ...reads.slice(0, 1),
      {
        type: 'notice',
        notice: {
          code: 'tool-left-out',
          severity: 'info',
          fact: 'Left out of this request: query_rows of orbit-db',
          cause: 'The server refused its input schema.',
          remedy: '',
          lasting: false,
          actions: [],
        },
      },
      {
        type: 'turnEnded',
        turn: 't1',
        end: {
          kind: 'failed',
          notice: {
            code: 'unreachable',
            severity: 'error',
            fact: 'No answer from localhost:11434',
            cause:
              'Ollama has stopped, or listens on another port. Your message and 1 result are kept.',
            remedy: '',
            lasting: false,
            actions: [
              { id: 'retry', label: 'Try again' },
              { id: 'chooseServer', label: 'Choose a server' },
            ],
          },
        },
        summary: { ...summary, changes: [] },
      },
    ],
  },
  {
    name: 'warning',
    events: [
      started,
      ...done,
      {
        type: 'notice',
        notice: {
          code: 'prompt-cut',
          severity: 'warning',
          fact: 'The server cut your prompt.',
          cause:
            'It read 4,096 of about 18,200 tokens, so the model did not see the start of this chat.',
          remedy: 'Load the model with a larger context.',
          lasting: true,
          actions: [{ id: 'openSettings', label: 'Open settings' }],
        },
      },
      { type: 'context', use: { ...use, window: 4096, reported: 4096 } },
    ],
  },
  {
    name: 'retrying',
    events: [
      started,
      { type: 'phase', phase: { kind: 'retrying', reason: 'the server is busy', seconds: 4 } },
    ],
  },
  {
    name: 'composer-modes',
    events: [started, ...done],
    draft: 'Rename the flag and run the tests',
    clicks: ['.pick:has-text("Auto-edit")'],
  },
  { name: 'composer-model', events: [started, ...done], clicks: ['.pick.model'] },
  {
    name: 'composer-auto',
    events: [started, ...waits, card('k1', commandCard)],
    draft: 'Also update the changelog',
    status: { mode: 'auto' },
  },
  { name: 'composer-context', events: [{ type: 'context', use }], clicks: ['.foot .pick.push'] },
  {
    name: 'composer-skills',
    events: [started, ...done],
    clicks: ['.foot .pick:has-text("skills")'],
  },
  {
    name: 'composer-servers',
    events: [started, ...done],
    status: { servers: [...status.servers, ...waitingServers] },
    clicks: ['.foot .pick:has-text("waits")'],
  },
  {
    name: 'composer-queue',
    events: [
      ...writing.filter(({ type }) => type !== 'plan'),
      {
        type: 'queue',
        messages: [
          { id: 'q1', text: 'Use the clock from test/helpers' },
          { id: 'q2', text: 'Keep the default limit at three tries' },
        ],
      },
    ],
    draft: 'And mention it in the changelog',
  },
];
