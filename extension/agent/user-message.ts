/** The user's message as it stands in the history: what we add, then their words. */
import { withNotes, type Entry } from './conversation.ts';

/** What the user sends. */
export interface Message {
  readonly text: string;
  /** `data:` URLs. */
  readonly images: readonly string[];
}

export class UserMessage {
  readonly #message: Message;
  readonly #turn: string;
  readonly #untold: readonly string[];
  added = false;

  constructor(message: Message, turn: string, untold: readonly string[]) {
    this.#message = message;
    this.#turn = turn;
    this.#untold = untold;
  }

  entry(hints: readonly string[]): Entry {
    this.added = true;
    const { text, images } = this.#message;
    const noted = withNotes([...this.#untold, ...hints], text);
    return { kind: 'user', text: noted, images, turn: this.#turn };
  }
}
