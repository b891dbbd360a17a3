/** Spans of a card: our words, theirs, places, secrets; hidden characters as labelled marks. */
import { html, type TemplateResult } from 'lit';
import type { Span } from '../../core.ts';
import { never } from '../../never.ts';
import { pieces, type Mark } from './hidden.ts';
import type { View } from './view.ts';

/** Text as it is, marks in place. */
export function marked(view: View, text: string, emoji = false): unknown {
  return pieces(text, emoji).map((piece) =>
    typeof piece === 'string' ? piece : markOf(view, piece),
  );
}

export function markLabel(view: View, mark: Mark): string {
  const name = view.words.say(mark.sort);
  return mark.count === 1 ? name : `${mark.count} ${name}`;
}

function markOf(view: View, mark: Mark): TemplateResult {
  return html`<span class="hid" title=${mark.codes}>${markLabel(view, mark)}</span>`;
}

/** A sentence of spans. Which secrets are shown is the caller's, by a key of its own. */
export function sentence(
  view: View,
  spans: readonly Span[],
  secrets: Secrets,
  key: string,
): unknown {
  return spans.map((span, index) => spanOf(view, span, secrets, `${key}.${index}`, false));
}

/** Spans in a pane: the same, but all of it is theirs and in the editor's font already. */
export function exact(view: View, spans: readonly Span[], secrets: Secrets, key: string): unknown {
  return spans.map((span, index) => spanOf(view, span, secrets, `${key}.${index}`, true));
}

/** Secrets that are shown; a card starts with none. */
export interface Secrets {
  has(key: string): boolean;
  toggle(key: string): void;
}

function spanOf(view: View, span: Span, secrets: Secrets, key: string, inPane: boolean): unknown {
  switch (span.kind) {
    case 'words':
      return span.text;
    case 'strong':
      return html`<b>${span.text}</b>`;
    case 'quoted':
      return inPane
        ? html`<bdi>${marked(view, span.text)}</bdi>`
        : html`<code><bdi>${marked(view, span.text)}</bdi></code>`;
    case 'place':
      return html`<button
        type="button"
        class="link"
        @click=${() => view.post({ type: 'open', path: span.path, line: span.line })}
      >
        <bdi>${marked(view, span.text)}</bdi>
      </button>`;
    case 'secret':
      return secret(view, span, secrets, key);
    default:
      return never(span);
  }
}

export function secret(
  view: View,
  { text, masked }: { readonly text: string; readonly masked: string },
  secrets: Secrets,
  key: string,
): TemplateResult {
  const shown = secrets.has(key);
  const button = html`<button type="button" class="link reveal" @click=${() => secrets.toggle(key)}>
    ${view.words.say(shown ? 'hide' : 'reveal')}
  </button>`;
  // No blank of ours may stand in a pane: there every one counts.
  return html`<span class="secret"><bdi>${marked(view, shown ? text : masked)}</bdi></span
    >${button}`;
}

/** The spans as plain text, for labels and copies; secrets stay masked. */
export function plain(spans: readonly Span[]): string {
  return spans.map((span) => (span.kind === 'secret' ? span.masked : span.text)).join('');
}

/** The spans' whole text, secrets too: what is edited and what is sent. */
export function whole(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join('');
}
