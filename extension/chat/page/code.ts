/** Code blocks of an answer: colours for a dozen languages, and copy, insert, wrap. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import DOMPurify from 'dompurify';
import { hasHidden, pieces } from './hidden.ts';
import { markLabel } from './spans.ts';
import type { View } from './view.ts';
import type { Word } from './words.ts';
import { COLOURED_GROWING_UNITS, COLOURED_UNITS } from '../../limits.ts';

const languages = {
  bash,
  cpp,
  css,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** One code block. It is updated in place, so that its buttons keep the focus while it grows. */
export class CodeBlock {
  readonly element = document.createElement('div');
  readonly #code = document.createElement('code');
  readonly #label = document.createElement('span');
  #source: string | null = null;
  #language = '';
  #growing = false;
  readonly #view: View;

  constructor(view: View) {
    this.#view = view;
    this.element.className = 'code';
    this.#label.className = 'lang';
    const tools = document.createElement('div');
    tools.className = 'tools';
    tools.append(
      this.#button(view, 'copy', 'copyCode', () => {
        view.post({ type: 'copy', text: this.#source ?? '' });
        view.announce(view.words.say('copied'));
      }),
      this.#button(view, 'insert', 'insertCode', () =>
        view.post({ type: 'insert', text: this.#source ?? '' }),
      ),
      this.#wrapButton(view),
    );
    const pre = document.createElement('pre');
    // Code scrolls sideways, so the keyboard must reach it.
    pre.tabIndex = 0;
    pre.append(this.#code);
    this.element.append(this.#label, tools, pre);
  }

  set(language: string, source: string, growing: boolean): void {
    if (source === this.#source && language === this.#language && growing === this.#growing) return;
    this.#source = source;
    this.#language = language;
    this.#growing = growing;
    this.#label.textContent = language;
    this.#colour(language, source, growing);
    if (hasHidden(source)) markHidden(this.#view, this.#code);
  }

  #colour(language: string, source: string, growing: boolean): void {
    const known = hljs.getLanguage(language) !== undefined;
    if (!known || source.length > (growing ? COLOURED_GROWING_UNITS : COLOURED_UNITS)) {
      this.#code.textContent = source;
      return;
    }
    const coloured = hljs.highlight(source, { language, ignoreIllegals: true }).value;
    const safe = DOMPurify.sanitize(coloured, {
      ALLOWED_TAGS: ['span'],
      ALLOWED_ATTR: ['class'],
      RETURN_DOM_FRAGMENT: true,
    });
    this.#code.replaceChildren(safe);
  }

  #button(view: View, name: string, word: Word, click: () => void): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'ib';
    button.title = view.words.say(word);
    button.setAttribute('aria-label', button.title);
    const icon = document.createElement('i');
    icon.className = `codicon codicon-${name}`;
    icon.setAttribute('aria-hidden', 'true');
    button.append(icon);
    button.addEventListener('click', click);
    return button;
  }

  #wrapButton(view: View): HTMLButtonElement {
    const button = this.#button(view, 'word-wrap', 'wrapCode', () => {
      const wraps = this.element.classList.toggle('wrap');
      button.setAttribute('aria-pressed', String(wraps));
    });
    button.setAttribute('aria-pressed', 'false');
    return button;
  }
}

/** Puts labelled marks in place of hidden characters. */
export function markHidden(view: View, content: Node): void {
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    if (walker.currentNode instanceof Text) texts.push(walker.currentNode);
  }
  for (const text of texts) {
    if (!hasHidden(text.data)) continue;
    const parts = pieces(text.data, true).map((piece) => {
      if (typeof piece === 'string') return piece;
      const mark = document.createElement('span');
      mark.className = 'hid';
      mark.title = piece.codes;
      mark.textContent = markLabel(view, piece);
      return mark;
    });
    text.replaceWith(...parts);
  }
}
