/**
 * A card as lines of a terminal. Everything that is to be approved is shown whole and unwrapped;
 * hidden characters stand as `\u{…}`, so nothing can draw over anything. What somebody else wrote is
 * bare only where it reads as one word, else in quotes or behind a rule, so it cannot pose as ours.
 */
import type { Card, Flag, Pane, Span } from '../core.ts';
import { never } from '../never.ts';
import { formLines } from './form.ts';
import type { Marks, Paint } from './screen.ts';

export interface CardLook {
  readonly paint: Paint;
  readonly marks: Marks;
  /** The core's `visibleText`. */
  visible(text: string): string;
  /** Are secrets shown? */
  readonly revealed: boolean;
}

/** Everything above the buttons. */
export function cardLines(card: Card, look: CardLook): string[] {
  const { paint, marks } = look;
  const lines = [`${paint.yellow(marks.ask)} ${question(card, look)}`];
  if (card.sentence.length > 0) lines.push(`  ${paint.dim(inline(card.sentence, look))}`);
  if (card.changed) lines.push(...paneLines(card.changed, look));
  for (const flag of card.flags) lines.push(flagLine(flag, look));
  for (const pane of card.panes) lines.push(...paneLines(pane, look));
  lines.push(...formLines(card.form, look));
  const width = Math.max(0, ...card.facts.map(({ term }) => term.length));
  for (const { term, value } of card.facts) {
    lines.push(`  ${paint.dim(term.padEnd(width))}  ${inline(value, look)}`);
  }
  if (card.footnote.length > 0) lines.push(`  ${paint.dim(inline(card.footnote, look))}`);
  return lines;
}

/** The last line, up to where the answer is typed. */
export function buttonLine(card: Card, look: CardLook, editable: boolean): string {
  const { paint, marks } = look;
  const buttons = card.actions.map(
    ({ letter, label }) => `${paint.bold(letter)} ${lowered(label)}`,
  );
  if (editable) buttons.push(`${paint.bold('e')} edit first`);
  buttons.push(`${paint.bold('?')} more`);
  return `  ${buttons.join('  ')}  ${paint.yellow(marks.prompt)} `;
}

/** A button's label as part of a line: no capital, no ellipsis. */
export function lowered(label: string): string {
  return label.slice(0, 1).toLowerCase() + label.slice(1).replace(/…$/, '');
}

function question(card: Card, look: CardLook): string {
  const { paint, marks } = look;
  const counts = card.panes
    .filter(({ kind }) => kind === 'diff')
    .flatMap(({ content }) => plain(content, look).split('\n'));
  if (counts.length === 0) return paint.bold(inline(card.question, look));
  const added = counts.filter((line) => line.startsWith('+')).length;
  const removed = counts.filter((line) => line.startsWith('-')).length;
  return [
    paint.bold(inline(card.question, look)),
    ...(added > 0 ? [paint.green(`+${String(added)}`)] : []),
    ...(removed > 0 ? [paint.red(`${marks.minus}${String(removed)}`)] : []),
  ].join(' ');
}

function flagLine(flag: Flag, look: CardLook): string {
  return `  ${look.paint.yellow(look.marks.look)} ${inline(flag.text, look)}`;
}

/** Spans inside a sentence of ours: on one line, whatever they hold. */
function inline(spans: readonly Span[], look: CardLook): string {
  return spans
    .map((span, at) => {
      const before = spans[at - 1];
      const quotes = before?.kind === 'words' && before.text.endsWith('“');
      return quotes && span.kind === 'quoted'
        ? insideQuotes(span.text, look)
        : inlineSpan(span, look);
    })
    .join('');
}

/** Text between quotes that are ours already: on one line, and unable to end them. */
function insideQuotes(text: string, look: CardLook): string {
  return look
    .visible(text)
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll(/[“”]/g, '"');
}

function inlineSpan(span: Span, look: CardLook): string {
  switch (span.kind) {
    case 'words':
      return span.text;
    case 'strong':
      return look.paint.bold(span.text);
    case 'quoted':
      return asOneWord(look.visible(span.text));
    case 'place': {
      const [, path = span.text, line = ''] = /^(.*)(, line \d+)$/s.exec(span.text) ?? [];
      return asOneWord(look.visible(path)) + line;
    }
    case 'secret':
      return asOneWord(look.visible(look.revealed ? span.text : span.masked));
    default:
      return never(span);
  }
}

/** Bare where it can only be read as one thing, else in quotes with what would end them escaped. */
function asOneWord(text: string): string {
  if (/^[\w@%+=:,./~\\{}•-]+$/u.test(text)) return text;
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
  return `"${escaped}"`;
}

/** The text of spans as it stands, secrets masked. */
function plain(spans: readonly Span[], look: CardLook): string {
  return spans
    .map((span) => look.visible(span.kind === 'secret' && !look.revealed ? span.masked : span.text))
    .join('');
}

function paneLines(pane: Pane, look: CardLook): string[] {
  const { paint } = look;
  const title = [pane.title, pane.measure].filter((part) => part !== '').join(', ');
  const lines = title === '' ? [] : [`  ${paint.dim(title)}`];
  switch (pane.kind) {
    case 'command':
      return [...lines, ...commandLines(pane.content, look)];
    case 'diff':
      return [...lines, ...diffLines(plain(pane.content, look), look)];
    case 'json':
    case 'text':
      return [...lines, ...ruled(plain(pane.content, look), look)];
    default:
      return never(pane.kind);
  }
}

/** A command line alone on its line; one of several lines stands behind a rule. */
function commandLines(content: readonly Span[], look: CardLook): string[] {
  if (content.length > 1) {
    return [`  ${look.paint.bold(content.map((span) => inlineSpan(span, look)).join(' '))}`];
  }
  const text = plain(content, look);
  return text.includes('\n') ? ruled(text, look) : [`  ${look.paint.bold(text)}`];
}

/** Lines of somebody else's behind a rule: none of them can look like a line of ours. */
function ruled(text: string, look: CardLook): string[] {
  const rule = look.paint.dim(look.marks.did === '·' ? '│' : '|');
  return text.split('\n').map((line) => `  ${rule} ${line}`);
}

/** A unified diff with the line's number at its left. */
function diffLines(diff: string, look: CardLook): string[] {
  const { paint, marks } = look;
  if (!/^@@ -\d/m.test(diff)) return headedLines(diff, look);
  const lines: string[] = [];
  let before = 1;
  let after = 1;
  const source = diff.endsWith('\n') ? diff.slice(0, -1) : diff;
  const texts = source.split('\n');
  const width = String(texts.length + lastStart(texts)).length;
  const row = (sign: string, number: number, text: string): string =>
    `  ${sign} ${String(number).padStart(width)} ${text}`;
  for (const text of texts) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    const rest = text.slice(1);
    if (hunk) {
      if (lines.length > 0) lines.push(paint.dim('    ...'));
      before = Number(hunk[1]);
      after = Number(hunk[2]);
    } else if (text.startsWith('+')) {
      lines.push(paint.green(row('+', after, rest)));
      after += 1;
    } else if (text.startsWith('-')) {
      lines.push(paint.red(row(marks.minus, before, rest)));
      before += 1;
    } else if (text.startsWith('\\')) {
      lines.push(paint.dim(`    ${text}`));
    } else {
      lines.push(row(' ', after, rest));
      before += 1;
      after += 1;
    }
  }
  return lines;
}

/** A diff without hunks: no line has a number, and what is no change is a heading. */
function headedLines(diff: string, { paint, marks }: CardLook): string[] {
  return diff.split('\n').map((text) => {
    if (text.startsWith('+')) return paint.green(`  + ${text.slice(1)}`);
    if (text.startsWith('-')) return paint.red(`  ${marks.minus} ${text.slice(1)}`);
    return paint.dim(`  ${text}`);
  });
}

function lastStart(texts: readonly string[]): number {
  const starts = texts.map((text) => Number(/^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text)?.[1] ?? 0));
  return starts.reduce((most, start) => Math.max(most, start), 0);
}
