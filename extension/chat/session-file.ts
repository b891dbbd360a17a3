/**
 * A chat as a file: JSON by lines, so that the list reads one line of each. In: what the chat shows,
 * what the model was sent, what was being written. Out: text, and the same back. Not in it: cards and
 * who allowed what, since nothing that was allowed holds in another run; and no state of servers.
 *
 * Line 1 is the head. Each other line names its `part`; images stand once, by their digest.
 */
import { createHash } from 'node:crypto';
import type { KeptChat } from '../agent/kept-chat.ts';
import { isObject } from '../agent/arguments.ts';
import { IMAGE_APART_UNITS } from '../limits.ts';
import {
  emptyTranscript,
  type Draft,
  type Item,
  type Output,
  type Transcript,
  type Turn,
} from './transcript.ts';

export interface SessionHead {
  readonly id: string;
  readonly title: string;
  /** The user gave the title; else it is made from the first message. */
  readonly named: boolean;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  /** Messages of the user that began a turn. */
  readonly turns: number;
}

export interface Session {
  readonly head: SessionHead;
  readonly transcript: Transcript;
  /** What opens under lines, by their ids. */
  readonly outputs: ReadonlyMap<string, Output>;
  readonly agent: KeptChat;
  readonly draft: Draft;
}

/** A file that is no session, or no whole one. It is left as it is. */
export class SessionBroken extends Error {
  override readonly name = 'SessionBroken';
  readonly code = 'session-broken';
}

const VERSION = 1;

export function encode(session: Session): string {
  const images = new Map<string, string>();
  const line = (value: object): string =>
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner !== 'string' || !isImage(inner)) return inner;
      const name = `image:${createHash('sha256').update(inner).digest('hex')}`;
      images.set(name, inner);
      return name;
    });
  const { head, transcript, outputs, agent, draft } = session;
  const parts = [
    line({ part: 'draft', ...draft }),
    line({ part: 'agent', ...agent }),
    line({ part: 'plan', items: transcript.plan, queue: transcript.queue }),
    ...transcript.turns.map((turn) => line({ part: 'turn', ...withoutCards(turn) })),
    ...[...outputs].map(([id, output]) => line({ part: 'output', id, output })),
  ];
  const table = [...images].map(([name, url]) => JSON.stringify({ part: 'image', name, url }));
  const first = JSON.stringify({ gbsChat: VERSION, ...head });
  return [first, ...table, ...parts, '{"part":"end"}', ''].join('\n');
}

function isImage(text: string): boolean {
  return text.length > IMAGE_APART_UNITS && text.startsWith('data:image/');
}

function withoutCards(turn: Turn): Turn {
  const items = turn.items.flatMap((item): readonly Item[] => {
    if (item.kind === 'card') return [];
    return item.kind === 'line' ? [{ ...item, line: { ...item.line, allowedBy: '' } }] : [item];
  });
  return { ...turn, items };
}

/** The first line. Throws `SessionBroken`. */
export function decodeHead(line: string): SessionHead {
  const value = objectOf(line, 1);
  if (value['gbsChat'] !== VERSION) {
    const newer = typeof value['gbsChat'] === 'number' && value['gbsChat'] > VERSION;
    throw new SessionBroken(
      newer ? 'it was written by a newer version' : 'its first line is not that of a chat',
    );
  }
  const { id, title, named, created, updated, turns } = value;
  if (
    typeof id !== 'string' ||
    typeof title !== 'string' ||
    typeof created !== 'number' ||
    typeof updated !== 'number' ||
    typeof turns !== 'number'
  ) {
    throw new SessionBroken('its first line is not that of a chat');
  }
  return { id, title, named: named === true, created, updated, turns };
}

/** The whole file. Throws `SessionBroken` with the line that is broken. */
export function decode(text: string): Session {
  const lines = text.split('\n');
  const head = decodeHead(lines[0] ?? '');
  const images = new Map<string, string>();
  const turns: Turn[] = [];
  const outputs = new Map<string, Output>();
  let rest: Pick<Transcript, 'plan' | 'queue'> = emptyTranscript;
  let agent: KeptChat = { entries: [], untold: [], ids: 0 };
  let draft: Draft = { text: '', images: [] };
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    if (line === '' && index === lines.length - 1) break;
    const value = objectOf(line, index + 1, images);
    switch (value['part']) {
      case 'image':
        images.set(String(value['name']), String(value['url']));
        break;
      case 'draft':
        if (typeof value['text'] !== 'string' || !isTexts(value['images'])) throw broken(index + 1);
        draft = { text: value['text'], images: value['images'] };
        break;
      case 'agent':
        if (!isAgent(value)) throw broken(index + 1);
        agent = { entries: value.entries, untold: value.untold, ids: value.ids };
        break;
      case 'plan':
        if (!Array.isArray(value['items']) || !Array.isArray(value['queue'])) {
          throw broken(index + 1);
        }
        rest = value as unknown as Pick<Transcript, 'plan' | 'queue'> & { items: [] };
        rest = { plan: value['items'] as Transcript['plan'], queue: rest.queue };
        break;
      case 'turn':
        if (!isTurn(value)) throw broken(index + 1);
        turns.push(value);
        break;
      case 'output':
        if (!isObject(value['output'])) throw broken(index + 1);
        outputs.set(String(value['id']), value['output'] as unknown as Output);
        break;
      case 'end':
        return { head, transcript: { ...emptyTranscript, ...rest, turns }, outputs, agent, draft };
      default:
        throw broken(index + 1);
    }
  }
  throw new SessionBroken('its end is missing');
}

function broken(line: number): SessionBroken {
  return new SessionBroken(`line ${String(line)} is broken`);
}

function objectOf(
  line: string,
  number: number,
  images: ReadonlyMap<string, string> = new Map(),
): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line, (_key, inner: unknown) =>
      typeof inner === 'string' && inner.startsWith('image:')
        ? (images.get(inner) ?? inner)
        : inner,
    );
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw broken(number);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isTurn(value: Record<string, unknown>): value is Record<string, unknown> & Turn {
  const { id, message, items, end } = value;
  return (
    typeof id === 'string' &&
    (message === null || (isObject(message) && hasTexts(message, 'text'))) &&
    Array.isArray(items) &&
    items.every((item) => isObject(item) && hasTexts(item, 'id') && isItem(item)) &&
    (end === null ||
      (isObject(end) &&
        isObject(end['end']) &&
        isObject(end['summary']) &&
        Array.isArray(end['summary']['changes'])))
  );
}

/** What is read of each kind without a further look. */
function isItem(item: Record<string, unknown>): boolean {
  switch (item['kind']) {
    case 'message':
      return hasTexts(item, 'text') && (item['images'] === undefined || isTexts(item['images']));
    case 'thought':
    case 'text':
      return hasTexts(item, 'text');
    case 'line':
      return isObject(item['line']) && hasTexts(item['line'], 'verb', 'object');
    case 'notice':
      return (
        isObject(item['notice']) &&
        hasTexts(item['notice'], 'code', 'fact', 'cause', 'remedy') &&
        Array.isArray(item['notice']['actions'])
      );
    default:
      // Cards are not kept.
      return false;
  }
}

function hasTexts(value: Record<string, unknown>, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}

const ENTRY_KINDS: ReadonlySet<unknown> = new Set(['user', 'assistant', 'result', 'summary']);

function isAgent(value: Record<string, unknown>): value is Record<string, unknown> & KeptChat {
  const { entries, untold, ids } = value;
  return (
    Array.isArray(entries) &&
    entries.every(
      (entry) =>
        isObject(entry) &&
        ENTRY_KINDS.has(entry['kind']) &&
        typeof entry['text'] === 'string' &&
        (entry['kind'] !== 'user' || isTexts(entry['images'])) &&
        (entry['kind'] !== 'assistant' || isCalls(entry['calls'])),
    ) &&
    isTexts(untold) &&
    typeof ids === 'number'
  );
}

function isCalls(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (call) =>
        isObject(call) &&
        ['id', 'name', 'arguments'].every((field) => typeof call[field] === 'string'),
    )
  );
}
