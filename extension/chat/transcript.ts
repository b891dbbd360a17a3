/**
 * What the chat shows, made from the events of a run. The host keeps a transcript and hands it to a
 * page that starts; after that both take the same events, each by itself. Pure: time comes in.
 *
 * What opens under a line can be large and is seldom looked at, so it stays with the host: `shown`
 * takes it out of the event, and the page asks for it when a line is opened.
 */
import type {
  ContextUse,
  Line,
  Mode,
  Notice,
  Phase,
  QueuedMessage,
  RunEvent,
  TurnEnd,
  TurnSummary,
} from '../agent/events.ts';
import type { CardAnswer } from '../agent/tool.ts';
import type { Card, CardKind } from '../core.ts';
import { never } from '../never.ts';
import { OUTPUT_INLINE_UNITS } from '../limits.ts';

/** The text in the box and the images at it; `data:` URLs. */
export interface Draft {
  readonly text: string;
  readonly images: readonly string[];
}

/** What opens under a line; `text` is null while it is with the host. */
export interface Output {
  readonly kind: 'text' | 'diff' | 'json';
  readonly length: number;
  readonly text: string | null;
}

/** A line whose output may still be with the host. */
interface ShownLine extends Omit<Line, 'output'> {
  readonly output: Output | null;
}

/** What a transcript is made from: the events of a run, lighter, and what happens between turns. */
export type ChatEvent =
  | Exclude<RunEvent, { readonly type: 'line' }>
  | { readonly type: 'line'; readonly line: ShownLine }
  /** A turn's changes were undone; `note` says what was kept, in our words. */
  | { readonly type: 'undone'; readonly turn: string; readonly note: string };

export type Item =
  | ({ readonly kind: 'message' } & QueuedMessage)
  | {
      readonly kind: 'thought';
      readonly id: string;
      readonly text: string;
      /** Null while it goes on. */
      readonly seconds: number | null;
    }
  | {
      readonly kind: 'text';
      readonly id: string;
      readonly text: string;
      readonly streaming: boolean;
    }
  | {
      readonly kind: 'line';
      readonly id: string;
      readonly line: ShownLine;
      readonly progress: string;
      /** When it was first heard of, milliseconds. */
      readonly began: number;
      /** How long it ran; 0 while it does, and where nobody said when it began. */
      readonly seconds: number;
    }
  | {
      readonly kind: 'card';
      readonly id: string;
      readonly card: Card;
      readonly number: number;
      readonly of: number;
      /** Null while it waits; then the card is a line. */
      readonly answer: CardAnswer | null;
    }
  | { readonly kind: 'notice'; readonly id: string; readonly notice: Notice };

export interface Turn {
  readonly id: string;
  /** Null for what happens outside of a turn. */
  readonly message: {
    readonly text: string;
    /** `data:` URLs; absent for none. */
    readonly images?: readonly string[];
    readonly model: string;
    readonly mode: Mode;
  } | null;
  readonly items: readonly Item[];
  readonly end: { readonly end: TurnEnd; readonly summary: TurnSummary } | null;
  /** What undoing it did, in our words; null while its changes stand. */
  readonly undone: string | null;
}

export interface Transcript {
  readonly turns: readonly Turn[];
  /** What the agent is busy with and since when (milliseconds of the host's clock); null at rest. */
  readonly phase: { readonly phase: Phase; readonly since: number } | null;
  readonly tokensPerSecond: number | null;
  readonly plan: Extract<RunEvent, { type: 'plan' }>['items'];
  readonly queue: Extract<RunEvent, { type: 'queue' }>['messages'];
  readonly context: ContextUse | null;
  /** Notices that stand above the composer, by code. */
  readonly lasting: readonly Notice[];
}

export const emptyTranscript: Transcript = {
  turns: [],
  phase: null,
  tokensPerSecond: null,
  plan: [],
  queue: [],
  context: null,
  lasting: [],
};

/** Cards about a call leave the line of that call; the others leave a line of their own. */
const leavesLine: Readonly<Record<CardKind, boolean>> = {
  call: false,
  edit: false,
  command: false,
  read: false,
  server: true,
  skill: true,
  drift: true,
  host: true,
  repeat: true,
  form: true,
  address: true,
};

/** As text is compared that is looked for: whatever its case, as far as that does not move a letter. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** The event as the page gets it, and the output that stays with the host under the line's id. */
export function shown(event: RunEvent): { event: ChatEvent; output: Output | null } {
  if (event.type !== 'line') return { event, output: null };
  const { output, ...line } = event.line;
  if (output === null) return { event: { type: 'line', line: { ...line, output } }, output };
  const whole: Output = { ...output, length: output.text.length };
  const small = output.text.length <= OUTPUT_INLINE_UNITS;
  return {
    event: { type: 'line', line: { ...line, output: small ? whole : { ...whole, text: null } } },
    output: small ? null : whole,
  };
}

/**
 * The cards that wait for an answer, oldest first. A card can wait outside of a turn too, when the
 * user reviews a server or a skill in its view; it stands in a turn without message.
 */
export function waitingCards(
  transcript: Transcript,
): readonly Extract<Item, { readonly kind: 'card' }>[] {
  return transcript.turns
    .filter((turn) => turn.end === null)
    .flatMap((turn) => turn.items)
    .filter((item) => item.kind === 'card')
    .filter((item) => item.answer === null);
}

/** True from the first event of a turn to its last. */
export function running(transcript: Transcript): boolean {
  const turn = transcript.turns.at(-1);
  return turn !== undefined && turn.message !== null && turn.end === null;
}

/** The transcript after `event`, which happened at `at`. What did not change stays the same object. */
export function after(before: Transcript, event: ChatEvent, at: number): Transcript {
  switch (event.type) {
    case 'turnStarted': {
      const { turn: id, text, images, model, mode } = event;
      const message = { text, ...(images === undefined ? {} : { images }), model, mode };
      const turn = { id, message, items: [], end: null, undone: null };
      return { ...before, turns: [...before.turns, turn], plan: [], tokensPerSecond: null };
    }
    case 'queue':
      return { ...before, queue: event.messages };
    case 'message':
      return append(before, {
        kind: 'message',
        id: event.id,
        text: event.text,
        ...(event.images === undefined ? {} : { images: event.images }),
      });
    case 'phase': {
      const same = before.phase?.phase.kind === event.phase.kind;
      const since = same ? (before.phase?.since ?? at) : at;
      return { ...before, phase: { phase: event.phase, since } };
    }
    case 'thinking':
      return put(before, 'thought', event.id, (item) => ({
        kind: 'thought',
        id: event.id,
        text: (item?.text ?? '') + event.delta,
        seconds: null,
      }));
    case 'thinkingEnded':
      return put(before, 'thought', event.id, (item) => ({
        kind: 'thought',
        id: event.id,
        text: item?.text ?? '',
        seconds: event.seconds,
      }));
    case 'text':
      return put(before, 'text', event.id, (item) => ({
        kind: 'text',
        id: event.id,
        text: (item?.text ?? '') + event.delta,
        streaming: true,
      }));
    case 'textEnded':
      return change(before, 'text', event.id, (item) => ({ ...item, streaming: false }));
    case 'line':
      return put(before, 'line', event.line.id, (item) => ({
        kind: 'line',
        id: event.line.id,
        line: event.line,
        progress: event.line.state === 'running' ? (item?.progress ?? '') : '',
        began: item?.began ?? at,
        seconds: item === null || event.line.state === 'running' ? 0 : (at - item.began) / 1000,
      }));
    case 'progress':
      return change(before, 'line', event.id, (item) => ({ ...item, progress: event.text }));
    case 'card': {
      const { id, card, number, of } = event;
      return put(before, 'card', id, () => ({ kind: 'card', id, card, number, of, answer: null }));
    }
    case 'answered':
      return change(before, 'card', event.id, (item) =>
        leavesLine[item.card.kind] ? { ...item, answer: event.answer } : null,
      );
    case 'notice': {
      const { notice } = event;
      if (notice.lasting) {
        const others = before.lasting.filter((other) => other.code !== notice.code);
        return { ...before, lasting: [...others, notice] };
      }
      const count = before.turns.reduce((sum, turn) => sum + turn.items.length, 0);
      return append(before, { kind: 'notice', id: `${notice.code}-${at}-${count}`, notice });
    }
    case 'noticeGone':
      return {
        ...before,
        lasting: before.lasting.filter((notice) => notice.code !== event.code),
        turns: mapSame(before.turns, (turn) => {
          const items = mapSame(turn.items, (item) =>
            item.kind === 'notice' && item.notice.code === event.code ? null : item,
          );
          return items === turn.items ? turn : { ...turn, items };
        }),
      };
    case 'plan':
      return { ...before, plan: event.items };
    case 'context':
      return { ...before, context: event.use };
    case 'rate':
      return { ...before, tokensPerSecond: event.tokensPerSecond };
    case 'turnEnded':
      return {
        ...before,
        phase: null,
        turns: mapSame(before.turns, (turn) =>
          turn.id === event.turn
            ? {
                ...turn,
                items: mapSame(turn.items, (item) => settled(item, event.end)),
                end: { end: event.end, summary: event.summary },
              }
            : turn,
        ),
      };
    case 'undone':
      return {
        ...before,
        turns: mapSame(before.turns, (turn) =>
          turn.id === event.turn ? { ...turn, undone: event.note } : turn,
        ),
      };
    default:
      return never(event);
  }
}

/** Nothing goes on after a turn ended: what was left open is closed. */
function settled(item: Item, end: TurnEnd): Item | null {
  switch (item.kind) {
    case 'text':
      return item.streaming ? { ...item, streaming: false } : item;
    case 'thought':
      return item.seconds === null ? { ...item, seconds: 0 } : item;
    case 'line':
      return item.line.state === 'running'
        ? {
            ...item,
            progress: '',
            line: { ...item.line, state: end.kind === 'answered' ? 'done' : 'stopped' },
          }
        : item;
    case 'card':
      return item.answer === null ? null : item;
    case 'message':
    case 'notice':
      return item;
    default:
      return never(item);
  }
}

type ItemOf<K extends Item['kind']> = Extract<Item, { readonly kind: K }>;

/** Appends to the turn that runs; what happens between turns stands in one without message. */
function append(before: Transcript, item: Item): Transcript {
  const last = before.turns.at(-1);
  if (last !== undefined && last.end === null) {
    const turn = { ...last, items: [...last.items, item] };
    return { ...before, turns: before.turns.with(-1, turn) };
  }
  const id = `between-${before.turns.length}`;
  const turn = { id, message: null, items: [item], end: null, undone: null };
  return { ...before, turns: [...before.turns, turn] };
}

/** Replaces the item of this kind and id in the last turn, or appends it. */
function put<K extends Item['kind']>(
  before: Transcript,
  kind: K,
  id: string,
  make: (item: ItemOf<K> | null) => Item,
): Transcript {
  const found = before.turns.at(-1)?.items.some((item) => item.kind === kind && item.id === id);
  return found === true ? change(before, kind, id, make) : append(before, make(null));
}

/** Replaces the newest item of this kind and id, or removes it where `make` gives null. */
function change<K extends Item['kind']>(
  before: Transcript,
  kind: K,
  id: string,
  make: (item: ItemOf<K>) => Item | null,
): Transcript {
  const is = (item: Item): item is ItemOf<K> => item.kind === kind && item.id === id;
  for (let at = before.turns.length - 1; at >= 0; at -= 1) {
    const turn = before.turns[at];
    if (turn?.items.some(is) !== true) continue;
    const items = mapSame(turn.items, (item) => (is(item) ? make(item) : item));
    return { ...before, turns: before.turns.with(at, { ...turn, items }) };
  }
  return before;
}

/** `map` that drops nulls and gives back the same array where nothing changed. */
function mapSame<T>(list: readonly T[], change: (value: T) => T | null): readonly T[] {
  let same = true;
  const next: T[] = [];
  for (const value of list) {
    const changed = change(value);
    if (changed !== value) same = false;
    if (changed !== null) next.push(changed);
  }
  return same ? list : next;
}
