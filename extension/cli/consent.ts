/** What `approve` and `revoke` of servers and of skills share. */
import type { Card } from '../core.ts';
import { cardLines } from './card.ts';
import { CliFailure, oneLine, type CliParts } from './parts.ts';

/** Draws a card that nobody is asked about: what is approved is shown all the same. */
export function showCard(card: Card, parts: CliParts): void {
  const { err, marks } = parts.screen;
  const visible = (text: string): string => parts.core.visibleText(text);
  const look = { paint: err.paint, marks, visible, revealed: false };
  for (const line of cardLines(card, look)) err.line(line);
}

/** True when nobody is to be asked: by `--yes`, or without a terminal, where naming a thing says it. */
export function saysYes(names: readonly string[], yes: boolean, parts: CliParts): boolean {
  return yes || (names.length > 0 && !(process.stdin.isTTY && parts.screen.err.terminal));
}

/** These names, or null for all, which must be said; `what` is to be named. */
export function namedOrAll(
  what: string,
  names: readonly string[],
  all: boolean,
): readonly string[] | null {
  if (names.length === 0 && !all) {
    throw new CliFailure(2, `name ${what}, or give --all`);
  }
  return all ? null : names;
}

/** Prints what was done to which names, or that there was nothing to do. */
export function printDone(
  verb: string,
  names: readonly string[],
  nothing: string,
  parts: CliParts,
): void {
  const line = names.length === 0 ? nothing : `${verb} ${oneLine(parts, names.join(', '))}`;
  parts.screen.out.line(line);
}

/** Fails with the names that were asked for and were not there. */
export function failForMissing(
  fact: string,
  asked: readonly string[] | null,
  done: readonly string[],
  parts: CliParts,
): void {
  const missing = (asked ?? []).filter((name) => !done.includes(name));
  if (missing.length > 0) throw new CliFailure(1, `${fact}: ${oneLine(parts, missing.join(', '))}`);
}
