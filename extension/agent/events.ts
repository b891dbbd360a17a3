/**
 * What happens in a turn, as one tagged union: the loop emits it, the chat and the terminal draw it,
 * `--json` prints it, sessions keep it. Nothing here is drawn text but for the words that are ours.
 */
import type { Card } from '../core.ts';
import type { CardAnswer, FileChange, LineText } from './tool.ts';

export type Mode = 'ask' | 'acceptEdits' | 'auto';

/** What the agent is busy with; the phase line shows it with its seconds. */
export type Phase =
  | { readonly kind: 'preparing' }
  | { readonly kind: 'startingServers'; readonly names: readonly string[] }
  | { readonly kind: 'waitingForModel' }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'writing' }
  | { readonly kind: 'runningTools'; readonly count: number }
  | { readonly kind: 'waitingForYou' }
  | { readonly kind: 'retrying'; readonly reason: string; readonly seconds: number };

export type LineState = 'running' | 'done' | 'failed' | 'denied' | 'stopped';

/**
 * A line of the transcript: something the agent did by itself, or after a yes. A call that was denied
 * gets one too (`denied`): the card it was asked by leaves none.
 */
export interface Line extends LineText {
  readonly id: string;
  readonly state: LineState;
  /** At the right: "0.4 s", "exit 1, 3.4 s". */
  readonly measure: string;
  /** What opens under it. */
  readonly output: { readonly kind: 'text' | 'diff' | 'json'; readonly text: string } | null;
  /** Who allowed it, in our words: "Allowed by you"; empty when nobody was asked. */
  readonly allowedBy: string;
}

/** A fact, its cause and its remedy. */
export interface Notice {
  /** Stable, kebab case; lasting notices of one code replace each other. */
  readonly code: string;
  readonly severity: 'info' | 'warning' | 'error';
  readonly fact: string;
  readonly cause: string;
  readonly remedy: string;
  /** Lasting notices stand in the dock until they no longer hold. */
  readonly lasting: boolean;
  /** Commands of ours offered as buttons. */
  readonly actions: readonly { readonly id: NoticeAction; readonly label: string }[];
}

export type NoticeAction =
  'retry' | 'chooseServer' | 'openSettings' | 'reload' | 'showLog' | 'review';

/** Tokens by what they are spent on. */
export interface ContextUse {
  readonly window: number;
  readonly system: number;
  readonly skills: number;
  readonly tools: number;
  readonly history: number;
  readonly message: number;
  /** The server's own count of the last prompt, or null before the first. */
  readonly reported: number | null;
}

export type TurnEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'stepLimit'; readonly steps: number }
  | { readonly kind: 'failed'; readonly notice: Notice };

export interface TurnSummary {
  readonly seconds: number;
  readonly steps: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly changes: readonly (FileChange & { readonly by: string })[];
}

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** `data:` URLs; absent for none. */
  readonly images?: readonly string[];
}

export type RunEvent =
  | {
      readonly type: 'turnStarted';
      readonly turn: string;
      readonly text: string;
      /** `data:` URLs; absent for none. */
      readonly images?: readonly string[];
      readonly model: string;
      readonly mode: Mode;
    }
  /** The messages that wait for the next step, after every change. */
  | {
      readonly type: 'queue';
      readonly messages: readonly QueuedMessage[];
    }
  /** A queued message was taken up by the running turn. */
  | ({ readonly type: 'message' } & QueuedMessage)
  | { readonly type: 'phase'; readonly phase: Phase }
  | { readonly type: 'thinking'; readonly id: string; readonly delta: string }
  | { readonly type: 'thinkingEnded'; readonly id: string; readonly seconds: number }
  | { readonly type: 'text'; readonly id: string; readonly delta: string }
  | { readonly type: 'textEnded'; readonly id: string }
  | { readonly type: 'line'; readonly line: Line }
  | { readonly type: 'progress'; readonly id: string; readonly text: string }
  | {
      readonly type: 'card';
      readonly id: string;
      readonly card: Card;
      readonly number: number;
      readonly of: number;
    }
  | { readonly type: 'answered'; readonly id: string; readonly answer: CardAnswer }
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'noticeGone'; readonly code: string }
  | {
      readonly type: 'plan';
      readonly items: readonly {
        readonly text: string;
        readonly state: 'open' | 'doing' | 'done';
      }[];
    }
  | { readonly type: 'context'; readonly use: ContextUse }
  | { readonly type: 'rate'; readonly tokensPerSecond: number }
  | {
      readonly type: 'turnEnded';
      readonly turn: string;
      readonly end: TurnEnd;
      readonly summary: TurnSummary;
    };

export type Emit = (event: RunEvent) => void;
