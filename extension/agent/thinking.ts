/**
 * Takes `<think>` blocks out of a streamed answer. In: pieces of text as they come. Out: pieces that
 * are thinking and pieces that are not. A block counts only where an answer begins, or after another
 * block: a tag in the middle of an answer is text about a tag.
 */

export interface Piece {
  readonly kind: 'thinking' | 'text';
  readonly text: string;
}

const OPEN = ['<think>', '<thinking>', '<thought>', '[THINK]'];
const CLOSE = ['</think>', '</thinking>', '</thought>', '[/THINK]'];

export class ThinkSplitter {
  #state: 'start' | 'inside' | 'text' = 'start';
  #held = '';
  #close = '';

  push(delta: string): Piece[] {
    this.#held += delta;
    return this.#take(false);
  }

  /** The rest, when the answer ended. */
  end(): Piece[] {
    return this.#take(true);
  }

  #take(ended: boolean): Piece[] {
    const pieces: Piece[] = [];
    for (;;) {
      if (this.#state === 'text') {
        if (this.#held !== '') pieces.push({ kind: 'text', text: this.#held });
        this.#held = '';
        return pieces;
      }
      if (this.#state === 'start') {
        const rest = this.#held.trimStart();
        const open = OPEN.findIndex((tag) => rest.startsWith(tag));
        if (open >= 0) {
          this.#held = rest.slice(OPEN[open]?.length ?? 0);
          this.#close = CLOSE[open] ?? '';
          this.#state = 'inside';
          continue;
        }
        if (!ended && OPEN.some((tag) => tag.startsWith(rest))) return pieces;
        this.#state = 'text';
        continue;
      }
      const end = this.#held.indexOf(this.#close);
      if (end >= 0) {
        if (end > 0) pieces.push({ kind: 'thinking', text: this.#held.slice(0, end) });
        this.#held = this.#held.slice(end + this.#close.length);
        this.#state = 'start';
        continue;
      }
      // What may be the beginning of the closing tag waits for more.
      const keep = ended ? 0 : beginning(this.#held, this.#close);
      const thinking = this.#held.slice(0, this.#held.length - keep);
      if (thinking !== '') pieces.push({ kind: 'thinking', text: thinking });
      this.#held = this.#held.slice(this.#held.length - keep);
      return pieces;
    }
  }
}

/** How many characters at the end of `text` are a beginning of `tag`. */
function beginning(text: string, tag: string): number {
  for (let n = Math.min(tag.length - 1, text.length); n > 0; n--) {
    if (text.endsWith(tag.slice(0, n))) return n;
  }
  return 0;
}

/**
 * Text of a finished answer without what stands before a lone closing tag: some templates open the
 * block in the prompt, so that the answer only closes it.
 */
export function withoutLoneThinking(text: string): string {
  for (const close of CLOSE) {
    const at = text.lastIndexOf(close);
    const open = OPEN[CLOSE.indexOf(close)] ?? '';
    if (at >= 0 && !text.slice(0, at).includes(open)) return text.slice(at + close.length);
  }
  return text;
}
