/** Asks the user, one card after the other, whoever asks; a card that nobody waits for is denied. */
import type { Card } from '../core.ts';
import type { Log } from '../log.ts';
import type { CardPlace } from './calls.ts';
import type { Emit, Phase } from './events.ts';
import { orStopped } from './or-stopped.ts';
import type { AgentSessionParts } from './parts.ts';
import type { CardAnswer } from './tool.ts';

const DENIED: CardAnswer = { answer: 'deny' };

export class Cards {
  readonly #ask: AgentSessionParts['ask'];
  readonly #emit: Emit;
  readonly #log: Log;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;
  #phase: Phase | null = null;

  constructor(parts: Pick<AgentSessionParts, 'ask' | 'emit' | 'log'>) {
    this.#ask = parts.ask;
    this.#emit = parts.emit;
    this.#log = parts.log;
  }

  /** The session's own emit, so that the phase is put back after an answer. */
  readonly noting: Emit = (event) => {
    if (event.type === 'phase') this.#phase = event.phase;
    this.#emit(event);
  };

  ask(
    card: Card,
    signal: AbortSignal,
    place: CardPlace = { number: 1, of: 1 },
  ): Promise<CardAnswer> {
    const answer = this.#last.then(() =>
      signal.aborted ? DENIED : this.#shown(card, signal, place),
    );
    this.#last = answer.catch(() => DENIED);
    return answer;
  }

  async #shown(card: Card, signal: AbortSignal, place: CardPlace): Promise<CardAnswer> {
    const id = `card-${++this.#count}`;
    const before = this.#phase;
    this.#emit({ type: 'card', id, card, ...place });
    this.#emit({ type: 'phase', phase: { kind: 'waitingForYou' } });
    const answer = await this.#answered(card, signal, id);
    this.#emit({ type: 'answered', id, answer: told(answer) });
    if (before !== null && !signal.aborted) this.#emit({ type: 'phase', phase: before });
    return answer;
  }

  async #answered(card: Card, signal: AbortSignal, id: string): Promise<CardAnswer> {
    try {
      const answer = await orStopped(this.#ask(card, signal, id), signal);
      return answer === 'stopped' ? DENIED : answer;
    } catch (error) {
      this.#log.error(
        `a card could not be shown: ${error instanceof Error ? error.message : String(error)}`,
      );
      return DENIED;
    }
  }
}

/** What everybody may hear of an answer: what was filled in is for who asked. */
function told({ values, ...answer }: CardAnswer): CardAnswer {
  return values === undefined ? answer : { ...answer };
}
