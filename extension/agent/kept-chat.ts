/**
 * What of a chat is kept between runs: the history that the model is sent, and nothing that was allowed
 * in it. In: a history as it stood when it was written, perhaps in the middle of a turn. Out: one that
 * a server takes, or the part of it before a message.
 */
import type { Entry } from './conversation.ts';

export interface KeptChat {
  readonly entries: readonly Entry[];
  /** What the model is told with the next message. */
  readonly untold: readonly string[];
  /** How many ids were given: no call or line of a chat has the id of another one. */
  readonly ids: number;
}

const LOST = '[The editor ended before this call did. What it had done by then stays.]';

/** The history with an answer to every call: servers refuse one that a call hangs in. */
export function answered(entries: readonly Entry[]): readonly Entry[] {
  const results = new Set(callsOf(entries));
  return entries.flatMap((entry) => {
    if (entry.kind !== 'assistant') return [entry];
    const lost = entry.calls
      .filter(({ id }) => !results.has(id))
      .map(({ id, name }): Entry => {
        return { kind: 'result', callId: id, name, text: LOST, skill: false, dropped: false };
      });
    return [entry, ...lost];
  });
}

/** The history before a turn's message; null where that message was summed up with what is around it. */
export function beforeTurn(entries: readonly Entry[], turn: string): readonly Entry[] | null {
  const at = entries.findIndex((entry) => entry.kind === 'user' && entry.turn === turn);
  return at < 0 ? null : entries.slice(0, at);
}

/** Ids of the calls whose results stand in the history. */
export function callsOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === 'result' ? [entry.callId] : []));
}
