/**
 * The cards that wait for an answer. Each is settled once: by the user, or as denied when its signal
 * fires. A card takes no answer in its first half second, because nobody can have read it.
 */
import type { CardAnswer } from '../agent/tool.ts';
import type { Card, CardKind } from '../core.ts';
import { ARMING_MS } from '../limits.ts';

export interface WaitingCard {
  readonly id: string;
  readonly kind: CardKind;
  readonly card: Card;
  /** Milliseconds of the clock that was handed in. */
  readonly since: number;
}

interface Entry extends WaitingCard {
  readonly settle: (answer: CardAnswer) => void;
}

export class WaitingCards {
  readonly #now: () => number;
  readonly #changed: () => void;
  #entries: Entry[] = [];

  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  /** Oldest first. */
  get list(): readonly WaitingCard[] {
    return this.#entries;
  }

  wait(id: string, card: Card, signal: AbortSignal): Promise<CardAnswer> {
    if (signal.aborted) return Promise.resolve({ answer: 'deny' });
    return new Promise((resolve) => {
      const abort = (): void => entry.settle({ answer: 'deny' });
      const entry: Entry = {
        id,
        kind: card.kind,
        card,
        since: this.#now(),
        settle: (answer) => {
          if (!this.#entries.includes(entry)) return;
          this.#entries = this.#entries.filter((other) => other !== entry);
          signal.removeEventListener('abort', abort);
          resolve(answer);
          this.#changed();
        },
      };
      signal.addEventListener('abort', abort);
      this.#entries = [...this.#entries, entry];
      this.#changed();
    });
  }

  /** False when no such card waits, when it is too new, or when it does not offer this answer. */
  answer(id: string, answer: CardAnswer): boolean {
    const entry = this.#entries.find((waiting) => waiting.id === id);
    if (entry === undefined || this.#now() - entry.since < ARMING_MS) return false;
    if (!entry.card.actions.some((action) => action.answer === answer.answer)) return false;
    const panes = Object.keys(answer.edited ?? {}).map(Number);
    if (!panes.every((index) => entry.card.panes[index]?.editable === true)) return false;
    entry.settle(answer);
    return true;
  }

  /** Settles a card that can no longer be seen. */
  deny(id: string): void {
    this.#entries.find((waiting) => waiting.id === id)?.settle({ answer: 'deny' });
  }
}
