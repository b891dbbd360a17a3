/**
 * Takes the `<think>` block off the front of an answer, for servers that leave it in the text.
 *
 * In: the answer's text in pieces. Out: the same characters, told apart. Only a block at the very
 * start counts: an answer that speaks about the tag keeps it.
 */

export interface TextPart {
  readonly type: 'text' | 'thinking';
  readonly text: string;
}

const open = /^\s*<think(?:ing)?>/;
const openings = ['<think>', '<thinking>'];
const closings = ['</think>', '</thinking>'];

export class ThinkSplitter {
  #state: 'start' | 'inside' | 'after' = 'start';
  #held = '';

  /** The parts that are certain by now. */
  push(text: string): TextPart[] {
    if (this.#state === 'after') return part('text', text);
    this.#held += text;
    const parts: TextPart[] = [];
    if (this.#state === 'start') {
      const opened = open.exec(this.#held);
      if (opened) {
        this.#state = 'inside';
        this.#held = this.#held.slice(opened[0].length);
      } else if (!openings.some((tag) => tag.startsWith(this.#held.trimStart()))) {
        this.#state = 'after';
        return this.end();
      } else return [];
    }
    const closed = /<\/think(?:ing)?>/.exec(this.#held);
    if (closed) {
      parts.push(...part('thinking', this.#held.slice(0, closed.index)));
      const rest = this.#held.slice(closed.index + closed[0].length);
      this.#held = '';
      this.#state = 'after';
      parts.push(...part('text', rest.trimStart()));
      return parts;
    }
    const keep = tailOf(this.#held, closings);
    parts.push(...part('thinking', this.#held.slice(0, this.#held.length - keep)));
    this.#held = this.#held.slice(this.#held.length - keep);
    return parts;
  }

  /** What was held back, when no more comes. */
  end(): TextPart[] {
    const held = this.#held;
    this.#held = '';
    return part(this.#state === 'inside' ? 'thinking' : 'text', held);
  }
}

function part(type: TextPart['type'], text: string): TextPart[] {
  return text === '' ? [] : [{ type, text }];
}

/** How many characters at the end may be the beginning of one of the tags. */
function tailOf(text: string, tags: readonly string[]): number {
  const longest = Math.max(...tags.map((tag) => tag.length - 1));
  for (let size = Math.min(longest, text.length); size > 0; size -= 1) {
    const tail = text.slice(text.length - size);
    if (tags.some((tag) => tag.startsWith(tail))) return size;
  }
  return 0;
}
