/** One turn: the user's message, what happened, how it ended. Drawn again only when it changed. */
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { never } from '../../never.ts';
import type { QueuedMessage } from '../../agent/events.ts';
import type { FromPage, UndoneFile } from '../protocol.ts';
import { rows, type Row } from '../runs.ts';
import type { Item, Turn } from '../transcript.ts';
import './card.ts';
import './prose.ts';
import { Part, guarded, iconButton } from './element.ts';
import { drawAnswered, drawLine, drawRun, drawThought, type Folding } from './lines.ts';
import { drawNotice } from './notice.ts';
import { drawImages } from './images.ts';
import { Rewind, type RewindPlan } from './rewind.ts';
import { marked } from './spans.ts';
import { drawEnd, type Undo } from './summary.ts';
import { ARMING_MS } from '../../limits.ts';

@customElement('gbs-turn')
export class TurnPart extends Part {
  @property({ attribute: false }) turn!: Turn;
  /** The card that keys answer, or empty. */
  @property({ attribute: false }) activeCard = '';
  @property({ type: Number }) moved = 0;
  @property({ attribute: false }) folders: readonly string[] = [];
  @state() private plan: readonly UndoneFile[] | null = null;
  #planSince = 0;
  #rewindOf: Rewind | null = null;
  readonly #shown = new Set<string>();

  protected raw(): unknown {
    return this.turn;
  }

  readonly #folding: Folding = ((turn: () => TurnPart): Folding => ({
    get view() {
      return turn().view;
    },
    isOpen: (id) => turn().view.open.has(id),
    toggle: (id) => turn().#toggle(id),
    secrets: {
      has: (key) => turn().#shown.has(key),
      toggle: (key) => {
        if (!turn().#shown.delete(key)) turn().#shown.add(key);
        turn().requestUpdate();
      },
    },
  }))(() => this);

  #toggle(id: string): void {
    const open = !this.view.open.has(id);
    this.view.keepOpen(id, open);
    if (open) this.#wantOutput(id);
    this.requestUpdate();
  }

  /** Asks for an output that stayed with the host, once. */
  #wantOutput(id: string): void {
    for (const item of this.turn.items) {
      if (item.kind !== 'line' || `line-${item.id}` !== id) continue;
      if (item.line.output?.text === null && !this.view.outputs.has(item.id))
        this.view.post({ type: 'output', id: item.id });
    }
  }

  override firstUpdated(): void {
    for (const item of this.turn.items)
      if (item.kind === 'line' && this.view.open.has(`line-${item.id}`))
        this.#wantOutput(`line-${item.id}`);
  }

  /** Going back to before this turn. */
  get #rewind(): Rewind {
    return (this.#rewindOf ??= new Rewind(this.view, this.turn.id, () => this.requestUpdate()));
  }

  showRewind(plan: RewindPlan): void {
    this.#rewind.show(plan);
    if (this.#rewind.kind !== null) void this.#showPanel(this.#rewind.kind === 'edit');
  }

  /** The panel is where the user looks, however the chat stood. */
  async #showPanel(writing: boolean): Promise<void> {
    this.dispatchEvent(new CustomEvent('gbs-stay', { bubbles: true }));
    await this.updateComplete;
    const panel = this.querySelector<HTMLElement>('.rewind');
    if (!writing) panel?.focus({ preventScroll: true });
    panel?.scrollIntoView({ block: 'nearest' });
  }

  #askEdit(text: string): void {
    this.#rewind.ask('edit', text);
    void this.updateComplete.then(() => {
      const field = this.querySelector<HTMLTextAreaElement>('.edit-message');
      this.dispatchEvent(new CustomEvent('gbs-stay', { bubbles: true }));
      field?.focus();
      field?.setSelectionRange(text.length, text.length);
    });
  }

  showPlan(files: readonly UndoneFile[]): void {
    this.plan = files;
    this.#planSince = performance.now();
    void this.updateComplete.then(() => {
      this.querySelector<HTMLElement>('.undo')?.focus();
    });
  }

  protected draw(): TemplateResult {
    const { turn, view } = this;
    return html`${turn.message === null ? nothing : this.#first(turn.message)}${repeat(
      rows(turn.items),
      (row) => row.id,
      (row) =>
        guarded(
          view,
          () => this.#row(row),
          () => row,
        ),
    )}${drawEnd(view, turn, this.#undo())}`;
  }

  #undo(): Undo {
    const { message } = this.turn;
    return {
      again: message === null ? null : () => this.#rewind.ask('again', message.text),
      folders: this.folders,
      plan: this.turn.undone === null ? this.plan : null,
      ask: () => this.view.post({ type: 'undo', turn: this.turn.id }),
      carryOut: () => {
        if (performance.now() - this.#planSince < ARMING_MS) return;
        this.plan = null;
        this.view.post({ type: 'undoNow', turn: this.turn.id });
      },
      keep: () => {
        this.plan = null;
      },
    };
  }

  /** The message that began the turn: from here the chat can be gone back. */
  #first({ text, images }: NonNullable<Turn['message']>): unknown {
    const { words } = this.view;
    const tools = html`${iconButton(
      'edit',
      words.say('editResend'),
      () => this.#askEdit(text),
      'rewinds',
    )}${iconButton(
      'discard',
      words.say('goBack'),
      () => this.#rewind.ask('back', text),
      'rewinds',
    )}`;
    return [
      this.#message({ id: this.turn.id, text, images: images ?? [] }, tools),
      this.#rewind.draw(),
    ];
  }

  #message({ id, text, images }: Required<QueuedMessage>, tools: TemplateResult): TemplateResult {
    const { view } = this;
    const { words } = view;
    return html`<article
      class="ask"
      aria-label=${words.say('yourMessage')}
      tabindex="-1"
      data-own=${id}
    >
      ${drawImages(view, images, null)}
      <p><span class="own">${this.#own(text)}</span></p>
      <div class="tools">
        ${tools}${iconButton('copy', words.say('copy'), () => {
          view.post({ type: 'copy', text });
          view.announce(words.say('copied'));
        })}
      </div>
    </article>`;
  }

  /** What the user wrote; `@path` opens the file, `@skill:name` the skill. */
  #own(text: string): unknown {
    const { view } = this;
    return text
      .split(/((?<=^|\s)@(?:skill:)?[\w./\\-]*\w)/)
      .map((part, index) =>
        index % 2 === 0
          ? marked(view, part, true)
          : html`<button type="button" class="ref" @click=${() => view.post(opened(part.slice(1)))}>
              ${part}
            </button>`,
      );
  }

  #row(row: Row): unknown {
    return row.kind === 'run'
      ? html`<div class="lines">${drawRun(this.#folding, row)}</div>`
      : this.#item(row.item);
  }

  /** A message that was taken up in the middle of a turn has no place of its own to go back to. */
  #reuse(text: string): TemplateResult {
    return iconButton('edit', this.view.words.say('editResend'), () =>
      this.dispatchEvent(new CustomEvent('gbs-draft', { bubbles: true, detail: text })),
    );
  }

  #item(item: Item): unknown {
    switch (item.kind) {
      case 'message':
        return this.#message({ ...item, images: item.images ?? [] }, this.#reuse(item.text));
      case 'thought':
        return html`<div class="lines">${drawThought(this.#folding, item)}</div>`;
      case 'text':
        // Some models say a line break before they call a tool.
        if (item.text.trim() === '') return nothing;
        return html`<article class="prose" aria-label=${this.view.words.say('answer')}>
          <gbs-prose
            .view=${this.view}
            .content=${{ text: item.text, streaming: item.streaming }}
          ></gbs-prose>
        </article>`;
      case 'line':
        return html`<div class="lines">${drawLine(this.#folding, item)}</div>`;
      case 'card':
        return item.answer === null
          ? html`<gbs-card
              .view=${this.view}
              .item=${item}
              ?active=${item.id === this.activeCard}
              .moved=${this.moved}
            ></gbs-card>`
          : html`<div class="lines">${drawAnswered(this.#folding, item)}</div>`;
      case 'notice':
        return drawNotice(this.view, item.notice);
      default:
        return never(item);
    }
  }
}

/** What a click on a mention asks for. */
function opened(mention: string): FromPage {
  const skill = /^skill:(.+)$/.exec(mention)?.[1];
  return skill === undefined
    ? { type: 'open', path: mention, line: null }
    : { type: 'skill', name: skill, action: 'open' };
}
