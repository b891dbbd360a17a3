/** Lines of the transcript: what the agent did by itself, what it thought, what was answered. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Line } from '../../agent/events.ts';
import type { LineIcon } from '../../agent/tool.ts';
import { never } from '../../never.ts';
import type { LineItem, Row } from '../runs.ts';
import type { Item, Output } from '../transcript.ts';
import { cardIcon, type CardItem } from './card.ts';
import { icon } from './element.ts';
import { changes, drawDiff, drawJson, drawPane } from './pane.ts';
import { marked, plain, type Secrets } from './spans.ts';
import type { View } from './view.ts';
import type { Word } from './words.ts';
import { LONG_OBJECT_UNITS, OUTPUT_FIRST_LINES, OUTPUT_SPARE_LINES } from '../../limits.ts';

/** What a line needs of the turn it is in. */
export interface Folding {
  readonly view: View;
  isOpen(id: string): boolean;
  toggle(id: string): void;
  readonly secrets: Secrets;
}

const lineIcon: Readonly<Record<LineIcon, string>> = {
  thought: 'lightbulb',
  skill: 'book',
  read: 'file',
  search: 'search',
  edit: 'edit',
  command: 'terminal',
  server: 'server',
  task: 'list-tree',
  plan: 'checklist',
};

/** A line that opens. Its id is unique in the page: ids of calls come from the model. */
function folded(
  folding: Folding,
  id: string,
  kind: TemplateResult,
  what: unknown,
  meta: unknown,
  under: () => unknown,
): TemplateResult {
  const open = folding.isOpen(id);
  return html`<button
      type="button"
      class="line"
      aria-expanded=${open ? 'true' : 'false'}
      @click=${() => folding.toggle(id)}
    >
      ${kind}${icon('chevron-right', 'fold')}<span class="what">${what}</span
      ><span class="meta">${meta}</span>
    </button>
    ${open ? html`<div class="under">${under()}</div>` : nothing}`;
}

function still(kind: TemplateResult, what: unknown, meta: unknown, live: boolean): TemplateResult {
  return html`<div class="line ${live ? 'live' : ''}">
    ${kind}<span class="what">${what}</span><span class="meta">${meta}</span>
  </div>`;
}

export function drawLine(folding: Folding, item: LineItem): TemplateResult {
  const { view } = folding;
  const { line } = item;
  const what = html`<b>${verb(view, line)}</b> ${object(view, line)}`;
  const meta = measure(folding, item);
  const kind = lineKind(line);
  const opens =
    line.state !== 'running' &&
    (line.output !== null || line.allowedBy !== '' || isLong(line.object));
  if (!opens) return still(kind, what, meta, line.state === 'running');
  return folded(folding, `line-${item.id}`, kind, what, meta, () => [
    isLong(line.object) ? html`<pre class="out full">${marked(view, line.object)}</pre>` : nothing,
    drawUnder(folding, item),
  ]);
}

/** A line is cut where the view ends; what it is about stands whole under it. */
function isLong(object: string): boolean {
  return object.length > LONG_OBJECT_UNITS || object.includes('\n');
}

/** Past for what happened, present for what goes on; what was denied says that it did not happen. */
function verb(view: View, line: Pick<Line, 'state' | 'icon' | 'verb'>): string {
  if (line.state === 'running') return view.words.say(nowWord[line.icon]);
  return line.state === 'denied' ? view.words.say(notWord[line.icon]) : line.verb;
}

const nowWord: Readonly<Record<LineIcon, Word>> = {
  thought: 'nowThought',
  skill: 'nowSkill',
  read: 'nowRead',
  search: 'nowSearch',
  edit: 'nowEdit',
  command: 'nowCommand',
  server: 'nowServer',
  task: 'nowTask',
  plan: 'nowPlan',
};

const notWord: Readonly<Record<LineIcon, Word>> = {
  thought: 'notThought',
  skill: 'notSkill',
  read: 'notRead',
  search: 'notSearch',
  edit: 'notEdit',
  command: 'notCommand',
  server: 'notServer',
  task: 'notTask',
  plan: 'notPlan',
};

function lineKind(line: Pick<Line, 'state' | 'icon'>): TemplateResult {
  switch (line.state) {
    case 'running':
      return icon('loading', 'spin kind');
    case 'failed':
      return icon('error', 'c-bad kind');
    case 'denied':
      return icon('circle-slash', 'kind');
    case 'stopped':
      return icon('debug-stop', 'kind');
    case 'done':
      return icon(lineIcon[line.icon], 'kind');
    default:
      return never(line.state);
  }
}

/** Commands, queries and names of others stand in the editor's font. */
function object(view: View, line: Pick<Line, 'icon' | 'object'>): unknown {
  const text = marked(view, line.object.replace(/\s*\n\s*/g, ' '));
  const exact = line.icon === 'command' || line.icon === 'search' || line.icon === 'server';
  return exact ? html`<code><bdi>${text}</bdi></code>` : html`<bdi>${text}</bdi>`;
}

function measure(folding: Folding, item: LineItem): unknown {
  const { words } = folding.view;
  const { state, measure: text } = item.line;
  switch (state) {
    case 'running':
      return item.progress === ''
        ? html`<span class="sr">${words.say('running')}</span>`
        : marked(folding.view, item.progress);
    case 'denied':
      return words.say('denied');
    case 'stopped':
      return words.say('stopped');
    case 'failed': {
      const [first, ...rest] = (text === '' ? words.say('failed') : text).split(', ');
      return html`<span class="bad-text">${first}</span>${rest.map((part) => `, ${part}`)}`;
    }
    case 'done':
      return changes(text);
    default:
      return never(state);
  }
}

function drawUnder(folding: Folding, item: LineItem): unknown {
  const { view } = folding;
  const { line } = item;
  const caption = (more: unknown): unknown =>
    line.allowedBy === '' && more === nothing
      ? nothing
      : html`<div class="caption"><span>${line.allowedBy}</span>${more}</div>`;
  if (line.output === null) return caption(nothing);
  const output = line.output.text === null ? view.outputs.get(item.id) : line.output;
  if (output === undefined)
    return html`<p class="quote">${view.words.say('readingOutput')}</p>
      ${caption(nothing)}`;
  if (output === null || output.text === null)
    return html`<p class="quote">${view.words.say('outputGone')}</p>
      ${caption(nothing)}`;
  return drawOutput(folding, `all-${item.id}`, output.kind, output.text, caption);
}

/** The first lines, and all of them on request. */
function drawOutput(
  folding: Folding,
  id: string,
  kind: Output['kind'],
  text: string,
  caption: (more: unknown) => unknown,
): unknown {
  const { view, secrets } = folding;
  const clean = shownText(text);
  const lines = clean.split('\n');
  const long = lines.length > OUTPUT_FIRST_LINES + OUTPUT_SPARE_LINES;
  const all = folding.isOpen(id);
  const part = long && !all ? lines.slice(0, OUTPUT_FIRST_LINES).join('\n') : clean;
  const more = long
    ? html`<button type="button" class="link push" @click=${() => folding.toggle(id)}>
        ${all ? view.words.say('showLess') : view.words.say('showAllLines', lines.length)}
      </button>`
    : nothing;
  return html`${drawText(view, secrets, id, kind, part)}${caption(more)}`;
}

function drawText(
  view: View,
  secrets: Secrets,
  id: string,
  kind: Output['kind'],
  text: string,
): unknown {
  if (text.trim() === '') return html`<p class="quote">${view.words.say('noOutput')}</p>`;
  switch (kind) {
    case 'text':
      return html`<pre class="out">${marked(view, text, true)}</pre>`;
    case 'json':
      return html`<pre class="out">${drawJson(view, text, null)}</pre>`;
    case 'diff':
      return html`<div class="out flush">
        ${drawDiff(view, [{ kind: 'quoted', text }], id, secrets)}
      </div>`;
    default:
      return never(kind);
  }
}

/** Output as a terminal would leave it: no colours, one kind of line end, no trailing blank lines. */
function shownText(text: string): string {
  const plainText = text.replace(/\x1b\[[\d;?]*[ -/]*[@-~]/g, '');
  if (!plainText.includes('\r')) return plainText.trimEnd();
  return plainText
    .split('\n')
    .map((line) => {
      const end = line.replace(/\r+$/, '');
      return end.slice(end.lastIndexOf('\r') + 1);
    })
    .join('\n')
    .trimEnd();
}

export function drawRun(folding: Folding, row: Extract<Row, { kind: 'run' }>): TemplateResult {
  const { words } = folding.view;
  const searched =
    row.searches === 1
      ? words.say('searchedOnce')
      : row.searches === 2
        ? words.say('searchedTwice')
        : words.say('searchedTimes', row.searches);
  const what =
    row.reads === 0
      ? html`<b>${searched.charAt(0).toUpperCase()}${searched.slice(1)}</b>`
      : html`<b
            >${row.mixed ? words.say('lookedAt', row.reads) : words.count(row.reads, 'readOne', 'readMany')}</b
          >${row.searches === 0 ? nothing : `, ${searched}`}`;
  const kind = icon(row.searches > 0 ? 'search' : 'file', 'kind');
  const meta = row.seconds >= 0.05 ? words.say('seconds', row.seconds.toFixed(1)) : '';
  return folded(
    folding,
    row.id,
    kind,
    what,
    meta,
    () => html`<div class="lines">${row.lines.map((item) => drawLine(folding, item))}</div>`,
  );
}

export function drawThought(
  folding: Folding,
  item: Extract<Item, { kind: 'thought' }>,
): TemplateResult {
  const { view } = folding;
  const what =
    item.seconds === null
      ? view.words.say('thinking')
      : item.seconds < 1
        ? view.words.say('thought')
        : view.words.say('thoughtFor', view.words.duration(item.seconds));
  return folded(
    folding,
    `thought-${item.id}`,
    icon('lightbulb', 'kind'),
    what,
    '',
    () => html`<p class="quote">${marked(view, item.text.trim(), true)}</p>`,
  );
}

/** A card that was answered: who allowed what stays to be seen. */
export function drawAnswered(folding: Folding, item: CardItem): TemplateResult {
  const { view, secrets } = folding;
  const { words } = view;
  const { card, answer } = item;
  const verb = {
    allow:
      card.kind === 'form'
        ? words.say('answeredForm')
        : card.kind === 'address'
          ? words.say('openedAddress')
          : words.say('allowed'),
    allowSession: words.say('allowedSession'),
    keepForUser: words.say('allowedKeptForUser'),
    keepInProject: words.say('allowedKeptInProject'),
    deny: words.say('deniedByYou'),
    notNow: words.say('notNow'),
    decline: words.say('declined'),
    dismiss: words.say('dismissed'),
  }[answer?.answer ?? 'notNow'];
  const refused = ['deny', 'notNow', 'decline', 'dismiss'].includes(answer?.answer ?? '');
  const kind = icon(refused ? 'circle-slash' : cardIcon[card.kind], 'kind');
  const what = html`<b>${verb}:</b> <bdi>${marked(view, plain(card.question))}</bdi>`;
  const shown = card.changed === null ? card.panes : [card.changed, ...card.panes];
  return folded(folding, `card-${item.id}`, kind, what, '', () => [
    answer?.reason === undefined
      ? nothing
      : html`<p class="quote">${words.say('reasonGiven', answer.reason)}</p>`,
    html`<div class="answered">
      ${shown.map((pane, index) => drawPane(view, pane, `card-${item.id}.${index}`, secrets, null))}
    </div>`,
  ]);
}
