/** An answer's Markdown. While it streams in, only the last block is drawn anew. */
import DOMPurify from 'dompurify';
import { Blocks, markdown, type Block } from './blocks.ts';
import { CodeBlock, markHidden } from './code.ts';
import { hasHidden } from './hidden.ts';
import type { View } from './view.ts';

const md = markdown();
md.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index];
  const source = md.utils.escapeHtml(String(token?.attrGet('src') ?? ''));
  return `<a href="${source}" class="image">${md.utils.escapeHtml(token?.content || source)}</a>`;
};

// An answer's headings are of one level: the page has its own order, in which none may be left out.
md.renderer.rules['heading_open'] = (tokens, index) =>
  /^h[12]$/.test(tokens[index]?.tag ?? '') ? '<h2 class="big">' : '<h2>';
md.renderer.rules['heading_close'] = () => '</h2>';

interface Drawn {
  readonly block: Block;
  readonly node: HTMLElement;
  readonly code: CodeBlock | null;
}

export class Prose extends HTMLElement {
  #view: View | null = null;
  #text = '';
  #streaming = false;
  #drawn: Drawn[] = [];
  readonly #blocks = new Blocks(md);

  set view(view: View) {
    this.#view = view;
  }

  /** Both at once, so that one change draws once. */
  set content(content: { readonly text: string; readonly streaming: boolean }) {
    if (content.text === this.#text && content.streaming === this.#streaming) return;
    this.#text = content.text;
    this.#streaming = content.streaming;
    this.#draw();
  }

  #draw(): void {
    const view = this.#view;
    if (view === null) return;
    try {
      this.#drawBlocks(view, this.#blocks.read(this.#text, !this.#streaming));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      view.post({ type: 'problem', message });
      const pre = document.createElement('pre');
      pre.className = 'out';
      pre.textContent = this.#text;
      this.replaceChildren(pre);
      this.#drawn = [];
    }
  }

  #drawBlocks(view: View, blocks: readonly Block[]): void {
    let same = 0;
    while (same < blocks.length && this.#drawn[same]?.block === blocks[same]) same += 1;
    const old = this.#drawn.splice(same);
    blocks.slice(same).forEach((block, index) => {
      const last = same + index === blocks.length - 1;
      this.#drawn.push(this.#drawBlock(view, block, old[index], last && this.#streaming));
    });
    const nodes = this.#drawn.map(({ node }) => node);
    for (const { node } of old) if (!nodes.includes(node)) node.remove();
    nodes.forEach((node, index) => {
      if (this.children[index] !== node) this.insertBefore(node, this.children[index] ?? null);
    });
    this.querySelector('.caret')?.classList.remove('caret');
    if (this.#streaming) endOf(nodes.at(-1) ?? this).classList.add('caret');
  }

  #drawBlock(view: View, block: Block, old: Drawn | undefined, growing: boolean): Drawn {
    if (block.fence !== null) {
      const code = old?.code ?? new CodeBlock(view);
      code.set(block.fence.language, block.fence.code, growing);
      return { block, node: code.element, code };
    }
    const reuse = old !== undefined && old.code === null;
    const node = reuse ? old.node : document.createElement('div');
    node.className = 'block';
    const html = md.renderer.render([...block.tokens], md.options, this.#blocks.env);
    const content = DOMPurify.sanitize(html, sanitizing);
    for (const pre of content.querySelectorAll('pre')) {
      const inner = new CodeBlock(view);
      const language = /language-([\w+#.-]+)/.exec(pre.firstElementChild?.className ?? '')?.[1];
      inner.set(language ?? '', (pre.textContent ?? '').replace(/\n$/, ''), growing);
      pre.replaceWith(inner.element);
    }
    for (const table of content.querySelectorAll('table')) {
      const box = document.createElement('div');
      box.className = 'table';
      box.tabIndex = 0;
      table.replaceWith(box);
      box.append(table);
    }
    if (hasHidden(block.source)) markHidden(view, content);
    node.replaceChildren(content);
    return { block, node, code: null };
  }
}

const sanitizing = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h2', 'blockquote', 'ul', 'ol', 'li'],
    ...['strong', 'em', 's', 'code', 'pre', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'title', 'class', 'start'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
};

/** The innermost element at the end of the text, where the caret stands. */
function endOf(node: HTMLElement): HTMLElement {
  const last = node.lastElementChild;
  if (!(last instanceof HTMLElement) || !/^(P|UL|OL|LI|BLOCKQUOTE|DIV|H2)$/.test(last.tagName))
    return node;
  return last.className === 'code' ? node : endOf(last);
}

customElements.define('gbs-prose', Prose);
