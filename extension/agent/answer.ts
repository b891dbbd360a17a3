/**
 * One answer of a model, read as it streams. In: the provider's deltas. Out: events while it comes,
 * and at the end the text, the calls as the model gave them, and what it cost. Stops at any byte.
 */
import { RATE_EVERY_MS, CHARACTERS_PER_TOKEN } from '../limits.ts';
import type { ChatDelta } from '../models/provider.ts';
import { never } from '../never.ts';
import type { Emit } from './events.ts';
import { CallHold } from './hold.ts';
import { readTextCalls, type Callable } from './textcalls.ts';
import { ThinkSplitter, withoutLoneThinking } from './thinking.ts';

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
  /** For a call that was read from text: what was written, where it was repaired. */
  readonly repairedFrom: string | null;
  /** Read from text. */
  readonly fromText: boolean;
}

export interface Answer {
  /** Without thinking and without calls that were read from it. */
  readonly text: string;
  readonly calls: readonly WrittenCall[];
  /** A call in the text ended in the middle. */
  readonly cutCall: boolean;
  /** It thought, whatever else it did. */
  readonly thought: boolean;
  readonly ended: 'stop' | 'toolCalls' | 'length' | 'other' | 'aborted';
  readonly usage: { readonly promptTokens: number; readonly outputTokens: number } | null;
  readonly outputCharacters: number;
}

interface NativeCall {
  id: string;
  name: string;
  arguments: string;
}

export interface AnswerParts {
  readonly emit: Emit;
  /** A name for this answer's events. */
  readonly id: string;
  readonly tools: readonly Callable[];
  readonly signal: AbortSignal;
}

export class AnswerReader {
  readonly #parts: AnswerParts;
  readonly #split = new ThinkSplitter();
  readonly #hold = new CallHold();
  readonly #calls: NativeCall[] = [];
  readonly #atIndex = new Map<number, NativeCall>();
  #text = '';
  #thinking = '';
  #thinkingSince: number | null = null;
  #firstToken: number | null = null;
  #rated = 0;
  #writing = false;
  #usage: Answer['usage'] = null;
  #ended: Answer['ended'] = 'other';

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** The text that was shown so far, whatever became of the answer: half a call is none of it. */
  get said(): string {
    return withoutLoneThinking(this.#text.slice(0, this.#hold.shown)).trim();
  }

  /** Reads to the end, to a stop, or to an error of the provider, which it throws. */
  async read(deltas: AsyncIterable<ChatDelta>): Promise<Answer> {
    const { signal } = this.#parts;
    const iterator = deltas[Symbol.asyncIterator]();
    let stop = (): void => undefined;
    const stopped = new Promise<'stopped'>((resolve) => {
      stop = () => {
        resolve('stopped');
      };
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        const next = iterator.next();
        // Whoever stops waits for no server; what the provider then says is of no interest.
        next.catch(() => null);
        const result = await Promise.race([next, stopped]);
        if (result === 'stopped' || signal.aborted) {
          this.#ended = 'aborted';
          void iterator.return?.()?.then(
            () => null,
            () => null,
          );
          break;
        }
        if (result.done === true) break;
        this.#take(result.value);
      }
    } catch (error) {
      this.#close();
      if (!signal.aborted) throw error;
      this.#ended = 'aborted';
    } finally {
      // What waits for a stop holds on to every piece of the answer.
      signal.removeEventListener('abort', stop);
    }
    return this.#finish();
  }

  #take(delta: ChatDelta): void {
    switch (delta.type) {
      case 'text':
        for (const piece of this.#split.push(delta.text)) this.#piece(piece.kind, piece.text);
        this.#rate();
        return;
      case 'thinking':
        this.#piece('thinking', delta.text);
        this.#rate();
        return;
      case 'toolCall':
        this.#endThinking();
        this.#call(delta);
        this.#rate();
        return;
      case 'usage':
        this.#usage = { promptTokens: delta.promptTokens, outputTokens: delta.outputTokens };
        return;
      case 'retry':
        this.#parts.emit({
          type: 'phase',
          phase: { kind: 'retrying', reason: delta.reason, seconds: delta.seconds },
        });
        return;
      case 'end':
        this.#ended = delta.reason;
        return;
      default:
        never(delta);
    }
  }

  #piece(kind: 'thinking' | 'text', text: string): void {
    const { emit, id } = this.#parts;
    this.#firstToken ??= performance.now();
    if (kind === 'thinking') {
      if (this.#thinkingSince === null) {
        this.#thinkingSince = performance.now();
        emit({ type: 'phase', phase: { kind: 'thinking' } });
      }
      this.#thinking += text;
      emit({ type: 'thinking', id: `${id}-thought`, delta: text });
      return;
    }
    this.#endThinking();
    this.#text += text;
    this.#show(this.#hold.push(text));
  }

  #show(text: string): void {
    if (text === '') return;
    const { emit, id } = this.#parts;
    if (!this.#writing) {
      // Blanks in front of an answer are no answer yet.
      if (text.trim() === '') return;
      this.#writing = true;
      emit({ type: 'phase', phase: { kind: 'writing' } });
    }
    emit({ type: 'text', id: `${id}-text`, delta: text });
  }

  #endThinking(): void {
    if (this.#thinkingSince === null) return;
    const seconds = (performance.now() - this.#thinkingSince) / 1_000;
    this.#thinkingSince = null;
    this.#parts.emit({ type: 'thinkingEnded', id: `${this.#parts.id}-thought`, seconds });
  }

  /** Pieces share index and id; some servers give every call the index 0. */
  #call(delta: Extract<ChatDelta, { type: 'toolCall' }>): void {
    this.#firstToken ??= performance.now();
    const current = this.#atIndex.get(delta.index);
    const another =
      current !== undefined && delta.id !== '' && current.id !== '' && delta.id !== current.id;
    if (current === undefined || another) {
      const call = { id: delta.id, name: delta.name, arguments: delta.arguments };
      this.#calls.push(call);
      this.#atIndex.set(delta.index, call);
      return;
    }
    if (current.id === '') current.id = delta.id;
    current.name += delta.name;
    current.arguments += delta.arguments;
  }

  #rate(): void {
    const now = performance.now();
    if (this.#firstToken === null || now - this.#rated < RATE_EVERY_MS) return;
    const seconds = (now - this.#firstToken) / 1_000;
    this.#rated = now;
    if (seconds < RATE_EVERY_MS / 1_000) return;
    this.#parts.emit({
      type: 'rate',
      tokensPerSecond: this.#characters() / CHARACTERS_PER_TOKEN / seconds,
    });
  }

  #characters(): number {
    const calls = this.#calls.reduce(
      (sum, call) => sum + call.name.length + call.arguments.length,
      0,
    );
    return this.#text.length + this.#thinking.length + calls;
  }

  #close(): void {
    this.#endThinking();
    if (this.#writing) this.#parts.emit({ type: 'textEnded', id: `${this.#parts.id}-text` });
    this.#writing = false;
  }

  #finish(): Answer {
    for (const piece of this.#split.end()) this.#piece(piece.kind, piece.text);
    const answer = this.#decided();
    // What was held back and is no call is text after all.
    const start = this.#text.length - this.#textShown().length;
    const held = this.#hold.rest();
    const before = answer.shownUpTo;
    this.#show(before === null ? held : held.slice(0, Math.max(0, before - start)));
    this.#close();
    return {
      text: answer.text.trim(),
      calls: answer.calls,
      cutCall: answer.cutCall,
      thought: this.#thinking !== '',
      ended: this.#ended,
      usage: this.#usage,
      outputCharacters: this.#characters(),
    };
  }

  /** What is still held: the end of the text that was not shown. */
  #textShown(): string {
    return this.#text.slice(this.#hold.shown);
  }

  /** Text and calls apart; `shownUpTo` is where the text ends, null for all of it. */
  #decided(): Pick<Answer, 'text' | 'calls' | 'cutCall'> & { readonly shownUpTo: number | null } {
    const text = withoutLoneThinking(this.#text);
    if (this.#ended === 'aborted') return { text, calls: [], cutCall: false, shownUpTo: null };
    if (this.#calls.length > 0) {
      const calls = this.#calls.map((call) => ({
        name: call.name,
        arguments: call.arguments,
        repairedFrom: null,
        fromText: false,
      }));
      return { text, calls, cutCall: false, shownUpTo: null };
    }
    // A call in a thought counts only when no answer follows it.
    const where = text.trim() === '' ? this.#thinking : text;
    const found = readTextCalls(where, this.#parts.tools);
    if (found.kind === 'none') return { text, calls: [], cutCall: false, shownUpTo: null };
    const kept = where === text ? found.before.trimEnd() : '';
    const shownUpTo = where === text ? this.#text.length - text.length + found.before.length : null;
    const calls =
      found.kind === 'cut' ? [] : found.calls.map((call) => ({ ...call, fromText: true }));
    return { text: kept, calls, cutCall: found.kind === 'cut', shownUpTo };
  }
}
