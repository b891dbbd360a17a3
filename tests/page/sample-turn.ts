/** A believable turn, as a run emits it, and what stands around it. */
import type { ContextUse, Line, RunEvent, TurnSummary } from '../../extension/agent/events.ts';
import type { Card } from '../../extension/core.ts';
import type { Status } from '../../extension/chat/protocol.ts';
import { after, emptyTranscript, shown, type Transcript } from '../../extension/chat/transcript.ts';

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
    {
      id: 'qwen3-coder:30b',
      server: 'http://localhost:11434/v1',
      current: true,
      group: 'Ollama, localhost:11434',
      detail: 'tools, 32k',
      warning: '',
    },
    {
      id: 'gemma3:12b',
      server: 'http://localhost:11434/v1',
      current: false,
      group: 'Ollama, localhost:11434',
      detail: '8k',
      warning: 'tools read from text',
    },
    {
      id: 'devstral:24b',
      server: 'http://localhost:11434/v1',
      current: false,
      group: 'Ollama, localhost:11434',
      detail: 'not tried yet',
      warning: '',
    },
    {
      id: 'devstral:24b',
      server: 'http://localhost:1234/v1',
      current: false,
      group: 'LM Studio, localhost:1234',
      detail: '32k',
      warning: '',
    },
  ],
  images: null,
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

export const line = (
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

export const output = (text: string, kind: 'text' | 'diff' | 'json' = 'text'): Line['output'] => ({
  kind,
  text,
});

export const reads: readonly RunEvent[] = [
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

export const beginning: readonly RunEvent[] = [
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

export const middle: readonly RunEvent[] = [
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
    measure: 'exit 1, 3.4 s',
    output: output(testOutput),
    allowedBy: 'Allowed by you',
  }),
];

export const plan: RunEvent = {
  type: 'plan',
  items: [
    { text: 'Find every caller of fetchJson', state: 'done' },
    { text: 'Check how other clients set a limit', state: 'done' },
    { text: 'Add back-off to retry.ts', state: 'doing' },
    { text: 'Test Retry-After in seconds and as a date', state: 'open' },
    { text: 'Run the retry tests', state: 'open' },
  ],
};

export const writing: readonly RunEvent[] = [
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

export const waits: readonly RunEvent[] = [{ type: 'phase', phase: { kind: 'waitingForYou' } }];

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

export const done: readonly RunEvent[] = [
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
