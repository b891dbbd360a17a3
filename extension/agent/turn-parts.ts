/** What a turn is built from. */
import type { SessionRule } from '../core.ts';
import { RESULT_SHARE, CHARACTERS_PER_TOKEN } from '../limits.ts';
import type { Provider } from '../models/provider.ts';
import type { Cards } from './cards.ts';
import type { Changes } from './changes.ts';
import type { Conversation } from './conversation.ts';
import type { ChosenModel } from './model.ts';
import type { AgentSessionParts } from './parts.ts';
import type { Quotes } from './quotes.ts';
import type { TokenEstimate } from './tokens.ts';
import type { Tool } from './tool.ts';
import type { Message } from './user-message.ts';

/** What lasts longer than a turn. */
export interface ChatMemory {
  readonly conversation: Conversation;
  readonly quotes: Quotes;
  readonly estimate: TokenEstimate;
  readonly changes: Changes;
  /** What the user allowed for the session. */
  readonly rules: SessionRule[];
  /** By model: tools the server refused. */
  readonly refused: Map<string, Set<string>>;
  /** Models that take no tools. */
  readonly asText: Set<string>;
  /** Models whose server cannot hold them to the form of an answer. */
  readonly formless: Set<string>;
  /** The server cut the prompt, and the notice of it stands. */
  promptCut: boolean;
  /** The last count the server gave, or null. */
  reported: number | null;
  readonly pending: Set<Promise<unknown>>;
}

export interface TurnParts {
  readonly session: AgentSessionParts;
  readonly memory: ChatMemory;
  readonly cards: Cards;
  readonly provider: Provider;
  readonly model: ChosenModel;
  readonly builtin: readonly Tool[];
  readonly shell: string;
  readonly signal: AbortSignal;
  /** Absolute workspace folders, links followed. */
  readonly folders: () => Promise<readonly string[]>;
  readonly readable: () => Promise<readonly string[]>;
  readonly resultChars: () => number;
  readonly save: (data: string | Uint8Array, ending: string) => Promise<string>;
  /** Messages typed meanwhile; told as taken up. */
  readonly takeQueued: () => readonly Message[];
  readonly nextId: () => string;
  readonly turn: string;
}

export interface TurnCount {
  steps: number;
  promptTokens: number;
  outputTokens: number;
}

/** Characters that one result may have: of the setting, and of the window. */
export function resultLimit(settingChars: number, window: number): number {
  return Math.max(
    1_000,
    Math.min(settingChars, Math.floor(window * RESULT_SHARE * CHARACTERS_PER_TOKEN)),
  );
}
