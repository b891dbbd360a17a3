/**
 * Makes room in the history: old results first, then a summary of what is old. In: the history, the
 * room there is. Out: a shorter history that is still one a server takes, and whose results are gone.
 * The latest results, which the model has not answered yet, stay.
 */
import {
  COMPACT_AT,
  COMPACT_TO,
  KEPT_SKILLS_SHARE,
  KEPT_TAIL_SHARE,
  OLD_ARGUMENT_CHARS,
  PLAIN_SUMMARY_CHARS,
  WORTH_TAKING_OUT_CHARS,
} from '../limits.ts';
import { isObject } from './arguments.ts';
import { charactersOf, type Entry } from './conversation.ts';
import { headAndTail } from './limited-text.ts';

export interface Room {
  /** Tokens that a request may take. */
  readonly budget: number;
  /** Tokens of what is not history. */
  readonly fixed: number;
  /** Tokens of so many characters. */
  readonly tokens: (characters: number) => number;
}

export interface Compacted {
  readonly entries: readonly Entry[];
  /** Calls whose results are no longer there. */
  readonly forgotten: readonly string[];
  readonly what: 'nothing' | 'results' | 'summary';
}

const GONE = '[Taken out to make room. Call again if you need it.]';

/** Tokens of a history. */
export function tokensOf(entries: readonly Entry[], room: Room): number {
  return room.tokens(entries.reduce((sum, entry) => sum + charactersOf(entry), 0));
}

export function isFull(entries: readonly Entry[], room: Room): boolean {
  return room.fixed + tokensOf(entries, room) > room.budget * COMPACT_AT;
}

/**
 * Shortens what is too long, or with `anyway` sums up all but the newest part; `summarise` gives null
 * when it could not.
 */
export async function compact(
  entries: readonly Entry[],
  room: Room,
  summarise: (old: readonly Entry[]) => Promise<string | null>,
  anyway = false,
): Promise<Compacted> {
  if (!anyway && !isFull(entries, room)) return { entries, forgotten: [], what: 'nothing' };
  const first = withoutOldResults(entries, room, openFrom(entries));
  if (!anyway && !isFull(first.entries, room)) return { ...first, what: 'results' };
  // Asked for by the user, all but the last answer is summed up.
  const cut = anyway ? openFrom(entries) : tailStart(first.entries, room);
  if (anyway && cut < 2) return { entries, forgotten: [], what: 'nothing' };
  if (cut === 0) {
    const all = withoutOldResults(first.entries, room, first.entries.length);
    return {
      entries: all.entries,
      forgotten: [...first.forgotten, ...all.forgotten],
      what: 'results',
    };
  }
  const old = first.entries.slice(0, cut);
  const summary = (await summarise(old)) ?? plainSummary(old);
  const request = old.findLast((entry) => entry.kind === 'user');
  const hasRequest = first.entries.slice(cut).some((entry) => entry.kind === 'user');
  const words =
    request === undefined || hasRequest
      ? ''
      : `\n\nThe user's last message, word for word:\n${headAndTail(request.text, room.budget)}`;
  const text = `[The chat so far, in short]\n${summary.trim()}${words}`;
  const shorter: readonly Entry[] = [{ kind: 'summary', text }, ...first.entries.slice(cut)];
  const rest = isFull(shorter, room)
    ? withoutOldResults(shorter, room, openFrom(shorter))
    : { entries: shorter, forgotten: [] };
  const gone = old.flatMap((entry) => (entry.kind === 'result' ? [entry.callId] : []));
  return {
    entries: rest.entries,
    forgotten: [...new Set([...first.forgotten, ...gone, ...rest.forgotten])],
    what: 'summary',
  };
}

/** Where the calls begin whose results the model has not answered yet. */
function openFrom(entries: readonly Entry[]): number {
  const last = entries.findLastIndex((entry) => entry.kind === 'assistant');
  return last < 0 ? entries.length : last;
}

/** Takes results out, oldest first, until there is room; skills that fit their share stay. */
function withoutOldResults(
  entries: readonly Entry[],
  room: Room,
  until: number,
): { readonly entries: readonly Entry[]; readonly forgotten: readonly string[] } {
  const kept = keptSkills(entries, room);
  const shorter = [...entries];
  const forgotten: string[] = [];
  let spare = room.fixed + tokensOf(entries, room) - room.budget * COMPACT_TO;
  for (let i = 0; i < until && spare > 0; i++) {
    const entry = shorter[i];
    if (entry === undefined) break;
    const less = lessOf(entry, kept);
    if (less === null) continue;
    spare -= room.tokens(charactersOf(entry) - charactersOf(less));
    shorter[i] = less;
    if (entry.kind === 'result') forgotten.push(entry.callId);
  }
  return { entries: shorter, forgotten };
}

/** An old entry without what takes room, or null when it stays as it is. */
function lessOf(entry: Entry, kept: ReadonlySet<string>): Entry | null {
  if (entry.kind === 'result') {
    if (entry.dropped || kept.has(entry.callId) || entry.text.length < WORTH_TAKING_OUT_CHARS)
      return null;
    return { ...entry, text: GONE, dropped: true };
  }
  if (entry.kind !== 'assistant') return null;
  const calls = entry.calls.map((call) => ({ ...call, arguments: shortArguments(call.arguments) }));
  return calls.some((call, i) => call.arguments !== entry.calls[i]?.arguments)
    ? { ...entry, calls }
    : null;
}

/** Arguments whose long texts are cut; still JSON. */
function shortArguments(text: string): string {
  if (text.length <= OLD_ARGUMENT_CHARS) return text;
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return text;
  const short = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const long = typeof inner === 'string' ? inner : JSON.stringify(inner);
    return [
      key,
      long.length <= OLD_ARGUMENT_CHARS / 2 ? inner : headAndTail(long, OLD_ARGUMENT_CHARS / 2),
    ];
  });
  return JSON.stringify(Object.fromEntries(short));
}

/** Loaded skills that fit their share of the budget, newest first. */
function keptSkills(entries: readonly Entry[], room: Room): ReadonlySet<string> {
  const kept = new Set<string>();
  let left = room.budget * KEPT_SKILLS_SHARE;
  for (const entry of entries.toReversed()) {
    if (entry.kind !== 'result' || !entry.skill || entry.dropped) continue;
    left -= room.tokens(charactersOf(entry));
    if (left < 0) break;
    kept.add(entry.callId);
  }
  return kept;
}

/** Where the part begins that a summary leaves: never with a result whose call is gone. */
function tailStart(entries: readonly Entry[], room: Room): number {
  let left = room.budget * KEPT_TAIL_SHARE;
  let start = openFrom(entries);
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry === undefined) break;
    left -= room.tokens(charactersOf(entry));
    if (left < 0) break;
    if (entry.kind !== 'result' && i < start) start = i;
  }
  return start;
}

/** What can be said without a model: the user's words and the calls made. */
function plainSummary(entries: readonly Entry[]): string {
  const lines = entries.flatMap((entry): string[] => {
    switch (entry.kind) {
      case 'user':
        return [`The user said: ${headAndTail(entry.text, 600)}`];
      case 'assistant':
        return entry.calls.map(
          (call) => `You called ${call.name} ${headAndTail(call.arguments, 160)}`,
        );
      case 'summary':
        return [entry.text];
      case 'result':
        return [];
    }
  });
  return headAndTail(lines.join('\n'), PLAIN_SUMMARY_CHARS);
}

/** Old history as text for a summary, within `limit` characters. */
export function transcript(entries: readonly Entry[], limit: number): string {
  const each = Math.max(200, Math.floor(limit / Math.max(1, entries.length)));
  const lines = entries.map((entry): string => {
    switch (entry.kind) {
      case 'user':
        return `USER: ${headAndTail(entry.text, each * 2)}`;
      case 'assistant': {
        const calls = entry.calls.map(
          (call) => `CALL ${call.name} ${headAndTail(call.arguments, 300)}`,
        );
        return [`AGENT: ${headAndTail(entry.text, each)}`, ...calls].join('\n');
      }
      case 'result':
        return `RESULT of ${entry.name}: ${headAndTail(entry.text, Math.min(each, 600))}`;
      case 'summary':
        return entry.text;
    }
  });
  return headAndTail(lines.join('\n\n'), limit);
}
