/**
 * How skills and MCP servers reach a run. The loop knows only this: with no contributors, or with
 * contributors that have nothing to give, the request is byte for byte the same.
 */
import type { Emit, Mode } from './events.ts';
import type { Ask, Tool } from './tool.ts';

/** The workspace as it stands when a turn starts. */
export interface Workspace {
  /** Absolute paths, in the order of the editor; the first one wins. */
  readonly folders: readonly string[];
  readonly trusted: boolean;
  /** Absolute path of the file in front of the user, or null. */
  readonly openFile: string | null;
}

export interface Preparation {
  readonly workspace: Workspace;
  readonly mode: Mode;
  /** Tokens of the model's context window. */
  readonly contextWindow: number;
  readonly ask: Ask;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  /** The message that begins the turn, so that what it names can be brought along; missing for a rebuild. */
  readonly message?: string;
}

/** What a contributor gives to a run; fixed until the next rebuild. */
export interface Contribution {
  readonly tools: readonly Tool[];
  /** The `# Skills` block of the system prompt, or empty. */
  readonly catalogue: string;
  /** Instructions that connected servers send, for the section on MCP. */
  readonly servers: readonly { readonly name: string; readonly instructions: string }[];
  /** Added before the user's message: a hint of one line, a skill they asked for by `/name`, or empty. */
  readonly hint: string;
  /** Instructions files of the project (`AGENTS.md` and the like), allowed by the user; none when absent. */
  readonly instructions?: readonly ProjectInstructions[];
}

/** A project's own instructions: guidance of the repository, not the user's words. */
interface ProjectInstructions {
  /** Relative to its workspace folder, with `/`. */
  readonly path: string;
  /** Already limited. Whoever puts it in the prompt wraps it and escapes what would close the wrapper. */
  readonly text: string;
}

export interface Contributor {
  /** Asked before anybody starts anything: for questions that need not wait for that. */
  askFirst?(preparation: Preparation): Promise<void>;
  /** Is prepared after the others: it needs what they started. What it gives has its place all the same. */
  readonly isPreparedLast?: boolean;
  /** Before the first request of a turn, and again for a rebuild. Asks for consent, starts servers. */
  prepare(preparation: Preparation): Promise<Contribution>;
  /** What a message that was queued and is taken up in the middle of the turn asks for, as a hint; or empty. */
  asked?(message: string, contextWindow: number, emit: Emit, signal: AbortSignal): Promise<string>;
  /** True once after something happened that earns a rebuild at the next step. */
  takeRebuild(): boolean;
  /** Told when compaction removed history, so that a loaded body is sent again when asked for. */
  forgotten(callIds: readonly string[]): void;
  /** Ends everything it started; `hurried` when somebody waits for that at a terminal. */
  dispose(hurried?: boolean): Promise<void>;
}
