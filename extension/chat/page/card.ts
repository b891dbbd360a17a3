/**
 * A question to the user, drawn from the core's data. It takes no focus by itself, takes no answer
 * for half a second after it appeared or moved, and no label on it is anybody's but ours.
 */
import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { CardAnswer } from '../../agent/tool.ts';
import type { Action, Answer, CardKind, FieldProblem, Flag } from '../../core.ts';
import { never } from '../../never.ts';
import type { Item } from '../transcript.ts';
import { Part, icon, iconButton } from './element.ts';
import './form.ts';
import { firstValues, type FormPart, type FormValues } from './form.ts';
import { drawPane, isJson, type Editing } from './pane.ts';
import { plain, sentence, whole, type Secrets } from './spans.ts';
import { ARMING_MS, UNANSWERED_MS } from '../../limits.ts';

export type CardItem = Extract<Item, { readonly kind: 'card' }>;

/** What the keys of a card say. */
export type AnswerKey = 'allow' | 'allowSession' | 'keepInProject' | 'deny' | 'dismiss';

function keyFor(answer: Answer): AnswerKey {
  switch (answer) {
    case 'allow':
    case 'allowSession':
    case 'keepInProject':
    case 'deny':
    case 'dismiss':
      return answer;
    case 'notNow':
    case 'decline':
      return 'deny';
    // No card has both.
    case 'keepForUser':
      return 'allowSession';
    default:
      return never(answer);
  }
}

export const cardIcon: Readonly<Record<CardKind, string>> = {
  call: 'server',
  edit: 'edit',
  command: 'terminal',
  read: 'file',
  server: 'server',
  skill: 'book',
  drift: 'tools',
  host: 'globe',
  repeat: 'sync',
  form: 'question',
  address: 'link-external',
};

@customElement('gbs-card')
export class CardPart extends Part {
  @property({ attribute: false }) item!: CardItem;
  /** The one that the keys answer. */
  @property({ type: Boolean }) active = false;
  /** Changes whenever cards come or go, so that none moves under a click unnoticed. */
  @property({ type: Number }) moved = 0;
  @state() private arming = true;
  @state() private sent = false;
  /** Null while no reason is being written. */
  @state() private reason: string | null = null;
  @state() private opened: ReadonlySet<number> = new Set();
  @state() private problems: readonly FieldProblem[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #shown = new Set<string>();
  readonly #secrets: Secrets = {
    has: (key) => this.#shown.has(key),
    toggle: (key) => {
      if (!this.#shown.delete(key)) this.#shown.add(key);
      this.requestUpdate();
    },
  };

  override connectedCallback(): void {
    super.connectedCallback();
    this.reason = this.view.reasons.get(this.item.id) ?? null;
    this.#arm();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('moved')) this.#arm();
  }

  #arm(): void {
    this.arming = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.arming = false;
    }, ARMING_MS);
  }

  protected raw(): unknown {
    return this.item;
  }

  protected draw(): TemplateResult {
    const { card, number, of } = this.item;
    const { view } = this;
    const say = (spans: typeof card.question, key: string): unknown =>
      sentence(view, spans, this.#secrets, key);
    return html`<section
      class="card ${this.active ? 'active' : ''}"
      role="group"
      aria-label=${plain(card.question)}
      tabindex="-1"
      ?data-arming=${this.arming}
      @keydown=${{ handleEvent: this.#key, capture: true }}
    >
      <header>
        ${icon(cardIcon[card.kind])}
        <div>
          <h2>${say(card.question, 'q')}</h2>
          ${
            card.sentence.length === 0
              ? nothing
              : html`<div class="sub">${say(card.sentence, 's')}</div>`
          }
        </div>
        <span class="of num"
          >${of > 1 ? view.words.say('progressOf', number, of) : nothing}${
            card.kind === 'edit'
              ? iconButton('diff', view.words.say('openDiff'), () =>
                  view.post({ type: 'openDiff', card: this.item.id }),
                )
              : nothing
          }</span
        >
      </header>
      ${card.changed === null ? nothing : drawPane(view, card.changed, 'c', this.#secrets, null)}
      ${
        card.flags.length === 0
          ? nothing
          : html`<ul class="flags">
              ${card.flags.map((flag, index) => this.#flag(flag, `f${index}`))}
            </ul>`
      }
      ${card.panes.map((pane, index) =>
        drawPane(
          view,
          pane,
          `p${index}`,
          this.#secrets,
          pane.editable ? this.#editing(index) : null,
        ),
      )}
      ${
        card.form.length === 0
          ? nothing
          : html`<gbs-form
              .view=${view}
              .fields=${card.form}
              .values=${this.#values()}
              .problems=${this.problems}
              .name=${`form-${this.item.id}`}
              .change=${(values: FormValues) => this.#fill(values)}
            ></gbs-form>`
      }
      ${
        card.facts.length === 0
          ? nothing
          : html`<dl class="facts">
              ${card.facts.map(
                (fact, index) =>
                  html`<dt>${fact.term}</dt>
                    <dd>${say(fact.value, `v${index}`)}</dd>`,
              )}
            </dl>`
      }
      ${this.reason === null ? this.#actions() : this.#reasonForm(this.reason)}
      ${
        card.footnote.length === 0
          ? nothing
          : html`<div class="note">${say(card.footnote, 'n')}</div>`
      }
    </section>`;
  }

  #values(): FormValues {
    return this.view.forms.get(this.item.id) ?? firstValues(this.item.card.form);
  }

  #fill(values: FormValues): void {
    const { id, card } = this.item;
    // What looks like a secret is not kept by the editor.
    this.view.keepForm(id, values, card.flags.length === 0);
    this.requestUpdate();
  }

  /** The core's word on what was sent: the card waits on. */
  showProblems(problems: readonly FieldProblem[]): void {
    this.problems = problems;
    this.sent = false;
    this.view.announce(this.view.words.count(problems.length, 'lookAgainOne', 'lookAgainMany'));
    void this.updateComplete.then(async () => {
      const form = this.querySelector<FormPart>('gbs-form');
      await form?.updateComplete;
      form?.focusProblem();
    });
  }

  #flag(flag: Flag, key: string): TemplateResult {
    return html`<li>
      ${icon('warning', 'c-warn')}
      <div>
        <span class="sr">${this.view.words.say('flag')} </span>${sentence(
          this.view,
          flag.text,
          this.#secrets,
          key,
        )}
      </div>
    </li>`;
  }

  #editing(pane: number): Editing {
    return {
      text: this.view.edits.get(this.item.id)?.get(pane) ?? null,
      open: this.opened.has(pane),
      begin: () => {
        this.opened = new Set([...this.opened, pane]);
      },
      change: (text) => {
        this.view.keepEdit(this.item.id, pane, text);
        this.requestUpdate();
      },
    };
  }

  #actions(): TemplateResult {
    const { card } = this.item;
    // Blue is for the ordinary case: nothing that has a flag is one.
    const plainCase = card.flags.length === 0;
    return html`<footer>${card.actions.map((action) => this.#button(action, plainCase))}</footer>`;
  }

  #button(action: Action, plainCase: boolean): TemplateResult {
    const key = this.view.key(keyFor(action.answer));
    return html`<vscode-button
      class="btn ${action.primary && plainCase ? 'primary' : ''}"
      ?secondary=${!(action.primary && plainCase)}
      data-answer=${action.answer}
      aria-disabled=${this.arming || this.sent ? 'true' : 'false'}
      @click=${() => this.#choose(action)}
      >${action.label}<span class="key">${key}</span></vscode-button
    >`;
  }

  #reasonForm(reason: string): TemplateResult {
    const { words } = this.view;
    return html`<footer class="reason">
      <input
        class="field"
        .value=${reason}
        placeholder=${words.say('tellWhy')}
        aria-label=${words.say('tellWhy')}
        @input=${(event: InputEvent) => {
          if (event.target instanceof HTMLInputElement) this.#setReason(event.target.value);
        }}
        @keydown=${this.#reasonKey}
      />
      <vscode-button class="btn" secondary @click=${() => this.#deny()}
        >${words.say(reason.trim() === '' ? 'denyWithout' : 'denyWithReason')}<span class="key"
          >${this.view.key('enter')}</span
        ></vscode-button
      >
      <vscode-button class="btn" secondary @click=${() => this.#setReason(null)}
        >${words.say('back')}<span class="key">Esc</span></vscode-button
      >
    </footer>`;
  }

  #setReason(reason: string | null): void {
    this.reason = reason;
    this.view.keepReason(this.item.id, reason);
  }

  readonly #reasonKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      this.#deny();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      this.#setReason(null);
      this.focusCard();
    }
  };

  /** Space on a button scrolls the page unless it is taken. */
  readonly #key = (event: KeyboardEvent): void => {
    // Out of a field, before it stops anything.
    if (event.key === 'Escape' && isField(event.target)) {
      event.stopPropagation();
      this.focusCard();
    }
    const onButton = event.target instanceof HTMLElement && event.target.matches('vscode-button');
    if (onButton && event.key === ' ') event.preventDefault();
    if (event.repeat && onButton && (event.key === ' ' || event.key === 'Enter')) {
      event.stopImmediatePropagation();
    }
  };

  focusCard(): void {
    this.querySelector<HTMLElement>('.card')?.focus();
  }

  /** True when what the buttons are about was there to be read: the buttons themselves are in view. */
  inView(): boolean {
    const box = this.querySelector('footer')?.getBoundingClientRect();
    const scroll = this.closest('.scroll')?.getBoundingClientRect();
    return (
      box !== undefined &&
      scroll !== undefined &&
      box.top >= scroll.top &&
      box.bottom <= scroll.bottom + 1
    );
  }

  /** The answer of a key: the button that it stands on. */
  answerByKey(kind: AnswerKey): void {
    const action = this.item.card.actions.find(({ answer }) => keyFor(answer) === kind);
    if (action !== undefined) this.#choose(action);
  }

  #choose(action: Action): void {
    if (this.arming || this.sent) return;
    if (action.answer === 'deny') {
      this.#setReason(this.reason ?? '');
      void this.updateComplete.then(() => {
        this.querySelector<HTMLElement>('.field')?.focus();
      });
      return;
    }
    const edited = this.#edited();
    const refuses = ['notNow', 'decline', 'dismiss'].includes(action.answer);
    if (edited === null && !refuses) {
      this.view.announce(this.view.words.say('notJson'));
      return;
    }
    this.#answer({
      answer: action.answer,
      ...(refuses || edited === null || Object.keys(edited).length === 0 ? {} : { edited }),
      ...(refuses || this.item.card.form.length === 0
        ? {}
        : { values: JSON.stringify(this.#values()) }),
    });
  }

  /** The changed panes, or null where one cannot be sent as it stands. */
  #edited(): Readonly<Record<number, string>> | null {
    const edited: Record<number, string> = {};
    for (const [index, pane] of this.item.card.panes.entries()) {
      const text = this.view.edits.get(this.item.id)?.get(index);
      if (text === undefined || text === whole(pane.content)) continue;
      if (pane.kind === 'json' && !isJson(text)) return null;
      edited[index] = text;
    }
    return edited;
  }

  #deny(): void {
    if (this.sent) return;
    const reason = this.reason?.trim() ?? '';
    this.#answer({ answer: 'deny', ...(reason === '' ? {} : { reason }) });
  }

  #answer(answer: CardAnswer): void {
    this.sent = true;
    setTimeout(() => {
      this.sent = false;
    }, UNANSWERED_MS);
    this.view.post({ type: 'answer', card: this.item.id, answer });
  }
}

/** What holds the keys while something is entered; the field of a reason looks after its own. */
function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLElement && target.matches('.form input, .form select'))
  );
}
