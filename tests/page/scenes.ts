/** Every state of the chat, as the events that lead to it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../extension/agent/events.ts';
import type { ChatEntry, Completion, Status, ToPage } from '../../extension/chat/protocol.ts';
import {
  callCard,
  commandCard,
  flaggedCommand,
  editCard,
  connectCard,
  serverCard,
  skillCard,
  driftCard,
  hostCard,
  repeatCard,
  readCard,
  addressCard,
  formCard,
  secretFormCard,
} from './sample-cards.ts';
import {
  beginning,
  card,
  done,
  line,
  middle,
  output,
  plan,
  reads,
  started,
  status,
  summary,
  use,
  waits,
  writing,
} from './sample-turn.ts';

export interface Scene {
  readonly name: string;
  readonly events: readonly RunEvent[];
  readonly status?: Partial<Status>;
  /** A selector that is clicked, one after the other, once it stands. */
  readonly clicks?: readonly string[];
  readonly draft?: string;
  readonly images?: readonly string[];
  readonly then?: readonly ToPage[];
  /** Messages after the clicks, and what is typed at the end. */
  readonly answers?: readonly ToPage[];
  readonly types?: string;
  /** What the host offers for what was typed. */
  readonly offers?: readonly Completion[];
}

/** The extension's icon: a picture that is at hand. */
const picture = `data:image/png;base64,${readFileSync(join(__dirname, '..', '..', 'media', 'icon.png')).toString('base64')}`;

const day = 86_400_000;

function chatsOf(now: number): Extract<ToPage, { type: 'chats' }> {
  const chat = (id: string, title: string, turns: number, age: number, open = false): ChatEntry => {
    return { id, title, turns, updated: now - age, open };
  };
  return {
    type: 'chats',
    query: '',
    chats: [
      chat('c1', 'Retry only on 429 and 503, and respect Retry-After', 3, 60_000, true),
      chat('c2', 'Why does the nightly build fail on Windows?', 12, 5 * 3_600_000),
      chat('c3', 'Release notes for 2.4', 1, 1.2 * day),
      chat('c4', 'Add an index to the orders table and measure it before and after', 7, 3 * day),
      chat('c5', 'Explain how this project is laid out', 2, 40 * day),
    ],
    broken: [],
  };
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
        ways: ['startOllama', 'lmStudio', 'address', 'lookAgain', 'demo', 'remote'],
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
  { name: 'consent-connect', events: [started, ...waits, card('k1', connectCard)] },
  { name: 'consent-skill', events: [started, ...waits, card('k1', skillCard)] },
  { name: 'drift', events: [started, ...waits, card('k1', driftCard)] },
  {
    name: 'card-host',
    events: [started, ...waits, card('k1', hostCard), card('k2', readCard), card('k3', repeatCard)],
  },
  {
    name: 'card-form',
    events: [started, ...waits, card('k1', formCard)],
    then: [
      {
        type: 'formProblems',
        card: 'k1',
        problems: [
          { name: 'email', message: 'Needs an e-mail address, such as ana@example.org.' },
          { name: 'needs', message: 'Takes at most 2 choices; it has 3.' },
        ],
      },
    ],
  },
  {
    name: 'card-address',
    events: [
      started,
      card('k0', formCard),
      { type: 'answered', id: 'k0', answer: { answer: 'decline' } },
      ...waits,
      card('k1', secretFormCard, 1, 2),
      card('k2', addressCard, 2, 2),
    ],
  },
  {
    name: 'answered',
    events: [
      started,
      card('k1', serverCard),
      { type: 'answered', id: 'k1', answer: { answer: 'allow' } },
      card('k2', hostCard),
      { type: 'answered', id: 'k2', answer: { answer: 'notNow' } },
      card('k3', connectCard),
      { type: 'answered', id: 'k3', answer: { answer: 'keepForUser' } },
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
    name: 'chats',
    events: [started, ...done],
    then: [{ type: 'command', command: 'chats' }, chatsOf(Date.now())],
    clicks: ['.chats button[aria-label^="Rename Why"]'],
  },
  {
    name: 'chats-delete',
    events: [started, ...done],
    then: [
      { type: 'command', command: 'chats' },
      {
        ...chatsOf(Date.now()),
        broken: [{ path: '/home/me/chats/000-1.chat.jsonl', why: 'line 3 is broken' }],
      },
    ],
    clicks: ['.chats button[aria-label^="Delete Release"]'],
  },
  {
    name: 'chats-none',
    events: [],
    then: [
      { type: 'command', command: 'chats' },
      { type: 'chats', query: '', chats: [], broken: [] },
    ],
  },
  {
    name: 'go-back',
    events: [started, ...done],
    clicks: ['.ask button[aria-label^="Go back"]'],
    answers: [
      {
        type: 'rewindPlan',
        turn: 't1',
        later: 2,
        files: [
          {
            path: '/home/me/orbit/src/http/client.ts',
            what: 'keep',
            note: 'it changed since in the same place',
          },
          {
            path: '/home/me/orbit/src/http/retry.ts',
            what: 'putBack',
            note: 'keeps 2 later lines',
          },
          {
            path: '/home/me/orbit/test/retry.test.ts',
            what: 'remove',
            note: 'new file; a copy is kept',
          },
        ],
      },
    ],
  },
  {
    name: 'edit-resend',
    events: [started, ...done],
    clicks: ['.ask button[aria-label^="Edit"]'],
    answers: [{ type: 'rewindPlan', turn: 't1', later: 0, files: [] }],
  },
  {
    name: 'find',
    events: [started, ...done],
    then: [{ type: 'command', command: 'find' }],
    types: 'retry',
  },
  {
    name: 'images',
    events: [
      {
        type: 'turnStarted',
        turn: 't1',
        text: 'Which of these is our icon?',
        images: [picture],
        model: 'gemma3:12b',
        mode: 'ask',
      },
      { type: 'text', id: 'x1', delta: 'A plug over an open book: that is ours.' },
      { type: 'textEnded', id: 'x1' },
      {
        type: 'turnEnded',
        turn: 't1',
        end: { kind: 'answered' },
        summary: { ...summary, changes: [] },
      },
    ],
    status: { images: false, model: 'qwen3-coder:30b' },
    images: [picture, picture],
    draft: 'And which of these two?',
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
