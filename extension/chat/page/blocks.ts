/**
 * Markdown that grows → its top-level blocks. While text streams in, only the last block is read
 * again: a block is settled as soon as another one begins after it. Pure; runs under Node.
 */
import Markdown, { type MarkdownIt, type Token } from 'markdown-it';
import { CLOSED_PARAGRAPH_UNITS } from '../../limits.ts';

export interface Block {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** Set where the block is a code fence by itself. */
  readonly fence: { readonly language: string; readonly code: string } | null;
}

/** Markdown as answers use it: no HTML, links only to the web and to files, images as links. */
export function markdown(): MarkdownIt {
  const md = new Markdown({ html: false, linkify: false, breaks: false });
  md.validateLink = (url) => {
    const scheme = /^[\s\0-\x1f]*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
    return scheme === undefined || scheme === 'http' || scheme === 'https';
  };
  // An inline style would be refused by the page's policy.
  md.core.ruler.push('cell_class', (state) => {
    for (const token of state.tokens) {
      const style = token.attrGet('style');
      if (typeof style !== 'string') continue;
      token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null;
      if (style.includes('right')) token.attrJoin('class', 'right');
      if (style.includes('center')) token.attrJoin('class', 'center');
    }
  });
  return md;
}

export class Blocks {
  readonly #md: MarkdownIt;
  #text = '';
  #settled: Block[] = [];
  /** Where the part begins that is not settled. */
  #offset = 0;
  #env: Record<string, unknown> = {};

  constructor(md: MarkdownIt) {
    this.#md = md;
  }

  /** What the blocks' tokens are rendered with. */
  get env(): Record<string, unknown> {
    return this.#env;
  }

  /**
   * The blocks of `text`; those that did not change are the same objects. Once it is `ended`, links
   * that were defined below their use are known, so everything is read again if there are any.
   */
  read(text: string, ended: boolean): readonly Block[] {
    const whole = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    const defined = ended && /^ {0,3}\[[^\]\n]+\]:/m.test(whole);
    if (defined || !whole.startsWith(this.#text)) {
      this.#settled = [];
      this.#offset = 0;
      this.#env = {};
      if (defined) this.#md.parse(whole, this.#env);
    }
    this.#text = whole;
    const tail = whole.slice(this.#offset);
    const open = ended ? tail : closed(tail);
    const blocks = this.#split(open);
    const last = blocks.pop();
    this.#settled.push(...blocks.map(({ block }) => block));
    this.#offset += last?.start ?? 0;
    return last === undefined ? this.#settled.slice() : [...this.#settled, last.block];
  }

  #split(text: string): { start: number; block: Block }[] {
    const tokens = this.#md.parse(text, this.#env);
    const found: { line: number; tokens: Token[] }[] = [];
    for (const token of tokens) {
      if (token.level === 0 && token.nesting >= 0)
        found.push({ line: token.map?.[0] ?? 0, tokens: [token] });
      else found.at(-1)?.tokens.push(token);
    }
    const starts = lineStarts(
      text,
      found.map(({ line }) => line),
    );
    return found.map((block, index) => {
      const start = starts[index] ?? 0;
      const source = text.slice(start, starts[index + 1] ?? text.length);
      return { start, block: { source, tokens: block.tokens, fence: fenceOf(block.tokens) } };
    });
  }
}

function fenceOf(tokens: readonly Token[]): Block['fence'] {
  const [token] = tokens;
  if (tokens.length !== 1 || (token?.type !== 'fence' && token?.type !== 'code_block')) return null;
  const language = /^[\w+#.-]+/.exec(token.info.trim())?.[0] ?? '';
  return { language, code: token.content.replace(/\n$/, '') };
}

/** Offsets at which the given lines start; `lines` ascend. */
function lineStarts(text: string, lines: readonly number[]): number[] {
  const starts: number[] = [];
  let line = 0;
  let at = 0;
  for (const wanted of lines) {
    while (line < wanted) {
      const next = text.indexOf('\n', at);
      if (next < 0) break;
      at = next + 1;
      line += 1;
    }
    starts.push(at);
  }
  return starts;
}

/**
 * Closes what stands open at the end of text that still grows, so that stars, back-quotes and half
 * links do not flash up before they mean something. Only the last paragraph can be open.
 */
export function closed(text: string): string {
  const from = text.lastIndexOf('\n\n') + 1;
  const last = text.slice(from);
  if (last.length > CLOSED_PARAGRAPH_UNITS) return text;
  if (/^ {0,3}(```|~~~)/m.test(text) && openFence(text)) return text;
  const plain = last.replace(/(`+)[^`]+\1(?!`)/g, '');
  const ticks = /`+/.exec(plain)?.[0];
  if (ticks !== undefined) {
    const bare = new RegExp('(^|[^`])' + ticks + '$').test(last);
    return bare ? text.slice(0, -ticks.length) : text + ticks;
  }
  const link = /!?\[([^\]\n]*)(?:\]\([^)\n]*)?$/.exec(last);
  const label = link?.[1];
  if (link !== null && label !== undefined && link[0].includes(']('))
    return text.slice(0, text.length - link[0].length) + label;
  const stars = plain.match(/\*\*/g)?.length ?? 0;
  if (stars % 2 === 1) return /\*\*$/.test(last) ? text.slice(0, -2) : `${text}**`;
  return text;
}

function openFence(text: string): boolean {
  let open: string | null = null;
  for (const match of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    const [, mark = '', rest = ''] = match;
    if (open === null) open = mark;
    else if (mark.startsWith(open) && rest.trim() === '') open = null;
  }
  return open !== null;
}
