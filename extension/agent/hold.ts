/**
 * Holds back what may be a call written as text while it streams, so that nobody reads half a call as
 * an answer. In: pieces of text. Out: what can be shown now. What is held is never lost: the end of
 * the answer decides whether it was a call.
 */
import { HELD_LOOK_CHARS } from '../limits.ts';
import { opensCall } from './textcalls.ts';

const NAMED = /["'](?:name|tool|tool_name|function|function_name|tool_calls|action)["']\s*:/u;

export class CallHold {
  #held = '';
  #shown = 0;
  #lineStart = true;
  /** The mark of the fence we are in, of code that is no call; empty outside. */
  #fence = '';

  /** Characters that were shown so far, from the answer's beginning. */
  get shown(): number {
    return this.#shown;
  }

  push(delta: string): string {
    this.#held += delta;
    let free = '';
    while (this.#held !== '') {
      if (this.#fence !== '') {
        const inside = this.#inside();
        free += inside;
        if (this.#fence !== '') break;
        continue;
      }
      const at = firstStart(this.#held, this.#lineStart);
      free += this.#let(at < 0 ? this.#held.length : at);
      if (this.#held === '' || mayBeCall(this.#held)) break;
      // Not a call: its first line goes out, and the search goes on behind it.
      this.#fence = /^[ \t]*(```|~~~)/u.exec(this.#held)?.[1] ?? '';
      const line = this.#held.indexOf('\n') + 1;
      free += this.#let(line === 0 ? this.#held.length : line);
    }
    return free;
  }

  /** What was held, when it turns out to be text. */
  rest(): string {
    return this.#let(this.#held.length);
  }

  /** Code up to the end of its fence, which is no beginning of another. */
  #inside(): string {
    const close = new RegExp(
      `${this.#lineStart ? '(?:^|\\n)' : '\\n'}[ \\t]*${this.#fence}[^\\n]*\\n`,
      'u',
    ).exec(this.#held);
    if (close !== null) {
      this.#fence = '';
      return this.#let(close.index + close[0].length);
    }
    // The last line may become the end of the fence.
    const last = this.#held.lastIndexOf('\n') + 1;
    return this.#let(/^[ \t]*[`~]/u.test(this.#held.slice(last)) ? last : this.#held.length);
  }

  #let(count: number): string {
    const free = this.#held.slice(0, count);
    this.#held = this.#held.slice(count);
    this.#shown += free.length;
    if (free !== '') this.#lineStart = free.endsWith('\n');
    return free;
  }
}

/** Where something begins that may be a call, or -1. */
function firstStart(text: string, atLineStart: boolean): number {
  const lines = atLineStart ? /(?:^|\n)[ \t]*(?=[`~{[])/u : /\n[ \t]*(?=[`~{[])/u;
  const line = lines.exec(text);
  const lineAt = line === null ? -1 : line.index + (line[0].startsWith('\n') ? 1 : 0);
  for (const { index } of text.matchAll(/[<[]/gu)) {
    if (lineAt >= 0 && index > lineAt) break;
    const rest = text.slice(index, index + 80);
    if (opensCall(rest) || couldOpen(rest)) return index;
  }
  return lineAt;
}

/** The end of the text so far may be the beginning of a mark. */
function couldOpen(text: string): boolean {
  return text.length < 40 && /^(?:<[\w|/｜▁=]*|\[[A-Z_]*)$/u.test(text);
}

function mayBeCall(text: string): boolean {
  const trimmed = text.trimStart();
  if (opensCall(trimmed.slice(0, 80)) || couldOpen(trimmed)) return true;
  const fence = /^(`{1,3}|~{1,3})([\w-]*)[ \t]*(\r?\n)?/u.exec(trimmed);
  if (fence !== null) {
    const mark = fence[1] ?? '';
    if (mark.length < 3) return trimmed.length < 3;
    if (fence[3] === undefined) return trimmed.length < 40;
    if (!/^(?:|json[c5]?|tool.*|function.*|xml|text|plaintext)$/iu.test(fence[2] ?? ''))
      return false;
    return jsonCall(trimmed.slice(fence[0].length));
  }
  return jsonCall(trimmed);
}

function jsonCall(text: string): boolean {
  const inner = text.trimStart();
  if (inner === '') return true;
  if (opensCall(inner.slice(0, 80)) || couldOpen(inner)) return true;
  if (!/^[{[]/u.test(inner)) return false;
  if (!/^[{[]\s*(?:["'{[]|$)/u.test(inner)) return false;
  return inner.length < HELD_LOOK_CHARS || NAMED.test(inner.slice(0, HELD_LOOK_CHARS));
}
