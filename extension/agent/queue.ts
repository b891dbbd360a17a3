/** Messages that were sent while a turn runs; its next step takes them up. */
import type { Emit, QueuedMessage } from './events.ts';
import type { Message } from './user-message.ts';

interface Queued extends Message {
  readonly id: string;
}

export class Queue {
  readonly #emit: Emit;
  #messages: readonly Queued[] = [];

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  add(id: string, message: Message): void {
    this.#set([...this.#messages, { id, ...message }]);
  }

  /** Changes the text of a message, or removes it with null; false when it was taken up already. */
  edit(id: string, text: string | null): boolean {
    if (!this.#messages.some((message) => message.id === id)) return false;
    this.#set(
      this.#messages.flatMap((message) =>
        message.id !== id ? [message] : text === null ? [] : [{ ...message, text }],
      ),
    );
    return true;
  }

  /** The first one, for a turn of its own; null when none waits. */
  next(): Message | null {
    const [first, ...rest] = this.#messages;
    if (first !== undefined) this.#set(rest);
    return first ?? null;
  }

  /** All of them, for the turn that runs. */
  take(): readonly Message[] {
    const taken = this.#messages;
    this.clear();
    for (const queued of taken) this.#emit({ type: 'message', ...shown(queued) });
    return taken;
  }

  clear(): void {
    if (this.#messages.length > 0) this.#set([]);
  }

  #set(messages: readonly Queued[]): void {
    this.#messages = messages;
    this.#emit({ type: 'queue', messages: messages.map(shown) });
  }
}

function shown({ id, text, images }: Queued): QueuedMessage {
  return { id, text, ...withImages(images) };
}

/** Images of an event, which has none where there are none. */
export function withImages(images: readonly string[]): { readonly images?: readonly string[] } {
  return images.length > 0 ? { images } : {};
}
