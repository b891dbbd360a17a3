/**
 * A pane of a card: the exact thing, whole. One that may be changed is a text field laid over its
 * coloured text; one with secrets or hidden characters shows them, and is changed on request.
 */
import { html, nothing, type TemplateResult } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import type { Pane, Span } from '../../core.ts';
import { never } from '../../never.ts';
import { readDiff, type DiffRow, type Segment } from './diff.ts';
import { iconButton } from './element.ts';
import { hasHidden } from './hidden.ts';
import { jsonTokens } from './json.ts';
import { exact, marked, secret, whole, type Secrets } from './spans.ts';
import type { View } from './view.ts';

/** How a pane is being changed; null where it may not be. */
export interface Editing {
  /** The changed text, or null while it is as it came. */
  readonly text: string | null;
  /** Asked for, where the field is not there from the start. */
  readonly open: boolean;
  begin(): void;
  /** Null puts back what came. */
  change(text: string | null): void;
}

/** The pane's text with line ends of one kind: a mark at the end of every line would say nothing. */
function evened(content: readonly Span[]): readonly Span[] {
  const text = whole(content);
  if (!text.includes('\r') || /[^\r]\n|\r(?!\n)|^\n/.test(text)) return content;
  return content.map((span) => ({ ...span, text: span.text.replaceAll('\r', '') }));
}

/**
 * Arguments as one line: a blank between them, quotes around what would not read as one. A single
 * span is a line for a shell already.
 */
function commandLine(content: readonly Span[]): readonly Span[] {
  if (content.length < 2) return content;
  return content.flatMap((span, index) => {
    const plainWord = /^[\w@%+=:,./\\~-]+$/.test(span.text);
    const text = plainWord ? span.text : `"${span.text.replace(/["\\]/g, '\\$&')}"`;
    const blank: readonly Span[] = index === 0 ? [] : [{ kind: 'words', text: ' ' }];
    return [...blank, { ...span, text }];
  });
}

export function drawPane(
  view: View,
  pane: Pane,
  key: string,
  secrets: Secrets,
  editing: Editing | null,
): TemplateResult {
  const content = evened(pane.kind === 'command' ? commandLine(pane.content) : pane.content);
  const { words } = view;
  const name = pane.title === '' ? words.say('theText') : pane.title;
  const text = whole(content);
  const overlay =
    editing !== null && !hasHidden(text) && content.every((span) => span.kind !== 'secret');
  const field = editing !== null && (overlay || editing.open);
  const titled = pane.title !== '' || pane.measure !== '';
  const copy = iconButton('copy', words.say('copyThis', name), () => {
    view.post({ type: 'copy', text: editing?.text ?? text });
    view.announce(words.say('copied'));
  });
  // Lines of a diff are read, not copied; its file can be opened.
  const tools = pane.kind === 'diff' ? nothing : copy;
  return html`
    ${
      titled
        ? html`<div class="label">
            <b>${pane.title}</b><span class="push num">${changes(pane.measure)}</span>${tools}
          </div>`
        : nothing
    }
    <div class="panebox">
      ${
        field
          ? drawField(view, pane, name, text, overlay, editing)
          : drawContent(view, pane, content, key, secrets)
      }
      ${titled || tools === nothing ? nothing : html`<div class="tools">${tools}</div>`}
    </div>
    ${
      editing !== null && !field
        ? html`<p class="below">
            <button type="button" class="link" @click=${() => editing.begin()}>
              ${words.say('editThis', name)}
            </button>
          </p>`
        : nothing
    }
  `;
}

/** "+31 −4" in the colours of added and removed. */
export function changes(text: string): unknown {
  return text
    .split(/((?<![\w.])[+−-]\d[\d,]*)/)
    .map((part, index) =>
      index % 2 === 0
        ? part
        : html`<span class=${part.startsWith('+') ? 'add' : 'del'}
            >${part.replace('-', '−')}</span
          >`,
    );
}

function drawContent(
  view: View,
  pane: Pane,
  content: readonly Span[],
  key: string,
  secrets: Secrets,
): TemplateResult {
  switch (pane.kind) {
    case 'diff':
      return html`<div class="pane flush">${drawDiff(view, content, key, secrets)}</div>`;
    case 'json':
      return html`<pre class="pane">
${content.map((span, index) =>
          span.kind === 'secret'
            ? secret(view, span, secrets, `${key}.${index}`)
            : drawJson(view, span.text, null),
        )}</pre>`;
    case 'command':
    case 'text':
      return html`<pre class="pane">${exact(view, content, secrets, key)}</pre>`;
    default:
      return never(pane.kind);
  }
}

function drawField(
  view: View,
  pane: Pane,
  name: string,
  text: string,
  overlay: boolean,
  editing: Editing,
): TemplateResult {
  const { words } = view;
  const shown = editing.text ?? text;
  // Over marks the letters would not lie on each other.
  const bare = !overlay || hasHidden(shown);
  const backdrop = !bare
    ? pane.kind === 'json'
      ? drawJson(view, shown, editing.text === null ? null : changedRange(text, shown))
      : drawChanged(shown, editing.text === null ? null : changedRange(text, shown))
    : shown;
  const input = (event: InputEvent): void => {
    if (!(event.target instanceof HTMLTextAreaElement)) return;
    editing.change(event.target.value === text ? null : event.target.value);
  };
  return html`<div class=${classMap({ pane: true, edit: true, bare })}>
      <pre class="under-edit" aria-hidden="true">
${backdrop}${shown.endsWith('\n') ? html`<br />` : nothing}</pre>
      <textarea
        rows="1"
        aria-label=${words.say('editable', name)}
        spellcheck="false"
        autocomplete="off"
        .value=${shown}
        @input=${input}
      ></textarea>
    </div>
    ${overlay ? nothing : html`<p class="below">${words.say('hiddenWhileEditing')}</p>`}
    ${
      editing.text === null
        ? nothing
        : html`<p class="below">
            ${
              pane.kind === 'json' && !isJson(shown)
                ? html`<span class="bad-text">${words.say('notJson')}</span> `
                : html`${words.say('youChanged')} `
            }<button type="button" class="link" @click=${() => editing.change(null)}>
              ${words.say('reset')}
            </button>
          </p>`
    }`;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Where `now` differs from `before`: one stretch, between what is alike at both ends. */
function changedRange(before: string, now: string): readonly [number, number] {
  const most = Math.min(before.length, now.length);
  let start = 0;
  while (start < most && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === now[now.length - 1 - end])
    end += 1;
  return [start, now.length - end];
}

function drawChanged(text: string, changed: readonly [number, number] | null): unknown {
  if (changed === null) return text;
  const [from, to] = changed;
  return [
    text.slice(0, from),
    html`<span class="edited">${text.slice(from, to)}</span>`,
    text.slice(to),
  ];
}

/** JSON with its colours; `changed` is underlined. */
export function drawJson(
  view: View,
  text: string,
  changed: readonly [number, number] | null,
): unknown {
  let at = 0;
  return jsonTokens(text).map((token) => {
    const from = at;
    at += token.text.length;
    const inside: readonly [number, number] | null =
      changed === null || changed[1] <= from || changed[0] >= at
        ? null
        : [Math.max(0, changed[0] - from), Math.min(token.text.length, changed[1] - from)];
    const content = inside === null ? marked(view, token.text) : drawChanged(token.text, inside);
    return token.kind === 'plain'
      ? content
      : html`<span class=${jsonClass[token.kind]}>${content}</span>`;
  });
}

const jsonClass = { key: 'k', string: 'st', number: 'n', literal: 'k', plain: '' } as const;

/** Rows of a diff; the sign is spoken, as colour alone says nothing. */
export function drawDiff(
  view: View,
  content: readonly Span[],
  key: string,
  secrets: Secrets,
): TemplateResult {
  const diff = readDiff(content);
  return html`<div class="diff ${diff.numbered ? '' : 'plain'}">
    ${diff.rows.map((row, index) => drawRow(view, row, diff.numbered, `${key}.${index}`, secrets))}
  </div>`;
}

function drawRow(
  view: View,
  row: DiffRow,
  numbered: boolean,
  key: string,
  secrets: Secrets,
): TemplateResult {
  const { words } = view;
  if (row.kind === 'gap')
    return html`<div class="gap">
      ${words.count(row.unchanged, 'unchangedOne', 'unchangedMany')}
    </div>`;
  const content = row.segments.map((segment, index) =>
    drawSegment(view, segment, `${key}.${index}`, secrets),
  );
  if (row.kind === 'heading') return html`<div class="gap">${content}</div>`;
  const sign = { same: ' ', add: '+', remove: '−' }[row.kind];
  const spoken = { same: '', add: words.say('added'), remove: words.say('removed') }[row.kind];
  return html`<div class="row ${{ same: '', add: 'p', remove: 'm' }[row.kind]}">
    ${numbered ? html`<i>${row.number ?? ''}</i>` : nothing}<s aria-hidden="true">${sign}</s
    ><span>${spoken === '' ? nothing : html`<span class="sr">${spoken} </span>`}${content}</span>
  </div>`;
}

function drawSegment(view: View, segment: Segment, key: string, secrets: Secrets): unknown {
  const { masked } = segment;
  if (masked !== null) return secret(view, { text: segment.text, masked }, secrets, key);
  const text = marked(view, segment.text);
  return segment.differs ? html`<mark>${text}</mark>` : text;
}
