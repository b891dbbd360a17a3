/** A menu above the composer: one of a list. It holds the focus while it is open and gives it back. */
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { Part, icon } from './element.ts';

export interface Option {
  readonly id: string;
  readonly icon: string;
  readonly label: unknown;
  /** Beside the label, or under it where `two`. */
  readonly detail: unknown;
  readonly group: string;
  readonly current: boolean;
  readonly more?: string;
}

@customElement('gbs-menu')
export class MenuPart extends Part {
  @property({ attribute: false }) options: readonly Option[] = [];
  @property({ attribute: false }) label = '';
  @property({ attribute: false }) hint: readonly string[] = [];
  /** Details stand under their labels. */
  @property({ type: Boolean }) two = false;
  @property({ attribute: false }) choose: (id: string) => void = () => undefined;
  @property({ attribute: false }) close: (back: boolean) => void = () => undefined;
  @state() private at = 0;

  override firstUpdated(): void {
    this.at = Math.max(
      0,
      this.options.findIndex((option) => option.current),
    );
    this.querySelector<HTMLElement>('.pop')?.focus();
  }

  protected raw(): unknown {
    return this.options;
  }

  protected draw(): TemplateResult {
    return html`<div
      class="pop"
      role="listbox"
      tabindex="0"
      aria-label=${this.label}
      aria-activedescendant="menu-${this.at}"
      @keydown=${this.#key}
      @focusout=${(event: FocusEvent) => {
        if (!(event.relatedTarget instanceof Node && this.contains(event.relatedTarget)))
          this.close(false);
      }}
    >
      ${drawOptions(this.options, this.at, 'menu', this.two, (option) => this.choose(option.id))}
      ${drawHint(this.hint)}
    </div>`;
  }

  readonly #key = (event: KeyboardEvent): void => {
    const to = step(event.key, this.at, this.options.length);
    if (to !== null) {
      this.at = to;
      void this.updateComplete.then(() => {
        this.querySelector(`#menu-${this.at}`)?.scrollIntoView({ block: 'nearest' });
      });
    } else if (event.key === 'Enter' || event.key === ' ') {
      const option = this.options[this.at];
      if (option !== undefined) this.choose(option.id);
    } else if (event.key === 'Escape' || event.key === 'Tab') this.close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** Where a key moves the choice to; null where it does not move it. */
export function step(key: string, at: number, length: number): number | null {
  if (length === 0) return null;
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % length;
    case 'ArrowUp':
      return (at - 1 + length) % length;
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return null;
  }
}

export function drawOptions(
  options: readonly Option[],
  at: number,
  id: string,
  two: boolean,
  choose: (option: Option) => void,
): unknown {
  const groups = new Map<string, { readonly option: Option; readonly index: number }[]>();
  options.forEach((option, index) => {
    const own = groups.get(option.group) ?? [];
    own.push({ option, index });
    groups.set(option.group, own);
  });
  return [...groups].map(
    ([group, own]) =>
      html`<div role="group" aria-label=${group === '' ? nothing : group}>
        ${group === '' ? nothing : html`<div class="group" aria-hidden="true">${group}</div>`}
        ${own.map(({ option, index }) => drawOption(option, index === at, `${id}-${index}`, two, choose))}
      </div>`,
  );
}

function drawOption(
  option: Option,
  on: boolean,
  id: string,
  two: boolean,
  choose: (option: Option) => void,
): TemplateResult {
  // The pointer must not take the focus from the box or the menu before the click counts.
  return html`<div
    class="opt ${two ? 'two' : ''} ${on ? 'on' : ''} ${option.more ?? ''}"
    id=${id}
    role="option"
    aria-selected=${option.current || (on && !two) ? 'true' : 'false'}
    @mousedown=${(event: MouseEvent) => event.preventDefault()}
    @click=${() => choose(option)}
  >
    ${icon(option.icon)}<span>${option.label}${two ? html`<small>${option.detail}</small>` : html`<em>${option.detail}</em>`}</span>${two && option.current ? icon('check') : html`<span></span>`}
  </div>`;
}

export function drawHint(hint: readonly string[]): unknown {
  return hint.length === 0
    ? nothing
    : html`<div class="hint" aria-hidden="true">
        ${hint.map((text) => html`<span>${text}</span>`)}
      </div>`;
}
