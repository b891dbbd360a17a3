/**
 * One chat as the host keeps it: the transcript, what opens under its lines, the draft, and what the
 * page has not been told yet. A page can go away at any time; `open` gives it everything again, and
 * from then on it gets increments.
 *
 * Pure but for what it is handed: it is given a clock, a timer and where to post.
 */
import type { RunEvent } from '../agent/events.ts';
import type { ShownChat } from './chats.ts';
import type { ToPage } from './protocol.ts';
import {
  after,
  emptyTranscript,
  folded,
  shown,
  type ChatEvent,
  type Draft,
  type Output,
  type Transcript,
} from './transcript.ts';

export interface ConversationParts {
  /** Milliseconds. */
  now(): number;
  post(message: ToPage): void;
  /** Runs `send` soon, once for many events; the editor's host waits a frame. */
  soon(send: () => void): void;
  /** The transcript changed. */
  changed(): void;
}

export class Conversation {
  readonly #parts: ConversationParts;
  #transcript = emptyTranscript;
  #outputs = new Map<string, Output>();
  #untold: { at: number; event: ChatEvent }[] = [];
  #open = false;
  #scheduled = false;
  draft: Draft = { text: '', images: [] };

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  /** An event of the run. */
  readonly emit = (event: RunEvent): void => {
    const { event: light, output } = shown(event);
    if (light.type === 'line') {
      if (output === null || output.text === null) this.#outputs.delete(light.line.id);
      else this.#outputs.set(light.line.id, output);
    }
    this.add(light);
  };

  /** An event of the run, or of the chat itself. */
  add(event: ChatEvent): void {
    const at = this.#parts.now();
    this.#transcript = after(this.#transcript, event, at);
    if (this.#open) this.#tell(at, event);
    this.#parts.changed();
  }

  /** What opens under a line, whole; null when it is not kept. */
  output(id: string): Output | null {
    return this.#outputs.get(id) ?? null;
  }

  /** The outputs that stayed here and hold `query`, whatever its case; at most `most` of them. */
  outputsWith(
    query: string,
    most: number,
  ): {
    readonly outputs: readonly { readonly id: string; readonly output: Output }[];
    readonly more: boolean;
  } {
    const needle = folded(query);
    const outputs: { id: string; output: Output }[] = [];
    for (const [id, output] of this.#outputs) {
      if (output.text === null || !folded(output.text).includes(needle)) continue;
      if (outputs.length >= most) return { outputs, more: true };
      outputs.push({ id, output });
    }
    return { outputs, more: false };
  }

  /** A page is there: it gets the transcript as it stands, and increments from here on. */
  open(): Transcript {
    this.#open = true;
    this.#untold = [];
    return this.#transcript;
  }

  /** The page is gone. */
  close(): void {
    this.#open = false;
    this.#untold = [];
  }

  /** The chat as it can be kept. */
  get chat(): ShownChat {
    return { transcript: this.#transcript, outputs: this.#outputs, draft: this.draft };
  }

  /** Another chat; an open page must be given it by `open`. */
  load({ transcript, outputs, draft }: ShownChat): void {
    this.#transcript = transcript;
    this.#outputs = new Map(outputs);
    this.draft = draft;
    this.#untold = [];
    this.#parts.changed();
  }

  #tell(at: number, event: ChatEvent): void {
    const last = this.#untold.at(-1);
    const merged = last === undefined ? null : joined(last.event, event);
    if (last !== undefined && merged !== null) last.event = merged;
    else this.#untold.push({ at, event });
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#parts.soon(() => {
      this.#scheduled = false;
      const events = this.#untold;
      this.#untold = [];
      if (this.#open && events.length > 0) this.#parts.post({ type: 'events', events });
    });
  }
}

/** Two deltas of one text as one; null where they are not. */
function joined(before: ChatEvent, event: ChatEvent): ChatEvent | null {
  if (
    (before.type === 'text' && event.type === 'text' && before.id === event.id) ||
    (before.type === 'thinking' && event.type === 'thinking' && before.id === event.id)
  ) {
    return { ...event, delta: before.delta + event.delta };
  }
  return null;
}
