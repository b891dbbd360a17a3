/**
 * What a tool is to the agent. Built-in tools, the `skill` tool and the tools of MCP servers all
 * look like this; the loop knows nothing else about them.
 */
import type { Answer, CallKind, Card, CommandCall, ServerCall, ServerQuestion } from '../core.ts';

/** Parsed arguments of a call: a JSON object, already checked against `required`. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Where a tool comes from. */
type ToolOrigin =
  | { readonly kind: 'builtin' }
  | { readonly kind: 'skill' }
  | { readonly kind: 'management' }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string };

/** The line that stands for a call in the transcript: a verb of ours, an object of theirs. */
export interface LineText {
  readonly icon: LineIcon;
  /** Ours, past tense, such as "Read". */
  readonly verb: string;
  /** Theirs, such as `src/http/retry.ts`; drawn muted or in the editor's font. */
  readonly object: string;
}

export type LineIcon =
  'thought' | 'skill' | 'read' | 'search' | 'edit' | 'command' | 'server' | 'task' | 'plan';

/** A file a tool changed, for summary and undo. */
export interface FileChange {
  /** Absolute path. */
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** False when no copy from before was kept, so that undo cannot put it back; else left out. */
  readonly copied?: false;
}

/** Something besides text that a tool gave, such as an image. */
export interface Attachment {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

export interface ToolResult {
  /** What the model gets, already limited. */
  readonly text: string;
  readonly isError: boolean;
  readonly attachments?: readonly Attachment[];
  /** Short, for the right of the line: "exit 1", "12 lines", "+31 −4". */
  readonly measure?: string;
  /** What opens under the line, where it differs from `text`. */
  readonly shown?: { readonly kind: 'text' | 'diff' | 'json'; readonly text: string };
  readonly changes?: readonly FileChange[];
}

export interface ToolContext {
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The conversation that the result joins: a subagent's by a name of its own, else missing. */
  readonly history?: string;
  /** What was decided about: as `subject` gave it last. And the answer, where the user was asked. */
  readonly allowed?: { readonly subject: Subject; readonly answer: Answer | null };
  /** Progress of a long call, one line. */
  progress(text: string): void;
  /**
   * Keeps a whole output whose text had to be cut, mode 0600, and gives its absolute path: `read_file`
   * reads it, in this session alone. `ending` is the file's, such as `.txt`.
   */
  save(data: string | Uint8Array, ending: string): Promise<string>;
}

/**
 * What permission decides about, in the core's terms. The core's `decideApproval` gets it together
 * with the mode and the session's rules.
 */
export interface Subject {
  readonly kind: CallKind;
  /** Absolute paths touched, after links were followed. */
  readonly paths?: readonly string[];
  /** For writes: the file does not exist yet. */
  readonly creates?: boolean;
  /** For commands. */
  readonly command?: CommandCall;
  /** A unified diff without header, for writes. */
  readonly diff?: string;
  /** For a tool of an MCP server: what its card says. Required for `mcp`. */
  readonly server?: ServerCall;
  /** For the start of a server that is not configured. Required for `connect`. */
  readonly connect?: ServerQuestion;
}

export interface Tool {
  /** The model-visible name. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, as text; byte-stable. */
  readonly parameters: string;
  readonly origin: ToolOrigin;
  /** May run beside other calls that say so too. */
  readonly parallel: boolean;
  /** Offered to `explore` subagents: a reader, or an MCP tool with a read-only hint. */
  readonly readOnly: boolean;
  /**
   * For a tool that stands for others, such as `mcp_call`: the tool that is meant, and its arguments.
   * The loop goes on with these, so that required arguments, card, line, hints and drift are those
   * of the inner tool. Throws `ToolRefusal` when there is no such tool.
   */
  resolve?(args: Arguments): { readonly tool: Tool; readonly args: Arguments };
  /** The line shown for this call. */
  line(args: Arguments): LineText;
  /** What is to be decided before it runs. Throws `ToolRefusal` when the call is impossible. */
  subject(args: Arguments): Promise<Subject>;
  run(args: Arguments, context: ToolContext): Promise<ToolResult>;
}

/** A call that cannot be carried out; the message goes to the model and says what to do instead. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}

/** What the user answered to a card. */
export interface CardAnswer {
  readonly answer: Answer;
  /** Why not, in the user's words. */
  readonly reason?: string;
  /** New text of the editable panes, by their index in `card.panes`. */
  readonly edited?: Readonly<Record<number, string>>;
  /** What was filled in, as JSON text of an object, for a card with a form. It is for who asked alone. */
  readonly values?: string;
}

/** Asks the user; settles as `deny` when the signal fires. */
export type Ask = (card: Card, signal: AbortSignal) => Promise<CardAnswer>;
