/**
 * The form of a card: what a server wants to know, to be filled in. Labels and choices are the
 * server's words and stand in the editor's font. Nothing is checked here: the core does that when the
 * answers are sent, and what it says stands under its field.
 */
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Field, FieldOption, FieldProblem } from '../../core.ts';
import { FORM_LIST_OPTIONS } from '../../limits.ts';
import { never } from '../../never.ts';
import { Part, icon } from './element.ts';
import { marked } from './spans.ts';

/** What stands in a field; null while nothing was chosen. */
type FieldValue = string | boolean | readonly string[] | null;
export type FormValues = Readonly<Record<string, FieldValue>>;

/** What stands in the form from the start. */
export function firstValues(fields: readonly Field[]): FormValues {
  return Object.fromEntries(fields.map(({ name, entry }) => [name, entry.value]));
}

@customElement('gbs-form')
export class FormPart extends Part {
  @property({ attribute: false }) fields: readonly Field[] = [];
  @property({ attribute: false }) values: FormValues = {};
  @property({ attribute: false }) problems: readonly FieldProblem[] = [];
  /** Unique in the page. */
  @property({ attribute: false }) name = '';
  @property({ attribute: false }) change: (values: FormValues) => void = () => undefined;

  protected raw(): unknown {
    return this.fields;
  }

  protected draw(): TemplateResult {
    return html`<div class="form">
      ${this.fields.map((field, index) => this.#field(field, index))}
    </div>`;
  }

  /** Into the first field that has to be looked at again. */
  focusProblem(): void {
    this.querySelector<HTMLElement>('[aria-invalid=true], .group-bad input')?.focus();
  }

  #set(field: Field, value: FieldValue): void {
    this.change({ ...this.values, [field.name]: value });
  }

  #value(field: Field): FieldValue {
    return Object.hasOwn(this.values, field.name) ? (this.values[field.name] ?? null) : null;
  }

  #field(field: Field, index: number): TemplateResult {
    const id = `${this.name}-${index}`;
    const { entry } = field;
    switch (entry.kind) {
      case 'text':
        return this.#single(field, id, this.#text(field, id, textType(entry.format)));
      case 'number':
        return this.#single(field, id, this.#text(field, id, 'text', entry.whole));
      case 'yesNo':
        return this.#yesNo(field, id);
      case 'choice':
        return entry.options.length > FORM_LIST_OPTIONS
          ? this.#single(field, id, this.#select(field, id, entry.options))
          : this.#group(field, id, entry.options, false);
      case 'choices':
        return this.#group(field, id, entry.options, true);
      default:
        return never(entry);
    }
  }

  #single(field: Field, id: string, control: TemplateResult): TemplateResult {
    return html`<div class="asked">
      <label for=${id}>${this.#label(field)}</label>
      ${control}${this.#below(field, id)}
    </div>`;
  }

  #label(field: Field): TemplateResult {
    return html`<code><bdi>${marked(this.view, field.label)}</bdi></code
      >${
        field.required || field.entry.kind === 'yesNo'
          ? nothing
          : html` <span class="may">${this.view.words.say('mayStayEmpty')}</span>`
      }`;
  }

  /** What is wrong comes first, then what is wanted, then the server's own words. */
  #below(field: Field, id: string): TemplateResult {
    const problem = this.problems.find(({ name }) => name === field.name);
    const wanted = this.#wanted(field);
    return html`<div id="${id}-more">
      ${
        problem === undefined
          ? nothing
          : html`<p class="wrong">
              ${icon('error', 'c-bad')}<span class="bad-text">${problem.message}</span>
            </p>`
      }
      ${wanted === '' ? nothing : html`<p>${wanted}</p>`}
      ${
        field.description === ''
          ? nothing
          : html`<p>
              <code><bdi>${marked(this.view, field.description)}</bdi></code>
            </p>`
      }
    </div>`;
  }

  #wrong(field: Field): boolean {
    return this.problems.some(({ name }) => name === field.name);
  }

  /** The bounds, in our words. */
  #wanted({ entry }: Field): string {
    const { words } = this.view;
    switch (entry.kind) {
      case 'text': {
        const shape = {
          email: words.say('wantsEmail'),
          uri: words.say('wantsUri'),
          date: '',
          'date-time': words.say('wantsMoment'),
        }[entry.format ?? 'date'];
        // That it may not be empty is said where it may.
        const least = entry.min !== null && entry.min > 1 ? entry.min : null;
        const length = words.bounds(least, entry.max, 'charactersOf');
        return [shape, length].filter((part) => part !== '').join(' ');
      }
      case 'number': {
        const bounds = words.bounds(entry.min, entry.max, 'numberOf');
        return entry.whole
          ? [words.say('wantsWhole'), bounds].filter((part) => part !== '').join(' ')
          : bounds;
      }
      case 'choices':
        return words.bounds(entry.min, entry.max, 'choicesOf');
      case 'yesNo':
      case 'choice':
        return '';
      default:
        return never(entry);
    }
  }

  #text(field: Field, id: string, type: string, whole = false): TemplateResult {
    const value = this.#value(field);
    return html`<input
      class="field"
      id=${id}
      type=${type}
      autocomplete="off"
      spellcheck="false"
      inputmode=${field.entry.kind === 'number' ? (whole ? 'numeric' : 'decimal') : nothing}
      .value=${typeof value === 'string' ? value : ''}
      aria-required=${field.required ? 'true' : 'false'}
      aria-invalid=${this.#wrong(field) ? 'true' : 'false'}
      aria-describedby="${id}-more"
      @input=${(event: InputEvent) => {
        if (event.target instanceof HTMLInputElement) this.#set(field, event.target.value);
      }}
    />`;
  }

  #select(field: Field, id: string, options: readonly FieldOption[]): TemplateResult {
    const value = this.#value(field);
    return html`<select
      class="field"
      id=${id}
      aria-required=${field.required ? 'true' : 'false'}
      aria-invalid=${this.#wrong(field) ? 'true' : 'false'}
      aria-describedby="${id}-more"
      @change=${(event: Event) => {
        if (!(event.target instanceof HTMLSelectElement)) return;
        this.#set(field, options[event.target.selectedIndex - 1]?.value ?? null);
      }}
    >
      <option ?selected=${value === null}>${this.view.words.say('chooseOne')}</option>
      ${options.map(
        (option) => html`<option ?selected=${option.value === value}>${option.label}</option>`,
      )}
    </select>`;
  }

  #yesNo(field: Field, id: string): TemplateResult {
    return html`<div class="asked">
      <label class="pickone"
        ><input
          type="checkbox"
          id=${id}
          .checked=${this.#value(field) === true}
          aria-describedby="${id}-more"
          @change=${(event: Event) => {
            if (event.target instanceof HTMLInputElement) this.#set(field, event.target.checked);
          }}
        /><span>${this.#label(field)}</span></label
      >
      ${this.#below(field, id)}
    </div>`;
  }

  #group(
    field: Field,
    id: string,
    options: readonly FieldOption[],
    several: boolean,
  ): TemplateResult {
    const value = this.#value(field);
    const chosen = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
    const toggle = (option: FieldOption, on: boolean): void => {
      if (!several) return this.#set(field, option.value);
      // In the order of the choices, whatever the order of the clicks.
      const next = options.filter((other) =>
        other === option ? on : chosen.includes(other.value),
      );
      this.#set(
        field,
        next.map((other) => other.value),
      );
    };
    return html`<fieldset
      class="asked ${this.#wrong(field) ? 'group-bad' : ''}"
      aria-describedby="${id}-more"
    >
      <legend>${this.#label(field)}</legend>
      ${options.map(
        (option) =>
          html`<label class="pickone"
            ><input
              type=${several ? 'checkbox' : 'radio'}
              name=${id}
              .checked=${chosen.includes(option.value)}
              @change=${(event: Event) => {
                if (event.target instanceof HTMLInputElement) toggle(option, event.target.checked);
              }}
            /><span
              ><code><bdi>${marked(this.view, option.label)}</bdi></code></span
            ></label
          >`,
      )}
      ${this.#below(field, id)}
    </fieldset>`;
  }
}

function textType(format: string | null): string {
  return format === 'date' ? 'date' : 'text';
}
