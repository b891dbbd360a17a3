/**
 * Finds in the whole chat, also in turns that were not drawn yet and in what is folded. Hits are drawn
 * by the browser's own highlights, so that nothing of the transcript is drawn anew for them.
 */
import { html, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { FIND_AGAIN_MS, FOUND_MOST } from '../../limits.ts';
import type { ToPage } from '../protocol.ts';
import { rows } from '../runs.ts';
import { folded, type Item, type Turn } from '../transcript.ts';
import { Part, iconButton } from './element.ts';

export type OutputsFound = Extract<ToPage, { readonly type: 'outputsFound' }>;

/** What finding needs of the view. */
export interface Findable {
  /** The drawn turns, all of them. */
  turns(): readonly HTMLElement[];
  /** Unfolds these, for as long as the bar is open. */
  unfold(ids: readonly string[]): Promise<void>;
  /** The view stays where it is, however the chat grows. */
  stay(): void;
}

@customElement('gbs-find')
export class FindPart extends Part {
  @property({ attribute: false }) turns: readonly Turn[] = [];
  @property({ attribute: false }) chat!: Findable;
  @property({ attribute: false }) close: () => void = () => undefined;
  @state() private count = 0;
  @state() private at = 0;
  @state() private query = '';
  #hits: readonly Range[] = [];
  /** The host has more outputs with hits than it gave. */
  @state() private more = false;
  /** The words that the host was last asked about, and whether the user went on to a hit since. */
  #asked = '';
  #went = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  protected raw(): unknown {
    return this.query;
  }

  override firstUpdated(): void {
    this.focusField();
  }

  focusField(): void {
    const field = this.querySelector('input');
    field?.focus();
    field?.select();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('turns') || this.query === '') return;
    // The answer that streams in must not be searched with every token.
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#search(this.at);
    }, FIND_AGAIN_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer !== null) clearTimeout(this.#timer);
    CSS.highlights.delete('gbs-found');
    CSS.highlights.delete('gbs-found-now');
  }

  protected draw(): TemplateResult {
    const { words } = this.view;
    const text =
      this.query === ''
        ? ''
        : this.count === 0
          ? words.say('foundNone')
          : words.say(
              'found',
              this.at + 1,
              this.count >= FOUND_MOST || this.more ? `${this.count}+` : this.count,
            );
    return html`<div
      class="find"
      role="search"
      @keydown=${(event: KeyboardEvent) => {
        if (event.isComposing) return;
        if (event.key === 'Escape') this.close();
        else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
          this.#go(event.shiftKey ? -1 : 1);
        } else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <input
        type="text"
        aria-label=${words.say('find')}
        placeholder=${words.say('find')}
        @input=${(event: InputEvent) => {
          if (!(event.target instanceof HTMLInputElement)) return;
          this.query = event.target.value;
          this.#went = false;
          this.more = false;
          void this.#search(null);
          this.#askHost();
        }}
      /><span
        class="count num ${this.query !== '' && this.count === 0 ? 'bad-text' : ''}"
        role="status"
        >${text}</span
      >${iconButton('arrow-up', words.say('findBefore'), () => this.#go(-1))}${iconButton(
        'arrow-down',
        words.say('findNext'),
        () => this.#go(1),
      )}${iconButton('close', words.say('closeFind'), () => this.close())}
    </div>`;
  }

  /** Long outputs stay with the host, which says which of them hold the words. */
  #askHost(): void {
    const held = this.turns.some(({ items }) =>
      items.some(
        (item) =>
          item.kind === 'line' &&
          item.line.output?.text === null &&
          !this.view.outputs.has(item.id),
      ),
    );
    this.#asked = held ? this.query : '';
    if (held && this.query !== '') this.view.post({ type: 'findOutputs', query: this.query });
  }

  /** They are in the page by now. */
  outputsFound({ query, outputs, more }: OutputsFound): void {
    if (query !== this.query || query !== this.#asked) return;
    this.more = more;
    if (outputs.length > 0) void this.#search(this.#went ? this.at : null);
  }

  /** Where `keep` is null the first hit at or below the top of the view is gone to. */
  async #search(keep: number | null): Promise<void> {
    const needle = folded(this.query);
    const asked = this.query;
    if (needle !== '') {
      await this.chat.unfold(foldedIds(this.turns, needle, (item) => this.#outputOf(item)));
      if (asked !== this.query) return;
    }
    this.#hits = needle === '' ? [] : this.chat.turns().flatMap((turn) => found(turn, needle));
    this.#hits = this.#hits.slice(0, FOUND_MOST);
    this.count = this.#hits.length;
    if (this.#hits.length > 0) CSS.highlights.set('gbs-found', new Highlight(...this.#hits));
    else CSS.highlights.delete('gbs-found');
    if (keep === null) {
      const first = this.#hits.findIndex((hit) => hit.getBoundingClientRect().top >= 0);
      this.at = Math.max(0, first);
      await this.#show();
    } else {
      this.at = Math.max(0, Math.min(keep, this.#hits.length - 1));
      this.#mark();
    }
  }

  #outputOf({ id, line }: LineItem): string {
    return line.output?.text ?? this.view.outputs.get(id)?.text ?? '';
  }

  #go(direction: 1 | -1): void {
    if (this.#hits.length === 0) return;
    this.#went = true;
    this.at = (this.at + direction + this.#hits.length) % this.#hits.length;
    void this.#show();
  }

  #mark(): void {
    const hit = this.#hits[this.at];
    if (hit === undefined) CSS.highlights.delete('gbs-found-now');
    else {
      const now = new Highlight(hit);
      now.priority = 1;
      CSS.highlights.set('gbs-found-now', now);
    }
  }

  async #show(): Promise<void> {
    this.#mark();
    const hit = this.#hits[this.at];
    if (hit === undefined) return;
    this.chat.stay();
    // What was never in view has a guessed height: once there, it is gone to again.
    for (let pass = 0; pass < 3; pass += 1) {
      hit.startContainer.parentElement?.scrollIntoView({ block: 'center' });
      await new Promise(requestAnimationFrame);
    }
  }
}

/** What is folded and holds the words. */
function foldedIds(
  turns: readonly Turn[],
  needle: string,
  outputOf: (item: LineItem) => string,
): readonly string[] {
  const has = (text: string): boolean => folded(text).includes(needle);
  const ids: string[] = [];
  for (const { items } of turns) {
    for (const row of rows(items)) {
      if (row.kind === 'run') {
        const inside = row.lines.filter((item) => has(lineText(item, outputOf(item))));
        if (inside.length > 0)
          ids.push(row.id, ...inside.filter((i) => has(outputOf(i))).map(lineId));
      } else if (row.item.kind === 'thought' && has(row.item.text)) {
        ids.push(`thought-${row.item.id}`);
      } else if (row.item.kind === 'line' && has(outputOf(row.item))) {
        ids.push(lineId(row.item), `all-${row.item.id}`);
      }
    }
  }
  return ids;
}

type LineItem = Extract<Item, { readonly kind: 'line' }>;

function lineId({ id }: LineItem): string {
  return `line-${id}`;
}

function lineText({ line }: LineItem, output: string): string {
  return `${line.verb} ${line.object}\n${output}`;
}

const APART = 'p, li, td, th, pre, h2, div, button, section, blockquote';
const OURS = '.sr, .tools, .after, .acts, footer, .caption';

/** Where the words stand in an element, also across bold and code. */
function found(element: HTMLElement, needle: string): readonly Range[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest(OURS) == null ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
  );
  const nodes: { readonly node: Node; readonly from: number }[] = [];
  let text = '';
  let block: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const own = node.parentElement?.closest(APART) ?? null;
    if (own !== block) text += '\n';
    block = own;
    nodes.push({ node, from: text.length });
    text += node.nodeValue ?? '';
  }
  const whole = folded(text);
  const hits: Range[] = [];
  let index = 0;
  const place = (offset: number): readonly [Node, number] | null => {
    while ((nodes[index + 1]?.from ?? Infinity) <= offset) index += 1;
    const at = nodes[index];
    return at === undefined ? null : [at.node, offset - at.from];
  };
  for (let at = whole.indexOf(needle); at >= 0; at = whole.indexOf(needle, at + needle.length)) {
    const start = place(at);
    const end = place(at + needle.length - 1);
    if (start === null || end === null) continue;
    const range = document.createRange();
    range.setStart(...start);
    range.setEnd(end[0], end[1] + 1);
    hits.push(range);
    if (hits.length >= FOUND_MOST) break;
  }
  return hits;
}
