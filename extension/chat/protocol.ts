/**
 * What the host and the page of the chat say to each other: one tagged union each way. The host owns
 * everything that lasts; a page can be thrown away at any time and gets it all again by `init`.
 *
 * Order: the page posts `ready`, the host answers `init`, then increments. Nothing posted before
 * `init` counts, and a second `ready` is answered by a second `init`.
 */
import type { Mode, NoticeAction } from '../agent/events.ts';
import type { CardAnswer } from '../agent/tool.ts';
import type { FieldProblem } from '../core.ts';
import type { ChatEvent, Draft, Output, Transcript } from './transcript.ts';

export type ToPage =
  | {
      readonly type: 'init';
      readonly transcript: Transcript;
      readonly status: Status;
      /** What is in the box as the host last heard of it. */
      readonly draft: Draft;
      /** Another chat: its draft stands in the box, whatever stood there. */
      readonly other: boolean;
      /** Translated words by their key in `page/words.ts`; what is missing stays English. */
      readonly words: Readonly<Record<string, string>>;
      /** The host's clock, milliseconds; `since` and `at` are by it. */
      readonly now: number;
    }
  /** What happened, in order; `at` is milliseconds of the host's clock. */
  | {
      readonly type: 'events';
      readonly events: readonly { readonly at: number; readonly event: ChatEvent }[];
    }
  | { readonly type: 'status'; readonly status: Status }
  /** The answer to `output`; null when it is no longer kept. */
  | { readonly type: 'output'; readonly id: string; readonly output: Output | null }
  /** The answer to `findOutputs`: long outputs that hold the words, and whether there are more. */
  | {
      readonly type: 'outputsFound';
      readonly query: string;
      readonly outputs: readonly { readonly id: string; readonly output: Output }[];
      readonly more: boolean;
    }
  /** The answer to `complete`. */
  | {
      readonly type: 'completions';
      readonly request: number;
      readonly items: readonly Completion[];
    }
  /** An `answer` to a card with a form was not taken: what is wrong with which field. */
  | {
      readonly type: 'formProblems';
      readonly card: string;
      readonly problems: readonly FieldProblem[];
    }
  /** The answer to `undo`: what undoing would do. */
  | { readonly type: 'undoPlan'; readonly turn: string; readonly files: readonly UndoneFile[] }
  /** The answer to `rewindPlan`. */
  | {
      readonly type: 'rewindPlan';
      readonly turn: string;
      readonly files: readonly UndoneFile[];
      /** Messages after this one, which leave the chat too. */
      readonly later: number;
    }
  /** The answer to `listChats`. */
  | {
      readonly type: 'chats';
      readonly query: string;
      readonly chats: readonly ChatEntry[];
      readonly broken: readonly { readonly path: string; readonly why: string }[];
    }
  /** A key binding or command of the editor. */
  | { readonly type: 'command'; readonly command: PageCommand };

export type PageCommand =
  'chats' | 'find' | 'focusInput' | 'focusCard' | 'focusLastMessage' | 'allow' | 'deny';

export type FromPage =
  | { readonly type: 'ready' }
  /** Starts a turn, or joins the queue of the one that runs. */
  | { readonly type: 'send'; readonly text: string; readonly images?: readonly string[] }
  | { readonly type: 'stop' }
  | { readonly type: 'newChat' }
  | { readonly type: 'answer'; readonly card: string; readonly answer: CardAnswer }
  | { readonly type: 'setMode'; readonly mode: Mode }
  /** `server` is that of the choice: two servers can have a model of one name. */
  | { readonly type: 'setModel'; readonly model: string; readonly server: string }
  /** Null removes it. */
  | { readonly type: 'editQueued'; readonly id: string; readonly text: string | null }
  /** Opens a file; `path` as the host or a card gave it. */
  | { readonly type: 'open'; readonly path: string; readonly line: number | null }
  /** Opens a card's diff in the editor. */
  | { readonly type: 'openDiff'; readonly card: string }
  /** Opens a link of an answer, after the editor's own question; http and https only. */
  | { readonly type: 'openLink'; readonly url: string }
  /** The output of a line, when it is opened. */
  | { readonly type: 'output'; readonly id: string }
  /** Which outputs that stayed with the host hold these words, whatever their case? */
  | { readonly type: 'findOutputs'; readonly query: string }
  /** Asks what undoing a turn would do; nothing is changed yet. */
  | { readonly type: 'undo'; readonly turn: string }
  /** Undoes it; the host answers with the event `undone`. */
  | { readonly type: 'undoNow'; readonly turn: string }
  | { readonly type: 'notice'; readonly code: string; readonly action: NoticeAction | 'dismiss' }
  | { readonly type: 'draft'; readonly text: string }
  /** Images at the box; `data:` URLs, after every change. */
  | { readonly type: 'draftImages'; readonly images: readonly string[] }
  /** The list of chats, of those that hold the words of `query`. */
  | { readonly type: 'listChats'; readonly query: string }
  | { readonly type: 'openChat'; readonly id: string }
  | { readonly type: 'renameChat'; readonly id: string; readonly title: string }
  | { readonly type: 'deleteChat'; readonly id: string }
  /** Asks what going back to before a turn would do to files; nothing is changed yet. */
  | { readonly type: 'rewindPlan'; readonly turn: string }
  /** Goes back to before a turn, and sends `again` if it is not null; else the message stands in the box. */
  | {
      readonly type: 'rewind';
      readonly turn: string;
      readonly putFilesBack: boolean;
      readonly again: string | null;
    }
  | { readonly type: 'copy'; readonly text: string }
  /** Inserts code at the cursor of the active editor. */
  | { readonly type: 'insert'; readonly text: string }
  | {
      readonly type: 'complete';
      readonly request: number;
      readonly kind: 'file' | 'slash';
      readonly query: string;
    }
  | { readonly type: 'way'; readonly way: Way }
  | { readonly type: 'show'; readonly view: 'skills' | 'servers' | 'model' | 'log' | 'trust' }
  | { readonly type: 'skill'; readonly name: string; readonly action: 'open' | 'review' }
  | {
      readonly type: 'server';
      readonly name: string;
      readonly action: 'review' | 'start' | 'stop' | 'restart' | 'log';
    }
  /** Something the page could not draw; for the log. */
  | { readonly type: 'problem'; readonly message: string };

/** Everything beside the transcript that the view shows. */
export interface Status {
  readonly trusted: boolean;
  /** False when no folder is open: then nothing can be sent. */
  readonly folder: boolean;
  /** Absolute paths of the open folders; paths below them are shown without them. */
  readonly folders?: readonly string[];
  /** Where the extension runs, when that is not the user's own machine. */
  readonly remote?: Remote | null;
  /** Relative path of the file in front of the user, or null. */
  readonly openFile: string | null;
  readonly mode: Mode;
  readonly server: ServerState;
  /** The current model's name, or empty. */
  readonly model: string;
  readonly models: readonly ModelChoice[];
  /** Does the model in use take images? Null where nobody asked it. */
  readonly images: boolean | null;
  readonly skills: readonly SkillEntry[];
  readonly servers: readonly ServerEntry[];
}

/** The model server. */
export type ServerState =
  | { readonly kind: 'looking' }
  | {
      readonly kind: 'found';
      /** Its product where known, such as "Ollama", else empty. */
      readonly name: string;
      /** Such as `localhost:11434`. */
      readonly host: string;
      readonly loopback: boolean;
      /** Its models come from other extensions of the editor. */
      readonly ofEditor?: boolean;
      /** Tokens, or null where it is not known. */
      readonly contextWindow: number | null;
    }
  | {
      readonly kind: 'none';
      /** Where it was looked for, such as `localhost:11434`. */
      readonly looked: readonly string[];
      /** In the order in which they are offered. */
      readonly ways: readonly Way[];
      /** As in the status: it has its own localhost. */
      readonly remote: Remote | null;
    };

/** A machine that is not the user's own. */
export type Remote = 'container' | 'wsl' | 'ssh' | 'other';

/** How to get a model server. */
export type Way =
  'lookAgain' | 'startOllama' | 'getOllama' | 'lmStudio' | 'address' | 'remote' | 'demo';

export interface ModelChoice {
  readonly id: string;
  /** Its server's address; not shown. */
  readonly server: string;
  /** The one in use. */
  readonly current: boolean;
  /** The server it is on, for the group's heading. */
  readonly group: string;
  /** Short, such as "32k window". */
  readonly detail: string;
  /** Said as a warning, such as "No tool calls"; empty for none. */
  readonly warning: string;
}

export interface SkillEntry {
  readonly name: string;
  /** `waits`: held back until the user reviewed it. */
  readonly state: 'usable' | 'waits' | 'hidden' | 'unusable';
  readonly origin: 'project' | 'user' | 'package' | 'server';
  /** The state's reason, such as "shortened, 31 of 74 tokens"; may be empty. */
  readonly detail: string;
}

export interface ServerEntry {
  readonly name: string;
  readonly state: 'stopped' | 'starting' | 'running' | 'failed' | 'waits' | 'off';
  readonly tools: number;
  /** Such as "9 of 11 tools" or "uvx is not on the PATH". */
  readonly detail: string;
  /** Its tools wait because they changed. */
  readonly withheld: number;
}

export interface Completion {
  /** What replaces the typed word, such as `@src/http/retry.ts` or `/review-sql`. */
  readonly insert: string;
  readonly label: string;
  readonly detail: string;
  readonly icon: 'file' | 'folder' | 'skill' | 'command' | 'resource' | 'prompt';
  readonly group: string;
  /** The word goes on: no blank is put behind it. */
  readonly open?: boolean;
}

/** A chat in the list of chats. */
export interface ChatEntry {
  readonly id: string;
  readonly title: string;
  /** When it changed last, milliseconds since 1970. */
  readonly updated: number;
  readonly turns: number;
  /** The one that is open. */
  readonly open: boolean;
}

export interface UndoneFile {
  readonly path: string;
  /** `keep`: the user changed it since. */
  readonly what: 'putBack' | 'remove' | 'keep';
  /** Why, where it is not plain; may be empty. */
  readonly note: string;
}
