/**
 * What says, outside the page, that a card waits: a badge on the view's icon, an item in the status
 * bar, and one notification while the view cannot be seen. All go with the answer.
 *
 * The words are ours alone: what a repository, a server or a model wrote stands on the card.
 */
import type { CardKind } from '../core.ts';

export interface AttentionParts {
  /** Number of waiting cards on the view's icon; 0 takes the badge away. */
  badge(count: number, tooltip: string): void;
  /** The item in the status bar; null takes it away. */
  statusItem(text: string | null): void;
  /** Shows a notification and gives what takes it away. */
  notify(text: string): () => void;
  /** Our words for a kind of card, such as "Run a command?". */
  words(kind: CardKind): string;
  waitingText(count: number): string;
}

export class Attention {
  readonly #parts: AttentionParts;
  #count = 0;
  /** The notification that stands, and the card it is about. */
  #notification: { readonly card: string; readonly close: () => void } | null = null;
  /** The last card that was told of: the same card is never told twice. */
  #told = '';

  constructor(parts: AttentionParts) {
    this.#parts = parts;
  }

  /** After every change of the waiting cards (oldest first) and of what can be seen. */
  update(
    waiting: readonly { readonly id: string; readonly kind: CardKind }[],
    visible: boolean,
  ): void {
    if (waiting.length !== this.#count) {
      this.#count = waiting.length;
      const text = this.#parts.waitingText(this.#count);
      this.#parts.badge(this.#count, text);
      this.#parts.statusItem(this.#count === 0 ? null : text);
    }
    const first = waiting[0];
    if (this.#notification !== null && (visible || this.#notification.card !== first?.id)) {
      this.#notification.close();
      this.#notification = null;
    }
    if (first === undefined || visible || this.#told === first.id) return;
    this.#told = first.id;
    this.#notification = {
      card: first.id,
      close: this.#parts.notify(this.#parts.words(first.kind)),
    };
  }

  dispose(): void {
    this.update([], true);
  }
}
